// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Whether a recording can answer a recipe: it has all events in the recipe's header, and the
 * formats of these events, which differ between kernels, accept its script.
 */
#include "hist-list.h"
#include "hist-script.h"
#include "recipe/recipe.h"

typedef bool (*event_known_fn)(struct hist *h, struct span event);

static bool is_recorded(struct hist *h, struct span event)
{
	const char *name;

	for (size_t i = 0; (name = hist_recorded_event(h, i)); i++)
		if (span_eq(event, name))
			return true;
	return false;
}

/* Whether the format is known, with or without records. */
static bool has_format(struct hist *h, struct span event)
{
	char *name = strndup(event.s, event.n), *path = NULL;
	bool has = name && hist_find_event(h, name, &path, NULL) == 0;

	free(path);
	free(name);
	return has;
}

/* --- profiles: the sampled event has many names --- */

const char *recipe_sampled(struct hist *h)
{
	static const char *const names[] = { "cycles",     "cpu-cycles", "cpu-clock",
					     "task-clock", "ref-cycles", "instructions" };
	const char *event, *best = NULL;
	size_t best_rank = SIZE_MAX;

	for (size_t i = 0; (event = hist_recorded_event(h, i)); i++) {
		size_t rank = 0;

		if (strncmp(event, "perf:", 5) != 0 || !strcmp(event, "perf:dummy"))
			continue;
		while (rank < ARRAY_SIZE(names) && !span_starts(span_of(event + 5), names[rank]))
			rank++;
		if (rank < best_rank) {
			best_rank = rank;
			best = event + 5;
		}
	}
	return best;
}

const char *recipe_use_sampled(struct hist *h, struct span text, recipe_defines *defines)
{
	const struct span name = span_of("event"), usual = recipe_default(text, name.s);
	const char *event = span_eq(usual, "cycles") ? recipe_sampled(h) : NULL;

	for (size_t i = 0; i < defines->n; i++)
		if (span_same(defines->v[i].name, name))
			return NULL;
	if (!event || span_eq(usual, event) ||
	    array_push(defines, ((struct recipe_define){ name, span_of(event), false })))
		return NULL;
	return event;
}

/* Cut the first of "EVENT or EVENT" off; false: there is none. */
static bool next_alternative(struct span *rest, struct span *event)
{
	static const char separator[] = " or ";
	const char *end = span_find(*rest, span_of(separator));

	*event = span_trim(end ? span_between(rest->s, end) : *rest);
	*rest = span_skip(*rest, end ? (size_t)(end - rest->s) + strlen(separator) : rest->n);
	return event->n;
}

/*
 * The events of "Needs: sched:sched_switch, sched:sched_waking or sched:sched_wakeup", possibly
 * with continuation lines, that the recording does not have, separated by commas; of alternatives
 * the first, which is the best.
 */
static void missing_events(struct hist *h, struct span text, event_known_fn known,
			   struct strbuf *out)
{
	struct recipe_line line;
	bool needs = false;

	while (recipe_header_line(&text, &line)) {
		if (line.word.s)
			needs = span_eq(line.word, "Needs");
		while (needs && line.text.s) {
			struct span rest = span_sep(&line.text, ","), best, event;
			bool has = !next_alternative(&rest, &best) || known(h, best);

			while (!has && next_alternative(&rest, &event))
				has = known(h, event);
			if (!has)
				strbuf_addf(out, "%s%.*s", out->len ? ", " : "", (int)best.n,
					    best.s);
		}
	}
}

/* Whether its lines are accepted, as hist check would. */
static int check_lines(struct hist *h, const char *name, struct span text, struct diags *diags)
{
	struct hist_script *script = hist_script_new();
	int err = script ? hist_script_parse(script, name, text.s, text.n, diags) : HIST_NOMEM;

	err = err ?: hist_script_check(h, script, false, diags);
	hist_script_free(script);
	return err;
}

int recipe_answers(struct hist *h, const char *name, struct span text, struct strbuf *why)
{
	scoped(free_scoped) recipe_defines defines = ARRAY_INIT;
	scoped(strbuf_release) struct strbuf expanded = STRBUF_INIT, missing = STRBUF_INIT;
	scoped(diags_release) struct diags diags = DIAGS_INIT;
	struct span asked;
	int err;

	recipe_use_sampled(h, text, &defines);
	err = recipe_expand(&(struct recipe_text){ name, text, RECIPE_ANSWER }, &defines, &expanded,
			    &diags);
	asked = strbuf_span(&expanded);
	missing_events(h, asked, is_recorded, &missing);
	if (missing.len)
		strbuf_addf(why, "not recorded: %s", missing.s);
	else if (!err && (err = check_lines(h, name, asked, &diags)))
		strbuf_addstr(why, diags_first_error(&diags) ?: "");
	return err == HIST_NOMEM ? err : !err && !why->len;
}

/* The text of the header's line "WORD: text", to its end. */
static struct span header_text(struct span text, const char *word)
{
	struct recipe_line line;

	while (recipe_header_line(&text, &line))
		if (span_eq(line.word, word))
			return span_trim(line.text);
	return (struct span){ NULL, 0 };
}

/* Samples of other events answer the question, too. */
static void report_samples(struct hist *h, const char *recipe, const char *event,
			   struct diags *diags)
{
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	const char *recorded;

	for (size_t i = 0; (recorded = hist_recorded_event(h, i)); i++)
		if (!strncmp(recorded, "perf:", 5))
			strbuf_addf(&names, "%s-D event=%s", names.len ? ", " : "", recorded + 5);
	diags_error(diags, -HIST_EREJECTED,
		    "%s needs events that were not recorded: perf:%s; perf record -e %s records "
		    "them%s%s",
		    recipe, event, event, names.len ? "; this recording has " : "",
		    names.len ? names.s : "");
}

/* System calls that were recorded with all others: raw_syscalls has their times and results. */
static void note_raw_calls(struct hist *h, struct span missing, struct diags *diags)
{
	static const char entry[] = "syscalls:sys_enter_", exit[] = "syscalls:sys_exit_";
	struct span event = span_trim(span_sep(&missing, ",")), call = { NULL, 0 };

	if (span_starts(event, entry))
		call = span_skip(event, sizeof(entry) - 1);
	else if (span_starts(event, exit))
		call = span_skip(event, sizeof(exit) - 1);
	if (call.n && is_recorded(h, span_of("raw_syscalls:sys_exit")))
		diags_add(
			diags, DIAG_NOTE,
			"raw_syscalls was recorded, which has all calls, but not their arguments "
			"by name: hist report syscall-latency -D call=%.*s; or -e derived:syscall -f "
			"'name == %.*s' --by comm --sum ret",
			(int)call.n, call.s, (int)call.n, call.s);
}

/* What else is wrong with the script is reported when it is run. */
static int look_up_events(struct hist *h, const char *name, struct span text, struct diags *diags)
{
	struct hist_script *script = hist_script_new();
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	int err = script ? hist_script_parse(script, name, text.s, text.n, &ignored) : HIST_NOMEM;

	if (!err)
		err = hist_script_look_up(h, script, diags);
	else if (err == -HIST_EREJECTED)
		err = 0;
	hist_script_free(script);
	return err;
}

int recipe_answers_names(struct hist *h, struct strbuf *out)
{
	scoped(recipe_names_release) recipe_names names = ARRAY_INIT;
	int err = recipe_list(&names);
	const size_t start = out->len;

	for (size_t i = 0; i < names.n && err >= 0; i++) {
		scoped(strbuf_release) struct strbuf why = STRBUF_INIT;
		scoped(free_scoped) char *text = recipe_read(names.v[i]);

		err = text ? recipe_answers(h, names.v[i], span_of(text), &why) : 0;
		if (err > 0)
			strbuf_addf(out, "%s%s", out->len > start ? ", " : "", names.v[i]);
	}
	return err < 0 ? err : out->failed ? HIST_NOMEM : 0;
}

/* Whether the names of two recipes share a word about which they are. */
static bool is_about_same(struct span name, struct span other)
{
	static const char *const general[] = {
		"latency", "time", "count", "wait", "sizes", "size"
	};
	bool shares = false;

	while (name.s && !shares) {
		const struct span word = span_sep(&name, "-");
		struct span rest = other;

		if (any_of(i, ARRAY_SIZE(general), span_eq(word, general[i])))
			continue;
		while (rest.s && !shares)
			shares = span_same(span_sep(&rest, "-"), word);
	}
	return shares;
}

/* What the recording answers instead, about the same things. */
static void note_answers(struct hist *h, const char *name, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf all = STRBUF_INIT, same = STRBUF_INIT;
	struct span rest;

	if (recipe_answers_names(h, &all) || !all.len)
		return;
	for (rest = strbuf_span(&all); rest.s;) {
		const struct span other = span_trim(span_sep(&rest, ","));

		if (is_about_same(span_of(name), other))
			strbuf_addf(&same, "%shist report -i FILE %.*s", same.len ? ", " : "",
				    (int)other.n, other.s);
	}
	if (same.len)
		diags_add(diags, DIAG_NOTE, "this recording can be asked: %s", same.s);
	else
		diags_add(diags, DIAG_NOTE,
			  "hist recipe -i FILE lists what this recording answers");
}

/* @missing: events that are not there; none: @why has one that nothing describes */
static void report_needs(struct hist *h, const char *name, const struct strbuf *missing,
			 const struct diags *why, bool recording, struct diags *diags)
{
	const int err = -HIST_EREJECTED;

	if (!missing->len)
		diags_error(diags, err, "%s: %s; -D chooses the event", name,
			    diags_first_error(why) ?: "");
	else if (!strncmp(missing->s, "perf:", 5))
		report_samples(h, name, missing->s + 5, diags);
	else if (recording)
		diags_error(diags, err, "%s needs events that this kernel does not have: %s", name,
			    missing->s);
	else
		diags_error(diags, err,
			    "%s needs events that were not recorded: %s; hist record -S %s "
			    "records them",
			    name, missing->s, name);
	if (missing->len && !recording)
		note_raw_calls(h, strbuf_span(missing), diags);
	if (missing->len && !recording && strncmp(missing->s, "perf:", 5) != 0)
		note_answers(h, name, diags);
}

int recipe_check_needs(struct hist *h, const char *name, struct span text, bool recording,
		       struct diags *diags)
{
	const struct span kernels = header_text(text, "Kernels");
	scoped(strbuf_release) struct strbuf missing = STRBUF_INIT;
	scoped(diags_release) struct diags why = DIAGS_INIT;
	int err = 0;

	missing_events(h, text, has_format, &missing);
	/* a script may do without some of them */
	if (header_text(text, "Needs").s)
		err = look_up_events(h, name, text, &why);
	if (err == -HIST_EREJECTED) {
		const bool perf = missing.len && !strncmp(missing.s, "perf:", 5);

		report_needs(h, name, &missing, &why, recording, diags);
		if (kernels.n && missing.len &&
		    ((recording && !perf) || memmem(kernels.s, kernels.n, "CONFIG_", 7)))
			diags_add(diags, DIAG_NOTE, "kernels with these events: %.*s",
				  (int)kernels.n, kernels.s);
	}
	return missing.failed ? HIST_NOMEM : err;
}

enum { WIDTH = 80, INDENT = 15 };

int recipe_answers_text(struct hist *h, const char *input, struct strbuf *out)
{
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	int err = recipe_answers_names(h, &names);
	struct span rest = strbuf_span(&names);
	size_t col = INDENT;

	if (!err && rest.n)
		strbuf_addstr(out, "  recipes      ");
	while (!err && rest.n) {
		const struct span name = span_trim(span_sep(&rest, ","));

		if (col > INDENT && col + name.n + 2 > WIDTH) {
			strbuf_addf(out, ",\n%*s", INDENT, "");
			col = INDENT;
		} else if (col > INDENT) {
			strbuf_addstr(out, ", ");
			col += 2;
		}
		strbuf_add(out, name.s, name.n);
		col += name.n;
	}
	if (!err && names.len) {
		strbuf_addf(out, "\n%*s(hist report NAME -i ", INDENT, "");
		strbuf_addword(out, input);
		strbuf_addstr(out, ")\n");
	}
	return err ? err : out->failed ? HIST_NOMEM : 0;
}
