// SPDX-License-Identifier: LGPL-2.1-only
#include "inspect/list.h"

/* When records of a CPU may be missing. */
void list_print_holes(struct strbuf *out, const struct buffer_count *c, u32 cpu, const char *clock)
{
	size_t n, printed = 0;
	const u64 sum = coverage_missing(&c->coverage, cpu, c->first, c->last, &n);

	array_each_while(const struct coverage_hole, hole, &c->coverage.holes,
			 printed < LIST_HOLES) {
		if (!list_shows_hole(hole, c, cpu))
			continue;
		strbuf_addstr(out, printed++ ? ", " : "    missing    ");
		if (hole->to > c->last)
			strbuf_addstr(out, hole->from > c->first ? "after " : "at any time");
		if (hole->from > c->first)
			list_print_time(out, hole->from, clock);
		if (hole->to <= c->last) {
			strbuf_addstr(out, hole->from > c->first ? " to " : "before ");
			list_print_time(out, hole->to, clock);
		}
		strbuf_addf(out, " (%s)", coverage_word(hole->reason));
	}
	if (n > printed)
		strbuf_addf(out, ", and %zu more, %.6f s in all", n - printed, (double)sum / 1e9);
	if (printed)
		strbuf_addch(out, '\n');
}
