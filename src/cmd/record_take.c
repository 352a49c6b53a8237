// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist record --dump and --take: copies of the tracing directory. That of --take is made next to
 * the output, and imported.
 */
#include "cmd/cmd.h"
#include "cmd/record_take.h"

/* Give the file its name; an existing one becomes OUTPUT.old. */
static int put_in_place(const char *file, const char *output, struct diags *diags)
{
	const char *old = arena_printf(&diags->arena, "%s.old", output);

	if (!old)
		return HIST_NOMEM;
	if (rename(output, old) && errno != ENOENT)
		return diags_error(diags, -HIST_EIO, "cannot rename %s to %s: %s", output, old,
				   strerror(errno));
	if (rename(file, output))
		return diags_error(diags, -HIST_EIO, "cannot write %s: %s", output,
				   strerror(errno));
	return 0;
}

static void report(const char *output, const struct record_dumped *done, struct diags *diags)
{
	const char *pause = "";

	if (done->paused_ns)
		pause = arena_printf(&diags->arena, "; it did not record for %.1f ms",
				     (double)done->paused_ns / 1e6);
	diags_add(diags, DIAG_NOTE, "%s: the events of %s, which %s%s", output, done->instance,
		  done->moved ? "does not have them any more" : "keeps them", pause ? pause : "");
}

int record_dump_to(const char *dir, const char *instance, struct diags *diags)
{
	struct record_dumped done;
	int err = record_dump(dir, instance, &done, diags);

	if (err)
		return err;
	report(dir, &done, diags);
	diags_add(diags, DIAG_NOTE, "%s: %llu bytes; hist report -i %s reads it", dir,
		  (unsigned long long)done.bytes, dir);
	return 0;
}

int record_take(const char *name, const struct record_plan *plan, struct diags *diags)
{
	char *dir = arena_printf(&diags->arena, "%s.take.XXXXXX", plan->output);
	struct record_dumped done = { .instance = NULL };
	int err = cmd_output_check_file(plan->output, diags);
	static const char *const codecs[] = { "none", "zlib", "zstd" };
	bool top;
	const char *copy, *file, *label;
	struct hist_import_options to;

	if (!err && !dir)
		err = HIST_NOMEM;
	else if (!err && !mkdtemp(dir))
		err = diags_error(diags, -HIST_EIO, "cannot write to the directory of %s: %s",
				  plan->output, strerror(errno));
	if (err)
		return err;
	top = !strcmp(name, "top");
	copy = arena_printf(&diags->arena, "%s/tracing", dir);
	file = arena_printf(&diags->arena, "%s/trace.dat", dir);
	label = top ? name : arena_printf(&diags->arena, "instances/%s", name);
	to = (struct hist_import_options){ .output = file, .compression = codecs[plan->codec] };
	err = copy && file && label ? record_dump(copy, top ? NULL : name, &done, diags)
				    : HIST_NOMEM;
	err = err ?: hist_import(copy, label, &to, diags);
	/* 1: parts are missing, which was reported */
	err = err < 0 ? err : put_in_place(file, plan->output, diags) ?: err;
	if (err >= 0)
		report(plan->output, &done, diags);
	if (err < 0 && done.moved)
		diags_add(diags, DIAG_NOTE,
			  "the events are in %s/tracing, which hist report -i reads", dir);
	else if (!fd_remove_tree(dir))
		diags_add(diags, DIAG_WARNING, "cannot remove %s: %s", dir, strerror(errno));
	return err;
}
