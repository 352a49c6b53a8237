/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A growing array of one type: ARRAY(struct foo) foos = ARRAY_INIT;
 *
 * .v are the elements, .n their number. Elements move when the array grows, so keep indices or
 * pointers to things that the elements point to, never pointers to the elements.
 */
#pragma once
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/types.h"

#define ARRAY(type)            \
	struct {               \
		type *v;       \
		size_t n, cap; \
	}

#define ARRAY_INIT         \
	{                  \
		NULL, 0, 0 \
	}

/* Room for one more element; 0 or -HIST_ENOMEM. */
#ifndef __clang_analyzer__
#define array_reserve(a) ((a)->n < (a)->cap ? 0 : array_grow(&(a)->v, &(a)->cap, sizeof(*(a)->v)))
#else /* which supposes that an array may have room and no elements */
#define array_reserve(a) array_grow(&(a)->v, &(a)->cap, sizeof(*(a)->v))
#endif

/* Append @item; 0 or -HIST_ENOMEM. @item is evaluated only when there is room. */
#define array_push(a, item) (array_reserve(a) ? HIST_NOMEM : ((a)->v[(a)->n++] = (item), 0))

#define array_release(a)               \
	do {                           \
		free((a)->v);          \
		(a)->v = NULL;         \
		(a)->n = (a)->cap = 0; \
	} while (0)

/* For scoped(): the memory of a pointer; the elements of an array, which are at its start, too. */
static inline void free_scoped(void *pointer)
{
	void *v;

	memcpy(&v, pointer, sizeof(v));
	free(v);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): a type cannot be in parentheses */

/*
 * Each of @n elements from @v on, which must not move meanwhile: array_each_of(const struct foo, f,
 * foos, 7) { ... }; while @go is true. Nothing is added to the NULL of an empty array.
 */
#define array_each_of(type, e, v, n) for (type * (e) = (v); (n) && (e) < (v) + (n); (e)++)
#define array_each_of_while(type, e, v, n, go) \
	for (type * (e) = (v); (n) && (e) < (v) + (n) && (go); (e)++)

/* Each element of an ARRAY(); while @go is true. */
#define array_each(type, e, a)           array_each_of(type, e, (a)->v, (a)->n)
#define array_each_while(type, e, a, go) array_each_of_while(type, e, (a)->v, (a)->n, go)

/* Each element of an array of pointers. */
#define array_each_ptr(type, e, a)                              \
	for (type *const *e##_at = (type *const *)(a)->v, *(e); \
	     (a)->n && e##_at < (type *const *)(a)->v + (a)->n && ((e) = *e##_at, true); e##_at++)

/* The first element @e for which @is is true; NULL: there is none. */
#define array_find(a, e, is)                                        \
	({                                                          \
		__typeof__(&*(a)->v) found_ = NULL;                 \
		for (size_t i_ = 0; !found_ && i_ < (a)->n; i_++) { \
			__typeof__(found_) e = &(a)->v[i_];         \
			if (is)                                     \
				found_ = e;                         \
		}                                                   \
		found_;                                             \
	})

/* NOLINTEND(bugprone-macro-parentheses) */

/* Enlarge *@buf of *@size bytes to @n, unless it is as large; false: out of memory. */
bool bytes_reserve(u8 **buf, size_t *size, size_t n);

/* For qsort() of an array of u64. */
int compare_u64(const void *a, const void *b);

/* @v points to the pointer to the elements, which are @size bytes each. */
int array_grow(void *v, size_t *cap, size_t size);
