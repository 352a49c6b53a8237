/* SPDX-License-Identifier: LGPL-2.1-only */
/* Arithmetic of expressions: unsigned 64 bits with wrap-around, and the kernel's divisions. */
#pragma once
#include "program/hist_data.h"

struct eval_operands {
	u64 left, right;
	u64 divisor, multiplier; /* of a constant division */
};

static inline u64 eval_plain_division(u64 v, u64 by)
{
	if (!by)
		return ~0ull; /* kernel: the undefined case is -1 */
	return v / by;
}

/*
 * kernel: a dividend below 2^20 is multiplied by floor(2^20 / divisor) and rounded up; that
 * mostly gives the ceiling of the quotient.
 */
static inline u64 eval_const_division(enum hist_division how, struct eval_operands o)
{
	if (how == DIVIDE_POWER2)
		return o.left >> __builtin_ctzll(o.divisor);
	if (how == DIVIDE_MULT_SHIFT && o.left < 1u << 20)
		return (o.left * o.multiplier + (1u << 20) - 1) >> 20;
	return o.left / o.divisor;
}

static inline u64 eval_op(enum expr_op op, enum hist_division division, struct eval_operands o)
{
	switch (op) {
	case EXPR_PLUS:
		return o.left + o.right;
	case EXPR_MINUS:
		return o.left - o.right;
	case EXPR_MULT:
		return o.left * o.right;
	default:
		return division == DIVIDE_PLAIN ? eval_plain_division(o.left, o.right)
						: eval_const_division(division, o);
	}
}

/*
 * kernel: 0 for 0 and 1, otherwise the smallest power of two that is not below @v; 64 for the
 * highest.
 */
/* @mask: 127, or 63 if the kernel turns 64 into 0 */
static inline u64 eval_log2(u64 v, u64 mask)
{
	return v <= 1 ? 0 : (64 - (u64)__builtin_clzll(v - 1)) & mask;
}

/* The number of a key: see struct key_ranges. */
static inline u64 eval_ranges(u64 v, const struct key_ranges *r)
{
	const u64 x = v ^ r->sign;

	if (!r->size)
		return v >> 63 ? 0 : eval_log2(v, 127) + 1;
	if (x < r->from)
		return 0;
	return r->bounded && x >= r->to ? r->to : x - (x - r->from) % r->size;
}

static inline u64 eval_usecs(u64 ns)
{
	return (ns + 500) / 1000;
}
