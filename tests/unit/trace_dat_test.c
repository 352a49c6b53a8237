// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reading files that are not recordings, are inconsistent, or have the quirks of real writers.
 * trace_dat_writer_test.c tests reading intact recordings.
 */
#include "unit.h"

#include <dirent.h>
#include <sys/stat.h>

#include "trace_dat_sample.h"

/* --- files made by hand --- */

static void put_u16(struct sample_file *f, u16 v)
{
	store_u16(&v, v, f->big);
	strbuf_add(&f->sb, &v, 2);
}

static void put_u32(struct sample_file *f, u32 v)
{
	store_u32(&v, v, f->big);
	strbuf_add(&f->sb, &v, 4);
}

static void put_u64(struct sample_file *f, u64 v)
{
	store_u64(&v, v, f->big);
	strbuf_add(&f->sb, &v, 8);
}

static void put_str(struct sample_file *f, const char *s)
{
	strbuf_add(&f->sb, s, strlen(s) + 1);
}

static void put_option(struct sample_file *f, u16 id, const void *data, size_t n)
{
	put_u16(f, id);
	put_u32(f, (u32)n);
	strbuf_add(&f->sb, data, n);
}

static void put_option_u64(struct sample_file *f, u16 id, u64 v)
{
	store_u64(&v, v, f->big);
	put_option(f, id, &v, sizeof(v));
}

static void align(struct sample_file *f, size_t to)
{
	while (f->sb.len % to)
		strbuf_addch(&f->sb, '\0');
}

static void put_start(struct sample_file *f, const char *version, u32 page_size)
{
	strbuf_add(&f->sb, "\x17\x08\x44tracing", 10);
	strbuf_add(&f->sb, version, 2);
	strbuf_addch(&f->sb, f->big);
	strbuf_addch(&f->sb, 8);
	put_u32(f, page_size);
}

static void put_header_info(struct sample_file *f, u32 subbuf)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
	strbuf_addf(&text, "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n");
	strbuf_addf(&text, "\tfield: char data;\toffset:16;\tsize:%u;\tsigned:0;\n", subbuf - 16);
	put_str(f, "header_page");
	put_u64(f, text.len);
	strbuf_add(&f->sb, text.s, text.len);
	put_str(f, "header_event");
	put_u64(f, 0);
	strbuf_release(&text);
}

/* --- v7 by hand: sections, then options --- */

enum { PAGE = 256 };

struct v7 {
	struct sample_file f;
	size_t options_at; /* offset of the u64 that points to the options */
	struct sample_file options;
	u64 section; /* the section being written */
};

static void section_start(struct v7 *v, u16 id)
{
	v->section = v->f.sb.len;
	put_u16(&v->f, id);
	put_u16(&v->f, 0);
	put_u32(&v->f, UINT32_MAX);
	put_u64(&v->f, 0);
}

static void section_end(struct v7 *v)
{
	store_u64(v->f.sb.s + v->section + 8, v->f.sb.len - v->section - 16, v->f.big);
}

static struct v7 v7_start(u32 file_page, u32 header_page)
{
	struct v7 v = { .f = { .sb = STRBUF_INIT }, .options = { .sb = STRBUF_INIT } };
	u64 at;

	put_start(&v.f, "7", file_page);
	strbuf_add(&v.f.sb, "none\0", 6);
	v.options_at = v.f.sb.len;
	put_u64(&v.f, 0);
	at = v.f.sb.len;
	section_start(&v, TRACE_DAT_HEADER_INFO);
	put_header_info(&v.f, header_page);
	section_end(&v);
	put_option_u64(&v.options, TRACE_DAT_HEADER_INFO, at);
	return v;
}

/* Add a buffer of one page whose first time stamp is @ts; @cpus CPUs, all with number @cpu. */
static void v7_buffer(struct v7 *v, const char *name, const char *clock, u32 subbuf, u32 cpu,
		      u32 cpus)
{
	struct ring_buffer_layout l = { false, 8, subbuf };
	struct sample_file o = { .sb = STRBUF_INIT };
	u8 *page = malloc(subbuf);

	assert_non_null(page);
	section_start(v, TRACE_DAT_BUFFER);
	put_u64(&o, v->section);
	put_str(&o, name);
	put_str(&o, clock);
	put_u32(&o, subbuf);
	put_u32(&o, cpus);
	for (u32 i = 0; i < cpus; i++) {
		align(&v->f, subbuf);
		put_u32(&o, cpu);
		put_u64(&o, v->f.sb.len);
		put_u64(&o, subbuf);
		sample_page(&l, cpu, 0, page);
		strbuf_add(&v->f.sb, (char *)page, subbuf);
	}
	section_end(v);
	put_option(&v->options, TRACE_DAT_BUFFER, o.sb.s, o.sb.len);
	strbuf_release(&o.sb);
	free(page);
}

/* Write options at the end; @next is the offset in their DONE. */
static void v7_save(struct v7 *v, u64 next, const char *path)
{
	store_u64(v->f.sb.s + v->options_at, v->f.sb.len, v->f.big);
	section_start(v, TRACE_DAT_DONE);
	strbuf_add(&v->f.sb, v->options.sb.s, v->options.sb.len);
	put_option_u64(&v->f, TRACE_DAT_DONE, next);
	section_end(v);
	sample_save(&v->f, path);
	strbuf_release(&v->f.sb);
	strbuf_release(&v->options.sb);
}

/* --- opening --- */

/* Opening must fail with @err and one diagnosis, which contains the file name and @text. */
static void refuse(const char *path, int err, const char *text)
{
	struct diags diags = DIAGS_INIT;
	struct trace_dat *td;

	assert_int_equal(trace_dat_open(path, &td, &diags), err);
	assert_null(td);
	assert_int_equal(diags.list.n, 1);
	assert_int_equal(diags.list.v[0].level, DIAG_ERROR);
	if (!strstr(diags.list.v[0].text, text) ||
	    strncmp(diags.list.v[0].text, path, strlen(path)))
		fail_msg("\"%s\" has no \"%s\"", diags.list.v[0].text, text);
	diags_release(&diags);
}

static void refuse_bytes(const char *bytes, size_t n, int err, const char *text)
{
	struct sample_file f = { .sb = STRBUF_INIT };

	strbuf_add(&f.sb, bytes, n);
	sample_save(&f, sample_path("bytes.dat"));
	refuse(sample_path("bytes.dat"), err, text);
	strbuf_release(&f.sb);
}

#define REFUSE(bytes, err, text) refuse_bytes(bytes, sizeof(bytes) - 1, err, text)
#define MAGIC                    "\x17\x08\x44tracing"

static void test_not_a_recording(void **state)
{
	(void)state;
	refuse(sample_path("no-such"), -HIST_ENOENT, "cannot open: No such file or directory");
	refuse(sample_dir, -HIST_ENOTTRACE, "is a directory");
	refuse("/dev/null", -HIST_ENOTTRACE, "is not a regular file");
	assert_int_equal(mkfifo(sample_path("fifo"), 0600), 0);
	refuse(sample_path("fifo"), -HIST_ENOTTRACE, "is not a regular file");
	REFUSE("", -HIST_ENOTTRACE, "is empty");
	REFUSE("hello\n", -HIST_ENOTTRACE, "is not a trace.dat file");
	REFUSE("# tracer: nop\n#\n", -HIST_ENOTTRACE, "text of a trace file");
	REFUSE("PERFILE2........", -HIST_ENOTTRACE, "perf.data");
	REFUSE("\x1f\x8b\x08", -HIST_ENOTTRACE, "unpack it first");
	REFUSE("\x17\x08", -HIST_EFORMAT, "truncated after 2 bytes");
	REFUSE(MAGIC "6", -HIST_EFORMAT, "truncated");
	REFUSE(MAGIC "6\0\0\x08\0\x10", -HIST_EFORMAT, "truncated");
	REFUSE(MAGIC "8\0\0\x08\0\x10\0\0zstd\0", -HIST_EUNSUPPORTED, "version 8");
	REFUSE(MAGIC "x\0\0\x08\0\x10\0\0", -HIST_EFORMAT, "no version number");
	REFUSE(MAGIC "7\0\x02\x08\0\x10\0\0", -HIST_EFORMAT, "byte order");
	REFUSE(MAGIC "7\0\0\x08\0\x10\0\0lzma\0"
		     "1\0"
		     "................",
	       -HIST_EUNSUPPORTED, "compressed with \"lzma\"");
	REFUSE(MAGIC "6\0\0\x08\0\x10\0\0header_bage\0........", -HIST_EFORMAT,
	       "header_page expected");
}

static void test_latency_text(void **state)
{
	struct sample_file f = { .sb = STRBUF_INIT };
	struct v7 v = v7_start(PAGE, PAGE);
	struct sample_file o = { .sb = STRBUF_INIT };

	(void)state;
	put_start(&f, "6", PAGE);
	put_header_info(&f, PAGE);
	for (int i = 0; i < 4; i++)
		put_u32(&f, 0);
	put_u64(&f, 0);
	put_u32(&f, 1);
	strbuf_add(&f.sb, "latency  \0# tracer: irqsoff\n", 28);
	sample_save(&f, sample_path("latency.dat"));
	refuse(sample_path("latency.dat"), -HIST_EUNSUPPORTED, "latency tracer");
	strbuf_release(&f.sb);

	section_start(&v, TRACE_DAT_BUFFER_TEXT);
	put_str(&v.f, "# tracer: irqsoff");
	section_end(&v);
	put_u64(&o, v.section);
	put_str(&o, "");
	put_str(&o, "local");
	put_option(&v.options, TRACE_DAT_BUFFER_TEXT, o.sb.s, o.sb.len);
	v7_save(&v, 0, sample_path("latency.dat"));
	refuse(sample_path("latency.dat"), -HIST_EUNSUPPORTED, "latency tracer");
	strbuf_release(&o.sb);
}

/* --- damaged v7 files --- */

static void test_v7_damage(void **state)
{
	struct v7 v = v7_start(PAGE, PAGE);

	(void)state;
	v7_buffer(&v, "", "local", PAGE, 0, 1);
	v7_save(&v, v.f.sb.len, sample_path("loop.dat"));
	refuse(sample_path("loop.dat"), -HIST_EFORMAT, "loop");

	v = v7_start(PAGE, PAGE);
	v7_buffer(&v, "", "local", PAGE, 3, 2);
	v7_save(&v, 0, sample_path("twice.dat"));
	refuse(sample_path("twice.dat"), -HIST_EFORMAT, "CPU 3 is listed twice");

	v = v7_start(PAGE, PAGE);
	v7_buffer(&v, "", "local", PAGE, 70000, 1);
	v7_save(&v, 0, sample_path("cpu.dat"));
	refuse(sample_path("cpu.dat"), -HIST_EFORMAT, "CPU number 70000");

	v = v7_start(PAGE, PAGE);
	v7_buffer(&v, "a", "local", 32, 0, 1);
	v7_save(&v, 0, sample_path("subbuf.dat"));
	refuse(sample_path("subbuf.dat"), -HIST_EFORMAT, "sub-buffers of 32 bytes");

	/* options in place of a section of records */
	v = v7_start(PAGE, PAGE);
	v7_buffer(&v, "", "local", PAGE, 0, 1);
	v7_save(&v, v.section, sample_path("wrong.dat"));
	refuse(sample_path("wrong.dat"), -HIST_EFORMAT, "options expected, section 3 found");
}

/* Overlapping data of two CPUs would make a small file look arbitrarily long. */
static void test_overlap(void **state)
{
	struct sample s = sample_of(6, CODEC_NONE);
	struct sample_file f;
	u8 *table;

	(void)state;
	s.instance = false;
	sample_write(sample_path("overlap.dat"), &s);
	f = sample_load(sample_path("overlap.dat"));
	table = memmem(f.sb.s, f.sb.len, "flyrecord", 10);
	assert_non_null(table);
	memcpy(table + 10 + 16, table + 10, 8);
	sample_save(&f, sample_path("overlap.dat"));
	refuse(sample_path("overlap.dat"), -HIST_EFORMAT, "overlap");
	strbuf_release(&f.sb);
}

/* --- quirks of real writers --- */

/* Of two buffers of one name, the one with data is used; if both have some, that is an error. */
static void test_double_buffers(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		const char *name = i & 1 ? "x" : "";
		const u32 pages[2] = { i / 2 != 0, i / 2 != 1 };
		struct v7 v = v7_start(PAGE, PAGE);
		const struct trace_dat_buffer *b;
		struct diags diags = DIAGS_INIT;
		struct trace_dat *td;
		size_t n;
		int err;

		v7_buffer(&v, "y", "local", PAGE, 4, 1);
		v7_buffer(&v, name, "local", PAGE, 1, pages[0]);
		v7_buffer(&v, name, "local", PAGE, 2, pages[1]);
		v7_save(&v, 0, sample_path("tops.dat"));
		err = trace_dat_open(sample_path("tops.dat"), &td, &diags);
		assert_int_equal(err, pages[0] && pages[1] ? -HIST_EFORMAT : 0);
		for (b = err ? NULL : trace_dat_buffers(td, &n); b && strcmp(b->name, name); b++)
			;
		if (b)
			assert_int_equal(b->cpus[0].cpu, pages[0] ? 1 : 2);
		trace_dat_close(td);
		diags_release(&diags);
	}
}

static void check_clocks(const char *option, const char *top, const char *instance,
			 const char *want_top, const char *want_instance)
{
	struct v7 v = v7_start(PAGE, PAGE);
	const struct trace_dat_buffer *b;
	struct trace_dat *td;
	size_t n;

	if (option)
		put_option(&v.options, TRACE_DAT_TRACECLOCK, option, strlen(option) + 1);
	v7_buffer(&v, "", top, PAGE, 0, 1);
	v7_buffer(&v, "i", instance, PAGE, 0, 1);
	v7_save(&v, 0, sample_path("clock.dat"));
	td = sample_open(sample_path("clock.dat"));
	b = trace_dat_buffers(td, &n);
	assert_int_equal(trace_dat_info(td)->clock_known, option || *top);
	assert_string_equal(trace_dat_info(td)->clock, want_top);
	assert_string_equal(b[1].clock, want_instance);
	trace_dat_close(td);
}

static void test_clocks(void **state)
{
	(void)state;
	check_clocks("local [mono]\n", "local", "local", "mono", "mono");
	check_clocks("[local] mono\n", "local", "mono", "local", "mono");
	check_clocks("local [x86-tsc]\n", "tsc2nsec", "tsc2nsec", "x86-tsc", "x86-tsc");
	check_clocks(NULL, "boot", "boot", "boot", "boot");
	check_clocks(NULL, "", "", "local", "local");
}

/* Three places contain the top buffer's sub-buffer size; the value of two of them is used. */
static void check_subbuf(u32 file_page, u32 header_page, u32 option, u32 want)
{
	struct v7 v = v7_start(file_page, header_page);
	struct trace_dat *td;
	size_t n;

	v7_buffer(&v, "", "local", option, 0, 1);
	v7_buffer(&v, "i", "local", 1024, 0, 1);
	v7_save(&v, 0, sample_path("size.dat"));
	td = sample_open(sample_path("size.dat"));
	assert_int_equal(trace_dat_buffers(td, &n)[0].subbuf_size, want);
	assert_int_equal(trace_dat_buffers(td, &n)[1].subbuf_size, 1024);
	trace_dat_close(td);
}

static void test_subbuf_size(void **state)
{
	(void)state;
	check_subbuf(512, 512, 512, 512);
	check_subbuf(256, 512, 512, 512);
	check_subbuf(512, 256, 512, 512);
	check_subbuf(512, 512, 256, 512);
}

/* trace-cmd 3.0 and 3.1 do not include the word with the number of chunks. */
static void test_size_minus_4(void **state)
{
	struct sample s = sample_of(7, CODEC_ZSTD);
	struct diags diags = DIAGS_INIT;
	struct trace_dat *td;
	struct sample_file f;
	size_t n;

	(void)state;
	sample_write(sample_path("minus.dat"), &s);
	td = sample_open(sample_path("minus.dat"));
	f = sample_load(sample_path("minus.dat"));
	for (size_t i = 0; i < trace_dat_buffers(td, &n)->n_cpus; i++) {
		const struct trace_dat_cpu *c = &trace_dat_buffers(td, &n)->cpus[i];
		u8 *at = sample_find_extent(&f, c->offset, c->size);

		store_u64(at + 8, c->size - 4, false);
	}
	trace_dat_close(td);
	sample_save(&f, sample_path("minus.dat"));
	td = sample_open(sample_path("minus.dat"));
	assert_int_equal(sample_read_all(td, &diags), sample_records(&s));
	assert_int_equal(diags.list.n, 0);
	trace_dat_close(td);
	strbuf_release(&f.sb);
	diags_release(&diags);
}

/* --- v6 by hand --- */

/* One page on CPU 1 of 2; @count is in the file, CPUCOUNT is @option (0: no such option). */
static void v6_save(u32 count, u32 entries, u32 option, bool clock, const char *path)
{
	struct ring_buffer_layout l = { false, 8, PAGE };
	struct sample_file f = { .sb = STRBUF_INIT };
	u8 page[PAGE];
	size_t table;
	u32 option_data;

	put_start(&f, "6", PAGE);
	put_header_info(&f, PAGE);
	for (int i = 0; i < 4; i++)
		put_u32(&f, 0);
	put_u64(&f, 0);
	put_u32(&f, count);
	strbuf_add(&f.sb, "options  ", 10);
	put_option(&f, 999, "unknown", 8);
	store_u32(&option_data, option, f.big);
	if (option)
		put_option(&f, TRACE_DAT_CPUCOUNT, &option_data, 4);
	put_u16(&f, 0);
	strbuf_add(&f.sb, "flyrecord", 10);
	table = f.sb.len;
	for (u32 i = 0; i < 2 * entries; i++)
		put_u64(&f, 0);
	if (clock) {
		put_u64(&f, 6);
		strbuf_addstr(&f.sb, "[boot]");
	}
	align(&f, PAGE);
	store_u64(f.sb.s + table + 16, f.sb.len, false);
	store_u64(f.sb.s + table + 24, PAGE, false);
	sample_page(&l, 1, 0, page);
	strbuf_add(&f.sb, page, PAGE);
	sample_save(&f, path);
	strbuf_release(&f.sb);
}

static void check_v6(u32 count, u32 entries, u32 option, bool clock)
{
	const struct trace_dat_buffer *b;
	struct diags diags = DIAGS_INIT;
	struct trace_dat *td;
	size_t n;

	v6_save(count, entries, option, clock, sample_path("six.dat"));
	td = sample_open(sample_path("six.dat"));
	b = trace_dat_buffers(td, &n);
	assert_int_equal(n, 1);
	assert_int_equal(b->n_cpus, 1);
	assert_int_equal(b->cpus[0].cpu, 1);
	assert_string_equal(b->clock, clock ? "boot" : "local");
	assert_int_equal(trace_dat_info(td)->clock_known, clock);
	assert_int_equal(sample_read_all(td, &diags), (PAGE - 16) / 20);
	trace_dat_close(td);
	diags_release(&diags);
}

static void test_v6_cpu_count(void **state)
{
	(void)state;
	check_v6(2, 2, 0, true);
	check_v6(2, 2, 0, false);
	check_v6(2, 2, 8, true);
	check_v6(2, 2, 8, false);
	check_v6(2, 4, 4, true);
	check_v6(2, 2, UINT32_MAX, true);
}

static void test_v6_too_many_cpus(void **state)
{
	(void)state;
	v6_save(UINT32_MAX, 2, 0, true, sample_path("many.dat"));
	refuse(sample_path("many.dat"), -HIST_EFORMAT, "4294967295 CPUs");
}

/* --- real recordings, if available --- */

/* hist slim has omitted formats and symbols that its events do not need. */
static bool is_slim(const struct trace_dat *td)
{
	size_t n;
	const struct trace_dat_option *o = trace_dat_options(td, &n);

	while (n && o[n - 1].id != TRACE_DAT_HIST_SLIM)
		n--;
	return n;
}

static void open_corpus_file(const char *path)
{
	struct diags diags = DIAGS_INIT;
	const struct trace_dat_format *formats;
	struct trace_dat *td = sample_open(path);
	struct span text;
	size_t n;

	assert_true(sample_read_all(td, &diags) > 0);
	assert_int_equal(trace_dat_formats(td, &formats, &n, &diags), 0);
	assert_true(n > 0);
	assert_int_equal(trace_dat_section(td, TRACE_DAT_KALLSYMS, &text, &diags), 0);
	assert_true(text.n > 0 || is_slim(td) || n <= 100);
	assert_int_equal(diags.list.n, 0);
	trace_dat_close(td);
	diags_release(&diags);
}

static void test_corpus(void **state)
{
	static const char *const kernels[] = { "tests/golden/6.1", "tests/golden/6.12",
					       "../shared/corpus/6.1", "../shared/corpus/6.12" };
	char path[512];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		DIR *dir = opendir(kernels[i]);
		struct dirent *e;

		while (dir && (e = readdir(dir))) {
			snprintf(path, sizeof(path), "%s/%s/trace.dat", kernels[i], e->d_name);
			if (e->d_name[0] == '.' || access(path, R_OK))
				continue;
			open_corpus_file(path);
			n++;
		}
		if (dir)
			closedir(dir);
	}
	assert_true(n > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_not_a_recording),  TEST(test_latency_text),   TEST(test_v7_damage),
		TEST(test_overlap),          TEST(test_double_buffers), TEST(test_clocks),
		TEST(test_subbuf_size),      TEST(test_size_minus_4),   TEST(test_v6_cpu_count),
		TEST(test_v6_too_many_cpus), TEST(test_corpus),
	};

	return cmocka_run_group_tests(tests, sample_make_dir, sample_remove_dir);
}
