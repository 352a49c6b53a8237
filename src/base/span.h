/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A part of a string that is owned elsewhere; not NUL-terminated.
 *
 * Trigger text is cut into spans of the text as typed, so error messages know the position of
 * every piece.
 */
#pragma once
#include <string.h>

#include "base/types.h"

struct span {
	const char *s; /* NULL: absent, which is not the same as empty */
	size_t n;
};

static inline struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

static inline struct span span_between(const char *from, const char *to)
{
	return (struct span){ from, (size_t)(to - from) };
}

/* @sp without its first @n characters. */
static inline struct span span_skip(struct span sp, size_t n)
{
	return (struct span){ n ? sp.s + n : sp.s, sp.n - n };
}

bool span_eq(struct span sp, const char *s);
bool span_same(struct span a, struct span b);
int span_cmp(struct span a, struct span b); /* by bytes; a prefix comes first */
bool span_starts(struct span sp, const char *prefix);

/* First or last @c in @sp, or NULL. */
const char *span_chr(struct span sp, char c);
const char *span_rchr(struct span sp, char c);

/* First @needle in @sp, or NULL; the empty needle is found at the start. */
const char *span_find(struct span sp, struct span needle);

/*
 * Whether the text can be the name of one file: neither empty nor "." nor "..", without '/' and
 * control characters. Names from recordings must be checked before they become parts of a path.
 */
bool span_is_file_name(struct span sp);

/*
 * Cut the text before the first character of @stop off @rest, as strsep() does: the
 * character itself is dropped; without one the whole rest is returned and @rest becomes
 * absent. An absent @rest gives an absent span.
 */
struct span span_sep(struct span *rest, const char *stop);

/* Cut the next word from @rest, which is separated by white space; empty at the end. */
struct span span_word(struct span *rest);

/*
 * The span without white space (as in the kernel's isspace()) at both ends, or only at the start.
 */
struct span span_trim(struct span sp);
struct span span_ltrim(struct span sp);

/*
 * The kernel's kstrtoull(): digits in base 10, 0x.. hexadecimal, 0.. octal, an optional leading
 * '+', an optional final newline. Returns false for any other string, or if the number is too
 * large.
 */
bool span_u64(struct span sp, u64 *out);

/* A number in that base, up to 16, of nothing but digits; false also if it is too large. */
bool span_digits(struct span sp, unsigned int base, u64 *out);

/*
 * A length of time: a decimal number, such as 2, .5 or 1.25, and s, ms, us or ns; seconds without
 * a unit. Digits below a nanosecond are ignored.
 */
bool span_time(struct span sp, u64 *ns);

/* Nanoseconds per unit of time: s, ms, us or ns; 0: unknown unit. */
u64 span_time_unit(struct span unit);

/* The same with an optional leading '-', for values that fit s64. */
bool span_s64(struct span sp, s64 *out);
