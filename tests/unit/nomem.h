/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Failing allocations for *_nomem_test: the linker redirects the library's allocations to these
 * functions (see TEST_LDFLAGS in the Makefile).
 */
#ifndef TESTS_NOMEM_H
#define TESTS_NOMEM_H

#include <stdatomic.h>
#include <stdio.h>

#include "unit.h"

#include "base/base.h"

/* Number of the allocation that fails, from 1; 0: none. */
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

/* Arenas rarely allocate; here each allocation from an arena may fail. */

void *__real_arena_alloc(struct arena *arena, size_t size);
char *__real_arena_strdup(struct arena *arena, const char *s);
char *__real_arena_strndup(struct arena *arena, const char *s, size_t n);

void *__wrap_arena_alloc(struct arena *arena, size_t size);
char *__wrap_arena_strdup(struct arena *arena, const char *s);
char *__wrap_arena_strndup(struct arena *arena, const char *s, size_t n);
char *__wrap_arena_printf(struct arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool arena_fails(struct arena *arena)
{
	bool failed = fails();

	arena->failed |= failed;
	return failed;
}

void *__wrap_arena_alloc(struct arena *arena, size_t size)
{
	return arena_fails(arena) ? NULL : __real_arena_alloc(arena, size);
}

char *__wrap_arena_strdup(struct arena *arena, const char *s)
{
	return arena_fails(arena) ? NULL : __real_arena_strdup(arena, s);
}

char *__wrap_arena_strndup(struct arena *arena, const char *s, size_t n)
{
	return arena_fails(arena) ? NULL : __real_arena_strndup(arena, s, n);
}

char *__wrap_arena_printf(struct arena *arena, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	assert_true(n >= 0 && (size_t)n < sizeof(text));
	return __wrap_arena_strndup(arena, text, (size_t)n);
}

/* The output; the sink must not allocate. */
struct output {
	char text[262144];
	size_t len;
};

static int add_output(void *arg, const void *data, size_t len)
{
	struct output *out = arg;

	assert_true(out->len + len < sizeof(out->text));
	memcpy(out->text + out->len, data, len);
	out->len += len;
	return 0;
}

/* Returns the result of the library, and writes the whole output. */
typedef int (*nomem_run)(const void *arg, struct output *out);

/*
 * Run without failures, then with each allocation failing: the result is @want with the same
 * output, or -HIST_ENOMEM.
 */
static void check_allocations(nomem_run run, const void *arg, int want, const char *what)
{
	static struct output good, bad;
	long n, wrong = 0;

	atomic_store(&fail_at, 0);
	atomic_store(&allocations, 0);
	assert_int_equal(run(arg, &good), want);
	n = atomic_load(&allocations);
	assert_true(n > 50);
	for (long at = 1; at <= n; at++) {
		int err;

		atomic_store(&allocations, 0);
		atomic_store(&and_all_after, at % 2);
		atomic_store(&fail_at, at);
		err = run(arg, &bad);
		atomic_store(&fail_at, 0);
		if (err == -HIST_ENOMEM ||
		    (err == want && bad.len == good.len && !memcmp(bad.text, good.text, good.len)))
			continue;
		wrong++;
		print_error("# %s: allocation %ld of %ld%s: %d, %zu bytes of output, not %zu\n",
			    what, at, n, at % 2 ? " and all after it" : "", err, bad.len, good.len);
	}
	assert_int_equal(wrong, 0);
}

#endif
