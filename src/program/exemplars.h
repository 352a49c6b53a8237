/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Exemplars (report --exemplars): in each entry the hits with the largest value of one field.
 *
 * The kernel has nothing like it, so nothing here is reached without machine.exemplars.
 */
#ifndef HIST_PROGRAM_EXEMPLARS_H
#define HIST_PROGRAM_EXEMPLARS_H

#include "program/hist_data.h"

struct value;

/* ORDER ops in slim_around.c */
enum moments_op { MOMENTS_GE, MOMENTS_GT, MOMENTS_LE, MOMENTS_LT, MOMENTS_EQ, N_MOMENTS_OPS };

/* The times of all hits whose value is beyond a limit, for hist slim --around. */
struct moments {
	enum moments_op op;
	u64 limit;
	ARRAY(u64) at;
	bool any, is_signed; /* there were hits; and the numbers have a sign */
	u64 min, max;        /* of all hits */
	bool failed;         /* no memory */
};

struct hist_exemplars {
	const struct hist_field *field; /* a value, a variable or a key */
	const struct value *value;      /* of the program: what it is for a hit */
	u32 max;                        /* of an entry */
	struct moments *moments;        /* NULL: not asked for */
	ARRAY(struct exemplar_row *) rows;
};

/* Those of an entry; NULL if it had no hit. */
const struct exemplar_row *hist_exemplars_of(const struct hist_data *hd,
					     struct tracing_map_elt *elt);

/* Forget all; the caller forgets the entries, or what they point to. */
void hist_exemplars_clear(struct hist_exemplars *exemplars);

/*
 * What the field is called and what the numbers are: of a key that is rounded, what was rounded.
 */
const char *exemplars_name(const struct hist_field *field);
const struct hist_field *exemplars_number(const struct hist_field *field);

#endif
