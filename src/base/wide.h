/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Integers of 256 bits, for exact sums of squares.
 *
 * Unsigned, or two's complement where a sign is mentioned; everything wraps.
 */
#pragma once
#include "base/span.h"
#include "base/strbuf.h"
#include "base/types.h"

struct wide {
	u64 w[4]; /* least significant first */
};

static inline struct wide wide_of(u64 v, bool is_signed)
{
	u64 rest = is_signed && v >> 63 ? UINT64_MAX : 0;

	return (struct wide){ { v, rest, rest, rest } };
}

static inline bool wide_is_negative(const struct wide *a)
{
	return a->w[3] >> 63;
}

static inline void wide_add_u64(struct wide *a, u64 v)
{
	a->w[0] += v;
	for (int i = 1; unlikely(a->w[i - 1] < v) && i < 4; i++, v = 1)
		a->w[i]++;
}

static inline void wide_sub_u64(struct wide *a, u64 v)
{
	u64 before = a->w[0];

	a->w[0] -= v;
	for (int i = 1; unlikely(before < v) && i < 4; i++, v = 1)
		before = a->w[i]--;
}

void wide_add(struct wide *a, const struct wide *b);
void wide_sub(struct wide *a, const struct wide *b);
struct wide wide_mul(const struct wide *a, const struct wide *b);

/* Two's complement @a by @by, towards zero. */
struct wide wide_div(const struct wide *a, u64 by);

long double wide_to_double(const struct wide *a, bool is_signed);

/* In decimal. */
void wide_print(const struct wide *a, bool is_signed, struct strbuf *out);

/* Decimal digits, with a leading '-' if @is_signed; false for any other string, or if too large. */
bool wide_parse(struct span text, bool is_signed, struct wide *a);
