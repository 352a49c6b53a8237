// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A list of blocks. The head is being filled, from the front; the blocks after it are full, or
 * contain a single large piece. Memory comes from calloc() and is handed out once, so it is already
 * zero.
 */
#include "base/base.h"

enum { BLOCK_SIZE = 4096, ALIGNMENT = 16 };

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(ALIGNMENT) char data[];
};

/*
 * A block with room for @size bytes; a large one is inserted after the head, which keeps its space.
 */
static struct arena_block *add_block(struct arena *arena, size_t size)
{
	bool large = size > BLOCK_SIZE / 2;
	size_t room = large ? size : BLOCK_SIZE;
	struct arena_block *b = calloc(1, sizeof(*b) + room);

	if (!b)
		return NULL;
	b->size = room;
	if (large && arena->head) {
		b->next = arena->head->next;
		arena->head->next = b;
	} else {
		b->next = arena->head;
		arena->head = b;
	}
	return b;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *b = arena->head;
	void *p;

	if (size > SIZE_MAX / 2) {
		arena->failed = true;
		return NULL;
	}
	size = ALIGN_UP(size, (size_t)ALIGNMENT);
	if (!b || b->size - b->used < size)
		b = add_block(arena, size);
	arena->failed |= !b;
	if (!b)
		return NULL;
	p = b->data + b->used;
	b->used += size;
	return p;
}

char *arena_strndup(struct arena *arena, const char *s, size_t n)
{
	char *p = n < SIZE_MAX ? arena_alloc(arena, n + 1) : NULL;

	if (p && n)
		memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *arena, const char *s)
{
	return s ? arena_strndup(arena, s, strlen(s)) : NULL;
}

char *arena_take(struct arena *arena, struct strbuf *sb)
{
	char *copy = sb->failed ? NULL : arena_strndup(arena, sb->s, sb->len);

	arena->failed |= !copy;
	strbuf_release(sb);
	return copy;
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list ap;
	char *p = NULL;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n >= 0)
		p = arena_alloc(arena, (size_t)n + 1);
	if (!p)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void arena_release(struct arena *arena)
{
	struct arena_block *b, *next;

	for (b = arena->head; b; b = next) {
		next = b->next;
		free(b);
	}
	*arena = (struct arena)ARENA_INIT;
}
