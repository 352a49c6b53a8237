/* SPDX-License-Identifier: LGPL-2.1-only */
/* One copy of each text, and its number: the order in which they were added. */
#pragma once
#include "base/arena.h"
#include "base/indexed.h"
#include "base/span.h"
#include "base/types.h"

/* Zeros: none yet. */
struct texts {
	struct arena arena;
	INDEXED(const char *) v; /* by their numbers; the texts do not move */
};

/* The number of a text, which is added if it is new. 0, -HIST_ENOMEM */
int texts_number(struct texts *t, struct span text, u32 *number);
void texts_release(struct texts *t);

/*
 * Where each of the texts, which differ, is when they are sorted. Owned by the caller; NULL: out of
 * memory
 */
u32 *text_ranks(const char *const *texts, u32 n);
