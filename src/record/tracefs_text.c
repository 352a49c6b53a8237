// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses small files of tracefs into numbers and spans. Corresponds to tracing_stats_read(),
 * ring_buffer_print_page_header(), tracing_clock_show() and f_show() of the kernel.
 */
#include "record/tracefs_text.h"

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
	};

	*stats = (struct ring_stats){ .entries = 0 };
	while (text.s) {
		struct span line = span_sep(&text, "\n");
		struct span name = span_sep(&line, ":");

		for (size_t i = 0; line.s && i < ARRAY_SIZE(fields); i++)
			if (span_eq(name, fields[i].name))
				span_u64(span_trim(line), fields[i].value);
	}
}

/* The number after "@word:" in a line of a format; false without one. */
static bool field_number(struct span line, const char *word, u64 *value)
{
	const char *at = span_find(line, span_of(word));
	struct span rest;

	if (!at)
		return false;
	rest = span_between(at + strlen(word), line.s + line.n);
	return span_u64(span_trim(span_sep(&rest, ";")), value);
}

int header_page_parse(struct span text, u32 *subbuf_size, u32 *long_size)
{
	u64 commit = 0, offset = 0, size = 0;

	while (text.s) {
		struct span line = span_sep(&text, "\n");

		if (span_find(line, span_of(" commit;")))
			field_number(line, "size:", &commit);
		else if (span_find(line, span_of(" data;")) &&
			 field_number(line, "offset:", &offset))
			field_number(line, "size:", &size);
	}
	if ((commit != 4 && commit != 8) || offset != 8 + commit || !size || size > 1u << 28)
		return -HIST_EFORMAT;
	*subbuf_size = (u32)(offset + size);
	*long_size = (u32)commit;
	return 0;
}

struct span clock_selected(struct span text)
{
	const char *from = span_chr(text, '['), *to;

	if (!from)
		return (struct span){ NULL, 0 };
	to = span_chr(span_between(from, text.s + text.n), ']');
	return to ? span_between(from + 1, to) : (struct span){ NULL, 0 };
}

bool clock_offered(struct span text, const char *clock)
{
	while (text.s) {
		struct span word = span_sep(&text, " \n");

		if (word.n > 2 && word.s[0] == '[' && word.s[word.n - 1] == ']')
			word = (struct span){ word.s + 1, word.n - 2 };
		if (word.n && span_eq(word, clock))
			return true;
	}
	return false;
}

bool format_has_address(struct span text)
{
	while (text.s) {
		struct span line = span_ltrim(span_sep(&text, "\n"));
		struct span decl = span_sep(&line, ";");

		/* kernel: an address that is not a pointer is an unsigned long, never a u64 */
		if (span_starts(decl, "field:") &&
		    (span_chr(decl, '*') || span_find(decl, span_of("stack")) ||
		     span_find(decl, span_of("unsigned long "))))
			return true;
	}
	return false;
}
