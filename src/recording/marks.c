// SPDX-License-Identifier: LGPL-2.1-only
/* Marks: the events for which a recording was written (TRACE_DAT_HIST_MARKS, record/record.h). */
#include "recording/recording.h"

static bool parse_mark(struct span line, struct recording_mark *mark)
{
	struct span ts = span_sep(&line, " "), cpu = span_sep(&line, " ");
	struct span pid = span_sep(&line, " ");
	s64 task;
	u64 n;

	mark->event = span_sep(&line, " ");
	mark->text = line;
	if (!span_u64(ts, &mark->ts) || !span_u64(cpu, &n) || n > UINT32_MAX ||
	    !span_s64(pid, &task) || task != (s32)task || !mark->event.n)
		return false;
	mark->pid = (s32)task;
	mark->cpu = (u32)n;
	return true;
}

bool recording_mark(const struct recording *rec, size_t i, struct recording_mark *mark)
{
	const char *text = recording_option(rec, TRACE_DAT_HIST_MARKS);
	struct span rest = span_of(text ? text : "");

	while (rest.n)
		if (parse_mark(span_sep(&rest, "\n"), mark) && !i--)
			return true;
	return false;
}
