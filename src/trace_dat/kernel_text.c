// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses small texts of tracefs. Corresponds to tracing_stats_read(),
 * ring_buffer_print_page_header() and tracing_clock_show() of the kernel.
 */
#include "trace_dat/internal.h"
#include "trace_dat/kernel_text.h"

void ring_stats_parse(struct span text, struct ring_stats *stats)
{
	const struct {
		const char *name;
		u64 *value;
	} fields[] = {
		{ "entries", &stats->entries },
		{ "overrun", &stats->overrun },
		{ "commit overrun", &stats->commit_overrun },
		{ "dropped events", &stats->dropped },
		{ "read events", &stats->read },
		{ "bytes", &stats->bytes },
	};
	const struct {
		const char *name;
		u64 *ns;
	} times[] = { { "oldest event ts", &stats->oldest }, { "now ts", &stats->now } };

	*stats = (struct ring_stats){ .entries = 0 };
	while (text.s) {
		struct span line = span_sep(&text, "\n");
		struct span name = span_sep(&line, ":");

		for (size_t i = 0; line.s && i < ARRAY_SIZE(fields); i++)
			if (span_eq(name, fields[i].name))
				span_u64(span_trim(line), fields[i].value);
		for (size_t i = 0; line.s && i < ARRAY_SIZE(times); i++)
			if (span_eq(name, times[i].name) &&
			    !span_time(span_trim(line), times[i].ns))
				*times[i].ns = 0;
	}
}

/* The number after @what in the line of header_page for @field; 0 if there is none. */
static u64 header_number(struct span text, const char *field, const char *what)
{
	const char *at = span_find(text, span_of(field));
	struct span line;
	u64 n = 0;

	if (!at)
		return 0;
	line = span_between(at, text.s + text.n);
	line = span_sep(&line, "\n");
	at = span_find(line, span_of(what));
	if (!at)
		return 0;
	line = span_between(at + strlen(what), line.s + line.n);
	return span_u64(span_trim(span_sep(&line, ";")), &n) ? n : 0;
}

int header_page_parse(struct span text, u32 *subbuf_size, u32 *long_size)
{
	u64 commit = header_number(text, " commit;", "size:");
	u64 offset = header_number(text, " data;", "offset:");
	u64 size = header_number(text, " data;", "size:");

	*long_size = commit == 4 || commit == 8 ? (u32)commit : 0;
	*subbuf_size = *long_size && offset == 8 + commit && size && size <= MAX_SUBBUF &&
				       trace_dat_subbuf_sane(offset + size)
			       ? (u32)(offset + size)
			       : 0;
	return *subbuf_size ? 0 : -HIST_EFORMAT;
}

struct span clock_selected(struct span text)
{
	const char *from = span_chr(text, '[');
	const char *to = from ? span_chr(span_between(from, text.s + text.n), ']') : NULL;

	return to && to > from + 1 ? span_between(from + 1, to) : (struct span){ NULL, 0 };
}
