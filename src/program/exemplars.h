/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Exemplars (report --exemplars): for each entry, the hits with the largest value of one field.
 *
 * The kernel has no equivalent, so this code is reached only with options.exemplars.
 */
#pragma once
#include "program/hist_data.h"

struct value;

/* ORDER ops in slim_around.c */
enum moments_op { MOMENTS_GE, MOMENTS_GT, MOMENTS_LE, MOMENTS_LT, MOMENTS_EQ, N_MOMENTS_OPS };

/* A hit, and when it began, if its value is a time that it took. */
struct moment {
	u64 from, at;
};

/* All hits whose value passes a limit, for hist slim --around. */
struct moments {
	enum moments_op op;
	u64 limit;
	u64 unit; /* in which values are times; 0: they are not */
	ARRAY(struct moment) hits;
	bool any, is_signed; /* there were hits; and the numbers are signed */
	u64 min, max;        /* of all hits */
	bool failed;         /* out of memory */
};

struct hist_exemplars {
	const struct hist_field *field; /* a value, a variable or a key */
	const struct value *value;      /* its value for a hit */
	u32 max;                        /* of an entry */
	struct moments *moments;        /* NULL: not requested */
};

/* Name of the field and type of the numbers: for a rounded key, those before rounding. */
static inline const char *exemplars_name(const struct hist_field *field)
{
	return field->var.name ? field->var.name : field->label;
}

static inline const struct hist_field *exemplars_number(const struct hist_field *field)
{
	bool rounded = field->flags & (HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET);

	return rounded && field->expr.operands[0] ? field->expr.operands[0] : field;
}

/* The bit that has to be inverted in order to compare the numbers as unsigned ones. */
static inline u64 exemplars_sign(const struct hist_exemplars *exemplars)
{
	return exemplars_number(exemplars->field)->is_signed ? 1ull << 63 : 0;
}
