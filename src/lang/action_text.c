// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Cuts one action token of a hist trigger into handler, action and parameters.
 *
 * The kernel is lenient: it skips anything between the handler's ')' and the next '.', it accepts
 * save and trace without the closing ')', and it takes any word that starts with save, snapshot or
 * trace for that action. Parameters have at least two characters.
 */
#include "lang/action_text.h"

static void cut_params(struct span params, struct action_text *out)
{
	bool want_event = out->use_trace_keyword;

	while (params.s) {
		struct span param;

		if (out->n_params >= SYNTH_FIELDS_MAX) {
			out->bad_action =
				complain(HIST_ERR_TOO_MANY_PARAMS, (struct span){ NULL, 0 });
			return;
		}
		param = span_trim(span_sep(&params, ","));
		if (param.n < 2) {
			out->bad_action = complain(HIST_ERR_INVALID_PARAM, param);
			return;
		}
		if (want_event)
			out->synth_event = param;
		else
			out->params[out->n_params++] = param;
		want_event = false;
	}
}

/* .WORD(PARAMS) after the handler's ')' */
static void cut_action(struct span rest, struct action_text *out)
{
	struct span params;

	span_sep(&rest, ".");
	if (rest.s)
		out->word = span_sep(&rest, "(");
	if (!rest.s) {
		out->bad_action = complain(HIST_ERR_ACTION_NOT_FOUND, (struct span){ NULL, 0 });
		return;
	}
	params = span_sep(&rest, ")");
	if (span_starts(out->word, "snapshot")) {
		out->action = ACTION_SNAPSHOT;
		if (!rest.s)
			out->bad_action = complain(HIST_ERR_NO_CLOSING_PAREN, params);
	} else if (span_starts(out->word, "save")) {
		out->action = ACTION_SAVE;
		cut_params(params, out);
	} else {
		out->action = ACTION_TRACE;
		out->use_trace_keyword = span_starts(out->word, "trace");
		out->synth_event = out->word;
		cut_params(params, out);
	}
	/* the others need a tracked value; onmatch has none */
	if (out->action != ACTION_TRACE && !out->bad_action.set && out->handler == HANDLER_ONMATCH)
		out->bad_action = complain(HIST_ERR_ACTION_MISMATCH, out->word);
}

void action_text_cut(struct span text, struct action_text *out)
{
	struct span arg = text, rest, inside;

	*out = (struct action_text){ .n_params = 0 };
	span_sep(&arg, "(");
	rest = arg;
	inside = span_sep(&rest, ")");
	if (!span_starts(text, "onmatch(")) {
		out->handler = span_starts(text, "onmax(") ? HANDLER_ONMAX : HANDLER_ONCHANGE;
		out->var = inside;
		if (!rest.s)
			out->bad_handler = complain_silently(
				arg, "the handler's closing parenthesis is missing");
	} else {
		out->handler = HANDLER_ONMATCH;
		if (!rest.s) {
			out->bad_handler = complain(HIST_ERR_NO_CLOSING_PAREN, inside);
			return;
		}
		out->match_event = inside;
		out->match_system = span_sep(&out->match_event, ".");
		if (!out->match_event.s)
			out->bad_handler = complain(HIST_ERR_SUBSYS_NOT_FOUND, out->match_system);
	}
	if (!out->bad_handler.set)
		cut_action(rest, out);
}

void param_text_cut(struct span text, struct param_text *out)
{
	struct span rest = text;

	*out = (struct param_text){ .name = text };
	out->system = span_sep(&rest, ".");
	if (!rest.s) {
		out->system = rest;
		return;
	}
	out->event = span_sep(&rest, ".");
	out->name = rest;
	out->bad = !rest.s;
}
