// SPDX-License-Identifier: LGPL-2.1-only
/* Records that threads add to different CPUs, more than are kept in memory, are all in the file. */
#include "unit.h"

#include <sys/mman.h>
#include <unistd.h>

#include "ring_buffer/ring_buffer.h"
#include "trace_dat/cpus.h"
#include "trace_dat/trace_dat.h"

enum { CPUS = 3, SUBBUF = 4096, RECORDS = SPOOL_MEMORY / SUBBUF / 2 };

static const struct ring_buffer_layout layout = { .long_size = 8, .subbuf_size = SUBBUF };
static struct trace_dat_cpus cpus;

static u32 records_of(u32 cpu)
{
	return RECORDS * 3 / (2 + cpu);
}

static void fill(u32 *data, u32 cpu, u32 i)
{
	data[0] = 1;
	data[1] = cpu;
	data[2] = i;
}

static void *add(void *arg)
{
	const u32 cpu = *(u32 *)arg;
	u32 data[SUBBUF / 4 - 8] = { 0 };
	int err = 0;

	for (u32 i = 0; i < records_of(cpu); i++) {
		fill(data, cpu, i);
		err |= trace_dat_cpus_record(&cpus, cpu,
					     &(struct ring_buffer_record){ .ts = 1000 + i,
									   .data = (u8 *)data,
									   .len = sizeof(data) });
	}
	*(u32 *)arg = (u32)err;
	return NULL;
}

static int read_page(void *pages, const u8 **page, size_t *len)
{
	return trace_dat_pages_next(pages, page, len);
}

static void check_cpu(struct trace_dat *td, u32 cpu)
{
	struct trace_dat_pages *pages;
	struct ring_buffer_record rec;
	struct ring_buffer_iter it;
	u32 n = 0;

	assert_int_equal(trace_dat_pages_open(td, 0, cpu, &pages, NULL), 0);
	ring_buffer_iter_init(&it, &layout, cpu, read_page, pages);
	for (; !ring_buffer_iter_next(&it, &rec); n++) {
		u32 want[3];

		fill(want, cpu, n);
		assert_int_equal(rec.ts, 1000 + n);
		assert_memory_equal(rec.data, want, sizeof(want));
	}
	assert_int_equal(n, records_of(cpu));
	trace_dat_pages_close(pages);
}

static void test_threads(void **state)
{
	const struct trace_dat_machine machine = { .version = 7,
						   .long_size = 8,
						   .page_size = SUBBUF,
						   .cpu_count = CPUS,
						   .clock = "boot" };
	const int fd = memfd_create("cpus", MFD_CLOEXEC);
	u32 numbers[CPUS];
	struct diags diags = DIAGS_INIT;
	struct trace_dat_writer *w;
	struct trace_dat *td;
	char path[64];

	(void)state;
	trace_dat_cpus_init(&cpus, &layout);
	for (u32 i = 0; i < CPUS; i++) {
		numbers[i] = i;
		assert_int_equal(trace_dat_cpus_lost(&cpus, i, 0, 0), 0);
	}
	threads_run(&(struct thread_job){
		.work = add, .elements = numbers, .size = sizeof(*numbers), .n = CPUS });
	for (u32 i = 0; i < CPUS; i++)
		assert_int_equal(numbers[i], 0);
	assert_true(cpus.spool >= 0);
	assert_int_equal(trace_dat_writer_open_fd(fd, "cpus", &machine, &w, &diags), 0);
	assert_int_equal(trace_dat_writer_buffer(w, "", "boot", SUBBUF), 0);
	assert_int_equal(trace_dat_cpus_write(&cpus, w), 0);
	assert_int_equal(trace_dat_writer_finish(w, &diags), 0);
	trace_dat_cpus_release(&cpus);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(trace_dat_open(path, &td, &diags), 0);
	for (u32 i = 0; i < CPUS; i++)
		check_cpu(td, i);
	trace_dat_close(td);
	diags_release(&diags);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_threads) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
