/* SPDX-License-Identifier: LGPL-2.1-only */
/* Memory that is freed all at once: a trigger's strings and nodes, a file's indices. */
#pragma once
#include "base/strbuf.h"

struct arena_block;

struct arena {
	struct arena_block *head;
	bool failed; /* an allocation failed; the caller may have used the NULL */
};

#define ARENA_INIT          \
	{                   \
		NULL, false \
	}

/**
 * arena_alloc() - zeroed memory that lives until arena_release()
 *
 * Shape:  @size bytes, aligned for any type
 * Return: NULL if out of memory
 */
void *arena_alloc(struct arena *arena, size_t size);

/* A copy of @n bytes (@s may be NULL if none) and a NUL; NULL if out of memory. */
char *arena_strndup(struct arena *arena, const char *s, size_t n);
char *arena_strdup(struct arena *arena, const char *s); /* NULL for NULL */
/* A copy of a text that was composed in @sb, which is released. */
char *arena_take(struct arena *arena, struct strbuf *sb);
char *arena_printf(struct arena *arena, const char *fmt, ...) PRINTF_LIKE(2, 3);

void arena_release(struct arena *arena);
