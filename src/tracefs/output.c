// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints the histograms of a replayed directory in a format for programs, each with the metadata
 * that a later reader needs: the script, the recordings, the losses.
 */
#include "tracefs/tracefs.h"

/* --- the format --- */

/* Set ->format; an unknown one is an error with the known names. */
static int find_format(struct output *output, const char *name, struct diags *diags)
{
	const struct format *found, *f;
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	struct format_options *options = &output->options;
	const char *directory;

	options->totals = !strncmp(name, "over-time:", 10);
	name += options->totals ? 10 : 0;
	directory = strncmp(name, "parquet:", 8) ? NULL : name + 8;
	if (directory) {
		name = "parquet";
		options->directory = directory;
		options->directory_fd = out_dir_open(directory, diags);
		if (options->directory_fd < 0)
			return -HIST_EIO;
	}
	if (options->totals && row_format_find(name)) {
		output->of_rows = format_of_rows(row_format_find(name));
		output->format = &output->of_rows;
		return 0;
	}
	if (options->totals)
		return row_format_unknown(name, "", diags);
	found = picture_format_find(name) ?: format_find(name, &output->of_rows);
	format_names(&names);
	for (size_t i = 0; (f = picture_format_at(i)); i++)
		if (!row_format_find(f->name))
			strbuf_addf(&names, ", %s", f->name);
	for (size_t i = 0; i < output->formats.n; i++) {
		f = &output->formats.v[i];
		strbuf_addf(&names, ", %s", f->name);
		found = !found && !strcmp(f->name, name) ? f : found;
	}
	if (!found)
		diags_error(diags, 0, "unknown format %s; known: text, hist%s", name, names.s);
	output->format = found;
	return found ? 0 : -HIST_EINVAL;
}

/* Load libtraceevent's own plugins, for the text of records. */
static int use_event_plugins(struct output *output, const struct hist_plugins *plugins,
			     struct event_db *db)
{
	int err = 0;

	output->event_plugins.n = 0;
	for (size_t i = 0; db && plugins && i < plugins->list.n && !err; i++) {
		const struct plugin *p = &plugins->list.v[i];

		if (p->tep_loader)
			err = array_push(&output->event_plugins,
					 ((struct event_plugin){ p->tep_loader, p->tep_unloader }));
	}
	return err || !db
		       ? err
		       : event_db_use_plugins(db, output->event_plugins.v, output->event_plugins.n);
}

/* "text", or "hist": that of the file hist, also for answers. */
static bool is_text(const struct output *output, const struct hist_run_options *options)
{
	return !output->taken && (!options->format || !strcmp(options->format, "text") ||
				  !strcmp(options->format, "hist"));
}

/* A name of a number, or "SYSTEM:EVENT.FIELD": the names that the event has for the numbers of a
 * field. */
static int add_names(struct event_db *db, struct span word, struct strbuf *out)
{
	struct span field = word, system, event;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const char *name;

	system = span_sep(&field, ":");
	event = span_sep(&field, ".");
	if (!field.s || span_chr(word, '=')) {
		strbuf_addf(out, "%.*s ", (int)word.n, word.s);
		return 0;
	}
	strbuf_addf(&sb, "%.*s%c%.*s", (int)system.n, system.s, '\0', (int)event.n, event.s);
	name = sb.failed ? NULL : sb.s + system.n + 1;
	return name ? event_field_names(db, sb.s, name, field, out) : HIST_NOMEM;
}

/* Of the names of a number, the first one wins. */
int output_add_names(struct output *output, struct event_db *db, const char *text)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct span rest = span_of(text), key = span_sep(&rest, " ");
	int err = 0;

	strbuf_addf(&sb, "%.*s ", (int)key.n, key.s);
	while (rest.s && !err)
		err = add_names(db, span_sep(&rest, " "), &sb);
	if (!err)
		err = sb.failed ? HIST_NOMEM : 0;
	/* no names: the key is not changed */
	if (!err && sb.len > key.n + 1)
		err = modifiers_add_names(&output->modifiers, sb.s);
	return err;
}

int output_init(struct output *output, const struct hist_run_options *options, struct event_db *db,
		struct diags *diags)
{
	int err = plugin_formats_add(&output->formats, options->plugins, &output->arena, diags);

	err = err ?: use_event_plugins(output, options->plugins, db);
	if (!err)
		err = modifiers_init(&output->modifiers, options->modifiers, options->n_modifiers,
				     options->plugins, diags);
	if (err)
		return err;
	for (size_t i = 0; i < options->n_names && !err; i++)
		err = output_add_names(output, db, options->names[i]);
	if (err)
		return err;
	output->all_tables = output_shows_number(options, &output->table) && !output->table;
	output->format = output->taken;
	output->diags = diags;
	output->n_answers = output->n_shown = 0;
	output->source = NULL;
	output->titled = output->named = false;
	array_release(&output->sources);
	output->kernel_text = options->format && !strcmp(options->format, "hist");
	output->sorted = output->noted_left_out = false;
	strbuf_reset(&output->names);
	output->options = (struct format_options){ .u64_as_string = options->json_u64_as_string,
						   .colour = options->colour,
						   .width = options->width,
						   .top = options->top,
						   .command = options->command,
						   .messages = diags,
						   .sort = options->sort_stats,
						   .state = &output->state,
						   .directory_fd = -1 };
	return output->taken || is_text(output, options)
		       ? 0
		       : find_format(output, options->format, diags);
}

void output_finish(struct output *output, bool keep, struct printer *p)
{
	if (output->format && output->format->finish)
		output->format->finish(output->format, &output->options, keep, p);
}

void output_release(struct output *output)
{
	if (output->options.directory)
		fd_close(output->options.directory_fd);
	output->options.directory = NULL;
	strbuf_release(&output->names);
	array_release(&output->script);
	array_release(&output->sources);
	array_release(&output->formats);
	array_release(&output->event_plugins);
	modifiers_release(&output->modifiers);
	arena_release(&output->arena);
}

/* --- the script --- */

int output_note_write(struct output *output, const struct script_cmd *cmd)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const char *line;

	output_command(cmd, &sb);
	line = sb.failed ? NULL : arena_strndup(&output->arena, sb.s, sb.len);
	output->script_bytes += sb.len;
	return line ? array_push(&output->script, line) : HIST_NOMEM;
}

/* --- metadata of all results of a run --- */

/* A script up to this length is repeated in each result, so that a result can be used alone. */
enum { MAX_REPEATED_SCRIPT = 4096 };

/* The lines that describe the limits of the recordings, concatenated. */
static const char *limits_of(struct hist *h)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const char *text = NULL;

	for (size_t i = 0; i < h->recordings.files.n; i++) {
		const char *limits =
			recording_option(&h->recordings.files.v[i], TRACE_DAT_HIST_LIMITS);

		if (limits && *limits && !strstr(sb.s, limits))
			strbuf_addf(&sb, "%s%s", limits,
				    limits[strlen(limits) - 1] == '\n' ? "" : "\n");
	}
	if (!sb.failed)
		text = arena_strdup(&directory_of(h)->output.arena, sb.s);
	return text;
}

int output_describe(struct hist *h)
{
	struct output *o = &directory_of(h)->output;
	const struct machine *m = &h->tracing->machine;
	const struct kernel_version v = m->quirks->version;
	size_t n = h->recordings.files.n;
	const char **files = arena_alloc(&o->arena, n * sizeof(*files));

	o->info = (struct result_info){
		.version = HIST_VERSION,
		.kernel = arena_printf(&o->arena, "%u.%u", v.major, v.minor),
		.clock = m->clock,
		.clock_counts = trace_clock_counts(m->clock),
		.lost_events = h->feed ? h->feed->lost : h->account.missed,
		.lost_unknown = h->feed ? h->feed->lost_unknown : h->account.missed_unknown,
		.inexact = h->inexact,
		.selection = h->selection,
		.caveats = arena_strdup(&o->arena, h->caveats.s),
		.question = o->options.title && *o->options.title ? o->options.title : NULL,
		.files = files,
		.n_files = n,
		.uname = h->recordings.files.v[0].info->uname,
		.recording_limits = limits_of(h),
	};
	for (size_t i = 0; files && i < n; i++)
		files[i] = h->recordings.files.v[i].path;
	return files && o->info.kernel && o->info.caveats && o->info.recording_limits ? 0
										      : HIST_NOMEM;
}

/* The time that the histograms of an instance cover. */
static int set_span(struct hist *h, const struct trace_array *tr, struct result *result)
{
	struct output *o = &directory_of(h)->output;
	int err = 0;

	if (o->slicer) {
		result->from = o->slicer->from;
		result->to = o->slicer->timer.end;
	} else if (h->feed) {
		result->from = h->feed->first;
		result->to = h->feed->last;
	} else {
		/* sub-buffers are inflated for them, so they are found once */
		if (o->timed != tr)
			err = recordings_times(&h->recordings, tr->name[0] ? tr->name : h->buffer,
					       &o->times);
		o->timed = err ? NULL : tr;
		result->from = max_t(u64, o->times.first, h->span.from);
		result->to = max_t(u64, min_t(u64, o->times.last, h->span.to), result->from);
	}
	result->covered = result->to - result->from;
	return err;
}

/* --- printing --- */

/*
 * Warn once if ranges of .log2 can contain negative numbers, which programs and statistics take for
 * 0 and 1. kernel: before "log2_up_to_64" (see program/version.c), the bucket 2^0 also contains the
 * numbers above 2^63, and so all negative ones.
 */
static void warn_log2(struct hist *h, const struct result *r)
{
	struct output *o = &directory_of(h)->output;

	if (r->rules == RESULT_EXACT || h->tracing->machine.quirks->log2_up_to_64 ||
	    !h->recordings.diags)
		return;
	for (size_t i = 0; i < r->n_keys && !o->warned_log2; i++) {
		const struct result_column *c = &r->columns[i];
		scoped(strbuf_release) struct strbuf excluded = STRBUF_INIT;
		bool first = false;

		if (!c->is_signed || !c->modifier || strcmp(c->modifier, "log2") != 0)
			continue;
		strbuf_addf(&excluded, "%s >", c->name); /* "ret >= 0" or "ret > 0" in the filter */
		for (size_t n = 0; n < r->n_rows && !first && !strstr(r->trigger, excluded.s);
		     n++) {
			struct result_row row;

			r->row(r, n, &row);
			first = row.cells[i].max == 1;
		}
		if (!first)
			continue;
		o->warned_log2 = true;
		h->doubtful = true;
		diags_add(
			h->recordings.diags, DIAG_WARNING,
			"%s: this kernel counts negative numbers in the first row of .log2, which is taken "
			"for 0 to 1 here; leave them out with the filter %s >= 0",
			r->event, c->name);
	}
}

/* Whether other triggers need it: they use its variables, or it traces an event. */
static bool is_helper(const struct hist_data *hd)
{
	const bool traces = any_of(i, hd->n_actions, hd->actions[i]->action == ACTION_TRACE);

	return hd->question && (traces || hd->n_users);
}

/* Of the histograms of a question on an event, the answers are printed, but not the helpers. */
bool output_prints(const struct trigger *trigger)
{
	const struct event_file *file = trigger->file;
	bool answers = false;

	/* several events with one histogram: it is printed at the first */
	if (trigger->hist && trigger->hist->question && trigger->named_data)
		return false;
	if (!trigger->hist || !is_helper(trigger->hist))
		return trigger->hist;
	answers |= any_of(i, file->triggers.n,
			  file->triggers.v[i]->hist && !is_helper(file->triggers.v[i]->hist));
	return !answers;
}

/* The metadata of the run may change while the result is in use. */
static int take_one(struct output *o, struct stored_result *frozen)
{
	struct taken_result t = { .frozen = frozen };
	int err;

	frozen->info = o->info;
	frozen->result.info = &frozen->info;
	err = modified_result_new(&o->modifiers, &frozen->result, &t.named);
	err = err ?: o->take(o->take_arg, &t);
	if (err)
		taken_result_free(&t);
	return err;
}

/* Whether a value is a part of the time that the result covers. */
static bool has_cpu_share(const struct result *r)
{
	bool has = false;

	for (size_t i = r->n_keys; i < r->n_keys + r->n_values; i++)
		has |= r->columns[i].modifier && !strcmp(r->columns[i].modifier, "cpu");
	return has;
}

/* In @format; NULL is text. */
static int print_one(struct hist *h, const struct format *format, const struct trigger *trigger,
		     struct printer *p)
{
	struct output *o = &directory_of(h)->output;
	struct stored_result *frozen = NULL;
	int err = result_freeze(trigger, &o->info, &frozen);

	if (!err && (format || o->take || o->slicer || has_cpu_share(&frozen->result)))
		err = set_span(h, trigger->file->tr, &frozen->result);
	if (!err && (format || h->tracing->options.stats))
		warn_log2(h, &frozen->result);
	o->counted |= !err && (frozen->result.hits || frozen->result.drops);
	err = err ?: output_ask(o, trigger);
	o->n_tables++;
	o->options.number = o->table ?: o->n_shown > 1 && !o->interval ? o->n_tables : 0;
	if (!err && o->take) {
		err = take_one(o, frozen);
	} else {
		err = err ?: output_result(o, format, &frozen->result, p);
		stored_free(frozen);
	}
	p->err = p->err ?: err;
	return p->err;
}

int output_print(struct hist *h, const struct trigger *trigger, struct printer *p)
{
	struct output *o = &directory_of(h)->output;
	/* of a long script, only the lines since the last result: output would grow quadratically
	 */
	size_t skip = !o->take && o->script_bytes > MAX_REPEATED_SCRIPT ? o->printed_script : 0;

	o->info.script = o->script.v + skip;
	o->info.n_script = o->script.n - skip;
	print_one(h, o->format, trigger, p);
	o->printed_script = o->script.n;
	printer_send(p);
	return p->err;
}

static bool is_answer(const struct output *o, const struct trigger *trigger)
{
	return output_prints(trigger) && trigger->hist->rules->exact && !o->kernel_text;
}

bool output_has_answers(const struct output *o, const struct event_file *file)
{
	bool answers = false, others = false;

	for (size_t i = 0; i < file->triggers.n; i++) {
		answers |= is_answer(o, file->triggers.v[i]);
		others |= output_prints(file->triggers.v[i]) && !is_answer(o, file->triggers.v[i]);
	}
	return answers && !others;
}

void output_event_text(struct hist *h, const struct event_file *file, struct printer *p)
{
	const struct output *o = &directory_of(h)->output;
	bool first = true;

	for (size_t i = 0; i < file->triggers.n && !p->err; i++) {
		if (!output_prints(file->triggers.v[i]))
			continue;
		strbuf_addstr(&p->buf, first || is_answer(o, file->triggers.v[i]) ? "" : "\n\n");
		first = false;
		print_one(h, NULL, file->triggers.v[i], p);
	}
}

/* A format with one table shows the first one, which an answer is about; this is noted once. */
static void check_room(struct output *o, struct event_file *const *files, size_t n,
		       struct diags *diags)
{
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT; /* "sched:sched_switch (2)" */
	unsigned int all = o->n_tables;

	for (size_t i = 0; i < n; i++) {
		const unsigned int hists = (unsigned int)output_n_printed(files[i]);

		strbuf_addf(&names, "%s%s:%s (%u)", i ? ", " : "", files[i]->system, files[i]->name,
			    hists);
		all += hists;
	}
	if (o->format && o->format->one_table && !o->options.directory && all > 1 && !o->table) {
		o->table = 1;
		output_note_others(o->format, names.s, diags);
	}
}

void output_note_others(const struct format *format, const char *names, struct diags *diags)
{
	diags_add(diags, DIAG_NOTE,
		  "%s shows the first table of the answer, --show N another one: %s", format->name,
		  names);
}

bool output_shows_number(const struct hist_run_options *options, u64 *number)
{
	return options->show && span_u64(span_of(options->show), number);
}

bool output_is_changed(const struct output *output)
{
	return output->format || output->interval || output->table || output->take;
}

bool output_wants(const struct output *output, const struct trigger *trigger)
{
	return output_prints(trigger) && (!output->table || output->chosen == trigger);
}

int output_check_table(const struct output *output, struct diags *diags)
{
	if (output->table <= output->n_candidates)
		return 0;
	return diags_error(diags, -HIST_EINVAL, "--show %llu: the script prints %llu histogram%s",
			   output->table, output->n_candidates, plural(output->n_candidates));
}

int output_slice(struct hist *h, const struct trigger *trigger, struct printer *p)
{
	const bool counts = trace_clock_counts(h->tracing->machine.clock);
	const struct slicer *slicer = directory_of(h)->output.slicer;
	struct output *o = &directory_of(h)->output;

	if (o->format) {
		o->info.lost_events = slicer->missed;
		o->info.lost_unknown = slicer->missed_unknown;
		o->info.caveats = h->caveats.s;
		output_print(h, trigger, p);
	} else {
		/* a line names the slice, or the title of an answer */
		if (!is_answer(o, trigger)) {
			strbuf_addstr(&p->buf, o->options.continued ? "\n==> " : "==> ");
			event_file_path(&p->buf, trigger->file, "hist ");
			text_add_time(&p->buf, slicer->from, counts);
			strbuf_addstr(&p->buf, " to ");
			text_add_time(&p->buf, slicer->timer.end, counts);
			strbuf_addstr(&p->buf, " <==\n");
		}
		print_one(h, NULL, trigger, p);
		printer_send(p);
	}
	o->options.continued = true;
	return p->err;
}

int output_hists(struct hist *h, struct event_file *const *files, size_t n, struct printer *p,
		 struct diags *diags)
{
	struct output *o = &directory_of(h)->output;
	int err = 0;

	check_room(o, files, n, diags);
	/* count the histograms; one of them may be that of --show N */
	o->chosen = NULL;
	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < files[i]->triggers.n; t++)
			if (output_prints(files[i]->triggers.v[t]) && ++o->n_candidates == o->table)
				o->chosen = files[i]->triggers.v[t];
	/* also for one that is not printed: lines after it act after the events */
	if (!err && !o->interval)
		err = replay_if_needed(h, diags);
	if (o->table && !o->chosen)
		return err;
	err = err ?: output_describe(h);
	if (!err && o->interval)
		return slices_print(h, files, n, p, diags);
	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < files[i]->triggers.n && !err; t++)
			if (output_wants(o, files[i]->triggers.v[t]))
				err = output_print(h, files[i]->triggers.v[t], p);
	return err || !o->over_time ? err : slices_over_time(h, files, n, p);
}

/* --- one file --- */

bool output_has_shown(const struct event_file *file)
{
	return any_of(i, file->triggers.n,
		      output_prints(file->triggers.v[i]) && !is_helper(file->triggers.v[i]->hist));
}

bool output_has_table(const struct event_file *file)
{
	return any_of(i, file->triggers.n,
		      file->triggers.v[i]->hist && file->triggers.v[i]->hist->table);
}

size_t output_n_printed(const struct event_file *file)
{
	return sum_of(i, file->triggers.n, output_prints(file->triggers.v[i]));
}

void output_count(struct hist *h, const struct script *script)
{
	struct output *o = &directory_of(h)->output;
	scoped(free_scoped) event_file_array files = ARRAY_INIT;

	o->shows = script;
	if (!files_shown(h, script, &files))
		for (size_t i = 0; i < files.n; i++)
			o->n_shown += output_n_printed(files.v[i]);
}

int output_file(struct hist *h, const char *path, struct printer *p, struct diags *diags)
{
	struct event_file *file = output_hist_file(h, path, diags);

	if (!file && directory_of(h)->output.table)
		return 0;
	if (!file && !directory_of(h)->output.format)
		return files_read(h, path, p, diags);
	if (!file) {
		diags_add(diags, DIAG_NOTE, "%s is left out: --format %s shows histograms only",
			  path, directory_of(h)->output.format->name);
		return 0;
	}
	return output_hists(h, &file, 1, p, diags);
}
