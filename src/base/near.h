/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Suggestions: the names nearest to one that does not exist.
 *
 *	struct near near = NEAR_INIT("sched_swich");
 *
 *	for each name
 *		near_offer(&near, name, name);
 *	near_text(&near, &sb); -> "sched_switch, sched_wake_idle"
 */
#pragma once
#include "base/strbuf.h"
#include "base/types.h"

enum { NEAR_MAX = 3 };

struct near {
	const char *wanted;
	size_t n;
	struct {
		const char *shown;
		size_t distance;
	} best[NEAR_MAX];
};

#define NEAR_INIT(name)                  \
	{                                \
		.wanted = (name), .n = 0 \
	}

/* Consider @name, to be shown as @shown (borrowed). */
void near_offer(struct near *near, const char *name, const char *shown);

/* Append the nearest names, joined by ", "; nothing if none is near enough. */
void near_text(const struct near *near, struct strbuf *out);

/* The name SYSTEM:EVENT in "tracepoint:SYSTEM:EVENT" or "t:SYSTEM:EVENT", as bpftrace writes it. */
char *near_event_word(char *word);
