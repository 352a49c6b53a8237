// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs a script: executes its writes, prints the files that it shows, and locates all diagnoses in
 * the script.
 *
 * Unless the caller continues after errors, all writes are first tried on a scratch directory, so
 * that nothing is printed if a line will be rejected.
 */
#include "code/code.h"
#include "hist-ask.h"
#include "hist-list.h"
#include "program/exemplars.h"
#include "save/save.h"
#include "tracefs/script_run.h"

int directory_restart(struct hist *h)
{
	struct directory *dir = directory_of(h);

	count_free(h->tracing->count);
	tracing_free(h->tracing);
	h->replayed = h->changed = false;
	h->tracing = tracing_new(&h->recordings.machine, &h->recordings.options);
	output_release(&dir->output);
	dir->output = (struct output){ .script = ARRAY_INIT };
	return h->tracing ? 0 : HIST_NOMEM;
}

static void enable(struct hist *h, struct span system, struct span name)
{
	struct event_file *file = event_file_find(h->tracing->top, system, name);

	if (!file)
		return;
	file->initial.enabled = true;
	file->initial.soft_disabled = false;
}

int directory_enable_all(struct hist *h, bool derived)
{
	size_t n;
	const struct event_text *texts = event_db_texts(h->recordings.db, &n);
	const char *name;

	array_each_of(const struct event_text, text, texts, n)
		enable(h, span_of(text->system), text->name);
	for (size_t i = 0; derived && (name = hist_derived_event(i)); i++)
		if (hist_can_derive(h, name))
			enable(h, span_of("derived"), span_of(strchr(name, ':') + 1));
	return tracing_failed(h->tracing) ? HIST_NOMEM : tracing_limit_to_tasks(h->tracing);
}

/* --- one command --- */

void script_locate_diags(const struct script_cmd *cmd, const u32 *offsets, size_t len,
			 struct diags *diags, size_t from)
{
	for (size_t i = from; i < diags->list.n; i++) {
		struct diag *d = &diags->list.v[i];
		bool in_text = d->at >= 0 && (size_t)d->at <= len && offsets;

		if (d->file)
			continue;
		if (in_text) {
			script_locate(cmd, offsets[d->at], d, diags);
		} else {
			script_locate(cmd,
				      cmd->table && cmd->table->parts[TABLE_KEYS].s
					      ? (u32)(cmd->table->parts[TABLE_KEYS].s - cmd->source)
					      : cmd->path_offset,
				      d, diags);
			d->col = 0;
		}
	}
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
	scoped(free_scoped) char *dir = NULL;
	bool shown = true;

	if (event)
		shown = !hist_find_event(h, event, &dir, NULL) &&
			!strncmp(path, dir, strlen(dir)) && !strcmp(path + strlen(dir), "/hist");
	return shown;
}

static int read_file(struct hist *h, const char *path, struct printer *p, struct diags *diags)
{
	return output_is_changed(&directory_of(h)->output) ? output_file(h, path, p, diags)
							   : files_read(h, path, p, diags);
}

static int run_command(struct script_run *run, const struct script_cmd *cmd)
{
	const struct file_write write = { .path = cmd->path,
					  .text = { cmd->text, cmd->len },
					  .truncate = !cmd->append,
					  .question = cmd->question };
	size_t from = run->diags->list.n;
	struct hist *h = run->h;
	int err = 0;

	if (cmd->verb == SCRIPT_NAMES || cmd->verb == SCRIPT_CHANGE)
		return run->p ? output_note_write(&directory_of(h)->output, cmd) : 0;
	if (cmd->verb == SCRIPT_TABLE) {
		err = run_table(run, cmd);
	} else if (cmd->verb == SCRIPT_ECHO) {
		err = files_write(h, run->t, &write, run->diags);
	} else if (run->p && is_shown(h, event_shown(run->options), cmd->path)) {
		err = read_file(h, cmd->path, run->p, run->diags);
		directory_of(h)->output.shown = true;
	} else if (!run->p && !run->to_record &&
		   is_shown(h, event_shown(run->options), cmd->path)) {
		err = files_check_read(h, run->t, cmd->path, run->diags);
	}
	/* a table has several places */
	if (cmd->verb != SCRIPT_TABLE)
		script_locate_diags(cmd, cmd->offsets, cmd->len, run->diags, from);
	if (!err && cmd->verb != SCRIPT_CAT && run->p)
		err = output_note_write(&directory_of(h)->output, cmd);
	/* a write that the kernel refuses, or to an unknown file, is a rejected line */
	return err == -HIST_ENOENT ? -HIST_EREJECTED : err;
}

/* --- the whole script --- */

/* Whether a histogram of @t has the number that --exemplars names; 0, -HIST_EINVAL. */
static int check_exemplars(const struct tracing *t, struct diags *diags)
{
	const char *name = t->options.exemplars.of;
	struct near near = NEAR_INIT(name ? name : "");
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;

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
	diags_error(diags, 0, "no histogram has a numeric value, variable or key '%s'; %s%s", name,
		    names.len ? "did you mean " : "--sum or vals= adds a field",
		    names.len ? names.s : "");
	return -HIST_EINVAL;
}

/* One command, after the change in effect if it shows what that concerns. */
static int run_next(struct script_run *run, size_t i)
{
	const struct script_cmd *cmd = &run->script->cmds.v[i];
	const bool more = cmd->verb == SCRIPT_CHANGE && run->change &&
			  run->change - 1 + run->n_change == i;
	int err = 0;

	if (!more && (cmd->verb == SCRIPT_CAT || cmd->verb == SCRIPT_CHANGE))
		err = run_change(run);

	if (more) {
		run->n_change++;
	} else if (!err && cmd->verb == SCRIPT_CHANGE) {
		run->change = i + 1;
		run->n_change = 1;
		run->since = run->t->n_hists;
		run->applied = false;
	}
	return err;
}

static int run_commands(struct script_run *run)
{
	const struct script *script = run->script;
	struct hist *h = run->h;
	const char *shown = NULL;
	struct span kernels;
	int err = 0, worst = 0;

	run->before = run->t->n_hists;
	if (run->p) {
		directory_of(h)->output.before = run->before;
		directory_of(h)->output.several = script->title && !*script->title;
	}
	for (size_t i = 0; i < script->cmds.n && !err; i++) {
		const struct script_cmd *cmd = &script->cmds.v[i];

		err = run_next(run, i);
		if (!err && cmd->verb == SCRIPT_CAT && run->p && !shown)
			output_count(h, script);
		if (cmd->verb == SCRIPT_CAT)
			shown = cmd->source;
		err = err ?: run_command(run, cmd);
		while (run->made.n < run->t->n_hists - run->before && err != HIST_NOMEM)
			if (array_push(&run->made, (u32)i) ||
			    (run->p && array_push(&directory_of(h)->output.sources, cmd->source)))
				err = HIST_NOMEM;
		/* another script, such as a second recipe, is not an addition to the first */
		if (run->p && cmd->verb == SCRIPT_ECHO && h->changed && shown != cmd->source)
			h->replayed = h->changed = false;
		if (err == -HIST_EREJECTED) {
			kernels = script_kernels(cmd);
			/* its fields may be those of another kernel */
			if (kernels.n && !worst)
				diags_add(run->diags, DIAG_NOTE, "kernels with these events: %.*s",
					  (int)kernels.n, kernels.s);
			worst = err;
			err = run->options->keep_going ? 0 : err;
		}
		if (!err && run->p)
			err = run->p->err;
	}
	err = err ?: run_change(run);
	array_release(&run->made);
	return err ? err : worst;
}

/* Whether the output is a page that answers a question. */
static bool is_page(const struct script_run *run)
{
	const char *format = run->options->format;

	return hist_script_title(run->of) && format && !strcmp(format, "html");
}

/* Try all writes on a scratch directory. */
static int dry_run(const struct script_run *run, struct diags *diags)
{
	struct script_run dry = *run;
	int err;

	dry.t = tracing_new(&run->h->recordings.machine, &run->h->recordings.options);
	dry.p = NULL;
	dry.change = 0;
	dry.diags = diags;
	err = dry.t ? run_commands(&dry) : HIST_NOMEM;
	if (!err && dry.t->options.exemplars.max && !is_page(run))
		err = check_exemplars(dry.t, diags);
	tracing_free(dry.t);
	return err;
}

/* --- output without cat, and that of tables --- */

/* What a cat has printed. */
static void drop_printed(const struct script_run *run, event_file_array *files)
{

	array_each(const struct script_cmd, cmd, &run->script->cmds) {
		const struct event_file *file = NULL;
		size_t n = 0;

		if (cmd->verb == SCRIPT_CAT)
			file = output_hist_file(run->h, cmd->path, NULL);
		for (size_t k = 0; k < files->n; k++)
			if (files->v[k] != file)
				files->v[n++] = files->v[k];
		files->n = n;
	}
}

/* What can be asked about the event that a script enables, and does nothing else with. */
static void note_event(const struct script_run *run)
{
	const struct cmd_log log = { .diags = run->diags };

	for (const struct event_file *f = run->h->tracing->top->files; f; f = f->next)
		if (f->initial.enabled) {
			note_fields(&log, f, span_of(""));
			return;
		}
}

static int print_default(struct script_run *run)
{
	scoped(free_scoped) event_file_array files = ARRAY_INIT;
	struct printer *p = run->p;
	struct hist *h = run->h;
	const bool cats = hist_script_shows(run->of);
	int err = files_shown(h, run->script, &files);

	if (!cats)
		output_count(h, run->script);
	if (cats)
		drop_printed(run, &files);
	if (!err && !files.n && !cats && !run->options->save_events) {
		diags_add(
			run->diags, DIAG_NOTE,
			"nothing to print: the script has no hist trigger and no cat; "
			"-e EVENT --by FIELD, or -e EVENT -R 'hist:keys=FIELD', makes a histogram; "
			"hist events prints the events");
		note_event(run);
	}
	if (!err && files.n)
		err = output_is_changed(&directory_of(h)->output)
			      ? output_hists(h, files.v, files.n, p, run->diags)
			      : replay_if_needed(h, run->diags);
	for (size_t i = 0; i < files.n && !err && !output_is_changed(&directory_of(h)->output);
	     i++) {
		if (files.n > 1 && !output_has_answers(&directory_of(h)->output, files.v[i])) {
			strbuf_addstr(&p->buf, i ? "\n==> " : "==> ");
			event_file_path(&p->buf, files.v[i], "hist <==\n");
		}
		output_event_text(h, files.v[i], p);
		err = p->err;
	}
	return err;
}

static int print_end(struct script_run *run)
{
	const char *event = event_shown(run->options);
	char *path = NULL, *hist = NULL;
	struct hist *h = run->h;
	int err = 0;

	if (event && !directory_of(h)->output.shown) {
		err = hist_find_event(h, event, &path, run->diags);
		if (!err && asprintf(&hist, "%s/hist", path) < 0)
			err = HIST_NOMEM;
		else if (!err)
			err = read_file(h, hist, run->p, run->diags);
		free(path);
		free(hist);
	} else if (!event && (!run->options->tracefs || directory_of(h)->output.table)) {
		err = print_default(run);
	}
	err = err ?: output_check_table(&directory_of(h)->output, run->diags);
	err = err ?: output_check_sort(&directory_of(h)->output, run->diags);
	if (!err && run->options->tracefs)
		err = tracefs_dir_write(h, run->options->tracefs, run->diags);
	return err;
}

static int run_printing(struct script_run *run)
{
	struct hist *h = run->h;
	int err, end, worst;

	/* record from the start if a file to be shown needs it */
	h->tracing->record |= run->options->tracefs != NULL;
	h->tracing->record |= any_of(i, run->script->cmds.n,
				     run->script->cmds.v[i].verb == SCRIPT_CAT &&
					     files_needs_record(run->script->cmds.v[i].path));
	err = run_commands(run);
	worst = err == -HIST_EREJECTED && run->options->keep_going ? err : 0;
	if (!err || worst)
		err = print_end(run);
	output_finish(&directory_of(h)->output, !err || worst, run->p);
	end = printer_end(run->p);
	err = err ?: end;
	if (!err)
		modifiers_diagnose(&directory_of(h)->output.modifiers, run->diags);
	return err ? err : worst;
}

static int run_script(struct script_run *run)
{
	const struct hist_run_options *options = run->options;
	struct diags tried = DIAGS_INIT;
	struct save *save = NULL;
	struct hist *h = run->h;
	struct replay_options *chosen = &h->recordings.options;
	int err = output_init(&directory_of(h)->output, options, h->recordings.db, run->diags),
	    saved;

	if (err)
		return err;
	for (size_t i = 0; i < run->script->cmds.n && !err; i++)
		if (run->script->cmds.v[i].verb == SCRIPT_NAMES)
			err = output_add_names(&directory_of(h)->output, h->recordings.db,
					       run->script->cmds.v[i].text);
	directory_of(h)->output.options.title = hist_script_title(run->of);
	directory_of(h)->output.interval = 0;
	directory_of(h)->output.over_time = options->stats && !options->interval && is_page(run);
	if (!err && options->interval)
		err = slice_parse(options->interval, trace_clock_counts(h->tracing->machine.clock),
				  &directory_of(h)->output.interval, run->diags);
	if (err)
		return err;
	/* the data stored in entries in addition to the kernel's */
	chosen->stats = options->stats;
	chosen->stats_asked = options->stats && !is_page(run) &&
			      strncmp(options->format ?: "", "over-time:", 10) != 0;
	chosen->exemplars.max = min_t(u32, options->exemplars, HIST_EXEMPLARS_MAX);
	chosen->exemplars.of = options->exemplars_of;
	h->tracing->options = *chosen;
	if (!options->keep_going) {
		err = dry_run(run, &tried);
		diags_release(&tried);
		/* run the lines up to the rejected one for their diagnoses, without a replay */
		if (err)
			return err == -HIST_EREJECTED || err == -HIST_EINVAL
				       ? dry_run(run, run->diags)
				       : err;
	}
	if (options->save_events)
		err = save_begin(h, options->save_events, &save, run->diags);
	if (err)
		return err;
	err = run_printing(run);
	saved = save_end(save, !err || (err == -HIST_EREJECTED && options->keep_going), run->diags);
	return saved ? saved : err;
}

/* --- without output --- */

static int apply(struct script_run *run)
{
	struct diags *outer = run->h->recordings.diags;
	int err;

	run->script = &run->of->script;
	run->h->recordings.diags = run->diags;
	err = run->t ? run_commands(run) : HIST_NOMEM;
	run->h->recordings.diags = outer;
	return err;
}

int script_judge(struct script_run *run)
{
	run->t = tracing_new(&run->h->recordings.machine, &run->h->recordings.options);
	return apply(run);
}

int hist_script_apply(struct hist *h, const struct hist_script *script, struct diags *diags)
{
	static const struct hist_run_options none;

	return apply(&(struct script_run){
		.h = h, .t = h->tracing, .of = script, .options = &none, .diags = diags });
}

int hist_script_check(struct hist *h, const struct hist_script *script, bool every,
		      struct diags *diags)
{
	const struct hist_run_options options = { .keep_going = every };
	struct script_run run = { .h = h, .of = script, .options = &options, .diags = diags };
	int err;

	if (every)
		recordings_note_rules(&h->recordings, diags);
	err = script_judge(&run);
	tracing_free(run.t);
	return err;
}

/* NOLINTNEXTLINE(readability-function-size): script, options, output and diagnoses */
int hist_run(struct hist *h, const struct hist_script *script,
	     const struct hist_run_options *options, hist_sink_fn sink, void *arg,
	     struct diags *diags)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	struct script_run run = { .h = h,
				  .t = h->tracing,
				  .of = script,
				  .script = &script->script,
				  .options = options,
				  .p = &p,
				  .diags = diags };
	struct diags *outer = h->recordings.diags;
	u64 elsewhere;
	int err;

	if (options->check_only)
		return options->need ? hist_script_needs(h, script, options->need,
							 options->need_arg, diags)
				     : hist_script_check(h, script, options->keep_going, diags);
	recordings_note_rules(&h->recordings, diags);
	h->recordings.diags = diags;
	err = run_script(&run);
	h->recordings.diags = outer;
	if (!err || (err == -HIST_EREJECTED && options->keep_going)) {
		elsewhere = event_db_elsewhere(h->recordings.db);
		if (elsewhere)
			diags_add(
				diags, DIAG_WARNING,
				"none of %llu kernel addresses has a symbol: they are data on the heap, or from "
				"another boot, or the symbols are from another kernel",
				elsewhere);
		code_report(h->recordings.code, diags);
		selection_diagnose(h, diags);
	}
	return err;
}
