// SPDX-License-Identifier: LGPL-2.1-only
/* Lines between events: comments, headers, and what a CPU lost. */
#include "import/text_cut.h"
#include "import/text_line.h"

/* Parse CPU:N [LOST N EVENTS] and CPU:N [N EVENTS DROPPED]; the number of events may be absent. */
bool text_lost_cut(struct span line, struct text_line *l)
{
	u64 cpu, n;

	line = span_ltrim(line);
	if (!take_text(&line, "CPU:") || !take_number(&line, UINT16_MAX, &cpu) ||
	    !take_text(&line, " ["))
		return false;
	take_text(&line, "LOST ");
	*l = (struct text_line){ .cpu = (u32)cpu, .lost = -1 };
	if (take_number(&line, INT64_MAX, &n)) {
		l->lost = (s64)n;
		take_text(&line, " ");
	}
	return take_text(&line, "EVENTS");
}

/*
 * Parse "# entries-in-buffer/entries-written: 12/34   #P:4", and of latency formats
 * "# latency: 16 us, #12/34, CPU#0 | (... #P:4)".
 */
static void read_entries(struct span line, struct text_line *l)
{
	static const char *const keys[] = { "entries-in-buffer/entries-written: ", " us, #" };
	static const char cpus[] = "#P:";
	struct span rest = { NULL, 0 };
	const char *at;
	u64 in, written, n;

	for (size_t i = 0; i < ARRAY_SIZE(keys) && !rest.s; i++)
		if ((at = span_find(line, span_of(keys[i]))))
			rest = span_between(at + strlen(keys[i]), line.s + line.n);
	if (!rest.s)
		return;
	l->counted = true;
	if (take_number(&rest, UINT64_MAX, &in) && take_text(&rest, "/") &&
	    take_number(&rest, UINT64_MAX, &written) && written > in)
		l->overwritten = written - in;
	at = span_find(rest, span_of(cpus));
	if (!at)
		return;
	rest = span_between(at + strlen(cpus), line.s + line.n);
	if (take_number(&rest, UINT16_MAX, &n))
		l->cpus = (u32)n;
}

/* Parse "#  TASK-PID  CPU#  |||||  TIMESTAMP  FUNCTION". */
static u32 context_width(struct span line)
{
	const char *bars = span_find(line, span_of("CPU#  |"));

	if (!bars || !span_find(line, span_of("TIMESTAMP")))
		return 0;
	line = span_between(bars + strlen("CPU#  "), line.s + line.n);
	return (u32)take_set(&line, "|").n;
}

bool text_head_cut(struct span line, u32 *width, struct text_line *l)
{
	static const char *const starts[] = { "cpus=",     "version = ",
					      "##### CPU", "Dumping ftrace buffer",
					      "-----",     "(ftrace buffer empty)",
					      "CPU ",      "trace:" };
	u64 n;

	*l = (struct text_line){ .cpu = 0 };
	line = span_trim(line);
	if (!line.n)
		return true;
	if (*line.s == '#') {
		read_entries(line, l);
		*width = context_width(line) ?: *width;
	}
	if (take_text(&line, "cpus=")) {
		if (take_number(&line, UINT16_MAX, &n))
			l->cpus = (u32)n;
		return true;
	}
	if (take_text(&line, "##### CPU ") && take_number(&line, UINT16_MAX, &n)) {
		l->cpu = (u32)n;
		l->begins = span_starts(line, " buffer started");
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (span_starts(line, starts[i]))
			return true;
	return *line.s == '#';
}
