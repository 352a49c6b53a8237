// SPDX-License-Identifier: LGPL-2.1-only
/* Texts that are kept once, by numbers; and their order. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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

/* --- their order --- */

struct ranked_text {
	const char *text;
	u32 number;
};

static int by_text(const void *a, const void *b)
{
	const struct ranked_text *x = a, *y = b;

	return strcmp(x->text, y->text);
}

u32 *text_ranks(const char *const *texts, u32 n)
{
	struct ranked_text *all = malloc(((size_t)n + 1) * sizeof(*all));
	u32 *ranks = all ? calloc((size_t)n + 1, sizeof(*ranks)) : NULL;

	for (u32 i = 0; ranks && i < n; i++)
		all[i] = (struct ranked_text){ texts[i], i };
	if (ranks)
		qsort(all, n, sizeof(*all), by_text);
	for (u32 i = 0; ranks && i < n; i++)
		ranks[all[i].number] = i;
	free(all);
	return ranks;
}
