/* SPDX-License-Identifier: LGPL-2.1-only */
/* The expression of an argument of a probe: private to probe_arg.c and probe_fetch.c. */
#pragma once
#include "lang/probe_arg.h"

enum { STEPS_MAX = 15, NESTED_MAX = 8 };

/* What the last step gives. */
enum fetched {
	FETCHED_REGISTER,
	FETCHED_NUMBER, /* an entry of the stack, an argument, a return value */
	FETCHED_STACK,  /* its address */
	FETCHED_IMMEDIATE,
	FETCHED_COMM,
	FETCHED_TEXT,
	FETCHED_FIELD, /* of the event of an eprobe */
	FETCHED_MEMORY,
	FETCHED_USER_MEMORY,
	FETCHED_UNKNOWN, /* an argument by its name: only BTF has its type */
};

struct fetch {
	struct probe_text *out;
	const struct probe_rules *rules;
	struct span word, body; /* of the argument */
	size_t at;              /* where the kernel reports the next error, an offset in the body */
	u32 step, nested;
	enum fetched what;
	struct span operand;
	bool in_field; /* memory that the field points to, */
	u32 skip;      /* that many bytes further */
	bool no_field; /* the event lacks it, which old kernels check last */
};

/* Complain of what is @at in the body, or after its end; returns false. */
bool complain_at(struct fetch *f, enum probe_err err, size_t at);

/* Count a step; false with a complaint if there are too many. */
bool next_step(struct fetch *f);

/* What the steps of @text give; false with a complaint. kernel: parse_probe_arg() */
bool fetch_expression(struct fetch *f, struct span text);
