/* SPDX-License-Identifier: LGPL-2.1-only */
/* Whether the kernel can wait for events, or count, and what it would have to do (record/until.h).
 */
#pragma once
#include "live/match.h"

struct by_kernel {
	struct arena arena;
	ARRAY(struct record_event) events;
	ARRAY(struct record_probe) definitions;
	ARRAY(struct record_write) writes;
	struct record_until until;
	const char *why; /* why it cannot; NULL: it can, unless it refuses a write */
};

/* @h: describes the events of the machine */
void by_kernel_plan(struct by_kernel *k, struct hist *h, const struct hist_script *script,
		    const struct match_choices *choices);

/*
 * That it counts what the triggers of @script count. @machine: as for record_plan.resolve, which @h
 * has read; @stats: a result has statistics, too
 */
void by_kernel_count(struct by_kernel *k, struct hist *h, const struct hist_script *script,
		     const char *machine, bool stats);
void by_kernel_release(struct by_kernel *k);
