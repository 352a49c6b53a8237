// SPDX-License-Identifier: LGPL-2.1-only
#include "base/limits.h"

enum { MAX_NAMED = 8 };

struct span limits_next(struct span *lines, const char *kind)
{
	while (lines->s) {
		struct span line = span_sep(lines, "\n");

		if (span_eq(span_sep(&line, " "), kind))
			return line.s ? line : span_of("");
	}
	return *lines;
}

void limits_print_tasks(struct span lines, struct strbuf *out)
{
	struct span rest = lines, pids = limits_next(&rest, "pids"), pid;
	size_t n = 0;

	for (pid = pids; pid.s; span_sep(&pid, " "))
		n++;
	if (!n)
		return;
	strbuf_addstr(out, n == 1 ? "task " : "tasks ");
	for (size_t i = 0; i < n && i < MAX_NAMED; i++) {
		pid = span_sep(&pids, " ");
		strbuf_addf(out, "%s%.*s", i ? ", " : "", (int)pid.n, pid.s);
	}
	if (n > MAX_NAMED)
		strbuf_addf(out, " and %zu others", n - MAX_NAMED);
	if (limits_next(&lines, "children").s)
		strbuf_addstr(out, n == 1 ? " and its children" : " and their children");
}
