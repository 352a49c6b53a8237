// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Version 7 is written front to back. The options that are known when the metadata is complete
 * precede the records, as in trace-cmd, so that a file whose end is missing can be interpreted; the
 * other options, and the extents of the records, follow the records.
 *
 * Compressed records are independent chunks of 10 sub-buffers, as in trace-cmd; a CPU's size is its
 * exact extent (trace-cmd 3.0 and 3.1 write 4 less; readers accept both).
 */
#include "trace_dat/writer_internal.h"

enum { SECTION_HEADER = 16, SECTION_COMPRESSED = 1 };

static const char *const meta_description[] = {
	"headers", "ftrace events", "events format", "kallsyms", "printk", "command lines",
};

/* Write a section header whose size is patched later; returns its offset. */
static u64 put_section_header(struct trace_dat_writer *w, u16 id, bool compressed,
			      const char *description)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	u64 at = w->out.pos;

	trace_dat_put_u16(&sb, w, id);
	trace_dat_put_u16(&sb, w, compressed ? SECTION_COMPRESSED : 0);
	trace_dat_put_u32(&sb, w, (u32)w->strings.len);
	trace_dat_put_u64(&sb, w, 0);
	strbuf_add(&w->strings, description, strlen(description) + 1);
	w->strings.failed |= sb.failed;
	trace_dat_out_write(&w->out, sb.s, sb.len);
	return at;
}

static void patch_u64(struct trace_dat_writer *w, u64 at, u64 v)
{
	store_u64(&v, v, w->machine.big_endian);
	trace_dat_out_patch(&w->out, at, &v, sizeof(v));
}

static void patch_section_size(struct trace_dat_writer *w, u64 section)
{
	patch_u64(w, section + 8, w->out.pos - section - SECTION_HEADER);
}

/* Append u32 compressed size, u32 size, data. */
static int put_packed(struct trace_dat_writer *w, const void *data, size_t n)
{
	size_t size = w->codec->bound(n);
	u32 head[2];
	int err;

	if (!bytes_reserve(&w->packed, &w->packed_size, size))
		return HIST_NOMEM;
	err = w->codec->encode(w->encoder, (struct span){ data, n }, w->packed, &size);
	if (err)
		return err;
	store_u32(&head[0], (u32)size, w->machine.big_endian);
	store_u32(&head[1], (u32)n, w->machine.big_endian);
	trace_dat_out_write(&w->out, head, sizeof(head));
	trace_dat_out_write(&w->out, w->packed, size);
	return 0;
}

static int put_section(struct trace_dat_writer *w, u16 id, const struct strbuf *body,
		       const char *description)
{
	/* as in trace-cmd: options are never compressed */
	bool packed = w->codec && id != TRACE_DAT_DONE;
	u64 at = put_section_header(w, id, packed, description);
	int err = 0;

	if (body->failed || body->len > UINT32_MAX)
		return HIST_NOMEM;
	if (packed)
		err = put_packed(w, body->s, body->len);
	else
		trace_dat_out_write(&w->out, body->s, body->len);
	patch_section_size(w, at);
	return err ? err : trace_dat_out_flush(&w->out);
}

static void put_u64_option(const struct trace_dat_writer *w, struct strbuf *sb, u16 id, u64 v)
{
	store_u64(&v, v, w->machine.big_endian);
	trace_dat_writer_put_option(w, sb, id, (struct span){ (const char *)&v, sizeof(v) });
}

/* Append the options that were added since the last call. */
static void put_given_options(struct trace_dat_writer *w, struct strbuf *sb)
{
	for (; w->options_written < w->options.n; w->options_written++) {
		const struct writer_option *o = &w->options.v[w->options_written];

		trace_dat_writer_put_option(w, sb, o->id, o->data);
	}
}

/* Write the section of options in @sb and link it to the previous one. */
static int put_options(struct trace_dat_writer *w, struct strbuf *sb)
{
	int err;

	patch_u64(w, w->link, w->out.pos);
	put_u64_option(w, sb, TRACE_DAT_DONE, 0);
	err = put_section(w, TRACE_DAT_DONE, sb, "options");
	w->link = w->out.pos - 8;
	return err;
}

static int begin(struct trace_dat_writer *w)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT, clocks = STRBUF_INIT;
	const char *name = w->codec ? w->codec->name : "none";
	const char *version = w->codec ? w->codec->version() : "";
	int err;

	trace_dat_writer_start(w, &sb);
	strbuf_add(&sb, name, strlen(name) + 1);
	strbuf_add(&sb, version, strlen(version) + 1);
	w->link = sb.len;
	trace_dat_put_u64(&sb, w, 0);
	trace_dat_out_write(&w->out, sb.s, sb.len);
	err = sb.failed ? HIST_NOMEM : 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(w->meta_offset) && !err; i++) {
		const unsigned int id = TRACE_DAT_HEADER_INFO + i;

		if (id >= TRACE_DAT_KALLSYMS && !w->sections[id - TRACE_DAT_KALLSYMS].s)
			continue;
		w->meta_offset[i] = w->out.pos;
		strbuf_reset(&sb);
		trace_dat_writer_meta(w, id, &sb);
		err = put_section(w, (u16)id, &sb, meta_description[i]);
	}
	strbuf_reset(&sb);
	for (unsigned int i = 0; i < ARRAY_SIZE(w->meta_offset); i++)
		if (w->meta_offset[i])
			put_u64_option(w, &sb, (u16)(TRACE_DAT_HEADER_INFO + i), w->meta_offset[i]);
	trace_dat_writer_clocks(w, &clocks);
	trace_dat_writer_put_option(w, &sb, TRACE_DAT_TRACECLOCK,
				    (struct span){ clocks.s, clocks.len });
	sb.failed |= clocks.failed;
	put_given_options(w, &sb);
	return err ?: put_options(w, &sb);
}

static int buffer(struct trace_dat_writer *w, struct writer_buffer *b)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "buffer flyrecord %s", b->name);
	b->section = put_section_header(w, TRACE_DAT_BUFFER, w->codec, sb.s);
	w->strings.failed |= sb.failed;
	return !w->codec || bytes_reserve(&w->chunk, &w->chunk_size,
					  (size_t)TRACE_DAT_CHUNK_PAGES * b->subbuf_size)
		       ? 0
		       : HIST_NOMEM;
}

static int buffer_end(struct trace_dat_writer *w, struct writer_buffer *b)
{
	patch_section_size(w, b->section);
	return trace_dat_out_flush(&w->out);
}

static int cpu_begin(struct trace_dat_writer *w, struct writer_cpu *c)
{
	if (!w->codec)
		trace_dat_out_align(&w->out, writer_buffer(w)->subbuf_size);
	c->offset = w->out.pos;
	w->chunks = 0;
	w->noted_before = w->noted.len;
	return 0;
}

/* Note the place and the time of sub-buffer @first, with which a chunk begins. */
static void note_chunk(struct trace_dat_writer *w, u64 first, u64 ts)
{
	trace_dat_put_u64(&w->noted, w, w->out.pos);
	trace_dat_put_u64(&w->noted, w, first);
	trace_dat_put_u64(&w->noted, w, w->chunks);
	trace_dat_put_u64(&w->noted, w, ts);
}

static int put_chunk(struct trace_dat_writer *w)
{
	static const u32 count_comes_later;
	size_t n = w->chunk_pages * writer_buffer(w)->subbuf_size;

	if (!w->chunks)
		trace_dat_out_write(&w->out, &count_comes_later, sizeof(count_comes_later));
	if (w->chunks % NOTED_CHUNKS == 0)
		note_chunk(w, (u64)w->chunks * TRACE_DAT_CHUNK_PAGES,
			   load_u64(w->chunk, w->machine.big_endian));
	w->chunks++;
	w->chunk_pages = 0;
	return put_packed(w, w->chunk, n);
}

static int cpu_end(struct trace_dat_writer *w, struct writer_cpu *c)
{
	size_t last = w->chunk_pages ? w->chunk_pages : TRACE_DAT_CHUNK_PAGES;
	int err = w->chunk_pages ? put_chunk(w) : 0;
	u32 n;

	if (w->chunks)
		note_chunk(w, (u64)(w->chunks - 1) * TRACE_DAT_CHUNK_PAGES + last, c->last);
	if (c->unsorted)
		strbuf_cut(&w->noted, w->noted_before);
	store_u32(&n, w->chunks, w->machine.big_endian);
	if (w->chunks)
		trace_dat_out_patch(&w->out, c->offset, &n, sizeof(n));
	c->size = w->out.pos - c->offset;
	if (err)
		return err;
	return w->out.error ? -HIST_EIO : 0;
}

static int pages(struct trace_dat_writer *w, const u8 *data, size_t n)
{
	size_t size = writer_buffer(w)->subbuf_size;
	int err = 0;

	if (!w->codec)
		trace_dat_out_write(&w->out, data, n * size);
	for (size_t i = 0; w->codec && i < n && !err; i++) {
		memcpy(w->chunk + w->chunk_pages * size, data + i * size, size);
		if (++w->chunk_pages == TRACE_DAT_CHUNK_PAGES)
			err = put_chunk(w);
	}
	if (err)
		return err;
	return w->out.error ? -HIST_EIO : 0;
}

static void put_buffer_option(struct trace_dat_writer *w, const struct writer_buffer *b,
			      struct strbuf *sb)
{
	scoped(strbuf_release) struct strbuf data = STRBUF_INIT;
	u32 n = sum_of(i, b->cpus.n, b->cpus.v[i].size != 0);

	trace_dat_put_u64(&data, w, b->section);
	strbuf_add(&data, b->name, strlen(b->name) + 1);
	strbuf_add(&data, b->clock, strlen(b->clock) + 1);
	trace_dat_put_u32(&data, w, b->subbuf_size);
	trace_dat_put_u32(&data, w, n);
	for (size_t i = 0; i < b->cpus.n; i++) {
		if (!b->cpus.v[i].size)
			continue;
		trace_dat_put_u32(&data, w, b->cpus.v[i].cpu);
		trace_dat_put_u64(&data, w, b->cpus.v[i].offset);
		trace_dat_put_u64(&data, w, b->cpus.v[i].size);
	}
	trace_dat_writer_put_option(w, sb, TRACE_DAT_BUFFER, (struct span){ data.s, data.len });
	sb->failed |= data.failed;
}

static int finish(struct trace_dat_writer *w)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT, ascend = STRBUF_INIT;
	u32 cpus;
	int err;

	store_u32(&cpus, trace_dat_writer_cpu_count(w), w->machine.big_endian);
	trace_dat_writer_put_option(w, &sb, TRACE_DAT_CPUCOUNT,
				    (struct span){ (const char *)&cpus, sizeof(cpus) });
	put_given_options(w, &sb);
	array_each(const struct writer_buffer, b, &w->buffers) {
		put_buffer_option(w, b, &sb);
		for (size_t k = 0; k < b->cpus.n; k++) {
			if (!b->cpus.v[k].size || b->cpus.v[k].unsorted)
				continue;
			trace_dat_put_u64(&ascend, w, b->cpus.v[k].offset);
			trace_dat_put_u64(&ascend, w, b->cpus.v[k].size);
		}
	}
	if (ascend.len)
		trace_dat_writer_put_option(w, &sb, TRACE_DAT_HIST_ASCEND,
					    (struct span){ ascend.s, ascend.len });
	if (w->noted.len)
		trace_dat_writer_put_option(w, &sb, TRACE_DAT_HIST_CHUNKS,
					    (struct span){ w->noted.s, w->noted.len });
	sb.failed |= ascend.failed | w->noted.failed;
	err = put_options(w, &sb);
	if (err)
		return err;
	/* the last string is the description of this section itself */
	strbuf_reset(&sb);
	strbuf_add(&sb, w->strings.s, w->strings.len);
	strbuf_add(&sb, "strings", 8);
	sb.failed |= w->strings.failed;
	return put_section(w, TRACE_DAT_STRINGS, &sb, "strings");
}

const struct trace_dat_writer_ops trace_dat_writer_v7 = {
	.begin = begin,
	.buffer = buffer,
	.buffer_end = buffer_end,
	.cpu = cpu_begin,
	.cpu_end = cpu_end,
	.pages = pages,
	.finish = finish,
};
