// SPDX-License-Identifier: LGPL-2.1-only
/* Cursors over the sub-buffers of a CPU: independent, seeking, over many chunks. */
#include "unit.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace_dat_sample.h"

static void check_cursor(const struct sample *s)
{
	struct ring_buffer_layout l = sample_layout(&s->machine);
	u64 count = s->pages[0], at = 0;
	struct diags diags = DIAGS_INIT;
	struct trace_dat_pages *a, *b;
	struct trace_dat *td;
	const u8 *page;
	u8 want[64];
	size_t len;

	sample_write(sample_path("cursor.dat"), s);
	td = sample_open(sample_path("cursor.dat"));
	assert_int_equal(trace_dat_pages_open(td, 0, 0, &a, &diags), 0);
	assert_int_equal(trace_dat_pages_open(td, 0, 0, &b, &diags), 0);
	for (u64 i = 0; i < 400; i++) {
		/* a seeks, sometimes past the end; b reads in order */
		at = (at * 7919 + 104729) % (count + 2);
		assert_int_equal(trace_dat_pages_seek(a, at), at >= count);
		assert_int_equal(trace_dat_pages_next(a, &page, &len), at >= count);
		sample_page(&l, 0, (u32)at, want);
		if (at < count)
			assert_memory_equal(page, want, sizeof(want));
		assert_int_equal(trace_dat_pages_next(b, &page, &len), 0);
		sample_page(&l, 0, (u32)i, want);
		assert_memory_equal(page, want, sizeof(want));
		if (i == 200)
			assert_int_equal(trace_dat_pages_count(b), count);
	}
	assert_int_equal(trace_dat_pages_seek(a, UINT64_MAX), 1);
	assert_int_equal(trace_dat_pages_next(a, &page, &len), 1);
	assert_int_equal(trace_dat_pages_seek(a, 0), 0);
	assert_int_equal(trace_dat_pages_next(a, &page, &len), 0);
	trace_dat_pages_close(a);
	trace_dat_pages_close(b);
	trace_dat_close(td);
	diags_release(&diags);
}

/* More chunks than a cursor has marks. */
static void test_cursors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sample_variants); i++) {
		struct sample s = sample_of(sample_variants[i].version, sample_variants[i].codec);

		s.machine.page_size = 64;
		s.pages[0] = 20007;
		s.instance = false;
		check_cursor(&s);
	}
}

/* A sub-buffer stays valid as long as the cursor promises. */
static void test_next_keeps(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sample_variants); i++) {
		struct sample s = sample_of(sample_variants[i].version, sample_variants[i].codec);
		struct ring_buffer_layout l;
		struct diags diags = DIAGS_INIT;
		struct trace_dat_pages *p;
		struct trace_dat *td;
		const u8 *pages[95];
		u32 n = 0, first = 0, kept = 0;
		u8 want[256];
		size_t len;

		s.pages[0] = 95;
		l = sample_layout(&s.machine);
		sample_write(sample_path("keeps.dat"), &s);
		td = sample_open(sample_path("keeps.dat"));
		assert_int_equal(trace_dat_pages_open(td, 0, 0, &p, &diags), 0);
		trace_dat_pages_map(p, 0, 1000, true);
		while (first = trace_dat_pages_next_keeps(p) ? first : n,
		       !trace_dat_pages_next(p, &pages[n], &len)) {
			assert_int_equal(trace_dat_pages_index(p), ++n);
			kept += n - 1 - first;
			trace_dat_pages_map(p, 0, n, false);
			for (u32 k = first; k < n; k++) {
				sample_page(&l, 0, k, want);
				assert_memory_equal(pages[k], want, sizeof(want));
			}
		}
		assert_int_equal(n, 95);
		assert_true(kept || !trace_dat_pages_stay(p));
		trace_dat_pages_close(p);
		trace_dat_close(td);
		diags_release(&diags);
	}
}

/* Data that claims to begin far behind the end of the file is missing. */
static void test_far_behind(void **state)
{
	struct sample s = sample_of(7, CODEC_NONE);
	struct diags diags = DIAGS_INIT;
	struct trace_dat_pages *pages;
	struct trace_dat *td;
	struct sample_file f;
	const u8 *page;
	u64 offset, size;
	u8 *at;
	size_t n;

	(void)state;
	sample_write(sample_path("far.dat"), &s);
	td = sample_open(sample_path("far.dat"));
	offset = trace_dat_buffers(td, &n)->cpus[2].offset;
	size = trace_dat_buffers(td, &n)->cpus[2].size;
	trace_dat_close(td);
	f = sample_load(sample_path("far.dat"));
	at = sample_find_extent(&f, offset, size);
	store_u64(at, 9ull << 60, false);
	sample_save(&f, sample_path("far.dat"));
	strbuf_release(&f.sb);
	assert_int_equal(trace_dat_open(sample_path("far.dat"), &td, &diags), 0);
	assert_int_equal(diags.list.n, 1); /* truncated */
	assert_int_equal(trace_dat_pages_open(td, 0, 2, &pages, &diags), 0);
	assert_int_equal(trace_dat_buffers(td, &n)->cpus[2].missing, size);
	trace_dat_pages_stay(pages);
	assert_int_equal(trace_dat_pages_next(pages, &page, &n), 1);
	trace_dat_pages_close(pages);
	trace_dat_close(td);
	assert_int_equal(diags.list.n, 1);
	diags_release(&diags);
}

/* A chunk that claims a size of gigabytes is rejected. */
static void test_huge_chunk(void **state)
{
	struct sample s = sample_of(7, CODEC_ZLIB);
	struct diags diags = DIAGS_INIT;
	struct trace_dat_pages *pages;
	const u8 *page;
	size_t n;
	struct trace_dat *td;
	struct sample_file f;
	u64 offset;

	(void)state;
	sample_write(sample_path("huge.dat"), &s);
	td = sample_open(sample_path("huge.dat"));
	offset = trace_dat_buffers(td, &n)->cpus[0].offset;
	trace_dat_close(td);
	f = sample_load(sample_path("huge.dat"));
	store_u32(f.sb.s + offset + 8, 0xf0000000, false);
	sample_save(&f, sample_path("huge.dat"));
	td = sample_open(sample_path("huge.dat"));
	assert_int_equal(trace_dat_pages_open(td, 0, 0, &pages, &diags), 0);
	assert_int_equal(trace_dat_pages_next(pages, &page, &n), -HIST_EFORMAT);
	assert_int_equal(trace_dat_pages_next(pages, &page, &n), 1);
	assert_int_equal(trace_dat_pages_count(pages), 0);
	trace_dat_pages_diagnose(pages, &diags);
	assert_int_equal(diags.list.n, 1);
	trace_dat_pages_close(pages);
	trace_dat_close(td);
	strbuf_release(&f.sb);
	diags_release(&diags);
}

/* Read all sub-buffers of CPU 0, and compare them with @bytes, or store them there. */
static bool read_kept(const char *path, struct kept_chunks *kept, struct strbuf *bytes)
{
	struct trace_dat *td = sample_open(path);
	struct diags diags = DIAGS_INIT;
	struct trace_dat_pages *pages;
	const bool first = !bytes->len;
	size_t len, at = 0;
	const u8 *page;
	bool stay;

	assert_int_equal(trace_dat_keep(td, kept), 0);
	assert_int_equal(trace_dat_pages_open(td, 0, 0, &pages, &diags), 0);
	stay = trace_dat_pages_stay(pages);
	while (!trace_dat_pages_next(pages, &page, &len)) {
		if (first)
			strbuf_add(bytes, (const char *)page, len);
		assert_true(at + len <= bytes->len);
		assert_memory_equal(page, bytes->s + at, len);
		at += len;
	}
	assert_int_equal(at, bytes->len);
	assert_true(at);
	trace_dat_pages_close(pages);
	trace_dat_close(td);
	diags_release(&diags);
	return stay;
}

static bool read_variant(size_t variant, u32 pages, struct kept_chunks *kept, struct strbuf *bytes)
{
	struct sample s =
		sample_of(sample_variants[variant].version, sample_variants[variant].codec);

	s.pages[0] = pages;
	sample_write(sample_path("kept.dat"), &s);
	strbuf_reset(bytes);
	return read_kept(sample_path("kept.dat"), kept, bytes);
}

/* The second time, chunks are not inflated any more; of a file that was just written, they are. */
static void test_kept(void **state)
{
	static const char old[] = "trace.dat-samples/wakeup.dat";
	u64 left = 64 << 20, little = 1;
	struct kept_chunks *kept = kept_chunks_new(&left), *none = kept_chunks_new(&little);
	struct strbuf bytes = STRBUF_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(stat(old, &st), 0);
	while (time(NULL) - st.st_ctim.tv_sec <= 1)
		sleep(1);
	assert_false(read_kept(old, kept, &bytes));
	assert_true(read_kept(old, kept, &bytes));
	assert_true(read_kept(old, kept, &bytes));
	assert_false(read_kept(old, none, &bytes));
	assert_false(read_kept(old, none, &bytes));
	for (size_t i = 0; i < ARRAY_SIZE(sample_variants); i++) {
		if (sample_variants[i].codec == CODEC_NONE)
			continue;
		assert_false(read_variant(i, 95, kept, &bytes));
		assert_false(read_kept(sample_path("kept.dat"), kept, &bytes));
		assert_false(read_variant(i, 61, kept, &bytes));
	}
	strbuf_release(&bytes);
	kept_chunks_free(kept);
	kept_chunks_free(none);
	kept_chunks_free(NULL);
	assert_int_equal(left, 64 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cursors),    TEST(test_next_keeps), TEST(test_far_behind),
		TEST(test_huge_chunk), TEST(test_kept),
	};

	return cmocka_run_group_tests(tests, sample_make_dir, sample_remove_dir);
}
