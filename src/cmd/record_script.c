// SPDX-License-Identifier: GPL-2.0-only
/*
 * The script of a recording, from -R, -S and --synth: the probes to create first, the events,
 * stacks and the clock that the triggers need, and the text to store in the file, so that a bare
 * `hist report` replays it.
 *
 * Text that the kernel would refuse is refused here, by libhist and the formats of this machine's
 * events, before anything is recorded.
 */
#include "cmd/record_script.h"
#include "cmd/sql_args.h"
#include "hist-save.h"

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
		struct record_probe probe = { .file = arena_strdup(rs->arena, file) };

		if (!makes_probe(line))
			continue;
		probe.text = arena_strndup(rs->arena, line.s, line.n);
		if (!probe.file || !probe.text || array_push(&rs->probes, probe))
			return HIST_NOMEM;
	}
	return 0;
}

/* Whether -e names an event that the script defines. */
static bool is_defined(const struct record_script *rs, const char *event)
{
	size_t n = strcspn(event, ":/");

	if (event[n] && n == 9 && !strncmp(event, "synthetic", n))
		event += n + 1;
	return any_of(i, rs->defined.n, !strcmp(rs->defined.v[i], event));
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

/* A definition begins with a name. The kernel needs the synthetic events of live triggers. */
static int add_synthetic(struct record_script *rs, struct span definition)
{
	struct record_probe probe = { .file = "synthetic_events" };
	struct span rest = definition, name = span_sep(&rest, " \t;");
	const char *copy = arena_strndup(rs->arena, name.s, name.n);

	if (!copy || array_push(&rs->defined, copy))
		return HIST_NOMEM;
	if (!rs->plan->live)
		return 0;
	probe.text = arena_strndup(rs->arena, definition.s, definition.n);
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
			rs->clock = arena_strndup(rs->arena, word.s, word.n);
		else if (!strcmp(path, "synthetic_events") && word.n)
			err = add_synthetic(rs, word);
		rs->plan->markers |= !strncmp(path, "events/ftrace/print/", 20);
	}
	return err;
}

static int scan_script(struct record_script *rs, const struct cmd_script_piece *piece,
		       struct diags *diags)
{
	struct hist_script *script = hist_script_new();
	int err = script ? hist_script_parse(script, piece->name, piece->text, piece->len, diags)
			 : HIST_NOMEM;

	err = err ?: scan_writes(rs, script);
	hist_script_free(script);
	return err == -HIST_EINVAL ? -HIST_EREJECTED : err;
}

bool record_script_given(const struct cmd_script *cs)
{
	return any_of(i, cs->pieces.n, cs->pieces.v[i].key != 'e' && cs->pieces.v[i].key != 'f');
}

/* --- the combined script --- */

struct record_build {
	struct record_script *rs;
	struct hist *h;
	struct hist_script *script;
	struct diags *diags;
	size_t stored;  /* length of the script's lines that are in ->text */
	size_t n_diags; /* before the current piece */
	bool tracer_noted;
};

/* Add to the text for the file what a piece added to the script; a SCRIPT is stored unchanged. */
static int store_piece(void *arg, const struct cmd_script_piece *piece)
{
	struct record_build *b = arg;
	struct strbuf *out = &b->rs->text;
	scoped(free_scoped) char *lines = hist_script_text(b->script);

	if (!lines)
		return HIST_NOMEM;
	if (piece && piece->key == (int)ARGP_KEY_ARG) {
		strbuf_add(out, piece->text, piece->len);
		if (out->len && out->s[out->len - 1] != '\n')
			strbuf_addch(out, '\n');
		/* scan_script() has reported its warnings */
		b->diags->list.n = b->n_diags;
	} else {
		strbuf_addstr(out, lines + b->stored);
	}
	b->stored = strlen(lines);
	b->n_diags = b->diags->list.n;
	return out->failed ? HIST_NOMEM : 0;
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
			rs->plan->clock = arena_strdup(rs->arena, name);
		return 0;
	}
	if (need == HIST_NEED_OPTION) {
		*(strcmp(name, "stacktrace") ? &rs->plan->user_stacks : &rs->plan->stacks) = true;
		return 0;
	}
	/* events of this system cannot be enabled; writes to trace_marker are always recorded */
	if (!strncmp(name, "ftrace:", 7)) {
		rs->plan->markers |= !strcmp(name, "ftrace:print");
		if (!strncmp(name + 7, "func", 4) && !b->tracer_noted && !rs->plan->tracer) {
			diags_add(
				b->diags, DIAG_WARNING,
				"%s is not recorded: a tracer records it, with -p function or -p function_graph",
				name);
			b->tracer_noted = true;
		}
		return 0;
	}
	ev.pattern = arena_strdup(rs->arena, name);
	return ev.pattern ? array_push(&rs->events, ev) : HIST_NOMEM;
}

static void use_events(struct record_script *rs)
{
	rs->plan->events = rs->events.v;
	rs->plan->n_events = rs->events.n;
}

int record_script_needs(struct record_script *rs, struct hist *h, const struct hist_script *script,
			struct diags *diags)
{
	struct record_build b = { .rs = rs, .diags = diags };
	const int err = hist_script_needs(h, script, add_need, &b, diags);

	use_events(rs);
	return err;
}

/* --- filters --- */

/*
 * A request with a filter, then one for each event for which kernels take another text: the last
 * filter of an event is the one that it gets.
 */
static int add_request(struct record_script *rs, struct hist *h, const struct record_event *req,
		       struct diags *diags)
{
	struct hist_script *none = hist_script_new();
	scoped(free_scoped) char **paths = NULL;
	size_t n = 0;
	int err = none ? array_push(&rs->events, *req) : HIST_NOMEM;

	/* unknown events are reported when they are selected */
	if (!err)
		hist_script_find_events(h, none, req->pattern, &paths, &n, NULL);
	for (size_t i = 0; i < n; i++) {
		struct record_event one = *req;
		scoped(free_scoped) char *text = NULL;

		err = err ?: hist_kernel_filter(h, paths[i], req->filter, &text, diags);
		if (!err && strcmp(text, req->filter) != 0) {
			one.pattern = arena_strdup(rs->arena, paths[i] + strlen("events/"));
			one.filter = arena_strdup(rs->arena, text);
			err = !one.pattern || !one.filter ? HIST_NOMEM
							  : array_push(&rs->events, one);
		}
		free(paths[i]);
	}
	hist_script_free(none);
	return err;
}

/* -f prev_state == D: names and units become the numbers that the kernel takes. */
static int convert_filters(struct record_script *rs, struct hist *h, struct diags *diags)
{
	const typeof(rs->events) given = rs->events;
	int err = 0;

	memset(&rs->events, 0, sizeof(rs->events));
	for (size_t i = 0; i < given.n && !err; i++)
		err = given.v[i].filter && !given.v[i].exclude
			      ? add_request(rs, h, &given.v[i], diags)
			      : array_push(&rs->events, given.v[i]);
	free(given.v);
	return err;
}

static bool has_filters(const struct record_script *rs)
{
	return any_of(i, rs->events.n, rs->events.v[i].filter);
}

int record_script_resolve(void *arg, const char *machine, struct diags *diags)
{
	struct record_script *rs = arg;
	struct cmd_script *cs = &rs->a->script;
	const struct hist_options options = { .inputs = &machine, .n_inputs = 1 };
	struct record_build b = { .rs = rs, .diags = diags };
	const bool given = record_script_given(cs);
	int err;

	if (!given && !has_filters(rs))
		return 0;
	b.script = hist_script_new();
	err = b.script ? hist_open(&options, &b.h, diags) : HIST_NOMEM;
	strbuf_reset(&rs->text);
	b.n_diags = diags->list.n;
	cs->store = store_piece;
	cs->store_arg = &b;
	err = err ?: convert_filters(rs, b.h, diags);
	if (!err && given)
		err = cmd_script_build(cs, b.h, b.script, diags);
	if (!err && given)
		err = record_script_needs(rs, b.h, b.script, diags);
	if (!err && rs->plan->live)
		err = record_live_plan(rs, b.h, b.script, diags);
	/* --live has further ones */
	use_events(rs);
	if (given)
		rs->plan->script = (struct span){ rs->text.s, rs->text.len };
	hist_close(b.h);
	hist_script_free(b.script);
	return err;
}

/* --- before that --- */

static int plan_piece(struct record_script *rs, const struct cmd_script_piece *piece, size_t *n_sql,
		      struct diags *diags)
{
	struct record_plan *plan = rs->plan;
	const char *text = piece->text, *name, *query;
	int err = 0;

	if (piece->key == 'e' || piece->key == 'f')
		return 0;
	plan->symbols |= strstr(text, ".sym") || strstr(text, "stacktrace") ||
			 strstr(text, ".function");
	plan->syscalls |= strstr(text, ".syscall") != NULL;
	if (piece->key == (int)ARGP_KEY_ARG)
		err = scan_script(rs, piece, diags);
	else if (piece->key == CMD_SCRIPT_SYNTH)
		err = add_synthetic(rs, span_of(text));
	if (piece->key != CMD_SCRIPT_SQL)
		return err;
	/* the event of a statement, which a later -e can name */
	name = cmd_sql_name(text, ++*n_sql, rs->arena, &query);
	return name ? array_push(&rs->defined, name) : HIST_NOMEM;
}

/* Refuse an output that replaces a script, or FILE.old that does. */
static int check_output(const struct record_script *rs, struct diags *diags)
{
	const char *output = rs->plan->output;
	const char *old = arena_printf(rs->arena, "%s.old", output);
	int err = old ? input_files_check_output(&rs->a->input.files, output, diags) : HIST_NOMEM;

	return err ? err : input_files_check_output(&rs->a->input.files, old, diags);
}

int record_script_plan(struct record_script *rs, struct diags *diags)
{
	const struct cmd_script *cs = &rs->a->script;
	struct record_plan *plan = rs->plan;
	size_t n_sql = 0;
	int err = check_output(rs, diags);

	for (size_t i = 0; !err && i < cs->pieces.n; i++)
		err = plan_piece(rs, &cs->pieces.v[i], &n_sql, diags);
	drop_defined(rs);
	plan->probes = rs->probes.v;
	plan->n_probes = rs->probes.n;
	if (!plan->clock)
		plan->clock = rs->clock;
	if (record_script_given(cs) || has_filters(rs)) {
		plan->resolve = record_script_resolve;
		plan->resolve_arg = rs;
	}
	return err;
}

void record_script_release(struct record_script *rs)
{
	array_release(&rs->defined);
	array_release(&rs->events);
	array_release(&rs->probes);
	array_release(&rs->gates);
	array_release(&rs->live);
	array_release(&rs->live_files);
	strbuf_release(&rs->text);
	strbuf_release(&rs->live_text);
}
