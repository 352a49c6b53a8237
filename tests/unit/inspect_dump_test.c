// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The output of hist_dump() and its audit for recordings made by hand: every type of entry, every
 * kind of machine, version and codec of the file.
 */
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "hist-dump.h"
#include "ring_buffer_draft.h"
#include "trace_dat_sample.h"

static char path[] = "/tmp/hist-dump-XXXXXX";

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_drafts(const struct trace_dat_machine *machine, const struct draft *drafts,
			 size_t n)
{
	struct diags diags = DIAGS_INIT;
	struct trace_dat_writer *w;

	assert_int_equal(trace_dat_writer_open(path, machine, &w, &diags), 0);
	trace_dat_writer_format(w, "test", span_of(SAMPLE_FORMAT));
	trace_dat_writer_section(w, TRACE_DAT_CMDLINES, span_of(SAMPLE_CMDLINES));
	trace_dat_writer_buffer(w, "", machine->clock, machine->page_size);
	assert_int_equal(trace_dat_writer_cpu(w, 2), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(trace_dat_writer_pages(w, drafts[i].bytes, 1), 0);
	assert_int_equal(trace_dat_writer_finish(w, &diags), 0);
	diags_release(&diags);
}

static struct trace_dat_machine machine_of(const struct ring_buffer_layout *l, int version,
					   enum codec codec)
{
	return (struct trace_dat_machine){
		.version = version,
		.codec = codec,
		.big_endian = l->big_endian,
		.long_size = l->long_size,
		.page_size = SUBBUF,
		.cpu_count = 4,
		.clock = "local",
	};
}

static int add_text(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

static int dump_text_of(const struct hist_options *how, const struct hist_dump_options *what,
			struct strbuf *out)
{
	const char *paths[] = { path };
	struct hist_options options = *how;
	struct diags diags = DIAGS_INIT;
	struct hist *h;
	int err;

	options.inputs = paths;
	options.n_inputs = 1;
	assert_int_equal(hist_open(&options, &h, &diags), 0);
	err = hist_dump(h, what, add_text, out, &diags);
	hist_close(h);
	diags_release(&diags);
	return err;
}

static void cut_out(char *p, size_t n)
{
	memmove(p, p + n, strlen(p + n) + 1);
}

static void expect_dump(const struct hist_options *how, const struct hist_dump_options *what,
			int want, const char *text)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(dump_text_of(how, what, &out), want);
	/* without the offset in the file, which differs */
	for (char *p = out.s; (p = strstr(p, " at 0x")); p += 6)
		cut_out(p + 6, strspn(p + 6, "0123456789abcdef"));
	for (char *p = out.s; (p = strstr(p, " in the chunk"));)
		cut_out(p, strlen(" in the chunk"));
	assert_string_equal(out.s, text);
	strbuf_release(&out);
}

/* Put an event foo of pid 7 with the given context flags. */
static void put_foo(struct draft *d, u32 delta, u8 flags, u32 a)
{
	bool big = d->layout.big_endian;
	u8 *p;

	put_data(d, delta, 4, false);
	p = d->bytes + ring_buffer_header_size(&d->layout) + d->used - 16;
	store_u16(p, SAMPLE_EVENT_ID, big);
	p[2] = flags;
	p[3] = 1;
	store_u32(p + 4, 7, big);
	store_u32(p + 8, a, big);
	store_u32(p + 12, 0, big);
}

/* Every type of entry, and each of the audit's findings. */
static void make_drafts(struct draft d[3], const struct ring_buffer_layout *l)
{
	d[0] = draft_of(l, 5000000000);
	put_foo(&d[0], 0, 0, 1);
	put_foo(&d[0], 700, 8, 2);
	put_foo(&d[0], 0, 8, 3);
	put_foo(&d[0], 0, 0, 4);
	put_stamp(&d[0], RINGBUF_TYPE_TIME_EXTEND, 200);
	put_foo(&d[0], 0, 1, 5);
	put_word(&d[0], RINGBUF_TYPE_PADDING, 10);
	put_u32(&d[0], 8);
	put_payload(&d[0], 1);
	put_stamp(&d[0], RINGBUF_TYPE_TIME_STAMP, 6000000000);
	put_foo(&d[0], 0, 0, 6);
	put_word(&d[0], RINGBUF_TYPE_PADDING, 0);
	put_payload(&d[0], 2);
	d[1] = draft_of(l, 5900000000);
	put_foo(&d[1], 0, 0, 7);
	d[2] = draft_of(l, 6100000000);
	draft_commit(&d[2], RB_MISSED_EVENTS);
}

static const char dump64[] =
	"CPU 2, sub-buffer 0 at 0x: 160 of 1008 bytes, from 5.000000000\n"
	"  0x0010 record       16          +0       5.000000000               seven-7 ...1. test:foo a=1 b=0\n"
	"  0x0024 record       16        +700       5.000000700         +700  seven-7 ..h1. test:foo a=2 b=0\n"
	"  0x0038 record       16          +0       5.000000700           +0  seven-7 ..h1. test:foo a=3 b=0\n"
	"  0x004c record       16          +0       5.000000700           +0  seven-7 ...1. test:foo a=4 b=0\n"
	"  0x0060 extend        4        +200       5.000000900\n"
	"  0x0068 record       16          +0       5.000000900         +200  seven-7 d..1. test:foo a=5 b=0\n"
	"  0x007c discarded     8         +10       5.000000910\n"
	"  0x0088 stamp         4 =6000000000       6.000000000\n"
	"  0x0090 record       16          +0       6.000000000   +999999100  seven-7 ...1. test:foo a=6 b=0\n"
	"  0x00a4 padding       8          +0       6.000000000\n"
	"CPU 2, sub-buffer 1 at 0x: 20 of 1008 bytes, from 5.900000000\n"
	"  0x0010 record       16          +0       5.900000000   -100000000  seven-7 ...1. test:foo a=7 b=0\n"
	"CPU 2, sub-buffer 2 at 0x: 0 of 1008 bytes, from 6.100000000, events lost before it (the number was not recorded)\n"
	"CPU 2: 3 sub-buffers, 180 of 3024 bytes used, 1 empty; 7 records, 2 with delta 0, 1 discarded, 1 time "
	"extends, 1 absolute stamps, some lost; from 5.000000000 to 6.000000000\n";

static const char audit64[] =
	"CPU 2, sub-buffer 0, offset 0x60, 5.000000900: a time extend of 200, which fits into a delta: its writer was interrupted, triggers saw an earlier time\n"
	"CPU 2, sub-buffer 0, offset 0x38, 5.000000700: 2 records with delta 0, which old kernels write where interrupts write during another write\n"
	"CPU 2, sub-buffer 1, offset 0x10, 5.900000000: time goes back by 100000000, from 6.000000000\n"
	"CPU 2, sub-buffer 2, 6.100000000: events were lost before it (the number was not recorded)\n"
	"CPU 2: 3 sub-buffers, 180 of 3024 bytes used, 1 empty; 7 records, 2 with delta 0, 1 discarded, 1 time "
	"extends, 1 absolute stamps, some lost; from 5.000000000 to 6.000000000\n"
	"audit: time went back 1 times, 1 runs of zero deltas, 1 needless time extends, events lost at 1 "
	"places\n";

/*
 * Convert the text for a kernel with longs of 8 bytes to 4 bytes: the parts that depend on the
 * header.
 */
static void as_32_bits(struct strbuf *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		unsigned int v;
		int n;

		if (!strncmp(p, "0x", 2) && sscanf(p, "0x%4x%n", &v, &n) == 1) {
			strbuf_addf(out, n == 6 ? "0x%04x" : "0x%x", v - 4);
			p += n - 1;
		} else if (!strncmp(p, "1008", 4)) {
			strbuf_addstr(out, "1012");
			p += 3;
		} else if (!strncmp(p, "3024", 4)) {
			strbuf_addstr(out, "3036");
			p += 3;
		} else {
			strbuf_addch(out, *p);
		}
	}
}

static void test_every_file(void **state)
{
	static const struct {
		int version;
		enum codec codec;
	} files[] = { { 6, CODEC_NONE }, { 7, CODEC_NONE }, { 7, CODEC_ZLIB }, { 7, CODEC_ZSTD } };
	const struct hist_options all = { .inputs = NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts) * ARRAY_SIZE(files); i++) {
		const struct ring_buffer_layout *l = &layouts[i % ARRAY_SIZE(layouts)];
		size_t f = i / ARRAY_SIZE(layouts);
		struct trace_dat_machine m = machine_of(l, files[f].version, files[f].codec);
		struct strbuf want_dump = STRBUF_INIT, want_audit = STRBUF_INIT;
		struct draft d[3];

		make_drafts(d, l);
		write_drafts(&m, d, 3);
		if (l->long_size == 8) {
			strbuf_addstr(&want_dump, dump64);
			strbuf_addstr(&want_audit, audit64);
		} else {
			as_32_bits(&want_dump, dump64);
			as_32_bits(&want_audit, audit64);
		}
		expect_dump(&all, &(struct hist_dump_options){ .text = true }, 0, want_dump.s);
		expect_dump(&all, &(struct hist_dump_options){ .audit = true }, 1, want_audit.s);
		strbuf_release(&want_dump);
		strbuf_release(&want_audit);
	}
}

static void test_part(void **state)
{
	const struct trace_dat_machine m = machine_of(&layouts[0], 7, CODEC_NONE);
	struct draft d[3];

	(void)state;
	make_drafts(d, &layouts[0]);
	write_drafts(&m, d, 3);
	expect_dump(
		&(struct hist_options){ .from = "5.95", .to = "6.05" },
		&(struct hist_dump_options){ .format = NULL }, 0,
		"CPU 2, sub-buffer 0 at 0x: 160 of 1008 bytes, from 5.000000000\n"
		"  0x0088 stamp         4 =6000000000       6.000000000\n"
		"  0x0090 record       16          +0       6.000000000   +999999100  seven-7 ...1. test:foo\n"
		"  0x00a4 padding       8          +0       6.000000000\n"
		"CPU 2: 3 sub-buffers, 180 of 3024 bytes used, 1 empty; 1 records, 0 with delta 0, 0 discarded, "
		"0 time extends, 1 absolute stamps, some lost; from 6.000000000 to 6.000000000\n");
	expect_dump(
		&(struct hist_options){ .from = "5.95", .to = "6.05" },
		&(struct hist_dump_options){ .audit = true }, 0,
		"CPU 2: 3 sub-buffers, 180 of 3024 bytes used, 1 empty; 1 records, 0 with delta 0, 0 discarded, "
		"0 time extends, 1 absolute stamps, some lost; from 6.000000000 to 6.000000000\n"
		"audit: nothing found\n");
	expect_dump(&(struct hist_options){ .cpus = "0-1" },
		    &(struct hist_dump_options){ .totals = true }, 0, "");
}

static void test_json(void **state)
{
	const struct trace_dat_machine m = machine_of(&layouts[0], 7, CODEC_NONE);
	const struct hist_options all = { .inputs = NULL };
	struct strbuf out = STRBUF_INIT;
	struct draft d[3];

	(void)state;
	make_drafts(d, &layouts[0]);
	write_drafts(&m, d, 3);
	assert_int_equal(dump_text_of(&all, &(struct hist_dump_options){ .format = "json" }, &out),
			 0);
	assert_non_null(strstr(
		out.s,
		"{\"type\":\"record\",\"cpu\":2,\"offset\":36,\"size\":16,\"delta\":700,"
		"\"ts\":5000000700,\"diff\":700,\"pid\":7,\"comm\":\"seven\",\"flags\":\"..h1.\","
		"\"system\":\"test\",\"event\":\"foo\"}\n"));
	assert_non_null(strstr(
		out.s,
		"{\"type\":\"stamp\",\"cpu\":2,\"offset\":136,\"size\":4,\"delta\":6000000000,"
		"\"ts\":6000000000}\n"));
	assert_non_null(strstr(out.s, "\"diff\":-100000000,"));
	assert_non_null(strstr(out.s, "\"ts\":6100000000,\"lost\":null}\n"));
	strbuf_reset(&out);
	assert_int_equal(
		dump_text_of(&all, &(struct hist_dump_options){ .format = "json", .audit = true },
			     &out),
		1);
	assert_non_null(strstr(
		out.s, "{\"type\":\"finding\",\"kind\":\"zero_deltas\",\"cpu\":2,\"index\":0,"
		       "\"offset\":56,\"ts\":5000000700,\"records\":2,\"nested\":true}\n"));
	assert_non_null(strstr(
		out.s, "{\"type\":\"audit\",\"backward\":1,\"zero_deltas\":1,\"needless_extend\":1,"
		       "\"lost\":1,\"damaged\":0}\n"));
	strbuf_reset(&out);
	assert_int_equal(dump_text_of(&all, &(struct hist_dump_options){ .format = "xml" }, &out),
			 -HIST_EINVAL);
	assert_int_equal(out.len, 0);
	strbuf_release(&out);
}

/* If the buffer does not overwrite, lost events are only in the kernel's statistics. */
static void test_dropped(void **state)
{
	static const char stats[] = "CPU: 2\nentries: 0\ncommit overrun: 3\ndropped events: 12\n";
	const struct trace_dat_machine m = machine_of(&layouts[0], 7, CODEC_NONE);
	const struct hist_options all = { .inputs = NULL };
	struct draft d = draft_of(&layouts[0], 5000000000);
	struct diags diags = DIAGS_INIT;
	struct trace_dat_writer *w;

	(void)state;
	put_foo(&d, 0, 0, 1);
	assert_int_equal(trace_dat_writer_open(path, &m, &w, &diags), 0);
	trace_dat_writer_option(w, TRACE_DAT_CPUSTAT, stats, sizeof(stats));
	trace_dat_writer_buffer(w, "", m.clock, m.page_size);
	trace_dat_writer_cpu(w, 2);
	trace_dat_writer_pages(w, d.bytes, 1);
	assert_int_equal(trace_dat_writer_finish(w, &diags), 0);
	diags_release(&diags);
	expect_dump(
		&all, &(struct hist_dump_options){ .audit = true }, 1,
		"CPU 2: 1 sub-buffers, 20 of 1008 bytes used; 1 records, 0 with delta 0, 0 discarded, 0 time "
		"extends, 0 absolute stamps, 0 lost, 12 dropped because the buffer was full, 3 lost to commit "
		"overrun; from 5.000000000 to 5.000000000\n"
		"audit: time went back 0 times, 0 runs of zero deltas, 0 needless time extends, events lost at 2 "
		"places\n");
	expect_dump(
		&all, &(struct hist_dump_options){ .totals = true }, 0,
		"CPU 2: 1 sub-buffers, 20 of 1008 bytes used; 1 records, 0 with delta 0, 0 discarded, 0 time "
		"extends, 0 absolute stamps, 0 lost, 12 dropped because the buffer was full, 3 lost to commit "
		"overrun; from 5.000000000 to 5.000000000\n");
}

/* A length that does not fit ends the sub-buffer and is reported; the next sub-buffer is read. */
static void test_damage(void **state)
{
	const struct trace_dat_machine m = machine_of(&layouts[0], 7, CODEC_NONE);
	const struct hist_options all = { .inputs = NULL };
	struct draft d[3];

	(void)state;
	make_drafts(d, &layouts[0]);
	store_u32(d[0].bytes + 0x24, 28 | 700 << 5, false);
	draft_commit(&d[0], 40);
	draft_commit(&d[1], 5000);
	write_drafts(&m, d, 3);
	expect_dump(
		&all, &(struct hist_dump_options){ .format = NULL }, 0,
		"CPU 2, sub-buffer 0 at 0x: 40 of 1008 bytes, from 5.000000000\n"
		"  0x0010 record       16          +0       5.000000000               seven-7 ...1. test:foo\n"
		"CPU 2, at 0x: damaged: the next entry does not fit, the rest of the sub-buffer is left out\n"
		"CPU 2, sub-buffer 1 at 0x: 0 of 1008 bytes, from 5.900000000\n"
		"CPU 2, at 0x: damaged: the header of this sub-buffer is invalid\n"
		"CPU 2, sub-buffer 2 at 0x: 0 of 1008 bytes, from 6.100000000, events lost before it (the number was not recorded)\n"
		"CPU 2: 3 sub-buffers, 40 of 3024 bytes used, 1 empty, 2 damaged; 1 records, 0 with delta 0, 0 "
		"discarded, 0 time extends, 0 absolute stamps, some lost; from 5.000000000 to 5.000000000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_every_file), TEST(test_part),   TEST(test_json),
		TEST(test_dropped),    TEST(test_damage),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
