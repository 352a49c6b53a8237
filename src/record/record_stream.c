// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Batches of a stream: a few times a second the readers complete what they move, and what was moved
 * is written. Before the first batch are the metadata, after the last one what is known at the end.
 */
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "record/record_run.h"

enum { EACH_MS = 200, WAIT_MS = 100, PATIENCE_MS = 2000, BATCH = 1 << 22, PIECE = 4096 };

/* --- writing --- */

/* A pipe that can be written to takes PIECE bytes without waiting. */
static int wait_for_pipe(struct record_stream *s)
{
	struct pollfd p = { .fd = s->run->plan->stream_fd, .events = POLLOUT };
	u64 since = monotonic_ns();

	while (!poll(&p, 1, WAIT_MS)) {
		run_stop_requested(s->run);
		/* once it is to end, it does not wait for long */
		if (s->run->sig.count > 1 ||
		    (s->run->sig.count && monotonic_ns() - since > PATIENCE_MS * 1000000ull)) {
			s->error = EINTR;
			return -1;
		}
	}
	return 0;
}

static int stream_write(void *arg, const void *data, size_t n)
{
	struct record_stream *s = arg;
	const char *at = data;

	while (n && !s->error) {
		ssize_t done;

		if (s->pipe && wait_for_pipe(s))
			break;
		done = write(s->run->plan->stream_fd, at, s->pipe ? min_t(size_t, n, PIECE) : n);
		if (done < 0 && errno != EINTR && errno != EAGAIN)
			s->error = errno;
		if (done > 0) {
			at += done;
			n -= (size_t)done;
		}
	}
	return s->error ? -HIST_EIO : 0;
}

/* --- metadata --- */

/*
 * A trace.dat without records, of the manifest: *@fd. @end: with the journal of tasks, and with
 * what is known at the end
 */
static int write_machine(struct record_stream *s, bool end, int *fd)
{
	struct record_run *run = s->run;
	scoped(strbuf_release) struct strbuf manifest = STRBUF_INIT;
	scoped(description_release) struct description m = { .arena = ARENA_INIT };
	struct trace_dat_writer *w = NULL;
	int err = workdir_manifest(&run->work, &manifest);

	if (!err && !end)
		block_add(&manifest, span_of(""), "cmdlines");
	*fd = memfd_create("hist-stream", MFD_CLOEXEC);
	err = err ?: description_parse(&m, (struct span){ manifest.s, manifest.len });
	err = err ?: *fd < 0 ? -HIST_EIO : 0;
	err = err ?: trace_dat_writer_open_fd(*fd, "stream", &m.machine, &w, run->diags);
	err = err ?: description_write(&m, w);
	if (!err && end)
		err = tasks_write(&run->work, m.text, w);
	if (!err && !end)
		err = trace_dat_writer_option(w, TRACE_DAT_HIST_STREAM, "", 1);
	err = err ?: trace_dat_writer_buffer(w, "", m.machine.clock, m.machine.page_size);
	if (!err)
		err = trace_dat_writer_finish(w, run->diags);
	else if (w)
		trace_dat_writer_abort(w);
	if (!err && !end) {
		s->out.big_endian = m.machine.big_endian;
		s->out.clock = arena_strdup(&run->diags->arena, m.machine.clock);
		err = s->out.clock ? 0 : HIST_NOMEM;
	}
	return err;
}

static int stream_error(struct record_stream *s, int err)
{
	if (s->error == EPIPE)
		return diags_error(s->run->diags, err,
				   "the reader of the stream ended before the recording");
	if (s->error == EINTR)
		return diags_error(s->run->diags, err, "interrupted: the stream is cut");
	return diags_error(s->run->diags, err, "cannot write the stream: %s",
			   err == HIST_NOMEM ? "out of memory"
			   : s->error        ? strerror(s->error)
					     : strerror(errno));
}

static int stream_start(void *arg, struct kept *kept)
{
	struct record_stream *s = arg;
	const struct record_plan *plan = s->run->plan;
	struct stat st;
	int fd = -1, err;

	s->out = (struct trace_dat_stream){ .name = plan->instance ? plan->instance : "",
					    .subbuf = kept->subbuf,
					    .write = stream_write,
					    .arg = s };
	s->parts = calloc(kept->n + 1, sizeof(*s->parts));
	s->next = calloc(kept->n + 1, sizeof(*s->next));
	s->to = calloc(kept->n + 1, sizeof(*s->to));
	s->page = malloc(kept->slot_size);
	if (!s->parts || !s->next || !s->to || !s->page)
		return HIST_NOMEM;
	s->pipe = !fstat(plan->stream_fd, &st) && !S_ISREG(st.st_mode);
	err = write_machine(s, false, &fd);
	err = err ?: trace_dat_stream_begin(&s->out, fd);
	fd_close(fd);
	s->begun = !err;
	return err ? stream_error(s, err) : 0;
}

/* --- batches --- */

/* The time of the last record that was moved, whether it is written already or not. */
static u64 find_moved(struct record_stream *s)
{
	struct kept *k = &s->run->kept;
	const struct ring_buffer_layout layout = { s->out.big_endian, s->run->session.long_size,
						   k->subbuf };
	struct ring_buffer_page page;
	u64 moved = s->moved;

	for (size_t i = 0; i < k->n; i++) {
		struct kept_range range = kept_range(k, i);

		if (range.to > s->next[i] && !kept_read(k, i, range.to - 1, s->page) &&
		    !ring_buffer_page_open(&page, &layout, s->page, k->subbuf))
			moved = max_t(u64, moved, ring_buffer_page_times(&page).last);
	}
	return moved;
}

/* Write the sub-buffers that a batch announced. */
static int write_parts(struct record_stream *s)
{
	struct kept *k = &s->run->kept;
	int err = 0;

	for (size_t i = 0; i < k->n && !err; i++) {
		u64 left = s->parts[i].size / k->subbuf, at, n;

		for (; left && !err; left -= n, s->next[i] += n) {
			n = kept_find(k, i, s->next[i], left, &at);
			if (!n || fd_pread(k->cpus[i].fd, s->page, n * k->subbuf, at) !=
					  (ssize_t)(n * k->subbuf))
				return -HIST_EIO;
			err = stream_write(s, s->page, n * k->subbuf);
			s->out.pos += n * k->subbuf;
		}
	}
	return err;
}

/* One batch of what was chosen, with @options. Return: 0, < 0 */
static int write_batch(struct record_stream *s, struct strbuf *options)
{
	struct kept *k = &s->run->kept;
	const u64 share = max_t(u64, BATCH / k->subbuf / (k->n ? k->n : 1), 1);
	int err;

	for (size_t i = 0; i < k->n; i++)
		s->parts[i] = (struct trace_dat_part){
			k->cpus[i].cpu, min_t(u64, s->to[i] - s->next[i], share) * k->subbuf
		};
	err = trace_dat_stream_batch(&s->out, options, s->parts, k->n);
	strbuf_reset(options);
	return err ? err : write_parts(s);
}

/* What was moved by now is written next; it was recorded before now. */
static void choose_moved(struct record_stream *s)
{
	for (size_t i = 0; i < s->run->kept.n; i++)
		s->to[i] = kept_range(&s->run->kept, i).to;
	s->moved = find_moved(s);
	s->chosen = monotonic_ns();
}

/* Everything that was chosen, or else was moved; @complete: with all records before ->latest. */
static int write_batches(struct record_stream *s, bool complete)
{
	struct kept *k = &s->run->kept;
	scoped(strbuf_release) struct strbuf options = STRBUF_INIT, names = STRBUF_INIT;
	u64 time;
	bool more;
	int err = 0;

	if (!complete)
		choose_moved(s);
	/* what is missing is in the journal at the end, too */
	if (k->tasks)
		task_news_take(k->tasks, &names);
	if (names.len)
		trace_dat_stream_option(&s->out, &options, TRACE_DAT_HIST_NAMES,
					(struct span){ names.s, names.len });
	do {
		more = false;
		for (size_t i = 0; i < k->n && !err; i++)
			more |= s->to[i] > s->next[i];
		if (!more && complete) {
			store_u64(&time, s->latest + 1, s->out.big_endian);
			trace_dat_stream_option(&s->out, &options, TRACE_DAT_HIST_TIME,
						(struct span){ (const char *)&time, 8 });
		}
		if (!err && (more || options.len))
			err = write_batch(s, &options);
		for (size_t i = 0; i < k->n && !err; i++)
			if (kept_drop(k, i, s->next[i]))
				err = -HIST_EIO;
	} while (!err && more);
	kept_limit(k, s->flushed, s->flushed);
	s->sent = monotonic_ns();
	s->flushed = s->chosen = 0;
	return err;
}

/* --- the end --- */

/* The options and names of tasks that only the end of a recording has. */
static int add_last(struct record_stream *s, struct strbuf *options, struct trace_dat *td)
{
	static const u16 ids[] = { TRACE_DAT_CPUSTAT, TRACE_DAT_HIST_TASKS, TRACE_DAT_HIST_LIMITS };
	struct span cmdlines = { NULL, 0 };
	size_t n;
	const struct trace_dat_option *o = trace_dat_options(td, &n);
	int err = trace_dat_section(td, TRACE_DAT_CMDLINES, &cmdlines, s->run->diags);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(ids); k++)
			if (o[i].id == ids[k])
				trace_dat_stream_option(&s->out, options, o[i].id,
							(struct span){ (const char *)o[i].data,
								       o[i].size });
	return err ? err : trace_dat_stream_end(&s->out, options, cmdlines);
}

static int write_end(struct record_stream *s)
{
	scoped(strbuf_release) struct strbuf options = STRBUF_INIT;
	struct trace_dat *td = NULL;
	char path[40];
	int fd = -1, err = write_batches(s, false);

	if (!err && (manifest_write_stats(&s->run->work, &s->run->session) ||
		     manifest_write_cmdlines(&s->run->work)))
		err = -HIST_EIO;
	err = err ?: write_machine(s, true, &fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = err ?: trace_dat_open(path, &td, s->run->diags);
	err = err ?: add_last(s, &options, td);
	trace_dat_close(td);
	fd_close(fd);
	return err;
}

/* --- what the recording asks --- */

static enum record_next stream_next(void *arg, bool ended, struct record_cut *cut UNUSED)
{
	struct record_stream *s = arg;
	struct record_result *result = s->run->result;
	struct kept *k = &s->run->kept;
	int err = 0;

	if (s->ended || !s->begun)
		return RECORD_END;
	if (ended) {
		err = write_end(s);
		s->ended = true;
	} else if (!s->flushed && monotonic_ns() - s->sent < EACH_MS * 1000000ull) {
		return RECORD_GO_ON;
	} else if (!s->flushed) {
		s->latest = s->moved = find_moved(s);
		kept_flush(k);
		s->flushed = monotonic_ns();
		return RECORD_GO_ON;
	} else if (!s->chosen && kept_is_flushed(k)) {
		choose_moved(s);
		return RECORD_GO_ON;
	} else if (s->chosen && task_news_knows(k->tasks, s->chosen)) {
		err = write_batches(s, true);
	} else if (kept_is_full(k) || monotonic_ns() - s->flushed > PATIENCE_MS * 1000000ull) {
		/* a reader that waits for room does not complete anything */
		err = write_batches(s, false);
	}
	if (err) {
		stream_error(s, err);
		result->complete = false;
		s->ended = true;
	}
	result->bytes = readers_moved(&s->run->readers);
	result->file_size = s->out.pos;
	return s->ended ? RECORD_END : RECORD_GO_ON;
}

void record_stream_drain(struct record_stream *s)
{
	u64 before;
	int err = 0;

	if (!s->begun || s->ended)
		return;
	do {
		before = readers_moved(&s->run->readers);
		err = write_batches(s, false);
		if (!err)
			readers_finish(&s->run->readers);
	} while (!err && readers_moved(&s->run->readers) > before);
	if (err) {
		stream_error(s, err);
		s->run->result->complete = false;
		s->ended = true;
	}
}

static void stream_written(void *arg, const struct record_cut *cut, u64 bytes, int err)
{
	(void)arg, (void)cut, (void)bytes, (void)err;
}

static void stream_ignore(void *arg UNUSED)
{
}

void record_stream_init(struct record_stream *s, struct record_run *run)
{
	*s = (struct record_stream){ .run = run,
				     .guarded = -1,
				     .keep = { .memory = true,
					       .max_bytes = RECORD_STREAM_BYTES,
					       .arg = s,
					       .start = stream_start,
					       .stop = stream_ignore,
					       .next = stream_next,
					       .written = stream_written,
					       .asked = stream_ignore } };
}

/* No other file stays open in the child, nor does what has locks. */
static void close_others(const int *kept, size_t n)
{
	enum { FDS_MAX = 1024 }; /* it is forked early */

	for (int fd = 0; fd < FDS_MAX; fd++) {
		const bool keep = any_of(i, n, fd == kept[i]);

		if (!keep)
			close(fd);
	}
}

int record_stream_guard(struct record_stream *s)
{
	struct workdir *w = &s->run->work;
	int ends[2];
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		return diags_error(s->run->diags, -HIST_EIO, "cannot make a pipe: %s",
				   strerror(errno));
	s->guard = fork();
	if (!s->guard) {
		const int kept[] = { ends[0], w->parent, w->dir, w->manifest };

		close_others(kept, ARRAY_SIZE(kept));
		setsid();
		while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
			;
		workdir_remove(w);
		_exit(0);
	}
	s->guarded = ends[1];
	close(ends[0]);
	return s->guard < 0
		       ? diags_error(s->run->diags, -HIST_EIO, "cannot fork: %s", strerror(errno))
		       : 0;
}

void record_stream_release(struct record_stream *s)
{
	fd_close(s->guarded);
	if (s->guard > 0)
		waitpid(s->guard, NULL, 0);
	free(s->parts);
	free(s->next);
	free(s->to);
	free(s->page);
}
