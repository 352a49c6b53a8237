// SPDX-License-Identifier: LGPL-2.1-only
/* Heights are rounded up, so that only 0 is nothing. */
#include "top/top_screen.h"

enum { HEIGHTS = 8 };

void spark_add(struct strbuf *out, const u64 *v, size_t n, bool plain)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char letters[] = ".:-=+*%#";
	u64 most = 0;

	for (size_t i = 0; i < n; i++)
		most = max_t(u64, most, v[i]);
	for (size_t i = 0; i < n; i++) {
		size_t height = (size_t)((double)v[i] / (double)most * HEIGHTS + 0.999999);

		height = min_t(size_t, max_t(size_t, height, 1), HEIGHTS) - 1;
		if (!v[i])
			strbuf_addch(out, ' ');
		else if (plain)
			strbuf_addch(out, letters[height]);
		else
			strbuf_addstr(out, bars[height]);
	}
}
