/* SPDX-License-Identifier: LGPL-2.1-only */
/* A small recording for the tests of trace_dat; its bytes can be computed. */
#ifndef TESTS_TRACE_DAT_SAMPLE_H
#define TESTS_TRACE_DAT_SAMPLE_H

#include <stdio.h>
#include <unistd.h>

#include "ring_buffer/ring_buffer.h"
#include "trace_dat/trace_dat.h"
#include "trace_dat/writer.h"

#define SAMPLE_EVENT_ID 1000
#define SAMPLE_KALLSYMS "ffffffff81000000 T _text\nffffffff81000010 T do_one\n"
#define SAMPLE_CMDLINES "7 seven\n8 eight nine\n"
#define SAMPLE_CLOCKS   "local [global] counter\n"
#define SAMPLE_UNAME    "Linux host 6.12.117 x86_64"
#define SAMPLE_FIELD(type, name, offset, size) \
	"\tfield:" type " " name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:0;\n"
#define SAMPLE_COMMON                                               \
	SAMPLE_FIELD("unsigned short", "common_type", 0, 2)         \
	SAMPLE_FIELD("unsigned char", "common_flags", 2, 1)         \
	SAMPLE_FIELD("unsigned char", "common_preempt_count", 3, 1) \
	SAMPLE_FIELD("int", "common_pid", 4, 4) "\n"
#define SAMPLE_FORMAT                                                                 \
	"name: foo\nID: 1000\nformat:\n" SAMPLE_COMMON SAMPLE_FIELD("int", "a", 8, 4) \
		SAMPLE_FIELD("int", "b", 12, 4) "\nprint fmt: \"a=%d b=%d\", REC->a, REC->b\n"
#define SAMPLE_FTRACE                                               \
	"name: print\nID: 5\nformat:\n" SAMPLE_COMMON SAMPLE_FIELD( \
		"char", "buf[]", 16, 0) "\nprint fmt: \"%s\", REC->buf\n"

enum { SAMPLE_CPUS = 4 };

struct sample {
	struct trace_dat_machine machine;
	u32 pages[SAMPLE_CPUS]; /* number of sub-buffers of CPU 0, 1, 2, 5 of the top buffer */
	bool instance;          /* "inst" with the same records, each on the next CPU */
};

static const u32 sample_cpu[SAMPLE_CPUS] = { 0, 1, 2, 5 };

static inline struct sample sample_of(int version, enum codec codec)
{
	return (struct sample){
		.machine = {
			.version = version, .codec = codec, .long_size = 8, .page_size = 256,
			.cpu_count = 8, .clock = "global", .clocks = span_of(SAMPLE_CLOCKS),
		},
		.pages = { 3, 1, 0, 12 },
		.instance = true,
	};
}

static inline struct ring_buffer_layout sample_layout(const struct trace_dat_machine *m)
{
	return (struct ring_buffer_layout){
		.big_endian = m->big_endian,
		.long_size = m->long_size,
		.subbuf_size = m->page_size,
	};
}

/* Write a record of SAMPLE_EVENT_ID, 20 bytes with its first word. */
static inline void sample_record(u8 *p, bool big, u32 delta, u32 a, u32 b)
{
	store_u32(p, big ? 4u << 27 | delta : 4u | delta << 5, big);
	store_u16(p + 4, SAMPLE_EVENT_ID, big);
	store_u16(p + 6, 0, big);
	store_u32(p + 8, 7, big);
	store_u32(p + 12, a, big);
	store_u32(p + 16, b, big);
}

/* Write sub-buffer @index of @cpu to @page. */
static inline void sample_page(const struct ring_buffer_layout *l, u32 cpu, u32 index, u8 *page)
{
	u32 header = ring_buffer_header_size(l), at = header, k = 0;

	memset(page, 0, l->subbuf_size);
	for (; at + 20 <= l->subbuf_size; at += 20, k++)
		sample_record(page + at, l->big_endian, k ? 100 : 0, index, k);
	store_u64(page, 1000000 + (u64)index * 100000 - cpu, l->big_endian);
	if (l->long_size == 8)
		store_u64(page + 8, at - header, l->big_endian);
	else
		store_u32(page + 8, at - header, l->big_endian);
}

static inline void sample_write_buffer(struct trace_dat_writer *w, const struct sample *s,
				       u32 shift)
{
	struct ring_buffer_layout l = sample_layout(&s->machine);
	u8 *page = malloc(l.subbuf_size);

	assert_non_null(page);
	for (int i = 0; i < SAMPLE_CPUS; i++) {
		assert_int_equal(trace_dat_writer_cpu(w, sample_cpu[i] + shift), 0);
		for (u32 k = 0; k < s->pages[i]; k++) {
			sample_page(&l, sample_cpu[i] + shift, k, page);
			assert_int_equal(trace_dat_writer_pages(w, page, 1), 0);
		}
	}
	free(page);
}

/* Write everything except for the end. */
static inline struct trace_dat_writer *sample_start(const char *path, const struct sample *s)
{
	struct diags diags = DIAGS_INIT;
	struct trace_dat_writer *w;

	assert_int_equal(trace_dat_writer_open(path, &s->machine, &w, &diags), 0);
	trace_dat_writer_format(w, "ftrace", span_of(SAMPLE_FTRACE));
	trace_dat_writer_format(w, "test", span_of(SAMPLE_FORMAT));
	trace_dat_writer_section(w, TRACE_DAT_KALLSYMS, span_of(SAMPLE_KALLSYMS));
	trace_dat_writer_section(w, TRACE_DAT_CMDLINES, span_of(SAMPLE_CMDLINES));
	trace_dat_writer_option(w, TRACE_DAT_UNAME, SAMPLE_UNAME, sizeof(SAMPLE_UNAME));
	trace_dat_writer_buffer(w, "", "global", s->machine.page_size);
	sample_write_buffer(w, s, 0);
	if (s->instance) {
		trace_dat_writer_buffer(w, "inst", "global", s->machine.page_size);
		sample_write_buffer(w, s, 1);
	}
	trace_dat_writer_option(w, TRACE_DAT_HIST_SCRIPT, "echo hist", 9);
	diags_release(&diags);
	return w;
}

static inline void sample_write(const char *path, const struct sample *s)
{
	struct trace_dat_writer *w = sample_start(path, s);
	struct diags diags = DIAGS_INIT;

	assert_int_equal(trace_dat_writer_finish(w, &diags), 0);
	assert_int_equal(diags.list.n, 0);
	diags_release(&diags);
}

static inline int sample_read_page(void *pages, const u8 **page, size_t *len)
{
	return trace_dat_pages_next(pages, page, len);
}

/* Read everything; returns the number of records. Fails if that does not end. */
static inline u64 sample_read_all(struct trace_dat *td, struct diags *diags)
{
	const struct trace_dat_info *info = trace_dat_info(td);
	const struct trace_dat_buffer *b;
	const struct trace_dat_format *formats;
	struct span text;
	size_t n;
	u64 records = 0;

	trace_dat_formats(td, &formats, &n, diags);
	for (int id = TRACE_DAT_KALLSYMS; id <= TRACE_DAT_CMDLINES; id++)
		trace_dat_section(td, (enum trace_dat_option_id)id, &text, diags);
	b = trace_dat_buffers(td, &n);
	for (size_t i = 0; i < n; i++) {
		struct ring_buffer_layout l = { info->big_endian, info->long_size,
						b[i].subbuf_size };

		for (size_t k = 0; k < b[i].n_cpus; k++) {
			struct trace_dat_pages *pages;
			struct ring_buffer_iter it;
			struct ring_buffer_record rec;
			u64 errors = 0, count;
			int err;

			assert_int_equal(trace_dat_pages_open(td, i, k, &pages, diags), 0);
			count = trace_dat_pages_count(pages);
			ring_buffer_iter_init(&it, &l, b[i].cpus[k].cpu, sample_read_page, pages);
			while ((err = ring_buffer_iter_next(&it, &rec)) <= 0) {
				records += !err;
				errors += err < 0;
				assert_true(errors <= count + 1);
			}
			assert_true(trace_dat_pages_index(pages) <= count);
			trace_dat_pages_diagnose(pages, diags);
			trace_dat_pages_close(pages);
		}
	}
	return records;
}

/* Number of records in a sample. */
static inline u64 sample_records(const struct sample *s)
{
	u64 per_page = (s->machine.page_size - 8 - s->machine.long_size) / 20, pages = 0;

	for (int i = 0; i < SAMPLE_CPUS; i++)
		pages += s->pages[i];
	return pages * per_page * (s->instance ? 2 : 1);
}

/* A private directory for each test program, removed at its end. */
static char sample_dir[] = "/tmp/hist-trace-dat-XXXXXX";

static inline int sample_make_dir(void **state)
{
	(void)state;
	return mkdtemp(sample_dir) ? 0 : -1;
}

static inline int sample_remove_dir(void **state)
{
	char command[sizeof(sample_dir) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", sample_dir);
	return system(command);
}

static inline const char *sample_path(const char *name)
{
	static char path[sizeof(sample_dir) + 64];

	snprintf(path, sizeof(path), "%s/%s", sample_dir, name);
	return path;
}

/* --- files as bytes --- */

struct sample_file {
	struct strbuf sb;
	bool big;
};

static inline void sample_save(const struct sample_file *f, const char *path)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(f->sb.s, 1, f->sb.len, out), f->sb.len);
	assert_int_equal(fclose(out), 0);
}

static inline struct sample_file sample_load(const char *path)
{
	struct sample_file f = { .sb = STRBUF_INIT };
	FILE *in = fopen(path, "r");
	char block[4096];
	size_t n;

	assert_non_null(in);
	while ((n = fread(block, 1, sizeof(block), in)))
		strbuf_add(&f.sb, block, n);
	fclose(in);
	return f;
}

/* The place of the offset and size of a CPU's data in a file. */
static inline u8 *sample_find_extent(const struct sample_file *f, u64 offset, u64 size)
{
	u8 extent[16], *at;

	store_u64(extent, offset, f->big);
	store_u64(extent + 8, size, f->big);
	at = memmem(f->sb.s, f->sb.len, extent, sizeof(extent));
	assert_non_null(at);
	return at;
}

static inline struct trace_dat *sample_open(const char *path)
{
	struct diags diags = DIAGS_INIT;
	struct trace_dat *td = NULL;

	if (trace_dat_open(path, &td, &diags))
		fail_msg("%s", diags.list.n ? diags.list.v[0].text : "?");
	assert_int_equal(diags.list.n, 0);
	diags_release(&diags);
	return td;
}

static const struct {
	int version;
	enum codec codec;
} sample_variants[] = {
	{ 6, CODEC_NONE },
	{ 7, CODEC_NONE },
	{ 7, CODEC_ZLIB },
	{ 7, CODEC_ZSTD },
};

#endif
