// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds one script from the parts of the command line, in order.
 *
 * -e EVENT becomes echo 1 > EVENT/enable, --by makes a trigger for each event of the last -e, -R
 * appends a line to its trigger file, -f writes its filter, --synth appends a line to
 * synthetic_events, and sql_args.c converts --sql.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/by_args.h"
#include "cmd/recipe_answer.h"
#include "cmd/sql_args.h"
#include "hist-script.h"
#include "record/record.h"

struct script_build {
	struct hist *h;
	struct hist_script *script;
	struct diags *diags;
	struct arena *arena; /* of the input */
	char **dirs;         /* events/SYSTEM/EVENT of the last -e, --sql or recipe */
	size_t n_dirs;
	ARRAY(struct cmd_sql_answer) answers; /* of each, for --by; none: those of -e */
	const char *wanted; /* hist record: the last -e, found when a trigger needs it */
	size_t n_sql;
	bool grouped;        /* a --by groups a recipe */
	bool of_script;      /* the current group is a script, a recipe or a --sql */
	bool edited;         /* that script has its -x lines */
	struct strbuf shown; /* "cat FILE" for output requested besides --sql */
};

static void forget_events(struct script_build *b)
{
	for (size_t i = 0; i < b->n_dirs; i++)
		free(b->dirs[i]);
	free(b->dirs);
	b->dirs = NULL;
	b->n_dirs = 0;
	b->wanted = NULL;
	b->answers.n = 0;
}

/* One more event, at @path, which is taken. */
static int add_event(struct script_build *b, char *path)
{
	char **dirs = path ? realloc(b->dirs, (b->n_dirs + 1) * sizeof(*dirs)) : NULL;

	if (!dirs) {
		free(path);
		return HIST_NOMEM;
	}
	b->dirs = dirs;
	b->dirs[b->n_dirs++] = path;
	return 0;
}

/* What --by groups, and what is shown without it. */
static int add_answer(struct script_build *b, const struct cmd_sql_answer *answer)
{
	strbuf_addf(&b->shown, "cat %s/hist\n", answer->path);
	if (array_push(&b->answers, *answer))
		return HIST_NOMEM;
	return add_event(b, strdup(answer->path));
}

/* Of hist record: an event that the script defines, or one of this machine. */
static int find_event(struct script_build *b, const char *name, char **path)
{
	struct diags ignored = DIAGS_INIT;
	int err = hist_script_find_event(b->h, b->script, name, path, &ignored);

	diags_release(&ignored);
	return err && err != HIST_NOMEM ? record_find_event(name, path, b->diags) : err;
}

static int find_wanted(struct script_build *b, const char *option)
{
	const char *name = b->wanted;
	char *path = NULL;
	int err;

	if (!name)
		return 0;
	if (strpbrk(name, "*?[,"))
		return diags_error(b->diags, -HIST_EREJECTED,
				   "%s needs one event, but %s may match several", option, name);
	err = find_event(b, name, &path);
	b->wanted = NULL;
	return err ? err : add_event(b, path);
}

/* One write of @text and a newline, as by echo. */
static int put_line(struct script_build *b, const char *origin, const char *path, const char *text,
		    enum hist_write_mode mode)
{
	const char *line = arena_printf(b->arena, "%s\n", text);

	return path && line ? hist_script_write(b->script, origin, path, line, mode) : HIST_NOMEM;
}

/* A file of an event that an option writes, and how. */
struct event_write {
	const char *origin, *file;
	enum hist_write_mode mode;
};

static int put_file(struct script_build *b, const struct event_write *to, const char *dir,
		    const char *text)
{
	return put_line(b, to->origin, arena_printf(b->arena, "%s/%s", dir, to->file), text,
			to->mode);
}

/* Whether the -e at @i has both -f and -R, which is usually a mistake. */
static bool filters_beside_trigger(const struct cmd_script *cs, size_t i)
{
	bool filter = false, trigger = false;

	while (++i < cs->pieces.n && cs->pieces.v[i].key != 'e') {
		filter |= cs->pieces.v[i].key == 'f';
		trigger |= cs->pieces.v[i].key == 'R';
	}
	return filter && trigger;
}

static bool is_of_ftrace(const char *dir)
{
	return !strncmp(dir, "events/ftrace/", 14);
}

static int build_event(struct script_build *b, const struct cmd_script *cs, size_t i)
{
	static const struct event_write to = { "-e", "enable", HIST_TRUNCATE };
	int err;

	forget_events(b);
	b->of_script = b->edited = false;
	if (cs->store) {
		b->wanted = cs->pieces.v[i].text;
		return 0;
	}
	err = hist_script_find_events(b->h, b->script, cs->pieces.v[i].text, &b->dirs, &b->n_dirs,
				      b->diags);
	if (err)
		return err == HIST_NOMEM ? err : -HIST_EREJECTED;
	if (filters_beside_trigger(cs, i))
		diags_add(
			b->diags, DIAG_NOTE,
			"-f does not filter the events that the trigger of -R counts: use 'hist:... if FILTER'");
	/* events of the system ftrace have no such file: a tracer or a write records them */
	for (size_t d = 0; d < b->n_dirs && !err && !cs->only_triggers; d++)
		if (!is_of_ftrace(b->dirs[d]))
			err = put_file(b, &to, b->dirs[d], "1");
	return err;
}

static int write_sql(void *arg, const char *origin, const char *path, const char *text)
{
	return put_line(arg, origin, path, text, HIST_QUESTION);
}

/*
 * The last option @key of the group that contains piece @i; NULL if there is none, or if it is
 * empty.
 */
static const char *of_group(const struct cmd_script *cs, size_t i, int key)
{
	const char *text = NULL;

	while (i && !cmd_begins_group(&cs->pieces.v[i]))
		i--;
	while (++i < cs->pieces.n && !cmd_begins_group(&cs->pieces.v[i]))
		if (cs->pieces.v[i].key == key)
			text = cs->pieces.v[i].text;
	return text && *text ? text : NULL;
}

/* --sql with the following --on and --do; --by and -R that follow group its answer. */
static int build_sql(struct script_build *b, const struct cmd_script *cs, size_t i)
{
	struct cmd_sql sql = { .h = b->h,
			       .script = b->script,
			       .arena = b->arena,
			       .diags = b->diags,
			       .text = cs->pieces.v[i].text,
			       .filter = cs->store ? NULL : of_group(cs, i, 'f'),
			       .on = of_group(cs, i, CMD_SCRIPT_ON),
			       .what = of_group(cs, i, CMD_SCRIPT_DO),
			       .grouped = of_group(cs, i, CMD_SCRIPT_BY),
			       .triggers = of_group(cs, i, 'R'),
			       .number = ++b->n_sql,
			       .explain = cs->input->options.explain };
	struct cmd_sql_answer answer;
	int err;

	forget_events(b);
	b->of_script = true;
	b->edited = false;
	err = cmd_sql_build(&sql, write_sql, b, &answer);
	return err ?: add_answer(b, &answer);
}

/* -R shows its events, as without --sql. */
static int build_triggers(struct script_build *b, const char *text)
{
	static const struct event_write to = { "-R", "trigger", HIST_APPEND };
	int err = find_wanted(b, "-R");

	for (size_t i = 0; i < b->n_dirs && !err; i++) {
		const char *line = arena_printf(b->arena, "cat %s/hist\n", b->dirs[i]);

		if (line && !strstr(b->shown.s, line))
			strbuf_addstr(&b->shown, line);
		err = put_file(b, &to, b->dirs[i], text);
	}
	return err;
}

/* Whether one of @keys is the field with which @sum begins. */
static bool groups_sum(const char *keys, const char *sum)
{
	struct span list = span_of(keys), first = span_of(sum);

	first = span_sep(&first, ",");
	for (list = span_sep(&list, ":"); list.s;) {
		struct span key = span_trim(span_sep(&list, ","));

		if (span_same(span_sep(&key, "."), first))
			return true;
	}
	return false;
}

/* What the --by of the group that contains piece @i counts, of an answer. */
static int make_by(struct script_build *b, const struct cmd_script *cs, size_t i,
		   const struct cmd_sql_answer *answer, struct cmd_by *by)
{
	/* hist record: only what it accepts is recorded */
	const char *filter = cs->store ? NULL : of_group(cs, i, 'f');
	const char *keys = cs->pieces.v[i].key == CMD_SCRIPT_BY ? cs->pieces.v[i].text
								: of_group(cs, i, CMD_SCRIPT_BY);

	*by = (struct cmd_by){ .keys = cmd_sql_keys(answer, keys, b->arena),
			       .sum = of_group(cs, i, CMD_SCRIPT_SUM),
			       .filter = cmd_both_filters(answer->filter, filter, b->arena),
			       .diags = b->diags };
	if (by->keys && cmd_by_event(by->keys)) {
		by->name = cmd_by_event_title(cs, i);
		if (!by->name)
			return HIST_NOMEM;
	}
	/* the answer of a recipe is what it adds up, unless that is a key */
	if (by->keys && !by->sum && answer->sum && !groups_sum(by->keys, answer->sum))
		by->sum = answer->sum;
	return !by->keys || (!by->filter && filter) ? HIST_NOMEM : 0;
}

static int build_by_dir(struct script_build *b, const struct cmd_script *cs, size_t i, size_t d)
{
	static const struct event_write to = { "--by", "trigger", HIST_QUESTION };
	const struct cmd_sql_answer none = { .path = NULL };
	struct strbuf text = STRBUF_INIT;
	struct cmd_by by;
	int err = make_by(b, cs, i, b->answers.n ? &b->answers.v[d] : &none, &by);

	err = err ?: cmd_by_trigger(&by, b->h, b->script, b->dirs[d], &text);
	if (!err && cs->input->options.explain && b->of_script)
		diags_add(b->diags, DIAG_NOTE, "echo '%s' >> %s/trigger # question", text.s,
			  b->dirs[d]);
	err = err ?: put_file(b, &to, b->dirs[d], text.s);
	err = err ?: cmd_by_names(cs, b->script, b->dirs[d], by.keys);
	strbuf_release(&text);
	return err;
}

static int build_by(struct script_build *b, const struct cmd_script *cs, size_t i)
{
	int err = find_wanted(b, "--by");

	if (!err && !b->n_dirs)
		err = diags_error(b->diags, -HIST_EREJECTED,
				  "--by needs an -e EVENT, a --sql or a recipe before it");
	for (size_t d = 0; d < b->n_dirs && !err; d++)
		err = build_by_dir(b, cs, i, d);
	/* what is recorded, or kept, needs no histogram */
	if (!err && ((!cs->store && !cs->only_triggers) || cmd_by_event(cs->pieces.v[i].text)))
		cmd_by_left_out_note(cs, i, b->diags);
	if (!err && cmd_by_event(cs->pieces.v[i].text))
		err = cmd_by_event_names(b->h, b->script, b->dirs, b->n_dirs);
	return err;
}

/* Whether the event of a table has the fields of --by; without it, of -f. */
static int check_table(struct script_build *b, const struct cmd_script *cs, size_t i,
		       const struct hist_script_edit *edit, struct hist_script_table *table)
{
	const struct cmd_sql_answer answer = { .path = table->path,
					       .filter = table->filter,
					       .sum = table->values };
	struct strbuf line = STRBUF_INIT;
	struct diags ignored = DIAGS_INIT;
	struct cmd_by by;
	int err = 0;

	if (edit->filter) {
		strbuf_addf(&line, "hist:keys=common_pid if %s", edit->filter);
	} else {
		err = make_by(b, cs, i, &answer, &by);
		by.diags = &ignored;
		err = err ?: cmd_by_trigger(&by, b->h, b->script, table->path, &line);
	}
	table->left_out = err || !hist_script_accepts(b->h, b->script, table->path, line.s);
	err = line.failed ? HIST_NOMEM : err;
	strbuf_release(&line);
	diags_release(&ignored);
	return err == HIST_NOMEM ? err : 0;
}

/* Leave out the tables without the fields of --by and -f, unless that is all of them. */
static int choose_tables(struct script_build *b, const struct cmd_script *cs, size_t i,
			 struct hist_script_edit *edit)
{
	size_t left_out = 0;

	for (size_t t = 0; t < edit->n_tables; t++) {
		int err = check_table(b, cs, i, edit, &edit->tables[t]);

		if (err)
			return err;
		left_out += edit->tables[t].left_out;
	}
	if (left_out == edit->n_tables)
		edit->tables[left_out - 1].left_out = false;
	for (size_t t = 0; t < edit->n_tables && left_out < edit->n_tables; t++) {
		struct span system, event;

		if (!edit->tables[t].left_out)
			continue;
		cmd_split_event(edit->tables[t].path, &system, &event);
		diags_add(b->diags, DIAG_NOTE,
			  "%s: the table of %.*s:%.*s is left out, which has no such field for %s",
			  cs->pieces.v[i].name, (int)system.n, system.s, (int)event.n, event.s,
			  edit->filter ? "-f" : "--by");
	}
	return 0;
}

/* A script, with the lines of -x after it, whose result -f filters, or --by groups. */
static int build_answer(struct script_build *b, const struct cmd_script *cs, size_t i)
{
	const struct cmd_script_piece *piece = &cs->pieces.v[i];
	const bool grouped = of_group(cs, i, CMD_SCRIPT_BY);
	struct hist_script_edit edit = { .first = hist_script_size(b->script),
					 .filter = grouped ? NULL : of_group(cs, i, 'f') };
	int err = hist_script_parse(b->script, piece->name, piece->text, piece->len, b->diags);

	for (size_t x = i + 1; x < cs->pieces.n && !cmd_begins_group(++piece) && !err; x++)
		if (piece->key == 'x')
			err = hist_script_parse(b->script, "-x", piece->text, piece->len, b->diags);
	err = err ?: hist_script_tables(b->script, &edit, b->diags);
	if (!err && edit.n_tables > 1)
		err = choose_tables(b, cs, i, &edit);
	err = err ?: hist_script_edit(b->script, &edit);
	for (size_t t = 0; t < edit.n_tables && !err && grouped; t++) {
		const struct hist_script_table *table = &edit.tables[t];

		if (!table->left_out)
			err = add_answer(b, &(struct cmd_sql_answer){ .path = table->path,
								      .filter = table->filter,
								      .sum = table->values });
	}
	b->grouped |= grouped;
	b->edited = true;
	free(edit.tables);
	return err;
}

/* The samples that a recipe is about, if the user did not name them. */
static void use_sampled(struct script_build *b, const struct cmd_script *cs,
			struct cmd_script_piece *piece)
{
	struct span text = { piece->text, piece->len };
	const char *event;

	for (size_t i = 0; i < cs->defines.n; i++)
		if (span_eq(cs->defines.v[i].name, "event"))
			return;
	event = recipe_use_sampled(b->h, &text, b->arena);
	if (!event)
		return;
	piece->text = text.s;
	piece->len = text.n;
	diags_add(b->diags, DIAG_NOTE,
		  "%s: counts samples of %s, because the recording has none of cycles; -D "
		  "event=NAME chooses an event",
		  piece->name, event + 5);
}

/* --slice-begin, --slice-end: "EVENT[ if FILTER]". */
static int build_slices(struct script_build *b, const struct cmd_script *cs,
			const struct cmd_script_piece *piece)
{
	const char *option = piece->key == CMD_SCRIPT_BEGIN ? "--slice-begin" : "--slice-end";
	struct span rest = span_trim((struct span){ piece->text, piece->len });
	struct span word = span_sep(&rest, " \t"), system, event;
	const char *name = arena_strndup(b->arena, word.s, word.n), *line;
	char *path = NULL;
	int err = !name       ? HIST_NOMEM
		  : cs->store ? find_event(b, name, &path)
			      : hist_script_find_event(b->h, b->script, name, &path, b->diags);

	if (err)
		return err == HIST_NOMEM ? err : -HIST_EREJECTED;
	cmd_split_event(path, &system, &event);
	line = arena_printf(b->arena, rest.s ? "%.*s:%.*s %.*s" : "%.*s:%.*s%.*s", (int)system.n,
			    system.s, (int)event.n, event.s, (int)rest.n, rest.s ? rest.s : "");
	free(path);
	return line ? put_line(b, option,
			       piece->key == CMD_SCRIPT_BEGIN ? "events/derived/slice/begin"
							      : "events/derived/slice/end",
			       line, HIST_QUESTION)
		    : HIST_NOMEM;
}

static int build_piece(struct script_build *b, const struct cmd_script *cs, size_t i)
{
	static const struct event_write filter = { "-f", "filter", HIST_QUESTION_TRUNCATE };
	const struct cmd_script_piece *piece = &cs->pieces.v[i];
	int err = 0;

	switch (piece->key) {
	case 'e':
		return build_event(b, cs, i);
	case 'R':
		return build_triggers(b, piece->text);
	case 'f':
		/* the triggers of its result, or that of --by, have the filter */
		if (b->of_script)
			return 0;
		/* ftrace:print has no such file; the trigger of --by has the filter */
		if (b->n_dirs == 1 && is_of_ftrace(b->dirs[0]) && of_group(cs, i, CMD_SCRIPT_BY))
			return 0;
		for (size_t d = 0; d < b->n_dirs && !err && !cs->store; d++)
			err = put_file(b, &filter, b->dirs[d], piece->text);
		return err;
	case CMD_SCRIPT_SQL:
		return build_sql(b, cs, i);
	case CMD_SCRIPT_BY:
		return build_by(b, cs, i);
	case CMD_SCRIPT_SUM:
		return of_group(cs, i, CMD_SCRIPT_BY) ? 0 : cmd_by_sum_alone(piece->text, b->diags);
	case CMD_SCRIPT_ON:
	case CMD_SCRIPT_DO:
		return 0;
	case CMD_SCRIPT_BEGIN:
	case CMD_SCRIPT_END:
		return build_slices(b, cs, piece);
	case CMD_SCRIPT_SYNTH:
		return put_line(b, "--synth", "synthetic_events", piece->text, HIST_APPEND);
	case 'x':
		return b->edited ? 0
				 : hist_script_parse(b->script, "-x", piece->text, piece->len,
						     b->diags);
	default:
		forget_events(b);
		b->of_script = true;
		b->edited = false;
		if (!cs->store && !cs->machine)
			use_sampled(b, cs, &cs->pieces.v[i]);
		err = recipe_check_needs(b->h, piece, cs->store || cs->machine, b->diags);
		if (err)
			return err;
		if (!cs->store && (of_group(cs, i, CMD_SCRIPT_BY) || of_group(cs, i, 'f')))
			return build_answer(b, cs, i);
		return hist_script_parse(b->script, piece->name, piece->text, piece->len, b->diags);
	}
}

/* Nothing was requested, and the recording contains no script. */
static int suggest(const struct cmd_script *cs, struct hist *h, struct diags *diags)
{
	enum { SHOWN = 8 };
	const char *first = hist_recorded_event(h, 0), *event;
	const char *input = cs->input->paths.v[0];
	struct strbuf names = STRBUF_INIT;
	size_t n = 0;

	diags_error(
		diags, -HIST_EINVAL,
		"nothing to replay: give a SCRIPT, -e EVENT --by FIELD, or -e EVENT -R TRIGGER");
	while ((event = hist_recorded_event(h, n)))
		if (n++ < SHOWN)
			strbuf_addf(&names, "%s%s", n > 1 ? ", " : "", event);
	if (n > SHOWN)
		strbuf_addf(&names, " and %zu more; see hist list", n - SHOWN);
	diags_add(diags, DIAG_NOTE, "%s%s",
		  n ? "the recording has events of " : "the recording has no events", names.s);
	strbuf_reset(&names);
	if (strcmp(input, "trace.dat")) {
		strbuf_addstr(&names, " -i ");
		strbuf_addword(&names, input);
	}
	if (first)
		diags_add(
			diags, DIAG_NOTE,
			"for example: hist report%s -e %s --by comm; questions with ready answers: "
			"hist recipe%s",
			names.s, first, names.s);
	diags_add(diags, DIAG_NOTE, "all events as text: hist events%s", names.s);
	strbuf_release(&names);
	return -HIST_EINVAL;
}

static int build_stored(const struct cmd_script *cs, struct hist *h, struct hist_script *script,
			struct diags *diags)
{
	struct span text = span_of(hist_stored_script(h) ?: "");
	struct strbuf live = STRBUF_INIT;
	int err;

	if (!hist_stored_script(h))
		return suggest(cs, h, diags);
	if (cs->input->options.strict_kernel) {
		recipe_stored_live(text, &live);
		text = strbuf_span(&live);
	}
	err = live.failed ? HIST_NOMEM
			  : hist_script_parse(script, "stored script", text.s, text.n, diags);
	strbuf_release(&live);
	return err == -HIST_EINVAL ? -HIST_EREJECTED : err;
}

/* -x 'cat trace' without anything that puts events into the trace */
static void note_empty_trace(const struct cmd_script *cs, const struct hist_script *script,
			     struct diags *diags)
{
	const char *path, *text;
	bool shows = false;

	for (size_t i = 0; hist_script_get(script, i, &path, &text); i++)
		if (strstr(path, "enable") || strstr(path, "set_event") || strstr(path, "trigger"))
			return;
	for (size_t i = 0; i < cs->pieces.n; i++)
		shows |= cs->pieces.v[i].key == 'x' && !strcmp(cs->pieces.v[i].text, "cat trace");
	if (shows)
		diags_add(
			diags, DIAG_NOTE,
			"no event is enabled for this trace: -e EVENT, or 'echo 1 > events/enable', before 'cat trace'");
}

int cmd_script_build(const struct cmd_script *cs, struct hist *h, struct hist_script *script,
		     struct diags *diags)
{
	struct script_build b = { .h = h,
				  .script = script,
				  .diags = diags,
				  .arena = &cs->input->arena,
				  .answers = ARRAY_INIT,
				  .shown = STRBUF_INIT };
	bool bad = false; /* the last event or script has an error */
	int result = 0;

	if (!cs->pieces.n)
		return build_stored(cs, h, script, diags);
	if (cs->slices)
		return diags_error(diags, -HIST_EINVAL,
				   "--slice-begin needs a --slice-end after it");
	for (size_t i = 0; i < cs->pieces.n && (!result || result == -HIST_EREJECTED); i++) {
		int key = cs->pieces.v[i].key, err;

		/* what belongs to an event or script with an error has no other */
		bad &= key == 'f' || key == 'R' || key == CMD_SCRIPT_BY || key == CMD_SCRIPT_SUM;
		if (bad)
			continue;
		err = build_piece(&b, cs, i);

		if (!err && cs->store)
			err = cs->store(cs->store_arg, &cs->pieces.v[i]);
		if (!err)
			continue;
		result = err == -HIST_EINVAL ? -HIST_EREJECTED : err;
		bad = true;
	}
	/* the triggers of --sql and recipes were not requested: what was is shown by name */
	if (!result && (b.grouped || (b.n_sql && !hist_script_shows(script))))
		result = hist_script_parse(script, b.n_sql ? "--sql" : "--by", b.shown.s,
					   b.shown.len, diags);
	if (!result && cs->store)
		result = cs->store(cs->store_arg, NULL);
	note_empty_trace(cs, script, diags);
	forget_events(&b);
	array_release(&b.answers);
	strbuf_release(&b.shown);
	return result;
}
