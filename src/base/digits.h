/* SPDX-License-Identifier: LGPL-2.1-only */
/* Numbers as digits, which are written before the end of a buffer. */
#pragma once
#include <string.h>

#include "base/types.h"

/* Room for any number in base 8, 10 or 16. */
enum { DIGITS_MAX = 24 };

extern const char digits_pairs[201]; /* 00 to 99 */

/* Write the decimal digits of @v before @end, four or two at a time; returns the first one. */
static inline char *digits_put(char *end, u64 v)
{
	for (; v >= 10000; v /= 10000) {
		u32 four = (u32)(v % 10000);

		end -= 4;
		memcpy(end, digits_pairs + (size_t)(four / 100) * 2, 2);
		memcpy(end + 2, digits_pairs + (size_t)(four % 100) * 2, 2);
	}
	for (; v >= 100; v /= 100) {
		end -= 2;
		memcpy(end, digits_pairs + v % 100 * 2, 2);
	}
	if (v < 10) {
		*--end = (char)('0' + v);
		return end;
	}
	end -= 2;
	memcpy(end, digits_pairs + v * 2, 2);
	return end;
}

/* The same with digits of @shift bits, named by @names: 3 is octal, 4 hexadecimal. */
static inline char *digits_put_bits(char *end, u64 v, unsigned int shift, const char *names)
{
	do
		*--end = names[v & ((1u << shift) - 1)];
	while (v >>= shift);
	return end;
}
