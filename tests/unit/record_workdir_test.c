// SPDX-License-Identifier: LGPL-2.1-only
/* Work directories: found by name, owned by a lock, with rings of sub-buffers in their files. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/assemble.h"
#include "record/blocks.h"
#include "record/cpu_reader.h"
#include "record/workdir.h"

static char dir[64], output[96];

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/record_workdir.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(output, sizeof(output), "%s/t.dat", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(dir); /* fails if a file is left */
}

static void test_life(void **state)
{
	struct diags diags = DIAGS_INIT;
	struct strbuf text = STRBUF_INIT;
	struct workdir_list list;
	struct workdir w, other;

	(void)state;
	assert_int_equal(workdir_create(&w, output, &diags), 0);
	assert_int_equal(workdir_add(&w, span_of("value"), "key"), 0);
	assert_int_equal(workdir_add(&w, span_of("42"), "number"), 0);
	assert_int_equal(workdir_manifest(&w, &text), 0);
	assert_int_equal(text.len, w.manifest_size);
	assert_int_equal(block_number((struct span){ text.s, text.len }, "number", 0), 42);
	close(workdir_reserve(&w));
	close(workdir_cpu(&w, 3, O_RDWR | O_CREAT));

	/* found, and in use */
	assert_int_equal(workdir_find(output, &list, &diags), 0);
	assert_int_equal(list.paths.n, 1);
	assert_string_equal(list.paths.v[0], w.path);
	assert_int_equal(atoi(workdir_pid(w.path)), getpid());
	assert_int_equal(workdir_open(&other, list.parent, w.path), 1);

	/* without an owner, it can be opened */
	workdir_close(&w);
	assert_int_equal(workdir_open(&other, list.parent, list.paths.v[0]), 0);
	workdir_unreserve(&other);
	assert_int_equal(workdir_remove(&other), 0);
	assert_int_equal(workdir_open(&other, list.parent, list.paths.v[0]), -HIST_ENOENT);
	workdir_list_release(&list);
	strbuf_release(&text);
	diags_release(&diags);
}

static void make(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void unmake(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(rmdir(path), 0);
}

static u32 option_size(const char *path, u16 id)
{
	const struct trace_dat_option *options;
	struct diags diags = DIAGS_INIT;
	struct trace_dat *td;
	u32 size = 0;
	size_t n;

	assert_int_equal(trace_dat_open(path, &td, &diags), 0);
	options = trace_dat_options(td, &n);
	for (size_t i = 0; i < n; i++)
		if (options[i].id == id)
			size = options[i].size;
	trace_dat_close(td);
	diags_release(&diags);
	return size;
}

/* A text of a damaged manifest ends at a NUL: nothing after its copy is read. */
/* What is written after a block for which there was no space is found. */
static void test_no_space(void **state)
{
	struct diags diags = DIAGS_INIT;
	struct strbuf text = STRBUF_INIT;
	struct rlimit limit, small;
	struct workdir w;
	char much[4096];

	(void)state;
	memset(much, 'x', sizeof(much));
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(workdir_create(&w, output, &diags), 0);
	assert_int_equal(workdir_add(&w, span_of("42"), "number"), 0);
	small = (struct rlimit){ w.manifest_size + 100, limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(workdir_add(&w, (struct span){ much, sizeof(much) }, "much"), -HIST_EIO);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(workdir_add(&w, span_of("43"), "later"), 0);
	assert_int_equal(workdir_manifest(&w, &text), 0);
	assert_int_equal(text.len, w.manifest_size);
	assert_int_equal(block_number(strbuf_span(&text), "number", 0), 42);
	assert_int_equal(block_number(strbuf_span(&text), "later", 0), 43);
	assert_null(block_find(strbuf_span(&text), "much").s);
	strbuf_release(&text);
	assert_int_equal(workdir_discard(&w, DIAG_ERROR, &diags), 0);
	diags_release(&diags);
}

static void test_text_with_nul(void **state)
{
	static const char limits[] = "one\0two three four five six seven";
	const struct assemble_options options = { .output = output };
	struct diags diags = DIAGS_INIT;
	struct assembled result;
	struct workdir w;

	(void)state;
	assert_int_equal(workdir_create(&w, output, &diags), 0);
	assert_int_equal(workdir_add(&w, span_of("4096"), "subbuf"), 0);
	assert_int_equal(workdir_add(&w, span_of("1"), "cpus"), 0);
	assert_int_equal(workdir_add(&w, span_of("local"), "clock"), 0);
	assert_int_equal(workdir_add(&w, (struct span){ limits, sizeof(limits) - 1 }, "limits"), 0);
	assert_int_equal(assemble(&w, &options, &result, &diags), -HIST_EFORMAT);
	assert_int_equal(workdir_add(&w, span_of(""), "ready"), 0);
	assert_int_equal(assemble(&w, &options, &result, &diags), 0);
	assert_int_equal(option_size(output, TRACE_DAT_HIST_LIMITS), sizeof("one"));
	assert_int_equal(unlink(output), 0);
	assert_int_equal(workdir_remove(&w), 0);
	diags_release(&diags);
}

static void test_names(void **state)
{
	static const char *const others[] = { "t.dat.part.",      "t.dat.part.12x",
					      "at.dat.part.1",    "t.dat.part",
					      "t.dat.part.1.",    "t.dat.part.1.2.3",
					      "t.dat.part.1.new2" };
	static const char *const ours[] = { "17", "17.2", "17.new", "17.20.new" };
	struct diags diags = DIAGS_INIT;
	struct workdir_list list;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		make(others[i]);
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		char name[32];

		snprintf(name, sizeof(name), "t.dat.part.%s", ours[i]);
		make(name);
		assert_int_equal(workdir_find(output, &list, &diags), 0);
		assert_int_equal(list.paths.n, 1);
		assert_string_equal(workdir_pid(list.paths.v[0]), ours[i]);
		assert_int_equal(workdir_output_length(list.paths.v[0]), strlen(output));
		workdir_list_release(&list);
		unmake(name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		unmake(others[i]);
}

/* Processes in several containers have the same pid; files of others remain. */
static void test_taken(void **state)
{
	struct diags diags = DIAGS_INIT;
	struct workdir_list list;
	struct workdir w[3];
	char name[48];

	(void)state;
	snprintf(name, sizeof(name), "t.dat.part.%d.2.new", (int)getpid());
	make(name);
	make("other");
	for (size_t i = 0; i < ARRAY_SIZE(w); i++)
		assert_int_equal(workdir_create(&w[i], output, &diags), 0);
	assert_int_equal(diags.list.n, 0);
	assert_string_not_equal(w[0].path, w[1].path);
	assert_string_not_equal(w[1].path, w[2].path);
	assert_string_not_equal(w[0].path, w[2].path);
	assert_int_equal(workdir_find(output, &list, &diags), 0);
	assert_int_equal(list.paths.n, 3);
	workdir_list_release(&list);
	for (size_t i = 0; i < ARRAY_SIZE(w); i++)
		assert_int_equal(workdir_remove(&w[i]), 0);
	unmake("other");
}

static void test_cannot_create(void **state)
{
	struct diags diags = DIAGS_INIT;
	struct workdir w;

	(void)state;
	assert_int_equal(workdir_create(&w, "/nonexistent/dir/t.dat", &diags), -HIST_EIO);
	assert_int_equal(diags.list.n, 1);
	diags_release(&diags);
}

static void test_ring(void **state)
{
	static const struct {
		u64 stamps[5];
		u64 start;
	} rings[] = {
		{ { 1, 2, 3, 4, 5 }, 0 },
		{ { 6, 2, 3, 4, 5 }, 1 },
		{ { 6, 7, 7, 7, 5 }, 4 },
		{ { 0, 0, 0, 0, 0 }, 0 },
	};
	char path[128];
	u64 start;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/ring", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	unlink(path);
	for (size_t i = 0; i < ARRAY_SIZE(rings); i++) {
		for (size_t j = 0; j < 5; j++)
			assert_int_equal(pwrite(fd, &rings[i].stamps[j], 8, (off_t)(j * 64)), 8);
		assert_int_equal(reader_ring_start(fd, 5, 64, &start), 0);
		assert_int_equal(start, rings[i].start);
	}
	assert_int_equal(reader_ring_start(fd, 6, 64, &start), -1); /* there are only five */
	close(fd);
	assert_int_equal(reader_ring_size(0, 4096), 0);
	assert_int_equal(reader_ring_size(1, 4096), 4096);
	assert_int_equal(reader_ring_size(9, 4096), 8192);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_life),  TEST(test_no_space), TEST(test_text_with_nul),
		TEST(test_names), TEST(test_taken),    TEST(test_cannot_create),
		TEST(test_ring),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
