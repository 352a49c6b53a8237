// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Version 6 has its options and tables before the sub-buffers, but they are known only after the
 * sub-buffers. So sub-buffers are first written to a spool file and copied at the end.
 *
 * Every table has an entry for each CPU, and there is no CPUCOUNT option, because readers disagree
 * about which of the two numbers to use.
 */
#include "trace_dat/writer_internal.h"

enum { CPU_ENTRY = 16 };

static int begin(struct trace_dat_writer *w)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;

	trace_dat_writer_start(w, &sb);
	for (unsigned int id = TRACE_DAT_HEADER_INFO; id <= TRACE_DAT_CMDLINES; id++)
		trace_dat_writer_meta(w, id, &sb);
	trace_dat_out_write(&w->out, sb.s, sb.len);
	return sb.failed ? HIST_NOMEM : 0;
}

static int cpu_begin(struct trace_dat_writer *w, struct writer_cpu *c)
{
	c->offset = w->spool.pos;
	return 0;
}

static int cpu_end(struct trace_dat_writer *w, struct writer_cpu *c)
{
	c->size = w->spool.pos - c->offset;
	return w->spool.error ? -HIST_EIO : 0;
}

static int pages(struct trace_dat_writer *w, const u8 *data, size_t n)
{
	trace_dat_out_write(&w->spool, data, n * w->machine.page_size);
	return w->spool.error ? -HIST_EIO : 0;
}

/*
 * Write the options. The offsets of the instances are still 0; their positions are stored in
 * @offset_at.
 */
static void put_options(const struct trace_dat_writer *w, struct strbuf *sb, u64 base,
			u64 *offset_at)
{
	scoped(strbuf_release) struct strbuf clocks = STRBUF_INIT;

	trace_dat_writer_clocks(w, &clocks);
	strbuf_add(sb, "options  ", 10);
	trace_dat_writer_put_option(w, sb, TRACE_DAT_TRACECLOCK,
				    (struct span){ clocks.s, clocks.len });
	for (size_t i = 0; i < w->options.n; i++)
		trace_dat_writer_put_option(w, sb, w->options.v[i].id, w->options.v[i].data);
	for (size_t i = 1; i < w->buffers.n; i++) {
		const char *name = w->buffers.v[i].name;

		trace_dat_put_u16(sb, w, TRACE_DAT_BUFFER);
		trace_dat_put_u32(sb, w, (u32)(8 + strlen(name) + 1));
		offset_at[i] = base + sb->len;
		trace_dat_put_u64(sb, w, 0);
		strbuf_add(sb, name, strlen(name) + 1);
	}
	trace_dat_put_u16(sb, w, TRACE_DAT_DONE);
	sb->failed |= clocks.failed;
}

/* Write the table of a buffer and its sub-buffers, each CPU at a multiple of the page size. */
static int put_buffer(struct trace_dat_writer *w, const struct writer_buffer *b)
{
	u32 n = trace_dat_writer_cpu_count(w), page = w->machine.page_size;
	size_t clock_size = strlen(b->clock) + 2;
	u64 at = w->out.pos + 10 + (u64)n * CPU_ENTRY + 8 + clock_size;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	int err;

	strbuf_add(&sb, "flyrecord", 10);
	for (u32 i = 0, next = 0; i < n; i++) {
		const struct writer_cpu *c = NULL;

		if (next < b->cpus.n && b->cpus.v[next].cpu == i)
			c = &b->cpus.v[next++];
		at = (at + page - 1) / page * page;
		trace_dat_put_u64(&sb, w, at);
		trace_dat_put_u64(&sb, w, c ? c->size : 0);
		at += c ? c->size : 0;
	}
	trace_dat_put_u64(&sb, w, clock_size);
	strbuf_addf(&sb, "[%s]", b->clock);
	trace_dat_out_write(&w->out, sb.s, sb.len);
	err = sb.failed ? HIST_NOMEM : 0;
	trace_dat_out_align(&w->out, page);
	for (size_t i = 0; i < b->cpus.n && !err; i++)
		trace_dat_out_copy(&w->out, &w->spool, b->cpus.v[i].offset, b->cpus.v[i].size);
	return err;
}

static int finish(struct trace_dat_writer *w)
{
	u64 *offset_at = arena_alloc(&w->arena, (w->buffers.n + 1) * sizeof(*offset_at));
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	int err = 0;

	if (!offset_at)
		return HIST_NOMEM;
	trace_dat_put_u32(&sb, w, trace_dat_writer_cpu_count(w));
	put_options(w, &sb, w->out.pos, offset_at);
	trace_dat_out_write(&w->out, sb.s, sb.len);
	if (sb.failed)
		err = HIST_NOMEM;
	for (size_t i = 0; i < w->buffers.n && !err; i++) {
		u64 here = w->out.pos;

		store_u64(&here, here, w->machine.big_endian);
		if (i)
			trace_dat_out_patch(&w->out, offset_at[i], &here, sizeof(here));
		err = put_buffer(w, &w->buffers.v[i]);
	}
	return err;
}

const struct trace_dat_writer_ops trace_dat_writer_v6 = {
	.begin = begin,
	.cpu = cpu_begin,
	.cpu_end = cpu_end,
	.pages = pages,
	.finish = finish,
};
