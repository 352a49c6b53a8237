// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds one script from the parts of the command line, in order.
 *
 * -e EVENT becomes echo 1 > EVENT/enable, --by a table of the last -e, -R appends a line to its
 * trigger file, -f writes its filter, --synth appends a line to synthetic_events, and sql_args.c
 * converts --sql. After a script, -f and --by change what that shows.
 */
#include "cmd/sql_args.h"
#include "record/record.h"

struct script_build {
	struct hist *h;
	struct hist_script *script;
	struct diags *diags;
	struct arena *arena; /* of the input */
	char **dirs;         /* events/SYSTEM/EVENT of the last -e or --sql */
	size_t n_dirs;
	struct cmd_sql_answer sql; /* of the last --sql; .table.events NULL: that is a -e */
	const char *wanted;        /* hist record: the last -e, found when a trigger needs it */
	size_t n_sql;
	bool of_script; /* the current group is a script, a recipe or a --sql */
	bool changed;   /* that script has its -x lines, and is changed */
};

static void forget_events(struct script_build *b)
{
	for (size_t i = 0; i < b->n_dirs; i++)
		free(b->dirs[i]);
	free(b->dirs);
	b->dirs = NULL;
	b->n_dirs = 0;
	b->wanted = NULL;
	b->sql = (struct cmd_sql_answer){ .table.events = NULL };
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

/* Of hist record: an event that the script defines, or one of this machine. */
static int find_event(struct script_build *b, const char *name, char **path)
{
	int err = hist_script_find_event(b->h, b->script, name, path, NULL);

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

/* One write of @text and a newline, as by echo. @asked: of a question */
static int put_line(struct script_build *b, const char *origin, const char *path, const char *text,
		    enum hist_write_mode mode, bool asked)
{
	const char *line = arena_printf(b->arena, "%s\n", text);

	if (!path || !line)
		return HIST_NOMEM;
	return asked ? hist_script_ask_write(b->script, origin, path, line, mode)
		     : hist_script_write(b->script, origin, path, line, mode);
}

/* The same for a file of an event that is opened with '>'. */
static int put_file(struct script_build *b, const char *origin, const char *dir, const char *file,
		    const char *text)
{
	return put_line(b, origin, arena_printf(b->arena, "%s/%s", dir, file), text, HIST_TRUNCATE,
			!strcmp(file, "filter"));
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
	int err;

	forget_events(b);
	b->of_script = b->changed = false;
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
			err = put_file(b, "-e", b->dirs[d], "enable", "1");
	return err;
}

static int write_sql(void *arg, const char *origin, const char *path, const char *text)
{
	return put_line(arg, origin, path, text, HIST_APPEND, true);
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
	const char *filter = cs->store ? NULL : of_group(cs, i, 'f');
	struct cmd_sql sql = { .h = b->h,
			       .script = b->script,
			       .arena = b->arena,
			       .diags = b->diags,
			       .text = cs->pieces.v[i].text,
			       .on = of_group(cs, i, CMD_SCRIPT_ON),
			       .what = of_group(cs, i, CMD_SCRIPT_DO),
			       .number = ++b->n_sql,
			       .explain = cs->input->options.explain };
	const char *own;
	int err;

	forget_events(b);
	b->of_script = true;
	b->changed = false;
	err = cmd_sql_build(&sql, write_sql, b, &b->sql);
	if (err)
		return err;
	own = b->sql.table.filter;
	b->sql.table.filter = cmd_both_filters(own, filter, b->arena);
	if (own && filter && !b->sql.table.filter)
		return HIST_NOMEM;
	err = add_event(b, strdup(b->sql.path));
	if (err || of_group(cs, i, CMD_SCRIPT_BY) || (b->sql.fields && of_group(cs, i, 'R')))
		return err;
	return hist_script_ask(b->script, &b->sql.table);
}

static int build_triggers(struct script_build *b, const char *text)
{
	int err = find_wanted(b, "-R");

	for (size_t i = 0; i < b->n_dirs && !err; i++)
		err = put_line(b, "-R", arena_printf(b->arena, "%s/trigger", b->dirs[i]), text,
			       HIST_APPEND, false);
	return err;
}

/* "sched:sched_switch,sched:sched_waking": the events of the last -e */
static const char *events_text(struct script_build *b)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < b->n_dirs; i++) {
		struct span system, event;

		cmd_split_event(b->dirs[i], &system, &event);
		strbuf_addf(&out, "%s%.*s:%.*s", i ? "," : "", (int)system.n, system.s,
			    (int)event.n, event.s);
	}
	return arena_take(b->arena, &out);
}

/* Note that an -e before that of the --by at @i counts nothing, and is perhaps part of it. */
static void note_left_out(const struct cmd_script *cs, size_t i, struct diags *diags)
{
	const char *keys = cs->pieces.v[i].text, *other = NULL, *event = NULL;

	array_each_of(const struct cmd_script_piece, piece, cs->pieces.v, i) {
		if (piece->key == 'e') {
			other = event;
			event = piece->text;
		} else if (piece->key == CMD_SCRIPT_BY || piece->key == 'R') {
			event = NULL;
		}
	}
	if (other)
		diags_add(diags, DIAG_NOTE,
			  "--by belongs to the -e before it: -e %s,%s --by %s counts both%s", other,
			  event, keys,
			  key_list_has_event(span_of(keys)) ? "" : ", each in a table of its own");
}

static int build_by(struct script_build *b, const struct cmd_script *cs, size_t i)
{
	const char *keys = cs->pieces.v[i].text;
	struct hist_table table = { .keys = keys, .sums = of_group(cs, i, CMD_SCRIPT_SUM) };
	int err = find_wanted(b, "--by");

	/* a script is changed, where it begins */
	if (b->changed)
		return err;
	if (!err && !b->n_dirs)
		return diags_error(b->diags, -HIST_EREJECTED,
				   "--by needs an -e EVENT, a --sql or a recipe before it");
	if (!err && b->sql.table.events) {
		table.events = b->sql.table.events;
		table.filter = b->sql.table.filter;
		table.keys = cmd_sql_keys(&b->sql, keys, b->arena);
		/* the answer is what it adds up, unless that is a key */
		if (table.keys && !table.sums && b->sql.table.sums &&
		    !key_list_groups(span_of(table.keys), span_of(b->sql.table.sums)))
			table.sums = b->sql.table.sums;
	} else if (!err) {
		table.events = events_text(b);
		/* hist record: only what it accepts is recorded */
		table.filter = cs->store ? NULL : of_group(cs, i, 'f');
	}
	if (!err && (!table.events || !table.keys))
		return HIST_NOMEM;
	err = err ?: hist_script_ask(b->script, &table);
	/* what is recorded, or kept, needs no histogram */
	if (!err && ((!cs->store && !cs->only_triggers) || key_list_has_event(span_of(keys))))
		note_left_out(cs, i, b->diags);
	return err;
}

/* A script, with the lines of -x after it, whose result -f filters, or --by groups. */
static int build_change(struct script_build *b, const struct cmd_script *cs, size_t i)
{
	const struct cmd_script_piece *piece = &cs->pieces.v[i];
	const char *filter = of_group(cs, i, 'f');
	int err = 0;

	for (size_t x = i + 1; x < cs->pieces.n && !cmd_begins_group(&cs->pieces.v[x]) && !err; x++)
		if (cs->pieces.v[x].key == CMD_SCRIPT_BY)
			err = hist_script_regroup(
				b->script,
				&(struct hist_table){ .keys = cs->pieces.v[x].text,
						      .sums = of_group(cs, i, CMD_SCRIPT_SUM),
						      .filter = filter });
	if (!err && !of_group(cs, i, CMD_SCRIPT_BY))
		err = hist_script_regroup(b->script, &(struct hist_table){ .filter = filter });
	err = err ?: hist_script_parse(b->script, piece->name, piece->text, piece->len, b->diags);
	for (size_t x = i + 1; x < cs->pieces.n && !cmd_begins_group(++piece) && !err; x++)
		if (piece->key == 'x')
			err = hist_script_parse(b->script, "-x", piece->text, piece->len, b->diags);
	b->changed = true;
	return err ?: hist_script_regroup(b->script, &(struct hist_table){ .keys = NULL });
}

/* The samples that a recipe is about, if the user did not name them. */
static int use_sampled(struct script_build *b, const struct cmd_script *cs,
		       struct cmd_script_piece *piece)
{
	const struct recipe_text recipe = { piece->name, piece->recipe, RECIPE_ANSWER };
	scoped(free_scoped) recipe_defines defines = ARRAY_INIT;
	struct strbuf text = STRBUF_INIT;
	const char *event;
	int err = 0;

	for (size_t i = 0; i < cs->defines.n && !err; i++)
		err = array_push(&defines, cs->defines.v[i]);
	event = err ? NULL : recipe_use_sampled(b->h, piece->recipe, &defines);
	if (event) {
		err = recipe_expand(&recipe, &defines, &text, b->diags);
		piece->len = text.len;
		piece->text = arena_take(b->arena, &text);
		diags_add(b->diags, DIAG_NOTE,
			  "%s: counts samples of %s, because the recording has none of cycles; -D "
			  "event=NAME chooses an event",
			  piece->name, event);
	}
	return err ?: piece->text ? 0 : HIST_NOMEM;
}

/* --slice-begin, --slice-end: "EVENT[ if FILTER]". */
static int build_slices(struct script_build *b, const struct cmd_script *cs,
			const struct cmd_script_piece *piece)
{
	const char *option = piece->key == CMD_SCRIPT_BEGIN ? "--slice-begin" : "--slice-end";
	struct span rest = span_trim((struct span){ piece->text, piece->len });
	struct span word = span_sep(&rest, " \t"), system, event;
	const char *name = arena_strndup(b->arena, word.s, word.n), *line;
	scoped(free_scoped) char *path = NULL;
	int err = !name       ? HIST_NOMEM
		  : cs->store ? find_event(b, name, &path)
			      : hist_script_find_event(b->h, b->script, name, &path, b->diags);

	if (err)
		return err == HIST_NOMEM ? err : -HIST_EREJECTED;
	cmd_split_event(path, &system, &event);
	line = arena_printf(b->arena, rest.s ? "%.*s:%.*s %.*s" : "%.*s:%.*s%.*s", (int)system.n,
			    system.s, (int)event.n, event.s, (int)rest.n, rest.s ? rest.s : "");
	return line ? put_line(b, option,
			       piece->key == CMD_SCRIPT_BEGIN ? "events/derived/slice/begin"
							      : "events/derived/slice/end",
			       line, HIST_APPEND, true)
		    : HIST_NOMEM;
}

static int build_piece(struct script_build *b, const struct cmd_script *cs, size_t i)
{
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
		for (size_t d = 0; d < b->n_dirs && !err && !cs->store; d++)
			if (!is_of_ftrace(b->dirs[d]) ||
			    (b->n_dirs == 1 && !of_group(cs, i, CMD_SCRIPT_BY)))
				err = put_file(b, "-f", b->dirs[d], "filter", piece->text);
		return err;
	case CMD_SCRIPT_SQL:
		return build_sql(b, cs, i);
	case CMD_SCRIPT_BY:
		return build_by(b, cs, i);
	case CMD_SCRIPT_SUM:
		return of_group(cs, i, CMD_SCRIPT_BY)
			       ? 0
			       : diags_error(b->diags, -HIST_EREJECTED,
					     "--sum=%s adds up in the rows of a histogram: choose "
					     "them with --by KEYS, such as --by comm",
					     piece->text);
	case CMD_SCRIPT_ON:
	case CMD_SCRIPT_DO:
		return 0;
	case CMD_SCRIPT_BEGIN:
	case CMD_SCRIPT_END:
		return build_slices(b, cs, piece);
	case CMD_SCRIPT_SYNTH:
		return put_line(b, "--synth", "synthetic_events", piece->text, HIST_APPEND, false);
	case 'x':
		return b->changed ? 0
				  : hist_script_parse(b->script, "-x", piece->text, piece->len,
						      b->diags);
	default:
		forget_events(b);
		b->of_script = true;
		b->changed = false;
		if (!cs->store && !cs->machine)
			err = use_sampled(b, cs, &cs->pieces.v[i]);
		err = err
			      ?: recipe_check_needs(b->h, piece->name,
						    (struct span){ piece->text, piece->len },
						    cs->store || cs->machine, b->diags);
		if (err)
			return err;
		if (!cs->store && (of_group(cs, i, CMD_SCRIPT_BY) || of_group(cs, i, 'f')))
			return build_change(b, cs, i);
		return hist_script_parse(b->script, piece->name, piece->text, piece->len, b->diags);
	}
}

/* Nothing was requested, and the recording contains no script. */
static int suggest(const struct cmd_script *cs, struct hist *h, struct diags *diags)
{
	enum { SHOWN = 8 };
	const char *first = hist_recorded_event(h, 0), *event;
	const char *input = cs->input->paths.v[0];
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
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
	return -HIST_EINVAL;
}

static int build_stored(const struct cmd_script *cs, struct hist *h, struct hist_script *script,
			struct diags *diags)
{
	struct span text = span_of(hist_stored_script(h) ?: "");
	scoped(strbuf_release) struct strbuf live = STRBUF_INIT;
	int err;

	if (!hist_stored_script(h))
		return suggest(cs, h, diags);
	if (cs->input->options.strict_kernel) {
		recipe_stored_live(text, &live);
		text = strbuf_span(&live);
	}
	err = live.failed ? HIST_NOMEM
			  : hist_script_parse(script, "stored script", text.s, text.n, diags);
	return err == -HIST_EINVAL ? -HIST_EREJECTED : err;
}

/* -x 'cat trace' without anything that puts events into the trace */
static void note_empty_trace(const struct cmd_script *cs, const struct hist_script *script,
			     struct diags *diags)
{
	const char *path, *text;

	for (size_t i = 0; hist_script_get(script, i, &path, &text); i++)
		if (strstr(path, "enable") || strstr(path, "set_event") || strstr(path, "trigger"))
			return;
	if (any_of(i, cs->pieces.n,
		   cs->pieces.v[i].key == 'x' && !strcmp(cs->pieces.v[i].text, "cat trace")))
		diags_add(
			diags, DIAG_NOTE,
			"no event is enabled for this trace: -e EVENT, or 'echo 1 > events/enable', before 'cat trace'");
}

int cmd_script_build(const struct cmd_script *cs, struct hist *h, struct hist_script *script,
		     struct diags *diags)
{
	struct script_build b = {
		.h = h, .script = script, .diags = diags, .arena = &cs->input->arena
	};
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
	if (!result && cs->store)
		result = cs->store(cs->store_arg, NULL);
	note_empty_trace(cs, script, diags);
	forget_events(&b);
	return result;
}
