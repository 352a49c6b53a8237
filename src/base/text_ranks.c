// SPDX-License-Identifier: LGPL-2.1-only
/* The order of texts, which stay where they are. */
#include <stdlib.h>
#include <string.h>

#include "base/text_ranks.h"

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
