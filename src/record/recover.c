// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Recovers from a kill -9: finds journals without owners, their work directories and instances,
 * restores tracefs, and for --recover assembles trace.dat files.
 *
 * An instance continues to record after its owner's end, and contains the data that the readers had
 * not fetched: so it is disabled, and drained to the end of the data on disk, before it is removed.
 * Nothing is removed before its contents are stored elsewhere: an instance and its journal remain
 * if it cannot be drained, a work directory remains if its file cannot be written.
 */
#include <signal.h>

#include <tracefs.h>

#include "record/assemble.h"
#include "record/steps.h"
#include "record/task_journal.h"
#include "record/tracedir.h"

enum { RESERVE = 1 << 20, FOREIGN_NAMED = 3 };

/* --- instances --- */

static void cannot_complete(const struct workdir *w, struct diags *diags)
{
	diags_add(diags, DIAG_WARNING, "cannot complete %s: %s", w->path, strerror(errno));
}

/* Drain an instance. Data that has left the kernel must be written, so signals are blocked. */
static int drain(struct workdir *w, const struct session *s, struct span manifest,
		 struct diags *diags)
{
	const struct reader_files files = {
		.ring = block_number(manifest, "max", 0),
		.rest = RESERVE + manifest.n,
		.compress = block_number(manifest, "codec", CODEC_ZSTD) != CODEC_NONE,
	};
	const struct cpu_reader *failed;
	struct readers rs;
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = readers_open(&rs, s, w, &files, diags);
	if (!err) {
		readers_finish(&rs);
		readers_report_lost(&rs, diags);
		failed = readers_failure(&rs);
		if (failed)
			err = diags_error(diags, -HIST_EIO, "CPU %u: %s", failed->cpu,
					  strerror(failed->error));
	}
	if (!err && manifest_write_sizes(w, &rs))
		cannot_complete(w, diags);
	readers_close(&rs);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

/* Drain instance @name into @w: 0 if no data is left to be saved. */
static int drain_into(struct workdir *w, struct span manifest, const char *name,
		      struct diags *diags)
{
	struct session s;
	int err = session_attach(&s, name, diags);

	if (!err && s.subbuf_size != block_number(manifest, "subbuf", 0)) {
		diags_add(
			diags, DIAG_WARNING,
			"the sub-buffers of instance %s differ in size from those of %s: the data that is still in the kernel is lost",
			name, w->path);
	} else if (!err) {
		err = drain(w, &s, manifest, diags);
		if (!err && (manifest_write_stats(w, &s) || manifest_write_cmdlines(w)))
			cannot_complete(w, diags);
	}
	session_close(&s);
	return err == -HIST_ENOENT ? 0 : err;
}

/* Report how to recover a work directory "OUTPUT.part.PID". */
static void note_recovery(const char *work, struct diags *diags)
{
	size_t n = workdir_output_length(work);

	diags_add(diags, DIAG_NOTE,
		  "%.*s was killed while it was recorded: hist record --recover -o %.*s", (int)n,
		  work, (int)n, work);
}

/* The data of a dead recording, described by its journal. */
struct dead {
	struct arena arena;
	const char *work;       /* NULL: not created yet */
	const char *instance;   /* the instance with the remaining data */
	struct unsaved_work id; /* status of the work directory */
};

static void dead_init(struct dead *d, struct span text)
{
	struct span inode = block_find(text, "inode"), work = block_find(text, "work"),
		    buffer = block_find(text, "buffer"), dev = span_sep(&inode, " ");

	*d = (struct dead){ .arena = ARENA_INIT };
	d->work = work.s ? arena_strndup(&d->arena, work.s, work.n) : NULL;
	d->instance = buffer.s ? arena_strndup(&d->arena, buffer.s, buffer.n) : NULL;
	if (!dev.s || !span_u64(dev, &d->id.dev) || !inode.s || !span_u64(inode, &d->id.ino))
		d->id = (struct unsaved_work){ 0, 0 };
}

/* Whether @w is the directory @id: 0, -HIST_EFORMAT if not, -HIST_EIO with errno. */
static int check_id(const struct workdir *w, struct unsaved_work id)
{
	struct stat st;

	if (fstat(w->dir, &st))
		return -HIST_EIO;
	return st.st_dev == id.dev && st.st_ino == id.ino ? 0 : -HIST_EFORMAT;
}

/* Drain the instance, unless an earlier sweep did, and mark the recording as killed. */
static int save_into(struct workdir *w, const struct dead *d, bool report, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf manifest = STRBUF_INIT;
	int err = workdir_manifest(w, &manifest);
	struct span text = { manifest.s, manifest.len };

	if (err) {
		diags_error(diags, err, "cannot read %s: %s", w->path, strerror(errno));
	} else if (block_find(text, "ready").s && !block_find(text, "stopped").s) {
		err = drain_into(w, text, d->instance, diags);
		if (!err)
			tasks_recover(w, text, diags);
		if (!err)
			workdir_add(w, span_of("killed"), "stopped");
		if (!err && report)
			note_recovery(w->path, diags);
	}
	return err;
}

static bool is_foreign(int why)
{
	return why == EACCES || why == EPERM || why == ELOOP || why == ENOTDIR;
}

/* Save the data of a dead recording: its work directory, and the rest in its instance. */
static int save_rest(const struct dead *d, bool report, struct diags *diags)
{
	struct workdir w;
	int err = workdir_open(&w, AT_FDCWD, d->work);

	if (!err && (err = check_id(&w, d->id)))
		workdir_close(&w);
	if (!err) {
		err = save_into(&w, d, report, diags);
		workdir_close(&w);
	} else if (err == -HIST_ENOENT) {
		return 0; /* removed in the meantime, or not needed any more */
	} else if (err == -HIST_EFORMAT || (err == -HIST_EIO && is_foreign(errno))) {
		diags_add(diags, DIAG_WARNING,
			  "%s has changed: its data that is still in the kernel is lost", d->work);
		return 0;
	} else if (err < 0) {
		diags_error(diags, err, "cannot open %s: %s", d->work, strerror(errno));
	}
	if (err)
		diags_add(diags, DIAG_WARNING,
			  "the data of %s that is still in the kernel remains in instance %s",
			  d->work, d->instance);
	return err;
}

/*
 * Remove the instance of a dead recording without a journal here. If it has events, it is left: in
 * a chroot or container without the /run of the machine, this may be the only place where the
 * recording's last events are.
 */
static void sweep_instance(const char *name, struct diags *diags)
{
	struct session s;
	int err = session_attach(&s, name, diags);
	bool empty = !err && session_is_empty(&s);

	session_close(&s);
	if (err == -HIST_ENOENT)
		return;
	if (!empty)
		diags_add(
			diags, DIAG_WARNING,
			"instance %s of a killed recording has events, but there is no journal here: run hist record --recover where it was recorded, or rmdir %s/instances/%s",
			name, tracefs_tracing_dir(), name);
	else if (tracedir_rmdir_instance(name))
		diags_add(diags, DIAG_WARNING, "cannot remove the stale instance %s: %s", name,
			  strerror(errno));
}

/* 0 if all journals were read and processed. */
static int sweep_journals(struct undo_stale *stale, bool report, struct unsaved *unsaved,
			  struct diags *diags)
{
	struct undo u = UNDO_INIT;
	int err = 0, next;

	while ((next = undo_stale_next(stale, &u, diags)) <= 0) {
		struct span text = { u.text.s, u.text.len };
		struct dead d = { .arena = ARENA_INIT };

		if (!next)
			dead_init(&d, text);
		if (!next && d.work && d.instance)
			next = save_rest(&d, report, diags);
		if (next) {
			/* the journal is still needed, or cannot be read */
			err = -HIST_EIO;
			if (unsaved && (!d.instance || array_push(&unsaved->works, d.id)))
				unsaved->unknown = true;
			undo_keep(&u);
		} else {
			undo_all(text, diags);
			undo_close(&u, diags);
		}
		arena_release(&d.arena);
	}
	return err;
}

void sweep(bool start, struct unsaved *unsaved, struct diags *diags)
{
	struct undo_stale stale;
	int err = undo_stale_open(&stale, start, diags);
	char **names = NULL;

	if (unsaved && err)
		unsaved->unknown = true;
	/* if the journal of an instance remains, the instance has data */
	if (!err && !sweep_journals(&stale, start, unsaved, diags))
		names = tracefs_instances(NULL);
	for (size_t i = 0; names && names[i]; i++) {
		struct span name = span_of(names[i]);

		if (span_starts(name, "hist.") && pid_namespace_id_is_dead(span_skip(name, 5)))
			sweep_instance(names[i], diags);
	}
	for (size_t i = 0; names && names[i]; i++)
		tasks_sweep(names[i]);
	tracefs_list_free(names);
	undo_stale_close(&stale);
}

/*
 * List the work directories concerned if tracefs is missing: nothing can be undone or saved then.
 */
static void find_unsaved(struct unsaved *unsaved, struct diags *diags)
{
	struct undo_stale stale;
	struct undo u = UNDO_INIT;
	int next = undo_stale_open(&stale, false, diags);

	unsaved->unknown = next < 0;
	while ((next = undo_stale_next(&stale, &u, diags)) <= 0) {
		struct dead d = { .arena = ARENA_INIT };

		if (!next)
			dead_init(&d, (struct span){ u.text.s, u.text.len });
		if (next || (d.work && array_push(&unsaved->works, d.id)))
			unsaved->unknown = true;
		arena_release(&d.arena);
		undo_keep(&u);
	}
	undo_stale_close(&stale);
	if (unsaved->works.n || unsaved->unknown)
		diags_error(
			diags, 0,
			"cannot use tracefs: the ends of recordings that are still in the kernel cannot be read");
}

/* --- work directories --- */

enum leftover {
	LEFTOVER_BUSY,    /* still being recorded */
	LEFTOVER_EMPTY,   /* killed before anything was recorded, or after its file was complete */
	LEFTOVER_FOREIGN, /* of another user, or not made by this program */
	LEFTOVER_BROKEN,  /* cannot be read; already reported */
	LEFTOVER_DATA,
};

/* Classify a directory that cannot be opened. */
static enum leftover judge_unopened(int err, int parent, const char *path, struct diags *diags)
{
	if (err > 0)
		return LEFTOVER_BUSY;
	/* sweep() removed the contents, or the owner was killed when only the directory was left */
	if (err == -HIST_ENOENT ||
	    (err == -HIST_EFORMAT && workdir_remove_empty(parent, path) == 0))
		return LEFTOVER_EMPTY;
	if (err == -HIST_EFORMAT || (err == -HIST_EIO && is_foreign(errno)))
		return LEFTOVER_FOREIGN;
	diags_error(diags, err, "cannot open %s: %s", path,
		    strerror(err == -HIST_ENOMEM ? ENOMEM : errno));
	return LEFTOVER_BROKEN;
}

/* Open a work directory; it stays open only if it has data and no owner. */
static enum leftover open_leftover(struct workdir *w, int parent, const char *path, bool *swept,
				   struct diags *diags)
{
	struct strbuf manifest = STRBUF_INIT;
	struct span text;
	enum leftover what = LEFTOVER_DATA;
	bool has = false;
	int err = workdir_open(w, parent, path);

	*swept = false;
	if (err)
		return judge_unopened(err, parent, path, diags);
	err = workdir_manifest(w, &manifest);
	text = (struct span){ manifest.s, manifest.len };
	*swept = block_find(text, "stopped").s;
	if (err) {
		diags_error(diags, err, "cannot read %s/manifest: %s", path, strerror(errno));
		workdir_close(w);
		what = LEFTOVER_BROKEN;
	} else if (!block_find(text, "ready").s) {
		/* remove it; data without a usable manifest means damage */
		what = LEFTOVER_BROKEN;
		err = workdir_is_done(text) ? 0 : workdir_has_data(w, 0, &has);
		if (err || has) {
			diags_error(diags, -HIST_EIO,
				    "%s/manifest is damaged; its data is not touched", w->path);
			workdir_close(w);
		} else if (!workdir_discard(w, DIAG_ERROR, diags)) {
			what = LEFTOVER_EMPTY;
		}
	}
	strbuf_release(&manifest);
	return what;
}

void sweep_note_dead(const char *output, struct diags *diags)
{
	struct workdir_list list;
	int err = workdir_find(output, &list, diags);

	for (size_t i = 0; !err && i < list.paths.n; i++) {
		struct workdir w;
		bool swept;
		enum leftover what = open_leftover(&w, list.parent, list.paths.v[i], &swept, diags);

		/* those of other users concern only them; --recover, which looks for all, names
		 * them */
		if (what != LEFTOVER_DATA)
			continue;
		if (swept)
			note_recovery(list.paths.v[i], diags);
		workdir_close(&w);
	}
	workdir_list_release(&list);
}

/*
 * Of files that follow each other, the last one may have no name yet; what is left becomes the next
 * one, @name.
 */
static int continue_files(const struct workdir *w, const char *output, char **name,
			  struct diags *diags)
{
	scoped(strbuf_release) struct strbuf manifest = STRBUF_INIT;
	struct manifest_block last;
	struct stat st;
	u64 n, ino;
	int err = workdir_manifest(w, &manifest);
	struct span text = { manifest.s, manifest.len };

	if (err)
		diags_error(diags, err, "cannot read %s/manifest: %s", w->path, strerror(errno));
	if (!err && block_number(text, "kept", 0) == 2) {
		n = description_cuts(text, &last);
		*name = record_output_name(output, n);
		if (*name && n && span_u64(block_arg(&last, "cut"), &ino) &&
		    !fstatat(w->dir, workdir_file, &st, AT_SYMLINK_NOFOLLOW) && st.st_ino == ino) {
			err = assemble_publish(w, *name, diags);
			if (!err)
				diags_add(diags, DIAG_NOTE, "recovered %s", *name);
		}
		free(*name);
		*name = record_output_name(output, n + 1);
	} else if (!err) {
		*name = strdup(output);
	}
	return err ? err : *name ? 0 : HIST_NOMEM;
}

static int recover_one(struct workdir *w, const char *output, const enum codec *codec,
		       struct diags *diags)
{
	char *name = NULL;
	struct assemble_options options = { .codec = codec };
	struct assembled result;
	struct trace_dat *td;
	int err = continue_files(w, output, &name, diags);

	options.output = name;
	err = err ?: assemble(w, &options, &result, diags);
	/* whether it can be read: a damaged manifest may have spoiled its metadata */
	err = err ?: trace_dat_open(name, &td, diags);
	if (err) {
		diags_add(diags, DIAG_NOTE, "the data is still in %s", w->path);
		workdir_close(w);
		free(name);
		return err;
	}
	trace_dat_close(td);
	diags_add(diags, DIAG_NOTE, "recovered %s: %llu bytes of %zu CPUs", name, result.bytes,
		  result.n_cpus);
	free(name);
	workdir_discard(w, DIAG_WARNING, diags);
	return result.vanished ? -HIST_EIO : 0;
}

/* The work directories of the output. */
struct findings {
	const char *output;
	const enum codec *codec;
	const struct unsaved *unsaved;
	size_t n[LEFTOVER_DATA + 1];
};

/* Recover a work directory. The newest becomes the output, the others get a number as suffix. */
static int recover_leftover(struct findings *f, int parent, const char *path, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct workdir w;
	bool swept, complete;
	enum leftover what = open_leftover(&w, parent, path, &swept, diags);
	int err = what == LEFTOVER_BROKEN ? -HIST_EIO : 0;

	complete = swept || !f->unsaved->unknown;
	for (size_t i = 0; what == LEFTOVER_DATA && !swept && i < f->unsaved->works.n; i++)
		complete &= check_id(&w, f->unsaved->works.v[i]) == -HIST_EFORMAT;
	/* Others can plant any number, so only some are named. */
	if (what == LEFTOVER_FOREIGN && f->n[what] < FOREIGN_NAMED)
		diags_add(
			diags, DIAG_NOTE,
			"%s belongs to another user, or was not made by hist record: it is not touched",
			path);
	if (f->n[what]++ || what != LEFTOVER_DATA)
		strbuf_addf(&name, "%s.%s", f->output, workdir_pid(path));
	else
		strbuf_addstr(&name, f->output);
	if (what == LEFTOVER_DATA && !complete) {
		err = diags_error(diags, -HIST_EIO,
				  "%s is not complete yet: recover it after fixing the above",
				  path);
		workdir_close(&w);
	} else if (what == LEFTOVER_DATA) {
		err = name.failed ? -HIST_ENOMEM : recover_one(&w, name.s, f->codec, diags);
	}
	return err;
}

int record_recover(const char *output, const enum codec *codec, struct diags *diags)
{
	struct unsaved unsaved = UNSAVED_INIT;
	struct findings f = { .output = output, .codec = codec, .unsaved = &unsaved };
	struct workdir_list list;
	int err = workdir_find(output, &list, diags);

	/* without tracefs, the data on disk can still be recovered */
	if (!err && list.paths.n && tracedir_open(NULL, diags) == 0)
		sweep(false, &unsaved, diags);
	else if (!err && list.paths.n)
		find_unsaved(&unsaved, diags);
	for (size_t i = 0, n = err ? 0 : list.paths.n; i < n; i++) {
		int ret = recover_leftover(&f, list.parent, list.paths.v[i], diags);

		err = err ? err : ret;
	}
	if (f.n[LEFTOVER_FOREIGN] > FOREIGN_NAMED)
		diags_add(diags, DIAG_NOTE, "nor are %zu others of %s.part.PID",
			  f.n[LEFTOVER_FOREIGN] - FOREIGN_NAMED, output);
	if (f.n[LEFTOVER_BUSY])
		diags_add(diags, DIAG_NOTE, "%zu of %s.part.PID are still being recorded",
			  f.n[LEFTOVER_BUSY], output);
	if (!err && !f.n[LEFTOVER_DATA] && f.n[LEFTOVER_EMPTY])
		diags_add(diags, DIAG_NOTE, "%s was killed before it recorded anything", output);
	if (!err && list.paths.n == f.n[LEFTOVER_FOREIGN])
		err = diags_error(diags, -HIST_ENOENT,
				  "nothing to recover: this user has no %s.part.PID", output);
	workdir_list_release(&list);
	array_release(&unsaved.works);
	return err;
}
