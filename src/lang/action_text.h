/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Handlers and actions: onmatch(system.event).action(params) and so on.
 */
#pragma once
#include "lang/trigger_text.h"

enum handler { HANDLER_ONMATCH = 1, HANDLER_ONMAX, HANDLER_ONCHANGE };

enum action { ACTION_SAVE = 1, ACTION_TRACE, ACTION_SNAPSHOT };

struct action_text {
	enum handler handler;
	enum action action;
	struct span match_system, match_event; /* of onmatch */
	struct span var;                       /* of onmax and onchange, with its '$' */
	struct span word;                      /* the action as typed */
	bool use_trace_keyword;                /* the first parameter names the synthetic event */
	struct span synth_event;               /* of trace() */
	size_t n_params;
	struct span params[SYNTH_FIELDS_MAX];

	/*
	 * The kernel looks up the onmatch event between the two: it reports a complaint about the
	 * handler before that, and one about the action after it.
	 */
	struct complaint bad_handler, bad_action;
};

/* @text starts with one of the handlers. Source: parse_actions(), action_parse() @ v6.12 */
void action_text_cut(struct span text, struct action_text *out);

/* [system.event.]name of a trace() parameter. */
struct param_text {
	struct span system, event, name;
	bool bad; /* exactly one dot */
};

void param_text_cut(struct span text, struct param_text *out);
