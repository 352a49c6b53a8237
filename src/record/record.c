// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A recording from start to end: creates a trace.dat from a plan, and restores the state of the
 * machine.
 *
 * run_prepare() sets everything up while tracing is off. run_record() enables tracing, releases the
 * command and waits. run_finish() drains the kernel's buffers and undoes the changes. run_write()
 * writes the file. run_release() is the only exit, from any state: it undoes the changes in the
 * journal.
 */
#include <poll.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "record/assemble.h"
#include "record/record_run.h"
#include "record/tracedir.h"

enum {
	TICK_MS = 1000,
	PID_MS = 250,
	KEEP_MS = 100,
	GRACE_MS = 1000,
	COMMS_MIN = 4096,
	MARGIN = 1 << 20
};

/* --- helpers --- */

static double seconds_since(u64 from)
{
	return (double)(monotonic_ns() - from) / 1e9;
}

/* --- before recording --- */

/* Create the work directory, if the file can be given its name at the end. */
static int create_work(struct record_run *run)
{
	const char *output = run->plan->output;
	scoped(strbuf_release) struct strbuf old = STRBUF_INIT;
	struct stat st;
	int err = 0;

	strbuf_addf(&old, "%s.old", output);
	if (!*path_base(output) || !strcmp(output, "-"))
		err = diags_error(run->diags, -HIST_EINVAL, "'%s' is not the name of a file",
				  output);
	else if (stat(output, &st) == 0 && !S_ISREG(st.st_mode))
		err = diags_error(run->diags, -HIST_EINVAL, "%s is not a regular file", output);
	else if (lstat(output, &st) == 0 && lstat(old.s, &st) == 0 && S_ISDIR(st.st_mode))
		err = diags_error(run->diags, -HIST_EINVAL,
				  "%s cannot be renamed to %s, which is a directory", output,
				  old.s);
	err = err ?: workdir_create(&run->work, output, run->diags);
	return err || !run->plan->stream ? err : record_stream_guard(&run->stream);
}

static int check_pids(struct record_run *run)
{
	if ((!run->plan->only_command && !run->plan->n_pids) || pid_namespace_is_initial())
		return 0;
	return diags_error(
		run->diags, -HIST_EINVAL,
		"%s cannot be used in a container, whose process ids the kernel does not record; record without it, and select with hist report --comm or --tree",
		run->plan->only_command ? "-F" : "-P");
}

/* All current threads of the processes of -P. */
static int find_threads(struct record_run *run)
{
	for (size_t i = 0; i < run->plan->n_pids; i++) {
		s32 pid = run->plan->pids[i];
		char path[32];
		DIR *d;
		struct dirent *entry;

		snprintf(path, sizeof(path), "/proc/%d/task", pid);
		d = opendir(path);
		if (!d)
			return diags_error(run->diags, -HIST_ENOENT, "-P %d: no such process", pid);
		while ((entry = readdir(d))) {
			u64 tid;

			if (!span_u64(span_of(entry->d_name), &tid) ||
			    !array_push(&run->pids, (s32)tid))
				continue;
			closedir(d);
			return -HIST_ENOMEM;
		}
		closedir(d);
	}
	return 0;
}

/* Derived events need them, and the kernel has no other event that states the same. */
static int add_quotas(struct record_run *run)
{
	const struct record_plan *plan = run->plan;
	const bool wanted =
		any_of(i, plan->n_events, !strncmp(plan->events[i].pattern, "hist:throttle_", 14));

	if (!wanted)
		return 0;
	throttle_probes_create(&run->undo, run->diags);
	event_list_release(&run->list);
	return event_list_read(&run->list, run->diags);
}

static int select_events(struct record_run *run)
{
	const struct record_plan *plan = run->plan;
	int err = event_list_read(&run->list, run->diags);

	/* let the caller extend the plan, now that the machine and its new probes are known */
	if (!err && plan->resolve) {
		scoped(free_scoped) char *path = workdir_machine(&run->work);

		err = path ? machine_write(path, &run->list, plan->clock, plan->symbols, run->diags)
			   : HIST_NOMEM;
		err = err ?: plan->resolve(plan->resolve_arg, path, run->diags);
		unlinkat(run->work.dir, path_base(path ? path : ""), 0);
	}
	err = err ?: add_quotas(run);
	if (!err)
		err = selection_make(&run->sel, &run->list, plan->events, plan->n_events,
				     run->diags);
	run->sel.markers |= plan->markers;
	return err;
}

static int open_tracing(struct record_run *run)
{
	char *mounted;
	int err = tracedir_open(&mounted, run->diags);

	if (err)
		return err;
	sweep_note_dead(run->plan->output, run->diags);
	sweep(true, NULL, run->diags);
	undo_open(&run->undo);
	/* sweep() unmounts it if a dead recording had mounted it */
	if (!mounted)
		err = tracedir_open(&mounted, run->diags);
	if (mounted && undo_log(&run->undo, span_of(mounted), "umount"))
		err = -HIST_EIO;
	free(mounted);
	err = err ?: live_check(run->plan, run->diags);
	err = err ?: probes_create(run->plan->probes, run->plan->n_probes, &run->undo, run->diags);
	return err ? err : select_events(run);
}

static int open_session(struct record_run *run)
{
	struct session *s = &run->session;
	int err = session_open(s, run->plan, &run->undo, run->diags);
	char *path = err ? NULL : realpath(run->work.path, NULL), *text;
	u64 size;

	if (!err && (!path || undo_log_work(&run->undo, path, run->work.dir, s->name)))
		err = diags_error(run->diags, -HIST_EIO, "cannot write the journal: %s",
				  strerror(errno));
	free(path);
	err = err ?: session_configure(s, run->plan, &run->sel, run->diags);
	/*
	 * kernel: before 6.10 only 128 thread names are stored by default. This is the only setting
	 * of the whole machine that is changed, and only if the change can be logged in the
	 * journal.
	 */
	text = err ? NULL : tracedir_read(NULL, "saved_cmdlines_size", NULL);
	if (text && run->undo.path && span_u64(span_trim(span_of(text)), &size) &&
	    size < COMMS_MIN &&
	    !undo_log(&run->undo, span_trim(span_of(text)), "file . saved_cmdlines_size"))
		tracedir_write(NULL, "saved_cmdlines_size", "32768");
	free(text);
	err = err ?: session_set_tracer(s, run->plan, run->diags);
	err = err ?: session_enable(s, &run->sel, run->diags);
	err = err ?: live_install(s, run->plan, run->diags);
	err = err ?: manifest_write(&run->work, s, run->plan, &run->sel, run->diags);
	/* before the command is executed and anything is recorded */
	if (!err)
		tasks_start(&run->tasks, run->plan, s, &run->work, run->diags);
	return err;
}

/*
 * Before anything is opened or locked: until the command is executed, the child would have it open,
 * too, and a recording that is killed would look alive as long as its child is.
 */
static int fork_command(struct record_run *run)
{
	return run->plan->command ? command_fork(&run->command, run->plan->command, run->plan->user,
						 &run->sig, run->diags)
				  : 0;
}

static int limit_pids(struct record_run *run)
{
	int err = 0;

	if (run->plan->only_command && array_push(&run->pids, run->command.pid))
		err = -HIST_ENOMEM;
	err = err ?: session_limit_pids(&run->session, run->pids.v, run->pids.n, run->diags);
	if (!err &&
	    manifest_write_limits(&run->work, run->plan, &run->sel, run->pids.v, run->pids.n))
		err = diags_error(run->diags, -HIST_EIO, "cannot write %s: %s", run->work.path,
				  strerror(errno));
	return err;
}

static int prepare_readers(struct record_run *run)
{
	const struct record_keep *keep = run->keep;
	const struct reader_files files = {
		.ring = reader_ring_size(run->plan->max_kb, run->session.subbuf_size),
		.rest = run_reserved(run),
		.compress = run->plan->codec != CODEC_NONE,
		.kept = keep ? &run->kept : NULL,
		.memory = keep && keep->memory,
	};
	const struct until_waiter until = { run->plan,   &run->session, &run->sel,
					    run->pids.v, run->pids.n,   &run->work };
	int err = 0;

	if (keep)
		err = keep_open(&run->kept, keep, &run->session, &run->work, run->diags);
	run->kept.line = run->plan->rotate || run->plan->stream;
	if (run->plan->rotate) {
		run->kept.max = UINT64_MAX;
		run->kept.reserve = &run->readers.reserve;
	}
	err = err ?: readers_open(&run->readers, &run->session, &run->work, &files, run->diags);
	run->readers.reserve.margin = run->plan->rotate ? MARGIN : 0;
	if (!err && keep && keep->until)
		err = until_prepare(&run->until, &until, &run->kept, run->diags);
	/* what the kernel counts is not recorded */
	if (!err && run->kept.until && keep->until->counts) {
		tasks_close(&run->tasks);
		if (tracedir_write(run->session.instance, "events/enable", "0"))
			err = tracedir_error(run->diags, errno, "cannot disable", "events");
	}
	if (!err && keep) {
		tasks_follow(&run->tasks, &run->kept);
		run->kept.tasks = run->tasks.news;
	}
	if (!err && run->kept.until && keep->ns && kept_use_rings(&run->kept, keep->ns))
		err = diags_error(run->diags, -HIST_EIO, "cannot open an eventfd: %s",
				  strerror(errno));
	if (!err && keep)
		err = keep->start(keep->arg, &run->kept);
	return err ? err : readers_start(&run->readers, run->diags);
}

/* Set everything up; 1 if a signal arrived in the meantime. */
static int run_prepare(struct record_run *run)
{
	int (*const steps[])(struct record_run *) = { check_pids,   fork_command,   create_work,
						      find_threads, open_tracing,   open_session,
						      limit_pids,   prepare_readers };
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(steps); i++) {
		err = steps[i](run);
		if (!err && signals_read(&run->sig)) {
			run->result->signal = run->sig.first;
			err = 1;
		}
	}
	return err;
}

/* --- during the recording --- */

static bool pids_ended(struct record_run *run)
{
	size_t ended = 0, n = run->fds.n - RUN_FDS;

	for (size_t i = 0; i < n; i++) {
		struct pollfd *p = &run->fds.v[RUN_FDS + i];

		if (p->fd < 0 ? kill(run->plan->pids[i], 0) && errno == ESRCH : p->revents)
			ended++;
	}
	return n && ended == n;
}

static bool needs_ticks(const struct record_run *run)
{
	return run->plan->progress || run->plan->max_cpu > 0 || run->plan->min_free;
}

/* Whether nothing is to be done until the kernel reports an event. */
static bool run_rests(const struct record_run *run)
{
	return run->kept.ring_ns && !atomic_load(&run->kept.wanted);
}

static int wait_ms(const struct record_run *run)
{
	double left = (double)run->plan->duration_ns / 1e9 - seconds_since(run->started);
	int ms = needs_ticks(run) ? TICK_MS : -1;

	if (run->plan->min_free)
		ms = PID_MS;
	if (run->unwatched)
		ms = PID_MS;
	if (run->keep)
		ms = run_rests(run) ? TICK_MS : KEEP_MS;
	if (run->plan->duration_ns && (ms < 0 || left * 1000 < ms))
		ms = left > 0 ? (int)min_t(double, left * 1000 + 1, 3600000) : 0;
	return ms;
}

bool run_stop_requested(struct record_run *run)
{
	if (!signals_read(&run->sig))
		return false;
	if (run->sig.last_by_process)
		command_signal(&run->command, run->sig.last);
	return true;
}

/* Wait until there is a reason to stop. */
static void run_wait(struct record_run *run)
{
	struct record_progress p = { .phase = RECORD_RUNNING };
	const u64 tick = run->plan->progress_ns ?: TICK_MS * 1000000ull;
	const double each = run->plan->min_free ? PID_MS / 1e3 : (double)tick / 1e9;

	for (;;) {
		int n;

		run->fds.v[RUN_WANTED].fd = run_rests(run) ? run->kept.wake : -1;
		n = poll(run->fds.v, run->fds.n, wait_ms(run));
		if (run_stop_requested(run) || run->sig.count) {
			run->result->signal = run->sig.first;
			return;
		}
		if (run->fds.v[RUN_FAILED].revents || command_ended(&run->command) ||
		    pids_ended(run))
			return;
		if (run->plan->duration_ns &&
		    seconds_since(run->started) * 1e9 >= (double)run->plan->duration_ns)
			return;
		if (run->keep && run_write_due(run, false))
			return;
		if (n || !needs_ticks(run) || seconds_since(run->started) < p.seconds + each)
			continue;
		if (watch_tick(run, &p))
			return;
		if (run->plan->progress)
			run->plan->progress(run->plan->arg, &p);
	}
}

static int run_record(struct record_run *run)
{
	const int fds[RUN_FDS] = { run->sig.fd, run->readers.failed, -1 };
	struct pollfd fd = { .events = POLLIN };
	int err = 0;

	for (size_t i = 0; !err && i < RUN_FDS; i++) {
		fd.fd = fds[i];
		err = array_push(&run->fds, fd);
	}
	/* without a command, the recording ends when all processes of -P have ended */
	for (size_t i = 0; !err && !run->plan->command && i < run->plan->n_pids; i++) {
		/* without glibc's wrapper, which is newer than Ubuntu 22.04 */
		fd.fd = (int)syscall(SYS_pidfd_open, run->plan->pids[i], 0);
		/* kernel: needs 5.3, and supports only processes, not threads */
		run->unwatched |= fd.fd < 0;
		err = array_push(&run->fds, fd);
	}
	if (err)
		return err;
	run->started = monotonic_ns();
	err = session_switch(&run->session, true, run->diags);
	err = err ?: until_switch(&run->until, true, run->diags);
	err = err ?: live_start(&run->session, run->plan, run->diags);
	if (err)
		return err;
	if (run->plan->command) {
		run->result->command_errno = command_go(&run->command);
		if (run->result->command_errno)
			return diags_error(run->diags, -HIST_ENOENT, "cannot run %s: %s",
					   run->plan->command[0],
					   strerror(run->result->command_errno));
	}
	run->result->started = true;
	run_wait(run);
	return 0;
}

/* --- after recording --- */

/* Undo all changes in the journal. May be called at any time, and repeatedly. */
static void undo_changes(struct record_run *run)
{
	if (run->keep)
		run->keep->stop(run->keep->arg);
	readers_close(&run->readers);
	tasks_close(&run->tasks);
	until_close(&run->until);
	session_close(&run->session);
	undo_all((struct span){ run->undo.text.s, run->undo.text.len }, run->diags);
	undo_close(&run->undo, run->diags);
}

static int run_finish(struct record_run *run)
{
	const struct cpu_reader *r;
	int err;

	live_stop(&run->session, run->plan, run->diags);
	session_switch(&run->session, false, run->diags);
	until_switch(&run->until, false, run->diags);
	run->result->seconds = seconds_since(run->started);
	readers_finish(&run->readers);
	/* a writer that was processing an event when tracing was disabled has finished by now */
	readers_finish(&run->readers);
	tasks_finish(&run->tasks, &run->work, run->diags);
	if (run->plan->stream)
		record_stream_drain(&run->stream);
	r = readers_failure(&run->readers);
	if (r) {
		run->result->complete = false;
		/* the reserved space is needed for the rest of the manifest */
		if (disk_is_full(r->error) || r->error == EFBIG)
			reserve_release_rest(&run->readers.reserve);
		workdir_add(&run->work, span_of(strerror(r->error)), "stopped");
		diags_error(run->diags, 0, "the recording ended at CPU %u: %s", r->cpu,
			    strerror(r->error));
		readers_report_lost(&run->readers, run->diags);
	}
	report_lost(&run->session, &run->kept, run->result, run->diags);
	run->result->n_cpus = run->session.cpus.n;
	if (run->stopped && !r) {
		reserve_release_rest(&run->readers.reserve);
		workdir_add(&run->work, span_of(run->stopped), "stopped");
		diags_add(run->diags, DIAG_WARNING, "the recording ended early: %s", run->stopped);
	}
	if (run->keep) {
		run_write_due(run, true);
		undo_changes(run);
		run_keep_unwritten(run);
		return 0;
	}
	if (manifest_write_sizes(&run->work, &run->readers) ||
	    manifest_write_stats(&run->work, &run->session) ||
	    manifest_write_cmdlines(&run->work) || live_store(&run->work, &run->session, run->plan))
		diags_add(run->diags, DIAG_WARNING, "cannot complete %s: %s", run->work.path,
			  strerror(errno));
	err = rescue_work(&run->work, &run->readers, run->plan->output, &run->moved, run->diags);
	undo_changes(run);
	return err;
}

/* The first signal ends a recording, the second one cancels writing the file. */
static int write_step(void *arg, u64 done, u64 bytes)
{
	struct record_run *run = arg;
	struct record_progress p = { .phase = RECORD_WRITING,
				     .bytes = bytes,
				     .bytes_done = done,
				     .events = run->result->events,
				     .lost = run->result->lost,
				     .seconds = run->result->seconds };

	if (run_stop_requested(run) && run->sig.count > 1)
		return 1;
	if (run->plan->progress)
		run->plan->progress(run->plan->arg, &p);
	return 0;
}

static int run_write(struct record_run *run)
{
	const char *output = run->moved ? run->moved : run->plan->output;
	struct assemble_options options = { .output = output, .step = write_step, .arg = run };
	struct assembled done;
	int err = assemble(&run->work, &options, &done, run->diags);
	scoped(free_scoped) char *moved = rescue_path(run->work.parent, output);
	scoped(free_scoped) char *data = rescue_path(run->work.parent, run->work.path);

	if (err)
		diags_add(run->diags, DIAG_NOTE, "%sthe data is in %s: hist record --recover -o %s",
			  err > 0 ? "interrupted; " : "", data ? data : run->work.path,
			  moved ? moved : output);
	else if (moved)
		diags_add(run->diags, DIAG_WARNING,
			  "the directory of %s was renamed or replaced: the recording is %s",
			  output, moved);
	run->result->output = arena_strdup(&run->diags->arena, moved ? moved : output);
	if (!err) {
		run->result->bytes = done.bytes;
		run->result->vanished = done.vanished;
		if (done.vanished)
			run->result->complete = false;
		run->result->file_size = done.file_size;
		return 0;
	}
	workdir_close(&run->work);
	return err > 0 ? -HIST_EIO : err;
}

/*
 * The command may continue after the recording, and its exit status becomes ours. But a signal sent
 * to us requests an end: if the command ignores the signal, do not wait for it.
 */
static void wait_for_command(struct record_run *run)
{
	struct pollfd fd = { .fd = run->sig.fd, .events = POLLIN };
	bool hurry = run->sig.count && run->sig.last_by_process;

	if (!run->plan->command)
		return;
	while (!command_ended(&run->command)) {
		int n = poll(&fd, 1, hurry ? GRACE_MS : -1);

		if (n == 0 || (run_stop_requested(run) && run->sig.count > 1))
			break;
		hurry = run->sig.count && run->sig.last_by_process;
	}
	run->result->command_ended = run->command.ended;
	run->result->wait_status = run->command.status;
	if (!run->command.ended)
		diags_add(run->diags, DIAG_NOTE, "%s (process %d) continues", run->plan->command[0],
			  (int)run->command.pid);
}

static void run_release(struct record_run *run)
{
	command_release(&run->command);
	undo_changes(run);
	/* the file is complete, or nothing was recorded */
	workdir_discard(&run->work, DIAG_WARNING, run->diags);
	for (size_t i = RUN_FDS; i < run->fds.n; i++)
		fd_close(run->fds.v[i].fd);
	array_release(&run->fds);
	array_release(&run->pids);
	selection_release(&run->sel);
	event_list_release(&run->list);
	signals_close(&run->sig);
	kept_release(&run->kept);
	rotate_release(&run->rotate);
	record_stream_release(&run->stream);
	free(run->moved);
}

int record_run(const struct record_plan *plan, struct record_result *result, struct diags *diags)
{
	struct record_run run = { .plan = plan,
				  .result = result,
				  .diags = diags,
				  .work = WORKDIR_INIT,
				  .undo = UNDO_INIT,
				  .list = EVENT_LIST_INIT,
				  .sel = SELECTION_INIT,
				  .tasks = TASKS_INIT,
				  .until = UNTIL_INIT,
				  .command = COMMAND_INIT,
				  .readers = READERS_INIT };
	int err;

	*result = (struct record_result){ .complete = true };
	rotate_init(&run.rotate, plan, &run.work, diags);
	record_stream_init(&run.stream, &run);
	run.keep = plan->rotate ? &run.rotate.keep : plan->stream ? &run.stream.keep : plan->keep;
	err = signals_open(&run.sig, run.keep, diags);
	err = err ?: run_prepare(&run);
	err = err ?: run_record(&run);
	if (!err) {
		err = run_finish(&run);
		if (!err && !run.keep)
			err = run_write(&run);
		wait_for_command(&run);
	}
	run_release(&run);
	return err;
}
