// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Files are read as they were written, byte for byte, in every variant; libtracecmd reads the same
 * records; and no file remains after a failure.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <kbuffer.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <trace-cmd.h>

#include "trace_dat_sample.h"

/* libtracecmd 1.3.1 leaks the words of its sscanf("%ms"). The name is defined by the sanitizer. */
/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:vsscanf";
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static void check_info(struct trace_dat *td, const struct sample *s)
{
	const struct trace_dat_info *info = trace_dat_info(td);

	assert_int_equal(info->version, s->machine.version);
	assert_int_equal(info->codec, s->machine.codec);
	assert_int_equal(info->big_endian, s->machine.big_endian);
	assert_int_equal(info->long_size, s->machine.long_size);
	assert_int_equal(info->page_size, s->machine.page_size);
	assert_int_equal(info->cpu_count, s->machine.cpu_count);
	assert_string_equal(info->clock, "global");
	assert_true(info->clock_known);
	assert_string_equal(info->uname, SAMPLE_UNAME);
	assert_false(info->cut);
}

static void check_metadata(struct trace_dat *td)
{
	struct diags diags = DIAGS_INIT;
	const struct trace_dat_format *f;
	const struct trace_dat_option *o;
	struct span text;
	bool script = false;
	size_t n;

	assert_int_equal(trace_dat_formats(td, &f, &n, &diags), 0);
	assert_int_equal(n, 2);
	assert_string_equal(f[0].system, "ftrace");
	assert_true(span_eq(f[0].name, "print"));
	assert_int_equal(f[0].id, 5);
	assert_string_equal(f[1].system, "test");
	assert_int_equal(f[1].id, SAMPLE_EVENT_ID);
	assert_true(span_eq(f[1].text, SAMPLE_FORMAT));
	assert_int_equal(trace_dat_section(td, TRACE_DAT_KALLSYMS, &text, &diags), 0);
	assert_true(span_eq(text, SAMPLE_KALLSYMS));
	assert_int_equal(trace_dat_section(td, TRACE_DAT_CMDLINES, &text, &diags), 0);
	assert_true(span_eq(text, SAMPLE_CMDLINES));
	assert_int_equal(trace_dat_section(td, TRACE_DAT_PRINTK, &text, &diags), 0);
	assert_int_equal(text.n, 0);
	o = trace_dat_options(td, &n);
	for (size_t i = 0; i < n; i++)
		script |= o[i].id == TRACE_DAT_HIST_SCRIPT && o[i].size == 9 &&
			  !memcmp(o[i].data, "echo hist", 9);
	assert_true(script);
	assert_int_equal(diags.list.n, 0);
	diags_release(&diags);
}

static void check_cpu(struct trace_dat *td, const struct sample *s, size_t buffer, size_t cpu,
		      u32 pages)
{
	struct ring_buffer_layout l = sample_layout(&s->machine);
	u32 number = trace_dat_buffers(td, &(size_t){ 0 })[buffer].cpus[cpu].cpu;
	struct diags diags = DIAGS_INIT;
	struct trace_dat_pages *p;
	u8 *want = malloc(l.subbuf_size);
	const u8 *page;
	size_t len;

	assert_non_null(want);
	assert_int_equal(trace_dat_pages_open(td, buffer, cpu, &p, &diags), 0);
	assert_int_equal(trace_dat_pages_count(p), pages);
	for (u32 i = 0; i < pages; i++) {
		sample_page(&l, number, i, want);
		assert_int_equal(trace_dat_pages_next(p, &page, &len), 0);
		assert_int_equal(len, l.subbuf_size);
		assert_int_equal((uintptr_t)page & 7, 0);
		assert_memory_equal(page, want, len);
	}
	assert_int_equal(trace_dat_pages_next(p, &page, &len), 1);
	assert_int_equal(trace_dat_pages_next(p, &page, &len), 1);
	trace_dat_pages_close(p);
	free(want);
	diags_release(&diags);
}

static void check_buffer(struct trace_dat *td, const struct sample *s, size_t index,
			 const char *name)
{
	size_t n, k = 0;
	const struct trace_dat_buffer *b = &trace_dat_buffers(td, &n)[index];

	assert_true(index < n);
	assert_string_equal(b->name, name);
	assert_string_equal(b->clock, "global");
	assert_int_equal(b->subbuf_size, s->machine.page_size);
	for (int i = 0; i < SAMPLE_CPUS; i++) {
		if (!s->pages[i])
			continue;
		assert_true(k < b->n_cpus);
		assert_int_equal(b->cpus[k].cpu, sample_cpu[i] + index);
		assert_int_equal(b->cpus[k].missing, 0);
		if (s->machine.codec == CODEC_NONE)
			assert_int_equal(b->cpus[k].offset % s->machine.page_size, 0);
		check_cpu(td, s, index, k++, s->pages[i]);
	}
	assert_int_equal(b->n_cpus, k);
}

static void check_round_trip(const struct sample *s)
{
	const char *path = sample_path("round.dat");
	struct trace_dat *td;

	sample_write(path, s);
	td = sample_open(path);
	check_info(td, s);
	check_metadata(td);
	check_buffer(td, s, 0, "");
	check_buffer(td, s, 1, "inst");
	trace_dat_close(td);
}

static void test_round_trips(void **state)
{
	static const u32 sizes[] = { 64, 256, 4096, 65536 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sample_variants) * ARRAY_SIZE(sizes) * 4; i++) {
		size_t v = i / 4 / ARRAY_SIZE(sizes);
		struct sample s = sample_of(sample_variants[v].version, sample_variants[v].codec);

		s.machine.big_endian = i & 1;
		s.machine.long_size = i & 2 ? 4 : 8;
		s.machine.page_size = sizes[i / 4 % ARRAY_SIZE(sizes)];
		check_round_trip(&s);
	}
}

/* --- libtracecmd as the second reader --- */

struct second {
	struct ring_buffer_merge merge;
	struct ring_buffer_iter *iters;
	u64 n;
};

static int compare_record(struct tracecmd_input *handle, struct tep_record *theirs, int cpu,
			  void *data)
{
	const struct ring_buffer_record *ours;
	struct second *second = data;
	struct ring_buffer_merged out;

	(void)handle;
	(void)cpu;
	assert_int_equal(ring_buffer_merge_next(&second->merge, &out, 1), 1);
	ours = out.rec;
	assert_int_equal(ours->ts, theirs->ts);
	assert_int_equal(second->iters[out.index].cpu, theirs->cpu);
	assert_int_equal(ours->len, theirs->size);
	assert_memory_equal(ours->data, theirs->data, ours->len);
	second->n++;
	return 0;
}

static u64 compare_buffer(struct trace_dat *td, size_t index, struct tracecmd_input *handle)
{
	const struct trace_dat_info *info = trace_dat_info(td);
	size_t n;
	const struct trace_dat_buffer *b = &trace_dat_buffers(td, &n)[index];
	struct ring_buffer_layout l = { info->big_endian, info->long_size, b->subbuf_size };
	struct second second = { .n = 0 };
	struct ring_buffer_merged rest;
	struct diags diags = DIAGS_INIT;

	if (!b->n_cpus)
		return 0;
	second.iters = calloc(b->n_cpus, sizeof(*second.iters));
	assert_non_null(second.iters);
	for (size_t i = 0; i < b->n_cpus; i++) {
		struct trace_dat_pages *pages;

		assert_int_equal(trace_dat_pages_open(td, index, i, &pages, &diags), 0);
		ring_buffer_iter_init(&second.iters[i], &l, b->cpus[i].cpu, sample_read_page,
				      pages);
	}
	assert_int_equal(ring_buffer_merge_init(&second.merge, second.iters, b->n_cpus), 0);
	tracecmd_iterate_events(handle, NULL, 0, compare_record, &second);
	assert_int_equal(ring_buffer_merge_next(&second.merge, &rest, 1), 0);
	ring_buffer_merge_release(&second.merge);
	for (size_t i = 0; i < b->n_cpus; i++)
		trace_dat_pages_close(second.iters[i].source);
	free(second.iters);
	diags_release(&diags);
	return second.n;
}

static u64 compare_file(const char *path)
{
	struct trace_dat *td = sample_open(path);
	struct tracecmd_input *handle;
	u64 n;

	tracecmd_set_loglevel(TEP_LOG_NONE); /* it warns about our own options */
	handle = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	assert_non_null(handle);
	n = compare_buffer(td, 0, handle);
	for (int i = 0; i < tracecmd_buffer_instances(handle); i++) {
		struct tracecmd_input *instance = tracecmd_buffer_instance_handle(handle, i);

		n += compare_buffer(td, (size_t)i + 1, instance);
		tracecmd_close(instance);
	}
	tracecmd_close(handle);
	trace_dat_close(td);
	return n;
}

/* libtraceevent 1.8.4 swaps only 32 bits of a time if a long has 32: swap_8(unsigned long). */
static bool libtraceevent_reads(bool big_endian)
{
	static u8 page[4096] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_8, big_endian ? KBUFFER_ENDIAN_BIG
									 : KBUFFER_ENDIAN_LITTLE);
	u64 ts;

	assert_non_null(kbuf);
	ts = kbuffer_subbuf_timestamp(kbuf, page);
	kbuffer_free(kbuf);
	return ts == (big_endian ? 0x0102030405060708 : 0x0807060504030201);
}

static void compare_libtracecmd(bool big_endian)
{
	static const enum codec codecs[] = { CODEC_NONE, CODEC_ZSTD };

	if (!libtraceevent_reads(big_endian)) {
		print_message("# libtraceevent swaps the bytes of times wrongly\n");
		skip();
	}
	for (size_t i = 0; i < 6; i++) {
		struct sample s = sample_of(i < 2 ? 6 : 7, i < 2 ? CODEC_NONE : codecs[i / 2 - 1]);

		s.machine.big_endian = big_endian;
		s.machine.long_size = i & 1 ? 4 : 8;
		s.machine.page_size = 4096; /* the minimum that it can map */
		sample_write(sample_path("second.dat"), &s);
		assert_int_equal(compare_file(sample_path("second.dat")), sample_records(&s));
	}
}

static void test_libtracecmd_little_endian(void **state)
{
	(void)state;
	compare_libtracecmd(false);
}

static void test_libtracecmd_big_endian(void **state)
{
	(void)state;
	compare_libtracecmd(true);
}

/* --- errors --- */

static size_t files_in_dir(void)
{
	DIR *dir = opendir(sample_dir);
	size_t n = 0;

	assert_non_null(dir);
	for (struct dirent *e = readdir(dir); e; e = readdir(dir))
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void assert_diagnosis(const struct diags *diags, const char *part)
{
	for (size_t i = 0; i < diags->list.n; i++)
		if (diags->list.v[i].level == DIAG_ERROR && strstr(diags->list.v[i].text, part))
			return;
	fail_msg("no diagnosis with \"%s\" but \"%s\"", part,
		 diags->list.n ? diags->list.v[0].text : "");
}

static void test_abort_leaves_nothing(void **state)
{
	(void)state;
	for (int version = 6; version <= 7; version++) {
		struct sample s = sample_of(version, CODEC_NONE);
		size_t before = files_in_dir();

		trace_dat_writer_abort(sample_start(sample_path("gone.dat"), &s));
		assert_int_equal(files_in_dir(), before);
	}
}

/* A limit of the file size instead of a full disk: the same write fails. */
static void test_full_disk_leaves_nothing(void **state)
{
	struct rlimit old, small;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (int version = 6; version <= 7; version++) {
		struct sample s = sample_of(version, version == 6 ? CODEC_NONE : CODEC_ZSTD);
		struct diags diags = DIAGS_INIT;
		size_t before = files_in_dir();
		struct trace_dat_writer *w;

		s.machine.page_size = 65536;
		small = (struct rlimit){ .rlim_cur = 1000, .rlim_max = old.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		assert_int_equal(
			trace_dat_writer_open(sample_path("full.dat"), &s.machine, &w, &diags), 0);
		trace_dat_writer_format(w, "test", span_of(SAMPLE_FORMAT));
		trace_dat_writer_buffer(w, "", "global", s.machine.page_size);
		trace_dat_writer_cpu(w, 0);
		for (u32 i = 0; i < 8; i++) {
			struct ring_buffer_layout l = sample_layout(&s.machine);
			u8 *page = malloc(l.subbuf_size);

			assert_non_null(page);
			sample_page(&l, 0, i, page);
			trace_dat_writer_pages(w, page, 1);
			free(page);
		}
		assert_int_equal(trace_dat_writer_finish(w, &diags), -HIST_EIO);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_diagnosis(&diags, "full.dat: cannot write: ");
		assert_int_equal(files_in_dir(), before);
		diags_release(&diags);
	}
	signal(SIGXFSZ, SIG_DFL);
}

static void refuse_path(const char *path, int err, const char *text)
{
	struct sample s = sample_of(7, CODEC_NONE);
	struct diags diags = DIAGS_INIT;
	struct trace_dat_writer *w;

	assert_int_equal(trace_dat_writer_open(path, &s.machine, &w, &diags), err);
	assert_null(w);
	assert_diagnosis(&diags, text);
	diags_release(&diags);
}

static void test_places(void **state)
{
	struct sample s = sample_of(7, CODEC_NONE);
	struct trace_dat *td;
	char link_path[128];
	struct stat st;

	(void)state;
	refuse_path("/dev/null", -HIST_EINVAL, "not a regular file");
	refuse_path(sample_dir, -HIST_EINVAL, "not a regular file");
	refuse_path(sample_path("no/such.dat"), -HIST_EIO, "No such file or directory");

	/* through a link, replacing an older file */
	sample_write(sample_path("real.dat"), &s);
	snprintf(link_path, sizeof(link_path), "%s/link.dat", sample_dir);
	assert_int_equal(symlink("real.dat", link_path), 0);
	s.instance = false;
	sample_write(link_path, &s);
	assert_int_equal(lstat(link_path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	td = sample_open(sample_path("real.dat"));
	check_buffer(td, &s, 0, "");
	trace_dat_close(td);
}

static void refuse_machine(struct trace_dat_machine m, const char *text)
{
	struct diags diags = DIAGS_INIT;
	struct trace_dat_writer *w;

	assert_int_equal(trace_dat_writer_open(sample_path("m.dat"), &m, &w, &diags), -HIST_EINVAL);
	assert_diagnosis(&diags, text);
	diags_release(&diags);
}

static struct trace_dat_writer *new_writer(int version)
{
	struct sample s = sample_of(version, CODEC_NONE);
	struct diags diags = DIAGS_INIT;
	struct trace_dat_writer *w;

	assert_int_equal(trace_dat_writer_open(sample_path("order.dat"), &s.machine, &w, &diags),
			 0);
	return w;
}

static void finish_fails(struct trace_dat_writer *w, const char *text)
{
	struct diags diags = DIAGS_INIT;

	assert_true(trace_dat_writer_finish(w, &diags) < 0);
	assert_diagnosis(&diags, text);
	assert_int_equal(access(sample_path("order.dat"), F_OK), -1);
	diags_release(&diags);
}

static void test_wrong_use(void **state)
{
	struct trace_dat_machine m = sample_of(7, CODEC_NONE).machine;
	struct trace_dat_writer *w;

	(void)state;
	m.version = 5;
	refuse_machine(m, "versions 6 and 7");
	m.version = 6;
	m.codec = CODEC_ZSTD;
	refuse_machine(m, "version 6 cannot be compressed");

	w = new_writer(7);
	trace_dat_writer_buffer(w, "", NULL, 256);
	trace_dat_writer_cpu(w, 3);
	assert_int_equal(trace_dat_writer_cpu(w, 3), -HIST_EINVAL);
	finish_fails(w, "CPUs must be in a buffer and ascend");

	w = new_writer(7);
	assert_int_equal(trace_dat_writer_buffer(w, "first", NULL, 256), -HIST_EINVAL);
	finish_fails(w, "the top buffer");

	w = new_writer(6);
	trace_dat_writer_buffer(w, "", NULL, 256);
	assert_int_equal(trace_dat_writer_buffer(w, "big", NULL, 512), -HIST_EUNSUPPORTED);
	finish_fails(w, "write version 7");

	w = new_writer(7);
	trace_dat_writer_buffer(w, "", NULL, 256);
	assert_int_equal(trace_dat_writer_format(w, "x", span_of("y")), -HIST_EINVAL);
	finish_fails(w, "formats must come before buffers");
}

/* Only the machine: an empty recording is a recording. */
enum { TIMED_SUBBUF = 256 };

/* Write a CPU with sub-buffers of two records each, at these times; zero-terminated. */
static void write_times(struct trace_dat_writer *w, u32 cpu, const u64 (*times)[2])
{
	u8 page[TIMED_SUBBUF];

	assert_int_equal(trace_dat_writer_cpu(w, cpu), 0);
	for (; (*times)[0]; times++) {
		memset(page, 0, sizeof(page));
		sample_record(page + 16, false, 0, cpu, 0);
		store_u32(page + 36, RINGBUF_TYPE_TIME_STAMP | (u32)((*times)[1] << 5), false);
		store_u32(page + 40, (u32)((*times)[1] >> RINGBUF_TS_SHIFT), false);
		sample_record(page + 44, false, 0, cpu, 0);
		store_u64(page, (*times)[0], false);
		store_u64(page + 8, 48, false);
		assert_int_equal(trace_dat_writer_pages(w, page, 1), 0);
	}
}

/* The file lists the CPUs whose times ascend, also within sub-buffers and between them. */
static void test_ascending_times(void **state)
{
	static const u64 times[][4][2] = {
		{ { 100, 110 }, { 110, 110 }, { 120, 130 } }, /* ascend */
		{ { 100, 110 }, { 90, 95 }, { 120, 130 } },   /* a sub-buffer starts earlier */
		{ { 100, 125 }, { 120, 130 } },               /* than the last record before */
		{ { 100, 90 }, { 120, 130 } },                /* within a sub-buffer */
		{ { 100, 110 } },
	};

	(void)state;
	for (enum codec codec = CODEC_NONE; codec <= CODEC_ZSTD; codec++) {
		struct trace_dat_machine machine = { .version = 7,
						     .codec = codec,
						     .long_size = 8,
						     .page_size = TIMED_SUBBUF,
						     .cpu_count = ARRAY_SIZE(times) };
		const struct trace_dat_cpu *cpus;
		struct diags diags = DIAGS_INIT;
		struct trace_dat_writer *w;
		struct trace_dat *td;
		size_t n;

		assert_int_equal(
			trace_dat_writer_open(sample_path("ascend.dat"), &machine, &w, &diags), 0);
		trace_dat_writer_format(w, "test", span_of(SAMPLE_FORMAT));
		trace_dat_writer_buffer(w, "", "local", TIMED_SUBBUF);
		for (u32 i = 0; i < ARRAY_SIZE(times); i++)
			write_times(w, i, times[i]);
		/* not what another file says */
		trace_dat_writer_option(w, TRACE_DAT_HIST_ASCEND, "0123456789abcdef", 16);
		assert_int_equal(trace_dat_writer_finish(w, &diags), 0);
		td = sample_open(sample_path("ascend.dat"));
		cpus = trace_dat_buffers(td, &n)->cpus;
		for (u32 i = 0; i < ARRAY_SIZE(times); i++)
			assert_int_equal(cpus[i].ascend, i == 0 || i == 4);
		trace_dat_close(td);
		diags_release(&diags);
	}
}

static void test_empty(void **state)
{
	(void)state;
	for (int version = 6; version <= 7; version++) {
		struct diags diags = DIAGS_INIT;
		struct trace_dat *td;
		size_t n;

		assert_int_equal(trace_dat_writer_finish(new_writer(version), &diags), 0);
		td = sample_open(sample_path("order.dat"));
		assert_int_equal(trace_dat_buffers(td, &n)[0].n_cpus, 0);
		assert_int_equal(n, 1);
		trace_dat_close(td);
		assert_int_equal(unlink(sample_path("order.dat")), 0);
		diags_release(&diags);
	}
}

/* If a recording lacks its header_page, one is written: otherwise it could not be read. */
static void test_empty_header(void **state)
{
	(void)state;
	for (int version = 6; version <= 7; version++) {
		const struct trace_dat_machine m = { .version = version,
						     .long_size = 4,
						     .page_size = 256,
						     .cpu_count = 2,
						     .header_page = span_of(""),
						     .header_event = span_of("") };
		struct diags diags = DIAGS_INIT;
		struct trace_dat_writer *w;
		struct trace_dat *td;

		assert_int_equal(trace_dat_writer_open(sample_path("header.dat"), &m, &w, &diags),
				 0);
		assert_int_equal(trace_dat_writer_finish(w, &diags), 0);
		td = sample_open(sample_path("header.dat"));
		assert_int_equal(trace_dat_info(td)->long_size, 4);
		assert_false(trace_dat_info(td)->cut);
		trace_dat_close(td);
		assert_int_equal(unlink(sample_path("header.dat")), 0);
		diags_release(&diags);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_round_trips),
		TEST(test_libtracecmd_little_endian),
		TEST(test_libtracecmd_big_endian),
		TEST(test_abort_leaves_nothing),
		TEST(test_full_disk_leaves_nothing),
		TEST(test_places),
		TEST(test_wrong_use),
		TEST(test_ascending_times),
		TEST(test_empty),
		TEST(test_empty_header),
	};

	return cmocka_run_group_tests(tests, sample_make_dir, sample_remove_dir);
}
