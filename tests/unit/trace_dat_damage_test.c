// SPDX-License-Identifier: LGPL-2.1-only
/* Recordings that are cut or damaged anywhere, or shrink while they are read. */
#include "unit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "trace_dat/guard.h"
#include "trace_dat_sample.h"

/* --- every cut --- */

static void check_cut(const char *path, u64 len, u64 whole)
{
	struct diags diags = DIAGS_INIT;
	struct trace_dat *td;
	int err = trace_dat_open(path, &td, &diags);

	if (err) {
		assert_true(diags_has_error(&diags, 0));
		assert_null(td);
	} else {
		u64 n = sample_read_all(td, &diags);

		assert_true(n <= whole);
		if (n < whole) {
			assert_true(trace_dat_info(td)->cut);
			assert_true(diags.list.n > 0);
		}
		assert_int_equal(trace_dat_info(td)->file_size, len);
		trace_dat_close(td);
	}
	diags_release(&diags);
}

static void check_every_cut(const struct sample *s)
{
	const char *path = sample_path("cut.dat");
	struct stat st;

	sample_write(path, s);
	assert_int_equal(stat(path, &st), 0);
	for (off_t len = st.st_size; len-- > 0;) {
		assert_int_equal(truncate(path, len), 0);
		check_cut(path, (u64)len, sample_records(s));
	}
}

static void test_every_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sample_variants); i++) {
		struct sample s = sample_of(sample_variants[i].version, sample_variants[i].codec);

		s.machine.big_endian = i & 1;
		check_every_cut(&s);
	}
}

/*
 * A missing end of a v7 file is reported, wherever it is cut, although no option points to the last
 * section. A file that ends between two sections may be complete.
 */
static void test_end_is_missing(void **state)
{
	(void)state;
	for (size_t i = 1; i < ARRAY_SIZE(sample_variants); i++) {
		struct sample s = sample_of(7, sample_variants[i].codec);
		const char *path = sample_path("end.dat");
		struct sample_file f;
		u32 silent = 0;

		s.machine.big_endian = i & 1;
		sample_write(path, &s);
		f = sample_load(path);
		for (size_t len = f.sb.len; len-- > f.sb.len - 120;) {
			struct diags diags = DIAGS_INIT;
			struct trace_dat *td;

			assert_int_equal(truncate(path, (off_t)len), 0);
			assert_int_equal(trace_dat_open(path, &td, &diags), 0);
			assert_int_equal(trace_dat_info(td)->cut, diags.list.n > 0);
			silent += !trace_dat_info(td)->cut;
			trace_dat_close(td);
			diags_release(&diags);
		}
		assert_true(silent <= 2); /* in big endian, the id begins with a zero byte */
		strbuf_release(&f.sb);
	}
}

/* ThreadSanitizer leaves 1.5 TB of address space, not always contiguous. */
#ifdef __SANITIZE_THREAD__
enum { LARGE_SHIFT = 36 };
#else
enum { LARGE_SHIFT = 40 };
#endif

/* Valgrind and some machines have less space. */
static bool can_map(size_t size)
{
	void *map = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return map != MAP_FAILED && !munmap(map, size);
}

/* Zeros after the last section are not a section, however many there are. */
static void test_zeros_at_the_end(void **state)
{
	static const off_t more[] = { 1, 15, 16, 4096, 1LL << LARGE_SHIFT };
	struct sample s = sample_of(7, CODEC_NONE);
	const char *path = sample_path("zeros.dat");
	struct stat st;

	(void)state;
	sample_write(path, &s);
	assert_int_equal(stat(path, &st), 0);
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		struct trace_dat *td;

		if (truncate(path, st.st_size + more[i]))
			continue; /* more than the maximum size of a file here */
		if ((u64)st.st_size + (u64)more[i] > SIZE_MAX) {
			struct diags diags = DIAGS_INIT;

			assert_int_equal(trace_dat_open(path, &td, &diags), -HIST_EIO);
			diags_release(&diags);
			continue;
		}
		if (!can_map((size_t)(st.st_size + more[i])))
			continue;
		td = sample_open(path);
		assert_false(trace_dat_info(td)->cut);
		trace_dat_close(td);
	}
}

/* Without its options, all records of a v7 file are found, CPU by CPU. */
static void test_salvage(void **state)
{
	(void)state;
	for (size_t i = 1; i < ARRAY_SIZE(sample_variants); i++) {
		struct sample s = sample_of(7, sample_variants[i].codec);
		struct diags diags = DIAGS_INIT;
		const struct trace_dat_buffer *b;
		struct trace_dat *td;
		struct sample_file f;
		char *option;
		size_t n;

		sample_write(sample_path("salvage.dat"), &s);
		f = sample_load(sample_path("salvage.dat"));
		/* the first option after the records */
		option = memmem(f.sb.s, f.sb.len, "\x08\0\x04\0\0\0\x08\0\0\0", 10);
		assert_non_null(option);
		strbuf_cut(&f.sb, (size_t)(option - f.sb.s));
		sample_save(&f, sample_path("salvage.dat"));

		assert_int_equal(trace_dat_open(sample_path("salvage.dat"), &td, &diags), 0);
		assert_true(trace_dat_info(td)->cut);
		assert_string_equal(trace_dat_info(td)->uname, SAMPLE_UNAME);
		assert_string_equal(trace_dat_info(td)->clock, "global");
		b = trace_dat_buffers(td, &n);
		assert_int_equal(n, 2);
		assert_string_equal(b[0].name, "");
		assert_int_equal(b[0].n_cpus, 3);
		assert_int_equal(b[1].n_cpus, 3);
		assert_int_equal(sample_read_all(td, &diags), sample_records(&s));
		assert_non_null(strstr(diags.list.v[0].text, "its options are lost"));
		trace_dat_close(td);
		strbuf_release(&f.sb);
		diags_release(&diags);
	}
}

/* --- every byte --- */

static void poke(int fd, off_t at, u8 v)
{
	assert_int_equal(pwrite(fd, &v, 1, at), 1);
}

static void check_damaged(const char *path)
{
	struct diags diags = DIAGS_INIT;
	struct trace_dat *td;

	if (trace_dat_open(path, &td, &diags)) {
		assert_true(diags_has_error(&diags, 0));
	} else {
		/* reading pages repeatedly would make the file look endless */
		assert_true(sample_read_all(td, &diags) < 2000);
		trace_dat_close(td);
	}
	diags_release(&diags);
}

static void test_every_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sample_variants); i++) {
		struct sample s = sample_of(sample_variants[i].version, sample_variants[i].codec);
		const char *path = sample_path("byte.dat");
		struct stat st;
		int fd;

		s.pages[3] = 2;
		sample_write(path, &s);
		fd = open(path, O_RDWR);
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &st), 0);
		for (off_t at = 0; at < st.st_size; at++) {
			u8 old;

			assert_int_equal(pread(fd, &old, 1, at), 1);
			poke(fd, at, (u8)~old);
			check_damaged(path);
			poke(fd, at, (u8)(old + 1));
			check_damaged(path);
			poke(fd, at, old ? 0 : 0xff);
			check_damaged(path);
			poke(fd, at, old);
		}
		close(fd);
	}
}

/* --- a file that shrinks while it is read --- */

static void test_shrinks(void **state)
{
	struct sample s = sample_of(6, CODEC_NONE);
	struct diags diags = DIAGS_INIT;
	struct trace_dat *td;
	u64 n;

	(void)state;
	/* it swaps the bytes of si_addr as those of a pid and a uid, 32 bits each */
	if (getenv("EMULATED") && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) {
		print_message("# qemu-user has no address of a SIGBUS on big-endian machines\n");
		skip();
	}
	assert_int_equal(trace_dat_guard_install(), 0);
	assert_int_equal(trace_dat_guard_install(), 0);
	s.machine.page_size = 4096;
	s.pages[3] = 64;
	sample_write(sample_path("shrink.dat"), &s);
	td = sample_open(sample_path("shrink.dat"));
	assert_false(trace_dat_shrank(td));
	assert_int_equal(truncate(sample_path("shrink.dat"), 65536), 0);
	n = sample_read_all(td, &diags);
	assert_true(n > 0 && n < sample_records(&s));
	assert_true(trace_dat_shrank(td));
	trace_dat_close(td);
	diags_release(&diags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_every_cut), TEST(test_end_is_missing), TEST(test_zeros_at_the_end),
		TEST(test_salvage),   TEST(test_every_byte),     TEST(test_shrinks),
	};

	return cmocka_run_group_tests(tests, sample_make_dir, sample_remove_dir);
}
