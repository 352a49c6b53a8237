// SPDX-License-Identifier: LGPL-2.1-only
/* Texts that are kept once, by numbers; and their order. */
#include <string.h>

#include "base/error.h"
#include "base/rank.h"
#include "base/texts.h"

int texts_number(struct texts *t, struct span text, u32 *number)
{
	struct hash_walk walk = hash_walk(hash_bytes(0, text.s, text.n));
	const char *copy;
	size_t i;

	while (hash_next(&t->index, &walk, &i))
		if (span_eq(text, t->v.v[i])) {
			*number = (u32)i;
			return 0;
		}
	copy = array_reserve(&t->v) ? NULL : arena_strndup(&t->arena, text.s, text.n);
	if (!copy || hash_add(&t->index, walk.hash, t->v.n))
		return HIST_NOMEM;
	*number = (u32)t->v.n;
	t->v.v[t->v.n++] = copy;
	return 0;
}

void texts_release(struct texts *t)
{
	array_release(&t->v);
	hash_release(&t->index);
	arena_release(&t->arena);
}

static int compare_texts(const void *a, const void *b, void *texts)
{
	const char *const *t = texts;

	return strcmp(t[*(const u32 *)a], t[*(const u32 *)b]);
}

u32 *text_ranks(const char *const *texts, u32 n)
{
	return rank_numbers(n, compare_texts, (void *)texts);
}
