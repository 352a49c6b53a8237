/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reading JSON: values are taken one after the other as they come, no tree in memory.
 *
 *	struct json_in in = json_in_of(text);
 *	struct span name;
 *
 *	if (json_in_open(&in, '{'))
 *		while (json_in_member(&in, &name))
 *			if (span_eq(name, "pid"))
 *				json_in_number(&in, false, &pid);
 *			else
 *				json_in_skip(&in);
 *	if (in.problem)
 *		...
 *
 * By hand: see ARCHITECTURE, Saved results. The first problem stays, and
 * from then on everything fails, so that it is enough to look at the end.
 */
#ifndef HIST_SAVED_JSON_IN_H
#define HIST_SAVED_JSON_IN_H

#include "base/base.h"

struct json_in {
	const char *p, *end, *start;
	const char *problem;   /* what is wrong at ->p; NULL: nothing */
	unsigned int depth;    /* of json_in_skip() */
	bool first;            /* of the object or array that was opened last */
	struct strbuf decoded; /* the last name or text that had escapes */
};

static inline struct json_in json_in_of(struct span text)
{
	return (struct json_in){
		.p = text.s, .end = text.s + text.n, .start = text.s, .decoded = STRBUF_INIT
	};
}

static inline void json_in_release(struct json_in *in)
{
	strbuf_release(&in->decoded);
}

/* Always false: the first problem is noted. */
bool json_in_fail(struct json_in *in, const char *problem);

/* Whether only white space is left. */
bool json_in_at_end(struct json_in *in);

/* The line in which it stands, from 1. */
unsigned int json_in_line(const struct json_in *in);

/* The start of an object or array; it must be one. */
bool json_in_open(struct json_in *in, char bracket);

/* Another member, whose value must be taken next; another element. */
bool json_in_member(struct json_in *in, struct span *name);
bool json_in_element(struct json_in *in);

bool json_in_skip(struct json_in *in);

/* Takes a null if there is one; it is no problem if not. */
bool json_in_null(struct json_in *in);
bool json_in_bool(struct json_in *in, bool *v);

/* As print/encode.h writes them, in quotes or not. */
bool json_in_number(struct json_in *in, bool is_signed, u64 *v);
bool json_in_time(struct json_in *in, bool clock_counts, u64 *ts);

/*
 * The bytes that were written: what print/encode.h did is undone. Borrowed until the next name
 * or text; both need copies to last.
 */
bool json_in_text(struct json_in *in, struct span *text);

#endif
