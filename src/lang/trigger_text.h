/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * One line of a trigger file: command word, parameter, filter; and the tokens of a hist
 * trigger.
 */
#pragma once
#include "lang/complaint.h"

/* The kernel's limits; --unlimited lifts those of keys, values, sort keys and entries. */
enum {
	TRACING_MAP_KEYS_MAX = 3,
	TRACING_MAP_VALS_MAX = 3, /* including hitcount */
	TRACING_MAP_VARS_MAX = 16,
	TRACING_MAP_SORT_KEYS_MAX = 2,
	TRACING_MAP_BITS_DEFAULT = 11,
	TRACING_MAP_BITS_MIN = 7,
	TRACING_MAP_BITS_MAX = 17,
	HIST_ACTIONS_MAX = 8,
	SYNTH_FIELDS_MAX = 64,
	TRIGGER_TEXT_MAX = 4096, /* a write of this size or more is refused */
};

/* command[: \t]parameters */
struct trigger_text {
	struct span text;  /* the whole line, trimmed */
	struct span name;  /* the command word without '!' */
	struct span param; /* the rest, left-trimmed; absent if empty */
	bool remove;       /* '!' */
};

void trigger_text_cut(struct span text, struct trigger_text *out);

/* Parameter and filter of a simple trigger: [N][ if FILTER] or WORD[ if FILTER]. */
struct trigger_args {
	struct span param;  /* up to the first blank; absent if optional and not a number */
	struct span filter; /* "if ..." as written, absent if there is none */
};

void trigger_args_cut(struct span text, bool param_required, struct trigger_args *out);

/* The text after "if" and one blank; absent if @text does not have that form. */
struct span trigger_filter_text(struct span text);

struct hist_text {
	struct span whole;   /* the parameter text as the kernel stores it, before cutting */
	struct span trigger; /* without the filter */
	struct span filter;  /* "if ..." or absent */

	struct span keys, vals, sort, clock;
	struct span name;      /* with its "name=" */
	unsigned int map_bits; /* 0: not given */
	bool pause, cont, clear, no_hitcount;
	size_t n_assignments, n_actions;
	struct span assignments[TRACING_MAP_VARS_MAX];
	struct span actions[HIST_ACTIONS_MAX];

	struct complaint bad; /* set: the tokens from there on were not parsed */
};

/**
 * hist_text_cut() - cut the parameter text of a hist trigger into its tokens
 * @param: must have '-' of ".sym-offset" replaced; see hist_text_prepare()
 *
 * Source: event_hist_trigger_parse(), parse_hist_trigger_attrs() @ v6.12
 */
void hist_text_cut(struct span param, struct hist_text *out);

/* The pieces of @cut, which lie in @cut->whole, in a copy of that text. */
void hist_text_move(const struct hist_text *cut, char *copy, struct hist_text *out);

/* One token of a trigger, such as "sort=pid", into @ht. */
void hist_token_cut(struct span token, struct hist_text *ht);

/*
 * The kernel hides the '-' of ".sym-offset" from its expression parser by overwriting it with 'X',
 * in the part before the filter; @text (@n bytes) is changed in place. Messages about such a piece
 * search for the changed text and do not find it.
 */
void hist_text_prepare(char *text, size_t n);

/* NAME=EXPR, one variable. */
struct var_text {
	struct span name, expr;
};

/* The variables of all assignment tokens; n, and .bad for the first malformed one. */
struct var_texts {
	size_t n;
	struct var_text v[TRACING_MAP_VARS_MAX];
	struct complaint bad;
};

void var_texts_cut(const struct hist_text *ht, struct var_texts *out);
