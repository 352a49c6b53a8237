/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A small recording split into texts, options and sub-buffers, to be changed and written again with
 * valid sizes. draft_read() accepts arbitrary bytes and reads the intact part.
 */
#ifndef TESTS_RECORDING_DRAFT_H
#define TESTS_RECORDING_DRAFT_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "ring_buffer/ring_buffer.h"
#include "trace_dat/writer.h"

enum { DRAFT_PAGES = 64, DRAFT_SUBBUF = 1 << 16, DRAFT_OPTIONS = 64 };

struct draft_page {
	size_t buffer;
	u32 cpu;
	u8 *bytes; /* a complete sub-buffer */
};

struct draft {
	struct trace_dat *td; /* owner of all texts that were not changed */
	struct trace_dat_machine machine;
	struct arena arena;
	ARRAY(struct trace_dat_format) formats;
	struct span sections[TRACE_DAT_MODULES + 1];
	ARRAY(struct trace_dat_option) options;
	const struct trace_dat_buffer *buffers;
	size_t n_buffers;
	ARRAY(struct draft_page) pages;
	struct diags diags;
};

static inline void draft_add_page(struct draft *d, const struct draft_page *page, size_t len)
{
	u32 size = d->buffers[page->buffer].subbuf_size;
	struct draft_page copy = *page;

	copy.bytes = d->pages.n < DRAFT_PAGES ? arena_alloc(&d->arena, size) : NULL;
	if (!copy.bytes)
		return;
	memcpy(copy.bytes, page->bytes, len);
	array_push(&d->pages, copy);
}

static inline void draft_read_cpu(struct draft *d, size_t buffer, size_t cpu)
{
	struct trace_dat_pages *pages;
	const u8 *bytes;
	size_t len;

	if (d->buffers[buffer].subbuf_size > DRAFT_SUBBUF ||
	    trace_dat_pages_open(d->td, buffer, cpu, &pages, &d->diags))
		return;
	while (d->pages.n < DRAFT_PAGES && !trace_dat_pages_next(pages, &bytes, &len)) {
		const struct draft_page page = { buffer, d->buffers[buffer].cpus[cpu].cpu,
						 (u8 *)bytes };

		draft_add_page(d, &page, len);
	}
	trace_dat_pages_close(pages);
}

static inline void draft_read_texts(struct draft *d)
{
	const struct trace_dat_format *formats;
	const struct trace_dat_option *options;
	size_t n;

	trace_dat_formats(d->td, &formats, &n, &d->diags);
	for (size_t i = 0; i < n; i++)
		array_push(&d->formats, formats[i]);
	for (int id = TRACE_DAT_KALLSYMS; id <= TRACE_DAT_CMDLINES; id++)
		trace_dat_section(d->td, (enum trace_dat_option_id)id, &d->sections[id], &d->diags);
	options = trace_dat_options(d->td, &n);
	for (size_t i = 0; i < n && i < DRAFT_OPTIONS; i++)
		array_push(&d->options, options[i]);
}

static inline int draft_read(struct draft *d, const char *path)
{
	const struct trace_dat_info *info;

	*d = (struct draft){ .arena = ARENA_INIT, .diags = DIAGS_INIT };
	if (trace_dat_open(path, &d->td, &d->diags))
		return -1;
	info = trace_dat_info(d->td);
	d->machine = (struct trace_dat_machine){
		.version = info->version,
		.codec = info->codec,
		.big_endian = info->big_endian,
		.long_size = info->long_size,
		.page_size = info->page_size,
		.cpu_count = info->cpu_count,
		.header_page = span_of(info->header_page),
		.clock = info->clock,
	};
	draft_read_texts(d);
	d->buffers = trace_dat_buffers(d->td, &d->n_buffers);
	for (size_t i = 0; i < d->n_buffers; i++)
		for (size_t k = 0; k < d->buffers[i].n_cpus; k++)
			draft_read_cpu(d, i, k);
	return 0;
}

static inline void draft_release(struct draft *d)
{
	trace_dat_close(d->td);
	array_release(&d->formats);
	array_release(&d->options);
	array_release(&d->pages);
	arena_release(&d->arena);
	diags_release(&d->diags);
}

/* The next CPU of @buffer after @last with sub-buffers; -1: none. */
static inline s64 draft_next_cpu(const struct draft *d, size_t buffer, s64 last)
{
	s64 next = -1;

	for (size_t i = 0; i < d->pages.n; i++) {
		const struct draft_page *page = &d->pages.v[i];

		if (page->buffer == buffer && page->cpu > last && (next < 0 || page->cpu < next))
			next = page->cpu;
	}
	return next;
}

static inline void draft_write_buffer(const struct draft *d, struct trace_dat_writer *w, size_t i)
{
	const struct trace_dat_buffer *b = &d->buffers[i];

	trace_dat_writer_buffer(w, b->name, b->clock, b->subbuf_size);
	for (s64 cpu = draft_next_cpu(d, i, -1); cpu >= 0; cpu = draft_next_cpu(d, i, cpu)) {
		trace_dat_writer_cpu(w, (u32)cpu);
		for (size_t k = 0; k < d->pages.n; k++)
			if (d->pages.v[k].buffer == i && d->pages.v[k].cpu == cpu)
				trace_dat_writer_pages(w, d->pages.v[k].bytes, 1);
	}
}

/* Write to @path. Return: 0, or < 0 if no file can have these contents */
static inline int draft_write(struct draft *d, const char *path)
{
	struct trace_dat_writer *w;

	if (trace_dat_writer_open(path, &d->machine, &w, &d->diags))
		return -1;
	for (size_t i = 0; i < d->formats.n; i++)
		trace_dat_writer_format(w, d->formats.v[i].system, d->formats.v[i].text);
	for (int id = TRACE_DAT_KALLSYMS; id <= TRACE_DAT_CMDLINES; id++)
		if (d->sections[id].s)
			trace_dat_writer_section(w, (enum trace_dat_option_id)id, d->sections[id]);
	for (size_t i = 0; i < d->options.n; i++)
		trace_dat_writer_option(w, d->options.v[i].id, d->options.v[i].data,
					d->options.v[i].size);
	for (size_t i = 0; i < d->n_buffers; i++)
		draft_write_buffer(d, w, i);
	return trace_dat_writer_finish(w, &d->diags);
}

#endif
