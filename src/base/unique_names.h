/* SPDX-License-Identifier: LGPL-2.1-only */
/* Unique names of columns: the second of two equal names gets #2. */
#ifndef HIST_BASE_UNIQUE_NAMES_H
#define HIST_BASE_UNIQUE_NAMES_H

#include "base/arena.h"
#include "base/array.h"

struct unique_names {
	struct arena *arena; /* for names with a number */
	ARRAY(const char *) given;
};

/* @name, or NAME#N if it is the N-th with that name; NULL if out of memory. */
const char *unique_names_add(struct unique_names *names, const char *name);

static inline void unique_names_release(struct unique_names *names)
{
	array_release(&names->given);
}

#endif
