// SPDX-License-Identifier: LGPL-2.1-only
/*
 * .percent and .graph: a value relative to the sum or the maximum of its column. Corresponds to
 * __get_percentage(), hist_trigger_print_val() in trace_events_hist.c.
 */
#include "print/print_hist.h"

enum { BAR_WIDTH = 20, PERCENT_ERROR = -1 };

/* Hundredths of a percent, in 32 bits as in the kernel; PERCENT_ERROR for a sum of 0. */
static s64 percentage(u64 val, u64 total)
{
	if (total && val < UINT64_MAX / 10000)
		return (u32)(val * 10000 / total);
	total /= 10000;
	if (!total)
		return val ? PERCENT_ERROR : 0;
	return (u32)(val / total);
}

void print_hist_graph(struct strbuf *out, const char *label, u64 val, u64 max)
{
	s64 pc = percentage(val, max);
	u32 len;

	if (pc == PERCENT_ERROR || pc == UINT32_MAX) {
		strbuf_addf(out, " %s: %20s", label, "[ERROR]");
		return;
	}
	len = min_t(u32, (u32)pc * BAR_WIDTH / 10000, BAR_WIDTH);
	strbuf_addf(out, " %s: ", label);
	strbuf_fill(out, '#', len);
	strbuf_fill(out, ' ', BAR_WIDTH - len);
}

void print_hist_percent(struct strbuf *out, const char *label, u64 val, u64 total)
{
	s64 pc = percentage(val, total);

	if (pc == PERCENT_ERROR || pc == UINT32_MAX)
		strbuf_addf(out, " %s (%%):[ERROR]", label);
	else
		strbuf_addf(out, " %s (%%): %3u.%02u", label, (u32)pc / 100, (u32)pc % 100);
}
