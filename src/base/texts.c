// SPDX-License-Identifier: LGPL-2.1-only
/* Texts that are kept once, by numbers; and their order. */
#include <string.h>

#include "base/error.h"
#include "base/rank.h"
#include "base/texts.h"

int texts_number(struct texts *t, struct span text, u32 *number)
{
	const u32 hash = hash_bytes(0, text.s, text.n);
	const char *copy, **known = indexed_find(&t->v, hash, e, span_eq(text, *e));

	if (!known) {
		copy = arena_strndup(&t->arena, text.s, text.n);
		known = copy ? indexed_add(&t->v, hash, copy) : NULL;
	}
	*number = known ? (u32)(known - t->v.v) : 0;
	return known ? 0 : HIST_NOMEM;
}

void texts_release(struct texts *t)
{
	indexed_release(&t->v);
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
