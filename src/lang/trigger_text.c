// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Cuts a line of a trigger file into spans, in the order in which the kernel examines them, with at
 * most one complaint, the first.
 *
 * Trigger text has no quoting or escaping: every ':' and ',' separates. Corresponds to
 * trace_events_trigger.c and parse_hist_trigger_attrs() in trace_events_hist.c.
 */
#include "lang/trigger_text.h"

void trigger_text_cut(struct span text, struct trigger_text *out)
{
	struct span rest;

	*out = (struct trigger_text){ .text = span_trim(text) };
	rest = out->text;
	out->name = span_sep(&rest, ": \t");
	if (rest.s) {
		rest = span_ltrim(rest);
		if (rest.n)
			out->param = rest;
	}
	if (out->name.n && out->name.s[0] == '!') {
		out->remove = true;
		out->name = span_skip(out->name, 1);
	}
}

void trigger_args_cut(struct span text, bool param_required, struct trigger_args *out)
{
	struct span rest = text;

	*out = (struct trigger_args){ .param = { NULL, 0 } };
	if (!text.s)
		return;
	if (!param_required && !(text.n && is_digit(text.s[0]))) {
		out->filter = text;
		return;
	}
	out->param = span_sep(&rest, " \t");
	if (!rest.s)
		return;
	rest = span_ltrim(rest);
	if (rest.n)
		out->filter = rest;
}

struct span trigger_filter_text(struct span text)
{
	struct span rest = text;
	struct span word = span_sep(&rest, " \t");

	return span_eq(word, "if") ? rest : (struct span){ NULL, 0 };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Find the keyword that starts the filter; NULL without one. Sets @bad if nothing follows it. */
static const char *find_if(struct span param, struct complaint *bad)
{
	const char *end = param.s + param.n, *p = param.s, *why = NULL;

	for (; (p = span_find(span_between(p, end), span_of("if"))) && !why; p++) {
		if (p == param.s)
			why = "a hist trigger cannot start with \"if\"";
		else if (is_blank(p[-1]) && end - p < 4)
			why = "the filter after \"if\" is missing";
		else if (is_blank(p[-1]) && is_blank(p[2]))
			return p;
		if (why)
			*bad = complain_silently((struct span){ p, 2 }, why);
	}
	return NULL;
}

static void cut_size(struct span value, struct hist_text *ht)
{
	unsigned int bits = 0;
	u64 size;

	if (span_u64(value, &size) && size <= 1u << TRACING_MAP_BITS_MAX)
		while (size > 1ull << bits)
			bits++;
	if (bits < TRACING_MAP_BITS_MIN)
		ht->bad = complain_silently(value, "size must be a number from 65 to 131072");
	ht->map_bits = bits;
}

static bool cut_prefix(struct span token, const char *prefix, struct span *rest)
{
	if (!span_starts(token, prefix))
		return false;
	*rest = span_skip(token, strlen(prefix));
	return true;
}

static void cut_assignment(struct span token, struct hist_text *ht)
{
	struct span value;

	if (cut_prefix(token, "key=", &value) || cut_prefix(token, "keys=", &value))
		ht->keys = value;
	else if (cut_prefix(token, "val=", &value) || cut_prefix(token, "vals=", &value) ||
		 cut_prefix(token, "values=", &value))
		ht->vals = value;
	else if (cut_prefix(token, "sort=", &value))
		ht->sort = value;
	else if (cut_prefix(token, "name=", &value))
		ht->name = token;
	else if (cut_prefix(token, "clock=", &value))
		ht->clock = span_trim(value);
	else if (cut_prefix(token, "size=", &value))
		cut_size(value, ht);
	else if (ht->n_assignments == TRACING_MAP_VARS_MAX)
		ht->bad = complain(HIST_ERR_TOO_MANY_VARS, token);
	else
		ht->assignments[ht->n_assignments++] = token;
}

void hist_token_cut(struct span token, struct hist_text *ht)
{
	const char *eq = span_chr(token, '=');

	if (eq && eq + 1 == token.s + token.n)
		ht->bad = complain(HIST_ERR_EMPTY_ASSIGNMENT, token);
	else if (eq)
		cut_assignment(token, ht);
	else if (span_eq(token, "nohitcount") || span_eq(token, "NOHC"))
		ht->no_hitcount = true;
	else if (span_eq(token, "pause"))
		ht->pause = true;
	else if (span_eq(token, "cont") || span_eq(token, "continue"))
		ht->cont = true;
	else if (span_eq(token, "clear"))
		ht->clear = true;
	else if (!span_starts(token, "onmatch(") && !span_starts(token, "onmax(") &&
		 !span_starts(token, "onchange("))
		ht->bad = complain_silently(
			token,
			"this is not NAME=VALUE, pause, cont, clear, nohitcount or a handler");
	else if (ht->n_actions == HIST_ACTIONS_MAX)
		ht->bad = complain_silently(token, "a trigger has at most 8 actions");
	else
		ht->actions[ht->n_actions++] = token;
}

void hist_text_cut(struct span param, struct hist_text *out)
{
	struct span rest;
	const char *p;

	*out = (struct hist_text){ .whole = param, .trigger = param };
	p = find_if(param, &out->bad);
	if (out->bad.set)
		return;
	if (p) {
		out->filter = span_trim(span_between(p, param.s + param.n));
		out->trigger = span_trim(span_between(param.s, p - 1));
	}
	for (rest = out->trigger; rest.s && !out->bad.set;)
		hist_token_cut(span_sep(&rest, ":"), out);
	if (!out->bad.set && !out->keys.s)
		out->bad = complain_silently(out->trigger, "a hist trigger needs keys=");
}

/* Of the @n bytes before the filter. */
static void hide_offset(char *text, size_t n)
{
	static const char modifier[] = ".sym-offset";
	char *p = text;

	while ((p = memmem(p, n - (size_t)(p - text), modifier, strlen(modifier)))) {
		p[4] = 'X';
		p += strlen(modifier);
	}
}

void hist_text_prepare(char *text, size_t n)
{
	struct complaint ignored = { .set = false };
	const char *filter = find_if((struct span){ text, n }, &ignored);

	hide_offset(text, filter ? (size_t)(filter - text) : n);
}

static void move(struct span *s, const char *from, const char *to)
{
	s->s = s->s ? to + (s->s - from) : NULL;
}

void hist_text_move(const struct hist_text *cut, char *copy, struct hist_text *out)
{
	const char *from = cut->whole.s;
	struct span *const spans[] = { &out->trigger, &out->filter, &out->keys, &out->vals,
				       &out->sort,    &out->clock,  &out->name, &out->bad.text };

	*out = *cut;
	out->whole.s = copy;
	for (size_t i = 0; i < ARRAY_SIZE(spans); i++)
		move(spans[i], from, copy);
	for (size_t i = 0; i < out->n_assignments; i++)
		move(&out->assignments[i], from, copy);
	for (size_t i = 0; i < out->n_actions; i++)
		move(&out->actions[i], from, copy);
	hide_offset(copy, out->trigger.n);
}

/*
 * One assignment token may define several variables: a=1,b=2; the 17th and later ones are ignored.
 */
static void cut_vars(struct span token, struct var_texts *out)
{
	struct span rest = token;

	for (int j = 0; j < TRACING_MAP_VARS_MAX && rest.s; j++) {
		struct span expr = span_sep(&rest, ",");
		struct span name = span_sep(&expr, "=");

		if (!expr.s) {
			out->bad = complain(HIST_ERR_MALFORMED_ASSIGNMENT, name);
			return;
		}
		if (out->n == TRACING_MAP_VARS_MAX) {
			out->bad = complain(HIST_ERR_TOO_MANY_VARS, name);
			return;
		}
		out->v[out->n++] = (struct var_text){ name, expr };
	}
}

void var_texts_cut(const struct hist_text *ht, struct var_texts *out)
{
	*out = (struct var_texts){ .n = 0 };
	for (size_t i = 0; i < ht->n_assignments && !out->bad.set; i++)
		cut_vars(ht->assignments[i], out);
}
