// SPDX-License-Identifier: LGPL-2.1-only
/* The blocks of metadata, which are the same in both versions. */
#include "trace_dat/writer_internal.h"

static void put_sized(const struct trace_dat_writer *w, struct strbuf *sb, struct span text)
{
	trace_dat_put_u64(sb, w, text.n);
	strbuf_add(sb, text.s, text.n);
}

static const char made_up_header_event[] = "# compressed entry header\n"
					   "\ttype_len    :    5 bits\n"
					   "\ttime_delta  :   27 bits\n"
					   "\tarray       :   32 bits\n"
					   "\n"
					   "\tpadding     : type == 29\n"
					   "\ttime_extend : type == 30\n"
					   "\ttime_stamp : type == 31\n"
					   "\tdata max type_len  == 28\n";

static void put_header_info(const struct trace_dat_writer *w, struct strbuf *sb)
{
	const struct trace_dat_machine *m = &w->machine;
	scoped(strbuf_release) struct strbuf page = STRBUF_INIT;

	if (m->header_page.n)
		strbuf_add(&page, m->header_page.s, m->header_page.n);
	else
		strbuf_addf(&page,
			    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			    "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
			    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			    "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n",
			    m->long_size, 8 + m->long_size, m->page_size - 8 - m->long_size);
	strbuf_add(sb, "header_page", 12);
	put_sized(w, sb, (struct span){ page.s, page.len });
	strbuf_add(sb, "header_event", 13);
	put_sized(w, sb, m->header_event.n ? m->header_event : span_of(made_up_header_event));
	sb->failed |= page.failed;
}

/* Append the number of texts of @system from the format @first on, and these. */
static void put_system(const struct trace_dat_writer *w, struct strbuf *sb, const char *system,
		       size_t first)
{
	size_t count_at = sb->len;
	u32 n = 0;

	trace_dat_put_u32(sb, w, 0);
	for (size_t i = first; i < w->formats.n; i++) {
		if (strcmp(w->formats.v[i].system, system))
			continue;
		put_sized(w, sb, w->formats.v[i].text);
		n++;
	}
	if (!sb->failed)
		store_u32(sb->s + count_at, n, w->machine.big_endian);
}

static void put_event_formats(const struct trace_dat_writer *w, struct strbuf *sb)
{
	size_t count_at = sb->len;
	u32 n = 0;

	trace_dat_put_u32(sb, w, 0);
	for (size_t i = 0; i < w->formats.n; i++) {
		const char *system = w->formats.v[i].system;
		size_t first = 0;

		while (strcmp(w->formats.v[first].system, system))
			first++;
		if (first < i || !strcmp(system, "ftrace"))
			continue;
		strbuf_add(sb, system, strlen(system) + 1);
		put_system(w, sb, system, i);
		n++;
	}
	if (!sb->failed)
		store_u32(sb->s + count_at, n, w->machine.big_endian);
}

void trace_dat_writer_meta(const struct trace_dat_writer *w, unsigned int id, struct strbuf *sb)
{
	struct span text;

	switch (id) {
	case TRACE_DAT_HEADER_INFO:
		put_header_info(w, sb);
		return;
	case TRACE_DAT_FTRACE_EVENTS:
		put_system(w, sb, "ftrace", 0);
		return;
	case TRACE_DAT_EVENT_FORMATS:
		put_event_formats(w, sb);
		return;
	default:
		text = w->sections[id - TRACE_DAT_KALLSYMS];
		if (id == TRACE_DAT_CMDLINES)
			trace_dat_put_u64(sb, w, text.n);
		else
			trace_dat_put_u32(sb, w, (u32)text.n);
		strbuf_add(sb, text.s, text.n);
		return;
	}
}

void trace_dat_writer_start(const struct trace_dat_writer *w, struct strbuf *sb)
{
	const struct trace_dat_machine *m = &w->machine;

	strbuf_add(sb, "\x17\x08\x44tracing", 10);
	strbuf_add(sb, m->version == 6 ? "6" : "7", 2);
	strbuf_addch(sb, m->big_endian);
	strbuf_addch(sb, (char)m->long_size);
	trace_dat_put_u32(sb, w, m->page_size);
}

void trace_dat_writer_put_option(const struct trace_dat_writer *w, struct strbuf *sb, u16 id,
				 struct span data)
{
	trace_dat_put_u16(sb, w, id);
	trace_dat_put_u32(sb, w, (u32)data.n);
	strbuf_add(sb, data.s, data.n);
}

void trace_dat_writer_clocks(const struct trace_dat_writer *w, struct strbuf *sb)
{
	struct span clocks = w->machine.clocks;

	if (clocks.s)
		strbuf_add(sb, clocks.s, clocks.n);
	else
		strbuf_addf(sb, "[%s]\n", w->machine.clock);
	strbuf_addch(sb, '\0');
}

u32 trace_dat_writer_cpu_count(const struct trace_dat_writer *w)
{
	u32 n = w->machine.cpu_count;

	array_each(const struct writer_buffer, b, &w->buffers)
		if (b->cpus.n)
			n = max_t(u32, n, b->cpus.v[b->cpus.n - 1].cpu + 1);
	return n;
}
