// SPDX-License-Identifier: LGPL-2.1-only
/*
 * After a kill -9. Enters: journals whose owners are dead, their work directories, their
 * instances. Leaves: tracefs as it was before them, and for --recover trace.dat files.
 *
 * An instance goes on recording when its owner is dead, and what its readers had not
 * taken is still in it: so it is switched off and drained behind the data on disk before
 * it is removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "record/assemble.h"
#include "record/blocks.h"
#include "record/meta.h"
#include "record/reader.h"
#include "record/recover.h"
#include "record/tracedir.h"
#include "record/undo.h"

int store_stats(struct workdir *w, const struct session *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->cpus.n; i++) {
		char key[24], *text = session_stats(s, s->cpus.v[i]);

		snprintf(key, sizeof(key), "stats %u", s->cpus.v[i]);
		if (text)
			err = workdir_add(w, key, span_of(text));
		free(text);
	}
	return err;
}

/* --- instances --- */

static int drain_into(struct workdir *w, struct span manifest, const char *name,
		      struct diags *diags)
{
	struct session s;
	struct readers rs = READERS_INIT;
	int err = session_attach(&s, name, diags);

	if (!err && s.subbuf_size != block_number(manifest, "subbuf", 0))
		err = -HIST_EFORMAT;
	if (!err)
		err = readers_open(&rs, &s, w, block_number(manifest, "max", 0), diags);
	if (!err) {
		readers_finish(&rs);
		err = store_stats(w, &s);
	}
	readers_close(&rs);
	session_close(&s);
	return err;
}

/* Say how to get at a work directory: "OUTPUT.part.PID". */
static void mention(const char *work, struct diags *diags)
{
	size_t n = strlen(work) - strlen(workdir_pid(work)) - strlen(".part.");

	diags_add(diags, DIAG_NOTE,
		  "%.*s was killed while it was recorded: hist record --recover -o %.*s", (int)n,
		  work, (int)n, work);
}

/* Data of a dead recording: @work, and what is left in instance @name. */
static void save_rest(const char *work, const char *name, bool tell, struct diags *diags)
{
	struct workdir w;
	struct strbuf manifest = STRBUF_INIT;
	struct span text;
	int err = workdir_open(&w, work);

	if (err)
		return;
	err = workdir_manifest(&w, &manifest);
	text = (struct span){ manifest.s, manifest.len };
	if (!err && !block_find(text, "ready").s) {
		workdir_remove(&w);
	} else if (!err && !block_find(text, "stopped").s) {
		if (!drain_into(&w, text, name, diags))
			meta_write_cmdlines(&w);
		workdir_add(&w, "stopped", span_of("killed"));
		if (tell)
			mention(work, diags);
	}
	strbuf_release(&manifest);
	workdir_close(&w);
}

static char *copy_block(struct span text, const char *key)
{
	struct span data = block_find(text, key);

	return data.s ? strndup(data.s, data.n) : NULL;
}

static void sweep_journal(struct undo *u, bool tell, struct diags *diags)
{
	struct span text = { u->text.s, u->text.len };
	char *work = copy_block(text, "work"), *buffer = copy_block(text, "buffer");

	if (work && buffer)
		save_rest(work, buffer, tell, diags);
	undo_all(text, diags);
	free(work);
	free(buffer);
}

/* Instances whose owner could not keep a journal. */
static void sweep_instances(struct diags *diags)
{
	char **names = tracefs_instances(NULL);

	for (size_t i = 0; names && names[i]; i++) {
		struct span name = span_of(names[i]);
		u64 pid;

		if (!span_starts(name, "hist.") || !span_u64(span_skip(name, 5), &pid) || !pid ||
		    pid > INT32_MAX || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		if (tracedir_rmdir_instance(names[i]))
			diags_add(diags, DIAG_WARNING, "cannot remove the stale instance %s: %s",
				  names[i], strerror(errno));
	}
	tracefs_list_free(names);
}

void sweep(bool tell, struct diags *diags)
{
	struct undo u;

	while (undo_next_stale(&u) == 0) {
		sweep_journal(&u, tell, diags);
		undo_close(&u);
	}
	sweep_instances(diags);
}

/* --- work directories --- */

enum leftover {
	LEFTOVER_BUSY,  /* somebody is recording */
	LEFTOVER_EMPTY, /* killed before it recorded anything */
	LEFTOVER_DATA,
};

/* Open a work directory; it stays open only if it has data and no owner. */
static enum leftover open_leftover(struct workdir *w, const char *path, bool *swept)
{
	struct strbuf manifest = STRBUF_INIT;
	struct span text;
	enum leftover what = LEFTOVER_EMPTY;

	*swept = false;
	if (workdir_open(w, path)) /* gone if sweep() found that it is empty */
		return access(path, F_OK) == 0 ? LEFTOVER_BUSY : LEFTOVER_EMPTY;
	workdir_manifest(w, &manifest);
	text = (struct span){ manifest.s, manifest.len };
	*swept = block_find(text, "stopped").s;
	if (block_find(text, "ready").s)
		what = LEFTOVER_DATA;
	else
		workdir_remove(w);
	strbuf_release(&manifest);
	return what;
}

void sweep_mention(const char *output, struct diags *diags)
{
	struct workdir_list list;

	if (workdir_find(output, &list))
		return;
	for (size_t i = 0; i < list.paths.n; i++) {
		struct workdir w;
		bool swept;

		if (open_leftover(&w, list.paths.v[i], &swept) != LEFTOVER_DATA)
			continue;
		if (swept)
			mention(list.paths.v[i], diags);
		workdir_close(&w);
	}
	workdir_list_release(&list);
}

static int recover_one(struct workdir *w, const char *output, const enum trace_dat_codec *codec,
		       struct diags *diags)
{
	struct assemble_options options = { .output = output, .codec = codec };
	struct assembled result;
	int err = assemble(w, &options, &result, diags);

	if (err) {
		workdir_close(w);
		return err;
	}
	diags_add(diags, DIAG_NOTE, "recovered %s: %llu bytes of %zu CPUs", output,
		  (unsigned long long)result.bytes, result.n_cpus);
	workdir_remove(w);
	return 0;
}

static int recover_all(const struct workdir_list *list, const char *output,
		       const enum trace_dat_codec *codec, struct diags *diags)
{
	struct strbuf name = STRBUF_INIT;
	size_t busy = 0, data = 0;
	int err = 0;

	for (size_t i = 0; !err && i < list->paths.n; i++) {
		struct workdir w;
		bool swept;
		enum leftover what = open_leftover(&w, list->paths.v[i], &swept);

		busy += what == LEFTOVER_BUSY;
		if (what != LEFTOVER_DATA)
			continue;
		strbuf_reset(&name);
		strbuf_addstr(&name, output);
		if (data++)
			strbuf_addf(&name, ".%s", workdir_pid(list->paths.v[i]));
		err = name.failed ? -HIST_ENOMEM : recover_one(&w, name.s, codec, diags);
	}
	strbuf_release(&name);
	if (busy)
		diags_add(diags, DIAG_NOTE, "still running, or of another user: %zu of %s.part.PID",
			  busy, output);
	if (!err && !data && list->paths.n > busy)
		diags_add(diags, DIAG_NOTE, "%s was killed before it recorded anything", output);
	return err;
}

int record_recover(const char *output, const enum trace_dat_codec *codec, struct diags *diags)
{
	struct workdir_list list;
	int err = workdir_find(output, &list);

	/* without tracefs there is still what had reached the disk */
	if (!err && list.paths.n && tracedir_open(NULL, diags) == 0)
		sweep(false, diags);
	if (!err && !list.paths.n)
		err = diags_error(diags, -HIST_ENOENT,
				  "there is no %s.part.PID: nothing to recover", output);
	if (!err)
		err = recover_all(&list, output, codec, diags);
	workdir_list_release(&list);
	return err;
}
