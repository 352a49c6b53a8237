/* SPDX-License-Identifier: LGPL-2.1-only */
/* The short names that kernel code uses for fixed-width types, and a few helpers. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

#define ARRAY_SIZE(a)  (sizeof(a) / sizeof((a)[0]))
#define ALIGN_UP(x, a) (((x) + ((a)-1)) & ~((a)-1))

/* For qsort(): two numbers; several such are joined by ?: */
#define cmp_int(a, b) (((a) > (b)) - ((a) < (b)))

/* An order for qsort(): a function that compares the elements x and y by an expression. */
#define DEFINE_ORDER(name, type, order)               \
	static int name(const void *a, const void *b) \
	{                                             \
		const type *x = a;                    \
		const type *y = b;                    \
		return order;                         \
	}

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* min_t(u32, a, b), max_t(u32, a, b): of the types below; both are converted, then compared. */
#define min_t(type, a, b) min_##type(a, b)
#define max_t(type, a, b) max_##type(a, b)

#define DEFINE_MIN_MAX(type)                          \
	static inline type min_##type(type a, type b) \
	{                                             \
		return a < b ? a : b;                 \
	}                                             \
	static inline type max_##type(type a, type b) \
	{                                             \
		return a > b ? a : b;                 \
	}

DEFINE_MIN_MAX(int)
DEFINE_MIN_MAX(u32)
DEFINE_MIN_MAX(u64)
DEFINE_MIN_MAX(size_t)
DEFINE_MIN_MAX(double)

static inline u64 add_saturated(u64 a, u64 b)
{
	u64 sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Number of times that the wrapping sum @sum leaves 64 bits when @v is added: -1, 0 or 1. */
static inline int add_wrapping(u64 *sum, u64 v, bool is_signed)
{
	s64 s;
	bool over = is_signed ? __builtin_add_overflow((s64)*sum, (s64)v, &s)
			      : __builtin_add_overflow(*sum, v, sum);

	if (is_signed)
		*sum = (u64)s;
	return !over ? 0 : is_signed && (s64)v < 0 ? -1 : 1;
}

/* The nearest number of 64 bits to a sum that left them @times. */
static inline u64 saturated(u64 sum, s64 times, bool is_signed)
{
	if (!times)
		return sum;
	return !is_signed ? UINT64_MAX : times > 0 ? (u64)INT64_MAX : (u64)INT64_MIN;
}

/*
 * The index of the first of @n sorted elements for which @before is false, or @n; @i is the name of
 * the index in the expression: partition_point(i, list.n, list.v[i] < key).
 */
#define partition_point(i, n, before)                                           \
	({                                                                      \
		size_t low_ = 0, high_ = (n);                                   \
		for (size_t(i); (i) = low_ + (high_ - low_) / 2, low_ < high_;) \
			if (before)                                             \
				low_ = (i) + 1;                                 \
			else                                                    \
				high_ = (i);                                    \
		low_;                                                           \
	})

/*
 * Of the numbers @i below @n: whether @is is true for any, or for all, and the sum of a number for
 * each; any_of(i, list.n, list.v[i] == key). See array_find() for elements.
 */
#define any_of(i, n, is)                                  \
	({                                                \
		bool any_ = false;                        \
		for (size_t i = 0; !any_ && i < (n); i++) \
			any_ = (is);                      \
		any_;                                     \
	})
#define all_of(i, n, is) (!any_of(i, n, !(is)))
#define sum_of(i, n, number)                     \
	({                                       \
		u64 sum_ = 0;                    \
		for (size_t i = 0; i < (n); i++) \
			sum_ += (number);        \
		sum_;                            \
	})

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/*
 * What only a block owns is released where the block ends, however it is left:
 * scoped(strbuf_release) struct strbuf sb = STRBUF_INIT; such a variable is initialised where it is
 * declared.
 */
#define scoped(release) __attribute__((cleanup(release)))

/* A parameter that a function has because of its type. */
#define UNUSED __attribute__((unused))

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
