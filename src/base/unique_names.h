/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of columns: of two that are the same the second gets #2. */
#ifndef HIST_BASE_UNIQUE_NAMES_H
#define HIST_BASE_UNIQUE_NAMES_H

#include "base/arena.h"
#include "base/array.h"

struct unique_names {
	struct arena *arena; /* of the names that get a number */
	ARRAY(const char *) given;
};

/* @name, or NAME#N if it is the N-th of that name; NULL without memory. */
const char *unique_names_add(struct unique_names *names, const char *name);

static inline void unique_names_release(struct unique_names *names)
{
	array_release(&names->given);
}

#endif
