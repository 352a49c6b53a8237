// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs a script: executes its writes, prints the files that it shows, and locates all diagnoses in
 * the script.
 *
 * Unless the caller continues after errors, all writes are first tried on a scratch directory, so
 * that nothing is printed if a line will be rejected.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "hist-save.h"
#include "hist-script.h"
#include "program/exemplars.h"
#include "save/save.h"
#include "tracefs/slice.h"
#include "tracefs/tracefs.h"

struct hist_script {
	struct script script;
	u64 id;
};

struct hist_script *hist_script_new(void)
{
	struct hist_script *script = calloc(1, sizeof(*script));

	if (script && getrandom(&script->id, sizeof(script->id), 0) != sizeof(script->id))
		script->id = 0;
	return script;
}

void hist_script_free(struct hist_script *script)
{
	if (!script)
		return;
	script_release(&script->script);
	free(script);
}

int hist_script_parse(struct hist_script *script, const char *name, const char *text, size_t len,
		      struct diags *diags)
{
	return script_parse(&script->script, name, text, len, diags);
}

int hist_script_write(struct hist_script *script, const char *origin, const char *path,
		      const char *text, enum hist_write_mode mode)
{
	int err = script_write(&script->script, origin, path, text, mode != HIST_TRUNCATE);

	if (!err)
		script->script.cmds.v[script->script.cmds.n - 1].question = mode == HIST_QUESTION;
	return err;
}

bool hist_script_get(const struct hist_script *script, size_t i, const char **path,
		     const char **text)
{
	for (size_t c = 0; c < script->script.cmds.n; c++) {
		const struct script_cmd *cmd = &script->script.cmds.v[c];

		if (cmd->verb != SCRIPT_ECHO || i--)
			continue;
		*path = cmd->path;
		*text = cmd->text;
		return true;
	}
	return false;
}

static bool has_cat(const struct script *script)
{
	for (size_t i = 0; i < script->cmds.n; i++)
		if (script->cmds.v[i].verb == SCRIPT_CAT)
			return true;
	return false;
}

bool hist_script_shows(const struct hist_script *script)
{
	return has_cat(&script->script);
}

char *hist_script_text(const struct hist_script *script)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < script->script.cmds.n; i++) {
		output_command(&script->script.cmds.v[i], &sb);
		strbuf_addch(&sb, '\n');
	}
	return strbuf_detach(&sb);
}

const struct script *hist_script_commands(const struct hist_script *script)
{
	return &script->script;
}

u64 hist_script_id(const struct hist_script *script)
{
	return script->id;
}

/* --- one command --- */

/* Set the positions of the diagnoses from @from on: in the written text, or in its path. */
static void place_diags(const struct script_cmd *cmd, struct diags *diags, size_t from)
{
	for (size_t i = from; i < diags->list.n; i++) {
		struct diag *d = &diags->list.v[i];
		bool in_text = d->at >= 0 && (size_t)d->at <= cmd->len && cmd->place;

		if (d->file)
			continue;
		if (in_text) {
			script_place(cmd, cmd->place[d->at], d, diags);
		} else {
			script_place(cmd, cmd->path_place, d, diags);
			d->col = 0;
		}
	}
}

/* A write that the kernel refuses, or to an unknown file, is a rejected line. */
static int rejected(int err)
{
	return err == -HIST_ENOENT || err == -HIST_EREJECTED ? -HIST_EREJECTED : err;
}

static int run_write(struct hist *h, struct tracing *t, const struct script_cmd *cmd,
		     struct diags *diags)
{
	size_t from = diags->list.n;
	const struct file_write write = { .path = cmd->path,
					  .text = { cmd->text, cmd->len },
					  .truncate = !cmd->append,
					  .question = cmd->question };
	int err = files_write(h, t, &write, diags);

	place_diags(cmd, diags, from);
	if (!err && t == h->tracing)
		err = output_note_write(h->output, cmd);
	return rejected(err);
}

/* The event of --show, which may also be a number; see struct output. NULL: all are shown. */
static const char *event_shown(const struct hist_run_options *options)
{
	u64 number;

	return output_shows_number(options, &number) ? NULL : options->show;
}

/* With --show EVENT: whether the path is the hist file of that event. */
static bool is_shown(struct hist *h, const char *event, const char *path)
{
	struct diags ignored = DIAGS_INIT;
	char *dir = NULL;
	bool shown = true;

	if (event)
		shown = !hist_find_event(h, event, &dir, &ignored) &&
			!strncmp(path, dir, strlen(dir)) && !strcmp(path + strlen(dir), "/hist");
	free(dir);
	diags_release(&ignored);
	return shown;
}

static int read_file(struct hist *h, const char *path, struct printer *p, struct diags *diags)
{
	return output_is_changed(h->output) ? output_file(h, path, p, diags)
					    : files_read(h, path, p, diags);
}

static int run_cat(struct hist *h, const struct script_cmd *cmd, struct printer *p,
		   struct diags *diags)
{
	size_t from = diags->list.n;
	int err = read_file(h, cmd->path, p, diags);

	place_diags(cmd, diags, from);
	return rejected(err);
}

/* --- the whole script --- */

/* Whether there would be output; a script that is only for recording has none. */
static int try_cat(struct hist *h, struct tracing *t, const struct script_cmd *cmd,
		   const struct hist_run_options *options, struct diags *diags)
{
	size_t from = diags->list.n;
	int err = 0;

	if (!options->need && is_shown(h, event_shown(options), cmd->path))
		err = files_check_read(h, t, cmd->path, diags);
	place_diags(cmd, diags, from);
	return rejected(err);
}

/* Whether a histogram of @t has the number that --exemplars names; 0, -HIST_EINVAL. */
static int check_exemplars(const struct tracing *t, struct diags *diags)
{
	const char *name = t->machine.exemplars.of;
	struct near near = NEAR_INIT(name ? name : "");
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < t->triggers.n; i++) {
		const struct hist_data *hd = t->triggers.v[i] ? t->triggers.v[i]->hist : NULL;
		u32 f;

		if (hd && hd->exemplars)
			return 0;
		if (hd && name)
			for_each_hist_field(f, hd)
				if (f != HITCOUNT_IDX)
					near_offer(&near, exemplars_name(hd->fields[f]),
						   exemplars_name(hd->fields[f]));
	}
	if (!name)
		return diags_error(
			diags, -HIST_EINVAL,
			"--exemplars: no histogram has a numeric value, variable or key; "
			"add one with vals=FIELD, or name it: --exemplars N:NAME");
	near_text(&near, &names);
	diags_error(diags, 0,
		    "--exemplars: no histogram has a numeric value, variable or key '%s'%s%s", name,
		    names.len ? "; did you mean " : "", names.len ? names.s : "");
	strbuf_release(&names);
	return -HIST_EINVAL;
}

/* Try all writes on a scratch directory. */
static int dry_run(struct hist *h, const struct script *script,
		   const struct hist_run_options *options, struct diags *diags)
{
	struct tracing *t = tracing_new(&h->recordings.machine);
	int err = t ? 0 : HIST_NOMEM, worst = 0;

	for (size_t i = 0; i < script->cmds.n && !err; i++) {
		const struct script_cmd *cmd = &script->cmds.v[i];

		err = cmd->verb == SCRIPT_ECHO ? run_write(h, t, cmd, diags)
					       : try_cat(h, t, cmd, options, diags);
		if (err == -HIST_EREJECTED) {
			worst = err;
			err = options->keep_going ? 0 : err;
		}
	}
	if (!err && !worst && t->machine.exemplars.max)
		err = check_exemplars(t, diags);
	if (!err && !worst && options->check_only && options->need)
		err = needs_report(t, script, options);
	tracing_free(t);
	return err ? err : worst;
}

static int run_all(struct hist *h, const struct script *script,
		   const struct hist_run_options *options, struct printer *p, struct diags *diags)
{
	const char *shown = NULL;
	int err = 0, worst = 0;

	for (size_t i = 0; i < script->cmds.n && !err; i++) {
		const struct script_cmd *cmd = &script->cmds.v[i];

		if (cmd->verb == SCRIPT_CAT)
			shown = cmd->source;
		if (cmd->verb == SCRIPT_ECHO) {
			err = run_write(h, h->tracing, cmd, diags);
			/* another script, such as a second recipe, is not an addition to the first
			 */
			if (h->changed && shown != cmd->source)
				h->replayed = h->changed = false;
		} else if (is_shown(h, event_shown(options), cmd->path)) {
			err = run_cat(h, cmd, p, diags);
			h->output->shown = true;
		}
		if (err == -HIST_EREJECTED) {
			worst = err;
			err = options->keep_going ? 0 : err;
		}
		if (!err && p->err)
			err = p->err;
	}
	return err ? err : worst;
}

/* Record from the start if a file to be shown needs it. */
static bool needs_record(const struct script *script, const struct hist_run_options *options)
{
	for (size_t i = 0; i < script->cmds.n; i++)
		if (script->cmds.v[i].verb == SCRIPT_CAT &&
		    files_needs_record(script->cmds.v[i].path))
			return true;
	return options->tracefs;
}

/* --- output without cat --- */

static int print_hists(struct hist *h, const event_file_array *files, struct printer *p,
		       struct diags *diags)
{
	int err;

	if (output_is_changed(h->output))
		return output_hists(h, files->v, files->n, p, diags);
	err = replay_if_needed(h, diags);
	for (size_t i = 0; i < files->n && !err; i++) {
		const struct event_file *file = files->v[i];
		const char *name = file->tr->name;

		if (files->n > 1)
			strbuf_addf(&p->buf, "%s==> %s%s%sevents/%s/%s/hist <==\n", i ? "\n" : "",
				    name[0] ? "instances/" : "", name, name[0] ? "/" : "",
				    file->system, file->name);
		output_event_text(h, file, p);
		err = p->err;
	}
	return err;
}

static int print_default(struct hist *h, const struct hist_run_options *options, struct printer *p,
			 struct diags *diags)
{
	event_file_array files = ARRAY_INIT;
	int err = files_with_hists(h->tracing, &files);

	if (!err && !files.n && !options->save_events)
		diags_add(
			diags, DIAG_NOTE,
			"nothing to print: the script has no hist trigger and no cat; "
			"-e EVENT --by FIELD, or -e EVENT -R 'hist:keys=FIELD', makes a histogram; "
			"-x 'cat trace' shows the events as text");
	else if (!err && files.n)
		err = print_hists(h, &files, p, diags);
	array_release(&files);
	return err;
}

static int print_shown(struct hist *h, const char *event, struct printer *p, struct diags *diags)
{
	char *path = NULL, *hist = NULL;
	int err = hist_find_event(h, event, &path, diags);

	if (err)
		return err;
	if (asprintf(&hist, "%s/hist", path) < 0)
		err = HIST_NOMEM;
	else
		err = read_file(h, hist, p, diags);
	free(path);
	free(hist);
	return err;
}

static int print_end(struct hist *h, const struct script *script,
		     const struct hist_run_options *options, struct printer *p, struct diags *diags)
{
	const char *event = event_shown(options);
	int err = 0;

	if (event && !h->output->shown)
		err = print_shown(h, event, p, diags);
	else if (!event && !has_cat(script) && (!options->tracefs || h->output->table))
		err = print_default(h, options, p, diags);
	if (!err)
		err = output_check_table(h->output, diags);
	if (!err && options->tracefs)
		err = tracefs_dir_write(h, options->tracefs, diags);
	return err;
}

static int run_printing(struct hist *h, const struct script *script,
			const struct hist_run_options *options, struct printer *p,
			struct diags *diags)
{
	int err, end, worst;

	h->tracing->record |= needs_record(script, options);
	err = run_all(h, script, options, p, diags);
	worst = err == -HIST_EREJECTED && options->keep_going ? err : 0;
	if (!err || worst)
		err = print_end(h, script, options, p, diags);
	output_finish(h->output, !err || worst, p);
	end = printer_end(p);
	if (!err)
		err = end;
	if (!err)
		modifiers_diagnose(&h->output->modifiers, diags);
	return err ? err : worst;
}

/* The same, saving the traced events if requested. */
static int run_saving(struct hist *h, const struct script *script,
		      const struct hist_run_options *options, struct printer *p,
		      struct diags *diags)
{
	struct save *save = NULL;
	int err = 0, saved;

	if (options->save_events)
		err = save_begin(h, options->save_events, &save, diags);
	if (err)
		return err;
	err = run_printing(h, script, options, p, diags);
	saved = save_end(save, !err || (err == -HIST_EREJECTED && options->keep_going), diags);
	return saved ? saved : err;
}

/* The data stored in entries in addition to the kernel's. */
static void choose_kept(struct hist *h, const struct hist_run_options *options)
{
	struct machine *machine = &h->recordings.machine;

	machine->stats = options->stats;
	machine->exemplars.max = min_t(u32, options->exemplars, HIST_EXEMPLARS_MAX);
	machine->exemplars.of = options->exemplars_of;
	h->tracing->machine.stats = machine->stats;
	h->tracing->machine.exemplars = machine->exemplars;
}

static int run_script(struct hist *h, const struct script *script,
		      const struct hist_run_options *options, struct printer *p,
		      struct diags *diags)
{
	struct diags tried = DIAGS_INIT;
	int err;

	err = output_init(h->output, options, h->recordings.db, diags);
	if (err)
		return err;
	h->output->interval = 0;
	if (options->interval)
		err = slice_parse(options->interval,
				  machine_clock_counts(h->tracing->machine.clock),
				  &h->output->interval, diags);
	if (err)
		return err;
	choose_kept(h, options);
	if (options->check_only)
		return dry_run(h, script, options, diags);
	if (!options->keep_going) {
		err = dry_run(h, script, options, &tried);
		diags_release(&tried);
		/* run the lines up to the rejected one for their diagnoses, without a replay */
		if (err)
			return err == -HIST_EREJECTED || err == -HIST_EINVAL
				       ? dry_run(h, script, options, diags)
				       : err;
	}
	return run_saving(h, script, options, p, diags);
}

static void report_elsewhere(const struct hist *h, struct diags *diags)
{
	u64 n = event_db_elsewhere(h->recordings.db);

	if (n)
		diags_add(
			diags, DIAG_WARNING,
			"none of %llu kernel addresses has a symbol: they are data on the heap, or from "
			"another boot, or the symbols are from another kernel",
			(unsigned long long)n);
}

/* NOLINTNEXTLINE(readability-function-size): script, options, output and diagnoses */
int hist_run(struct hist *h, const struct hist_script *script,
	     const struct hist_run_options *options, hist_sink_fn sink, void *arg,
	     struct diags *diags)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	struct diags *outer = h->recordings.diags;
	int err;

	/* verbs also check single lines, whose diagnoses are not shown */
	if (!options->check_only || options->keep_going || options->need)
		recordings_note_rules(&h->recordings, diags);
	h->recordings.diags = diags;
	err = run_script(h, &script->script, options, &p, diags);
	h->recordings.diags = outer;
	if (!err || (err == -HIST_EREJECTED && options->keep_going)) {
		report_elsewhere(h, diags);
		selection_diagnose(h, diags);
	}
	return err;
}
