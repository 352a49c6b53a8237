// SPDX-License-Identifier: LGPL-2.1-only
#include "base/coverage.h"

const char *coverage_word(enum coverage_reason reason)
{
	static const char *const words[] = { "begin", "lost", "dropped", "damaged" };

	return words[reason];
}

u64 coverage_missing(const struct coverage *c, u32 cpu, u64 first, u64 last, size_t *n)
{
	u64 sum = 0;

	*n = 0;
	array_each(const struct coverage_hole, hole, &c->holes) {
		u64 from = max_t(u64, hole->from, first), to = min_t(u64, hole->to, last);

		if (hole->cpu != cpu || from >= to)
			continue;
		sum += to - from;
		++*n;
	}
	return sum;
}

void coverage_release(struct coverage *c)
{
	array_release(&c->holes);
}
