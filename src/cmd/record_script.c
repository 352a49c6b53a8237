// SPDX-License-Identifier: GPL-2.0-only
/*
 * The script of a recording, from -R, -S and --synth: the probes to create first, the events,
 * stacks and the clock that the triggers need, and the text to store in the file, so that a bare
 * `hist report` replays it.
 *
 * Text that the kernel would refuse is refused here, by libhist and the formats of this machine's
 * events, before anything is recorded.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/by_args.h"
#include "cmd/record_script.h"
#include "cmd/sql_args.h"

/* --- reading --- */

/* More than any script, so that endless input is not read forever. */
enum { MAX_READ = (4 << 20) + 1 };

/* Refuse an output that replaces the script, or FILE.old that does. */
static int refuse_output(const struct record_script *rs, int fd, const char *name,
			 struct diags *diags)
{
	struct input_files in = INPUT_FILES_INIT;
	char *old = NULL;
	int err = asprintf(&old, "%s.old", rs->plan->output) < 0 ? HIST_NOMEM : 0;

	if (!err)
		err = input_files_add_fd(&in, fd, name);
	if (!err)
		err = input_files_check_output(&in, rs->plan->output, diags);
	if (!err)
		err = input_files_check_output(&in, old, diags);
	input_files_release(&in);
	free(old);
	return err;
}

static int read_script(struct record_script *rs, struct record_script_piece *piece,
		       struct diags *diags)
{
	bool is_stdin = strcmp(piece->text, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : recipe_open(piece->text);
	struct strbuf sb = STRBUF_INIT;
	ssize_t n = fd < 0 ? -1 : fd_append(fd, &sb, MAX_READ);
	int err = 0;

	if (n < 0) {
		struct strbuf near = STRBUF_INIT;
		int why = errno;

		recipe_suggest(piece->text, &near);
		err = diags_error(diags, -HIST_EIO, "%s: %s%s", piece->text, strerror(why), near.s);
		strbuf_release(&near);
	} else {
		err = refuse_output(rs, fd, piece->text, diags);
	}
	if (fd >= 0 && !is_stdin)
		close(fd);
	if (is_stdin)
		piece->text = "standard input";
	if (!err) {
		piece->file = (struct span){ sb.s, sb.len };
		err = recipe_expand_copy(piece->text, &piece->file, &rs->defines, &rs->arena,
					 diags);
	}
	strbuf_release(&sb);
	return err;
}

/* kernel: a line "p:...", "r8:...", "e:..." defines a probe; "-:..." removes one */
static bool makes_probe(struct span line)
{
	static const char kinds[] = "preft";
	struct span kind;

	line = span_ltrim(line);
	kind = span_sep(&line, ": \t");
	return line.s && kind.n && strchr(kinds, kind.s[0]) &&
	       strspn(kind.s + 1, "0123456789") >= kind.n - 1;
}

static int add_probes(struct record_script *rs, const char *file, const char *text)
{
	struct span rest = span_of(text);

	while (rest.s) {
		struct span line = span_trim(span_sep(&rest, "\n"));
		struct record_probe probe = { .file = arena_strdup(&rs->arena, file) };

		if (!makes_probe(line))
			continue;
		probe.text = arena_strndup(&rs->arena, line.s, line.n);
		if (!probe.file || !probe.text || array_push(&rs->probes, probe))
			return HIST_NOMEM;
	}
	return 0;
}

/* The name at the start of a definition. */
static int add_defined(struct record_script *rs, struct span definition)
{
	struct span rest = definition, name = span_sep(&rest, " \t;");
	const char *copy = arena_strndup(&rs->arena, name.s, name.n);

	return copy ? array_push(&rs->defined, copy) : HIST_NOMEM;
}

/* Whether -e names an event that the script defines; its name without the system. */
static const char *is_defined(const struct record_script *rs, const char *event)
{
	size_t n = strcspn(event, ":/");

	if (event[n] && n == 9 && !strncmp(event, "synthetic", n))
		event += n + 1;
	for (size_t i = 0; i < rs->defined.n; i++)
		if (!strcmp(rs->defined.v[i], event))
			return event;
	return NULL;
}

/* Events that the script defines cannot be recorded before it runs. */
static void drop_defined(struct record_script *rs)
{
	size_t n = 0;

	for (size_t i = 0; i < rs->events.n; i++)
		if (!is_defined(rs, rs->events.v[i].pattern))
			rs->events.v[n++] = rs->events.v[i];
	rs->events.n = n;
}

/* The kernel needs the synthetic events of live triggers. */
static int add_synthetic(struct record_script *rs, struct span definition)
{
	struct record_probe probe = { .file = "synthetic_events" };
	int err = add_defined(rs, definition);

	if (err || !rs->plan->live)
		return err;
	probe.text = arena_strndup(&rs->arena, definition.s, definition.n);
	return probe.text ? array_push(&rs->probes, probe) : HIST_NOMEM;
}

/* The steps that must be done before the events of the machine are listed. */
static int scan_writes(struct record_script *rs, const struct hist_script *script)
{
	const char *path, *text;
	int err = 0;

	for (size_t i = 0; !err && hist_script_get(script, i, &path, &text); i++) {
		struct span word = span_trim(span_of(text));

		if (!strcmp(path, "kprobe_events") || !strcmp(path, "uprobe_events") ||
		    !strcmp(path, "dynamic_events"))
			err = add_probes(rs, path, text);
		else if (!strcmp(path, "trace_clock") && word.n)
			rs->clock = arena_strndup(&rs->arena, word.s, word.n);
		else if (!strcmp(path, "synthetic_events") && word.n)
			err = add_synthetic(rs, word);
		rs->plan->markers |= !strncmp(path, "events/ftrace/print/", 20);
	}
	return err;
}

static int scan_script(struct record_script *rs, const struct record_script_piece *piece,
		       struct diags *diags)
{
	struct hist_script *script = hist_script_new();
	int err =
		script ? hist_script_parse(script, piece->text, piece->file.s, piece->file.n, diags)
		       : HIST_NOMEM;

	if (!err)
		err = scan_writes(rs, script);
	hist_script_free(script);
	return err == -HIST_EINVAL ? -HIST_EREJECTED : err;
}

/* The event of a statement, which a later -e can name. */
static int add_sql(struct record_script *rs, const char *text, size_t number)
{
	const char *query, *name = cmd_sql_name(text, number, &rs->arena, &query);

	return name ? array_push(&rs->defined, name) : HIST_NOMEM;
}

int record_script_plan(struct record_script *rs, struct diags *diags)
{
	struct record_plan *plan = rs->plan;
	size_t n_sql = 0;
	int err = 0;

	for (size_t i = 0; !err && i < rs->pieces.n; i++) {
		struct record_script_piece *piece = &rs->pieces.v[i];
		const char *text = piece->text;

		if (piece->key == 'S') {
			err = read_script(rs, piece, diags);
			text = piece->file.s;
			if (!err)
				err = scan_script(rs, piece, diags);
		} else if (piece->key == RECORD_SCRIPT_SYNTH) {
			err = add_synthetic(rs, span_of(text));
		} else if (piece->key == CMD_SCRIPT_SQL) {
			err = add_sql(rs, text, ++n_sql);
		}
		plan->symbols |= !err && (strstr(text, ".sym") || strstr(text, "stacktrace") ||
					  strstr(text, ".function"));
		plan->syscalls |= !err && strstr(text, ".syscall");
	}
	if (!err)
		err = recipe_defines_check(&rs->defines, diags);
	drop_defined(rs);
	plan->probes = rs->probes.v;
	plan->n_probes = rs->probes.n;
	if (!plan->clock)
		plan->clock = rs->clock;
	if (rs->pieces.n) {
		plan->resolve = record_script_resolve;
		plan->resolve_arg = rs;
	}
	return err;
}

/* --- the combined script --- */

struct record_build {
	struct record_script *rs;
	struct hist *h;
	struct hist_script *script;
	struct diags *diags;
	struct strbuf shown; /* "cat FILE" for results of --sql, after all triggers */
	bool tracer_noted;
};

void record_script_line(struct strbuf *out, const char *file, const char *text,
			enum hist_write_mode mode)
{
	strbuf_addstr(out, "echo ");
	strbuf_addquoted(out, text, strlen(text));
	strbuf_addf(out, " >> %s%s\n", file, mode == HIST_QUESTION ? " # question" : "");
}

/* Store the script for the file and for libhist. */
static int build_line(struct record_build *b, const char *origin, const char *file,
		      const char *text, enum hist_write_mode mode)
{
	struct strbuf line = STRBUF_INIT;
	int err = HIST_NOMEM;

	record_script_line(&b->rs->text, file, text, mode);
	strbuf_addf(&line, "%s\n", text);
	if (!line.failed)
		err = hist_script_write(b->script, origin, file, line.s, mode);
	strbuf_release(&line);
	return err;
}

/* "events/SYSTEM/EVENT" of a piece (to be freed). */
static int find_event(struct record_build *b, const struct record_script_piece *piece, char **dir)
{
	const char *defined;

	if (strpbrk(piece->event, "*?[,"))
		return diags_error(b->diags, -HIST_EREJECTED,
				   "%s needs one event, but %s may match several",
				   piece->key == 'R' ? "-R" : "--by", piece->event);
	defined = is_defined(b->rs, piece->event);
	if (!defined)
		return record_find_event(piece->event, dir, b->diags);
	return asprintf(dir, "events/synthetic/%s", defined) < 0 ? HIST_NOMEM : 0;
}

static int write_trigger(struct record_build *b, const char *origin, const char *dir,
			 const char *text, enum hist_write_mode mode)
{
	struct strbuf file = STRBUF_INIT;
	int err;

	strbuf_addf(&file, "%s/trigger", dir);
	err = file.failed ? HIST_NOMEM : build_line(b, origin, file.s, text, mode);
	strbuf_release(&file);
	return err;
}

static int build_trigger(struct record_build *b, const struct record_script_piece *piece)
{
	char *dir = NULL;
	int err = find_event(b, piece, &dir);

	if (!err)
		err = write_trigger(b, "-R", dir, piece->text, HIST_APPEND);
	free(dir);
	return err;
}

/* The last option @key of the same -e; NULL: none, or empty. */
static const char *of_event(const struct record_script *rs, int key, const char *event)
{
	const char *text = NULL;

	for (size_t i = 0; i < rs->pieces.n; i++)
		if (rs->pieces.v[i].key == key && rs->pieces.v[i].event == event)
			text = rs->pieces.v[i].text;
	return text && *text ? text : NULL;
}

/* Only events that pass the -f of the same -e are recorded. */
static int build_by(struct record_build *b, const struct record_script_piece *piece)
{
	const struct cmd_by by = {
		.keys = piece->text,
		.sum = of_event(b->rs, CMD_SCRIPT_SUM, piece->event),
	};
	struct strbuf text = STRBUF_INIT;
	char *dir = NULL;
	int err = find_event(b, piece, &dir);

	if (!err)
		err = cmd_by_trigger(&by, b->h, b->script, dir, &text);
	if (!err)
		err = write_trigger(b, "--by", dir, text.s, HIST_QUESTION);
	strbuf_release(&text);
	free(dir);
	return err;
}

static int build_file(struct record_build *b, const struct record_script_piece *piece)
{
	struct strbuf *out = &b->rs->text;
	size_t n_diags = b->diags->list.n;
	int err;

	strbuf_add(out, piece->file.s, piece->file.n);
	if (out->len && out->s[out->len - 1] != '\n')
		strbuf_addch(out, '\n');
	err = hist_script_parse(b->script, piece->text, piece->file.s, piece->file.n, b->diags);
	/* scan_script() has reported its warnings */
	if (!err)
		b->diags->list.n = n_diags;
	return err;
}

static int write_sql(void *arg, const char *origin, const char *path, const char *text)
{
	return build_line(arg, origin, path, text, HIST_QUESTION);
}

/* --sql with the --by, --on and --do that follow it; its result is shown. */
static int build_sql(struct record_build *b, size_t i)
{
	const struct record_script_piece *pieces = b->rs->pieces.v;
	struct cmd_sql sql = { .h = b->h,
			       .script = b->script,
			       .diags = b->diags,
			       .text = pieces[i].text,
			       .explain = b->rs->explain };
	ARRAY(const char *) by = ARRAY_INIT;
	char *path = NULL;
	int err = 0;

	for (size_t k = 0; k <= i; k++)
		sql.number += pieces[k].key == CMD_SCRIPT_SQL;
	for (i++; i < b->rs->pieces.n && !err; i++) {
		if (pieces[i].key == CMD_SCRIPT_BY && !pieces[i].event)
			err = array_push(&by, pieces[i].text);
		else if (pieces[i].key == CMD_SCRIPT_ON)
			sql.on = pieces[i].text;
		else if (pieces[i].key == CMD_SCRIPT_DO)
			sql.what = pieces[i].text;
		else
			break;
	}
	sql.by = by.v;
	sql.n_by = by.n;
	if (!err)
		err = cmd_sql_build(&sql, write_sql, b, &path);
	if (!err)
		strbuf_addf(&b->shown, "cat %s/hist\n", path);
	free(path);
	array_release(&by);
	return err;
}

static int build_piece(struct record_build *b, size_t i)
{
	const struct record_script_piece *piece = &b->rs->pieces.v[i];

	switch (piece->key) {
	case 'R':
		return build_trigger(b, piece);
	case 'S':
		return build_file(b, piece);
	case RECORD_SCRIPT_SYNTH:
		return build_line(b, "--synth", "synthetic_events", piece->text, HIST_APPEND);
	case CMD_SCRIPT_SQL:
		return build_sql(b, i);
	case CMD_SCRIPT_BY:
		return piece->event ? build_by(b, piece) : 0;
	case CMD_SCRIPT_SUM:
		return of_event(b->rs, CMD_SCRIPT_BY, piece->event)
			       ? 0
			       : cmd_by_sum_alone(piece->text, b->diags);
	default:
		return 0;
	}
}

static int build_all(struct record_build *b)
{
	int err = 0;

	for (size_t i = 0; !err && i < b->rs->pieces.n; i++)
		err = build_piece(b, i);
	strbuf_add(&b->rs->text, b->shown.s, b->shown.len);
	return !err && (b->rs->text.failed || b->shown.failed) ? HIST_NOMEM : err;
}

/* --- what the script needs --- */

static int add_need(void *arg, enum hist_need need, const char *name)
{
	struct record_build *b = arg;
	struct record_script *rs = b->rs;
	struct record_event ev = { .stack = need == HIST_NEED_STACK,
				   .optional = need == HIST_NEED_OPTIONAL };

	/* without --live this machine has no such event */
	if (need == HIST_NEED_BYTES && !rs->plan->live)
		return 0;
	if (need == HIST_NEED_CLOCK) {
		if (!rs->plan->clock)
			rs->plan->clock = arena_strdup(&rs->arena, name);
		return 0;
	}
	if (need == HIST_NEED_OPTION) {
		*(strcmp(name, "stacktrace") ? &rs->plan->user_stacks : &rs->plan->stacks) = true;
		return 0;
	}
	/* events of this system cannot be enabled; writes to trace_marker are always recorded */
	if (!strncmp(name, "ftrace:", 7)) {
		rs->plan->markers |= !strcmp(name, "ftrace:print");
		if (!strncmp(name + 7, "func", 4) && !b->tracer_noted) {
			diags_add(
				b->diags, DIAG_WARNING,
				"%s is not recorded: tracers record it; use trace-cmd record -p function or -p function_graph",
				name);
			b->tracer_noted = true;
		}
		return 0;
	}
	ev.pattern = arena_strdup(&rs->arena, name);
	return ev.pattern ? array_push(&rs->events, ev) : HIST_NOMEM;
}

static int judge(struct record_build *b)
{
	const struct hist_run_options options = { .check_only = true,
						  .need = add_need,
						  .need_arg = b };
	int err = build_all(b);

	if (!err)
		err = hist_run(b->h, b->script, &options, strbuf_sink, NULL, b->diags);
	if (!err && b->rs->plan->live)
		err = record_live_plan(b->rs, b->script, b->diags);
	return err;
}

int record_script_resolve(void *arg, const char *machine, struct diags *diags)
{
	struct record_script *rs = arg;
	const struct hist_options options = { .inputs = &machine, .n_inputs = 1 };
	struct record_build b = {
		.rs = rs, .script = hist_script_new(), .diags = diags, .shown = STRBUF_INIT
	};
	int err = b.script ? hist_open(&options, &b.h, diags) : HIST_NOMEM;

	strbuf_reset(&rs->text);
	if (!err)
		err = judge(&b);
	rs->plan->events = rs->events.v;
	rs->plan->n_events = rs->events.n;
	rs->plan->script = (struct span){ rs->text.s, rs->text.len };
	hist_close(b.h);
	hist_script_free(b.script);
	strbuf_release(&b.shown);
	return err;
}

void record_script_release(struct record_script *rs)
{
	array_release(&rs->pieces);
	array_release(&rs->defines);
	array_release(&rs->defined);
	array_release(&rs->events);
	array_release(&rs->probes);
	array_release(&rs->gates);
	array_release(&rs->live);
	array_release(&rs->live_files);
	strbuf_release(&rs->text);
	strbuf_release(&rs->live_text);
	arena_release(&rs->arena);
}
