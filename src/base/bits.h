/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sets of small numbers: a bit for each, in words of 64. */
#pragma once
#include "base/types.h"

/* The words for the numbers 0 to @n; at least one. */
static inline size_t bits_words(size_t n)
{
	return n / 64 + 1;
}

static inline bool bits_has(const u64 *bits, size_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static inline void bits_add(u64 *bits, size_t i)
{
	bits[i / 64] |= 1ull << (i % 64);
}

static inline void bits_drop(u64 *bits, size_t i)
{
	bits[i / 64] &= ~(1ull << (i % 64));
}
