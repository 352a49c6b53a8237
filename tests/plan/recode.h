/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes a recording to another file with another codec. */
#ifndef TESTS_PLAN_RECODE_H
#define TESTS_PLAN_RECODE_H

#include "trace_dat/writer.h"

static inline void recode_metadata(struct trace_dat *td, struct trace_dat_writer *w,
				   struct diags *diags)
{
	static const enum trace_dat_option_id sections[] = { TRACE_DAT_KALLSYMS, TRACE_DAT_PRINTK,
							     TRACE_DAT_CMDLINES };
	const struct trace_dat_format *formats;
	const struct trace_dat_option *options;
	struct span text;
	size_t n;

	assert_int_equal(trace_dat_formats(td, &formats, &n, diags), 0);
	for (size_t i = 0; i < n; i++)
		trace_dat_writer_format(w, formats[i].system, formats[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (!trace_dat_section(td, sections[i], &text, diags) && text.s)
			trace_dat_writer_section(w, sections[i], text);
	options = trace_dat_options(td, &n);
	for (size_t i = 0; i < n; i++)
		trace_dat_writer_option(w, options[i].id, options[i].data, options[i].size);
}

static inline void recode_cpu(struct trace_dat *td, size_t buffer, size_t cpu,
			      struct trace_dat_writer *w, struct diags *diags)
{
	size_t n, size = trace_dat_buffers(td, &n)[buffer].subbuf_size, len;
	u8 *whole = calloc(1, size);
	struct trace_dat_pages *pages;
	const u8 *page;

	assert_non_null(whole);
	assert_int_equal(trace_dat_pages_open(td, buffer, cpu, &pages, diags), 0);
	while (!trace_dat_pages_next(pages, &page, &len)) {
		memset(whole, 0, size);
		memcpy(whole, page, len);
		assert_int_equal(trace_dat_writer_pages(w, whole, 1), 0);
	}
	trace_dat_pages_close(pages);
	free(whole);
}

static inline void recode(const char *from, const char *to, enum codec codec)
{
	struct diags diags = DIAGS_INIT;
	struct trace_dat_machine m = { .version = 7, .codec = codec };
	const struct trace_dat_buffer *buffers;
	const struct trace_dat_info *info;
	struct trace_dat_writer *w;
	struct trace_dat *td;
	size_t n;

	assert_int_equal(trace_dat_open(from, &td, &diags), 0);
	info = trace_dat_info(td);
	buffers = trace_dat_buffers(td, &n);
	m.big_endian = info->big_endian;
	m.long_size = info->long_size;
	m.page_size = buffers[0].subbuf_size;
	m.cpu_count = info->cpu_count;
	m.header_page = span_of(info->header_page);
	m.clock = info->clock;
	assert_int_equal(trace_dat_writer_open(to, &m, &w, &diags), 0);
	recode_metadata(td, w, &diags);
	for (size_t b = 0; b < n; b++) {
		trace_dat_writer_buffer(w, buffers[b].name, buffers[b].clock,
					buffers[b].subbuf_size);
		for (size_t c = 0; c < buffers[b].n_cpus; c++) {
			trace_dat_writer_cpu(w, buffers[b].cpus[c].cpu);
			recode_cpu(td, b, c, w, &diags);
		}
	}
	assert_int_equal(trace_dat_writer_finish(w, &diags), 0);
	trace_dat_close(td);
	diags_release(&diags);
}

#endif
