/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of columns: of two that are the same the second gets #2. */
#ifndef HIST_PRINT_NAMES_H
#define HIST_PRINT_NAMES_H

#include "base/base.h"

struct names {
	struct arena *arena; /* where the names are made */
	ARRAY(const char *) given;
};

/* @name, or NAME#N if it is asked for the N-th time; NULL without memory. */
const char *names_add(struct names *names, const char *name);

static inline void names_release(struct names *names)
{
	array_release(&names->given);
}

#endif
