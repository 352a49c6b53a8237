/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Allocations that fail, for tests called *_nomem_test: the linker leads the library's calls
 * here (see TEST_LDFLAGS in the Makefile).
 */
#ifndef TESTS_NOMEM_H
#define TESTS_NOMEM_H

#include <stdatomic.h>

#include "unit.h"

/* Which allocation fails, counted from 1; 0: none. */
static atomic_long fail_at, allocations;
static atomic_bool and_all_after;

static bool fails(void)
{
	long n = atomic_fetch_add(&allocations, 1) + 1, at = atomic_load(&fail_at);

	return at && (n == at || (n > at && atomic_load(&and_all_after)));
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
	return fails() ? NULL : __real_strndup(s, n);
}

#endif
