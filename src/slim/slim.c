// SPDX-License-Identifier: LGPL-2.1-only
/*
 * hist_slim(): runs the script to find the needed records, computes its results to find the needed
 * formats and symbols, and removes everything else.
 *
 * Events that only `trace` or `snapshot` shows are kept if the script shows these files or has no
 * histogram; otherwise they are kept if the file remains small.
 */
#include "slim/slim.h"

enum { MUCH_SMALLER = 10, SMALL = 32 << 10 };

/* Whether the answer on the smaller recording decides what derived events need, see below. */
static bool compares(const struct slim *s)
{
	const struct replay_span *span = &s->h->span;

	return !s->around && (span->from || span->to != UINT64_MAX);
}

/*
 * Run the script in a new directory and compute everything that it can print; without a script,
 * read all events, and those that can be derived of a part.
 */
static int run_script(struct slim *s, const struct hist_script *script, struct diags *diags)
{
	/* with all digits of numbers */
	const struct hist_run_options options = { .keep_going = s->options->keep_going,
						  .format = "hist",
						  .exemplars = s->around != NULL,
						  .exemplars_of = s->around ? s->around->name
									    : NULL };
	struct hist *h = s->h;
	int err = directory_restart(h), shown;

	if (err)
		return err;
	h->tracing->record = !s->all;
	if (!s->around)
		slim_keep_begin(s);
	if (s->all)
		return directory_enable_all(h, compares(s) || h->span.cpus)
			       ?: hist_replay(h, diags);
	err = hist_run(h, script, &options, strbuf_sink, compares(s) ? &s->answer : NULL, diags);
	if (err && (err != -HIST_EREJECTED || !options.keep_going))
		return err;
	shown = tracefs_dir_write(h, NULL, diags);
	return shown ? shown : err;
}

/* Return: as hist_run() */
static int find_records(struct slim *s, const struct hist_script *script)
{
	int err = run_script(s, script, s->diags);

	slim_keep_end(s);
	if (s->same_time)
		diags_add(s->diags, DIAG_WARNING,
			  "a task was renamed between events of the same time; the smaller "
			  "recording has its later name for all of them");
	return s->failed ? HIST_NOMEM : err;
}

/* Keep the records around the hits selected by @a. Return: as hist_run() */
static int find_surroundings(struct slim *s, struct slim_around *a,
			     const struct hist_script *script)
{
	struct replay_options *options = &s->h->recordings.options;
	int err, found;

	s->around = a;
	options->exemplars.moments = &a->moments;
	err = run_script(s, script, s->diags);
	options->exemplars.moments = NULL;
	if (err && err != -HIST_EREJECTED)
		return err;
	found = slim_around_spans(a, s->options->around, s->diags);
	if (!found)
		found = slim_around_keep(s, a);
	return found ? found : err;
}

/* --- events that only trace shows --- */

static bool has_hists(const struct slim *s)
{
	for (const struct trace_array *tr = s->h->tracing->top; tr; tr = tr->next)
		for (const struct event_file *file = tr->files; file; file = file->next)
			for (size_t i = 0; i < file->triggers.n; i++)
				if (file->triggers.v[i]->hist)
					return true;
	return false;
}

static bool shows_buffer(const struct slim *s)
{
	static const char *const names[] = { "trace", "snapshot", "trace_pipe", "stats" };

	array_each(const struct script_cmd, cmd, &s->script->cmds)
		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			if (cmd->verb == SCRIPT_CAT && !strcmp(path_base(cmd->path), names[k]))
				return true;
	return false;
}

static int write_needed(struct slim *s, bool with_trace, u64 limit)
{
	s->with_trace = with_trace;
	return slim_needs(s) ?: slim_write(s, limit);
}

static int write_file(struct slim *s)
{
	bool needed = s->options->trace || shows_buffer(s) || !has_hists(s);
	u64 limit = max_t(u64, s->rec->info->file_size / MUCH_SMALLER, SMALL);
	int err;

	if (s->around || needed || !slim_has_trace_only(s))
		limit = 0;
	err = write_needed(s, true, limit);
	if (err != 1)
		return err;
	diags_add(
		s->diags, DIAG_NOTE,
		"events that only `trace` shows are left out, because there are many; --trace keeps them");
	return write_needed(s, false, 0);
}

/*
 * With derived events, a part of the time needs records before it: as few as are enough, or all.
 * The file that is written last has the same answer, unless it is done ->again with all records.
 */
static int write_window(struct slim *s, const struct hist_script *script)
{
	const struct replay_span *span = &s->h->span;
	struct recordings_times times;
	int err = recordings_times(&s->h->recordings, s->h->buffer, &times);
	u64 ahead = (min_t(u64, span->to, times.last) - min_t(u64, span->from, times.last)) / 8 + 1;

	u64 since = span->from > times.first + ahead ? span->from - ahead : 1;
	/* states that are cut at both ends need all records, or a few */
	unsigned int tries = s->h->tracing->options.open_intervals ? 2 : UINT_MAX;

	while (!err) {
		err = slim_window_choose(s, since);
		err = err ?: write_file(s);
		if (err || !since || slim_window_answers(s, script))
			return err;
		s->again = since == 1 && s->h->part;
		if (s->again)
			return 0;
		ahead *= 8;
		since = since == 1 || !--tries             ? 0
			: span->from > times.first + ahead ? span->from - ahead
							   : 1;
	}
	return err;
}

/* --- hist_slim() --- */

static int check(const struct hist *h, const struct hist_slim_options *o, struct diags *diags)
{
	static const char *const codecs[] = { "none", "zlib", "zstd" };

	if (o->compression && !any_of(i, ARRAY_SIZE(codecs), !strcmp(o->compression, codecs[i])))
		return diags_error(diags, -HIST_EINVAL,
				   "%s: unknown compression; use none, zlib or zstd",
				   o->compression);
	if (h->recordings.files.n != 1)
		return diags_error(diags, -HIST_EINVAL,
				   "only one recording at a time can be made smaller");
	return input_file_check_output(h->recordings.files.v[0].path, o->output, diags);
}

void hist_slim_drop_tasks(struct hist *h)
{
	directory_of(h)->drop_tasks = true;
}

int hist_slim(struct hist *h, const struct hist_script *script,
	      const struct hist_slim_options *options, struct diags *diags)
{
	struct slim s = { .h = h,
			  .script = hist_script_commands(script),
			  .options = options,
			  .diags = diags,
			  .rec = &h->recordings.files.v[0],
			  .all = !hist_script_commands(script)->cmds.n,
			  .kallsyms = STRBUF_INIT,
			  .printk = STRBUF_INIT,
			  .cmdlines = STRBUF_INIT,
			  .tasks = STRBUF_INIT,
			  .answer = STRBUF_INIT };
	struct slim_around around = { .spans = ARRAY_INIT };
	const size_t said = diags->list.n;
	int err = check(h, options, diags), written;

	err = err ?: recordings_make_all(&h->recordings, diags);
	if (!err && options->around)
		err = slim_around_init(&around, options,
				       trace_clock_counts(h->recordings.machine.clock), diags);
	if (err)
		return err;
	h->recordings.diags = diags;
	err = slim_keep_init(&s);
	err = err ?: event_db_note_used(h->recordings.db, &s.used);
	if (!err)
		err = options->around ? find_surroundings(&s, &around, script)
				      : find_records(&s, script);
	if (!err || (err == -HIST_EREJECTED && options->keep_going)) {
		written = compares(&s) && s.derives ? write_window(&s, script) : write_file(&s);
		err = written ? written : err;
	}
	event_db_note_used(h->recordings.db, NULL);
	h->observer = NULL;
	h->recordings.diags = NULL;
	event_used_release(&s.used);
	slim_needs_release(&s);
	slim_keep_release(&s);
	slim_around_release(&around);
	if (!s.again)
		return err;
	diags->list.n = said;
	h->whole = true;
	err = hist_slim(h, script, options, diags);
	h->whole = false;
	return err;
}
