/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reading JSON: values are consumed in order, without a tree in memory.
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
 * Why without a library: see ARCHITECTURE, Saved results. After the first problem all functions
 * fail, so that one check at the end is enough.
 */
#pragma once
#include "base/base.h"

struct json_in {
	const char *p, *end, *start;
	const char *problem;   /* the problem at ->p; NULL: none */
	unsigned int depth;    /* of json_in_skip() */
	bool first;            /* of the innermost open object or array */
	bool plain;            /* backslashes in texts were not doubled */
	struct strbuf decoded; /* the last name or string with escapes */
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

/* Record the first problem; always false. */
bool json_in_fail(struct json_in *in, const char *problem);

/* Whether only white space is left. */
bool json_in_at_end(struct json_in *in);

/* The current line, from 1. */
unsigned int json_in_line(const struct json_in *in);

/* The start of an object or array; anything else is a problem. */
bool json_in_open(struct json_in *in, char bracket);

/* Whether another member or element follows; its value must be consumed next. */
bool json_in_member(struct json_in *in, struct span *name);
bool json_in_element(struct json_in *in);

bool json_in_skip(struct json_in *in);

/* Consume a null, if there is one; any other value is left. */
bool json_in_null(struct json_in *in);
bool json_in_bool(struct json_in *in, bool *v);

/* As table/encode.h writes them, quoted or not. */
bool json_in_number(struct json_in *in, bool is_signed, u64 *v);
bool json_in_time(struct json_in *in, bool clock_counts, u64 *ts);

/*
 * The original bytes, without the escapes of table/encode.h. Borrowed until the next name or
 * string.
 */
bool json_in_text(struct json_in *in, struct span *text);
