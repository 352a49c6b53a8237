// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a recording can answer a recipe: it has all events in the recipe's header, and the
 * formats of these events, which differ between kernels, accept its script.
 */
#include "cmd/recipe_answer.h"

/*
 * The events of "Needs: sched:sched_switch, sched:sched_waking", possibly with continuation lines,
 * that are not in the recording.
 */
static void missing_events(struct hist *h, struct span text, struct strbuf *why)
{
	struct recipe_line line;
	bool needs = false;

	while (recipe_header_line(&text, &line)) {
		if (line.word.s)
			needs = span_eq(line.word, "Needs");
		while (needs && line.text.s) {
			struct span event = span_trim(span_sep(&line.text, ","));
			const char *name = NULL;

			for (size_t i = 0; event.n && (name = hist_recorded_event(h, i)); i++)
				if (span_eq(event, name))
					break;
			if (event.n && !name)
				strbuf_addf(why, "%s%.*s",
					    why->len ? ", " : "not recorded: ", (int)event.n,
					    event.s);
		}
	}
}

/* Whether its lines are accepted; the first diagnosis is copied to @why. */
static int judge(struct hist *h, const char *name, const struct strbuf *text, struct strbuf *why)
{
	const struct hist_run_options options = { .check_only = true };
	struct hist_script *script = hist_script_new();
	struct diags diags = DIAGS_INIT;
	int err = script ? hist_script_parse(script, name, text->s, text->len, &diags) : HIST_NOMEM;

	err = err ?: hist_run(h, script, &options, strbuf_sink, NULL, &diags);
	for (size_t i = 0; i < diags.list.n && err && !why->len; i++)
		if (diags.list.v[i].level == DIAG_ERROR)
			strbuf_addstr(why, diags.list.v[i].text);
	hist_script_free(script);
	diags_release(&diags);
	return err;
}

int recipe_answers(struct hist *h, const char *name, struct span text, struct strbuf *why)
{
	recipe_defines none = ARRAY_INIT;
	struct strbuf expanded = STRBUF_INIT;
	struct diags diags = DIAGS_INIT;
	int err;

	missing_events(h, text, why);
	if (why->len)
		return 0;
	err = recipe_expand(&(struct recipe_text){ name, text, RECIPE_ANSWER }, &none, &expanded,
			    &diags);
	err = err ?: judge(h, name, &expanded, why);
	diags_release(&diags);
	strbuf_release(&expanded);
	return err ? (err == HIST_NOMEM ? err : 0) : 1;
}

enum { WIDTH = 80, INDENT = 15 };

int recipe_answers_text(struct hist *h, const char *input, struct strbuf *out)
{
	recipe_names names = ARRAY_INIT;
	int err = recipe_list(&names);
	size_t start = out->len, col = 0;

	for (size_t i = 0; i < names.n && err >= 0; i++) {
		struct strbuf why = STRBUF_INIT;
		char *text = recipe_read(names.v[i]);
		size_t n = strlen(names.v[i]);

		err = text ? recipe_answers(h, names.v[i], span_of(text), &why) : 0;
		free(text);
		strbuf_release(&why);
		if (err <= 0)
			continue;
		if (out->len == start) {
			strbuf_addstr(out, "  recipes      ");
			col = INDENT;
		} else if (col + n + 2 > WIDTH) {
			strbuf_addf(out, ",\n%*s", INDENT, "");
			col = INDENT;
		} else {
			strbuf_addstr(out, ", ");
			col += 2;
		}
		strbuf_addstr(out, names.v[i]);
		col += n;
	}
	if (out->len > start) {
		strbuf_addf(out, "\n%*s(hist report NAME -i ", INDENT, "");
		strbuf_addword(out, input);
		strbuf_addstr(out, ")\n");
	}
	recipe_names_release(&names);
	return err < 0 ? err : out->failed ? HIST_NOMEM : 0;
}
