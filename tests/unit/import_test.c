// SPDX-License-Identifier: LGPL-2.1-only
/* Inputs are recognised by content, and text becomes a trace.dat with the same records. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

#include "event/event.h"
#include "import/import.h"
#include "ring_buffer/ring_buffer.h"

/* Two files without a name, and what the import states. */
struct imported {
	int in, out;
	char in_path[32], out_path[32];
	struct import_result result;
	struct diags diags;
	int err;
};

static void import_text(struct imported *im, const char *text)
{
	const struct import_options options = { .codec = CODEC_NONE };

	*im = (struct imported){ .in = memfd_create("in", MFD_CLOEXEC),
				 .out = memfd_create("out", MFD_CLOEXEC),
				 .diags = DIAGS_INIT };
	snprintf(im->in_path, sizeof(im->in_path), "/proc/self/fd/%d", im->in);
	snprintf(im->out_path, sizeof(im->out_path), "/proc/self/fd/%d", im->out);
	assert_true(fd_write(im->in, text, strlen(text)));
	im->err = import_file(&(struct import_input){ im->in_path, "input" }, &options,
			      &(struct import_output){ .fd = im->out }, &im->result, &im->diags);
}

static void release(struct imported *im)
{
	close(im->in);
	close(im->out);
	diags_release(&im->diags);
}

static int next_page(void *pages, const u8 **page, size_t *len)
{
	return trace_dat_pages_next(pages, page, len);
}

/* The records of a CPU of the result, as "TIME ID; ...". */
static void add_records(struct trace_dat *td, size_t cpu, struct strbuf *out, struct diags *diags)
{
	const struct trace_dat_info *info = trace_dat_info(td);
	size_t n;
	const struct trace_dat_buffer *b = trace_dat_buffers(td, &n);
	const struct ring_buffer_layout layout = { info->big_endian, info->long_size,
						   b->subbuf_size };
	struct trace_dat_pages *pages;
	struct ring_buffer_iter it;
	struct ring_buffer_record rec;

	assert_int_equal(trace_dat_pages_open(td, 0, cpu, &pages, diags), 0);
	ring_buffer_iter_init(&it, &layout, b->cpus[cpu].cpu, next_page, pages);
	while (!ring_buffer_iter_next(&it, &rec))
		strbuf_addf(out, "%s%u:%llu", out->len ? " " : "", b->cpus[cpu].cpu,
			    (unsigned long long)rec.ts);
	trace_dat_pages_close(pages);
}

/* The records as "CPU:TIME ...", and the number of formats named @format. */
static void check_result(struct imported *im, const char *records, const char *format)
{
	const struct trace_dat_format *formats;
	struct strbuf got = STRBUF_INIT, name = STRBUF_INIT;
	struct trace_dat *td;
	size_t n, n_cpus, found = 0;

	assert_int_equal(im->err, 0);
	assert_int_equal(trace_dat_open(im->out_path, &td, &im->diags), 0);
	n_cpus = trace_dat_buffers(td, &n)->n_cpus;
	assert_int_equal(n, 1);
	for (size_t i = 0; i < n_cpus; i++)
		add_records(td, i, &got, &im->diags);
	assert_string_equal(got.s, records);
	assert_int_equal(trace_dat_formats(td, &formats, &n, &im->diags), 0);
	strbuf_addf(&name, "name: %s\n", format);
	for (size_t i = 0; i < n; i++)
		found += span_starts(formats[i].text, name.s);
	assert_int_equal(found, 1);
	trace_dat_close(td);
	strbuf_release(&got);
	strbuf_release(&name);
}

static const char trace[] =
	"# tracer: nop\n#\n"
	"          <idle>-0       [001] d..2.   100.000002: sched_waking: comm=a pid=7 prio=120 target_cpu=001\n"
	"            bash-7       [000] d..2.   100.000001: sched_waking: comm=b pid=8 prio=120 target_cpu=000\n"
	"            bash-7       [001] d..2.   100.000003: sched_waking: comm=c pid=9 prio=120 target_cpu=001\n";

static void test_text(void **state)
{
	struct imported im;

	(void)state;
	import_text(&im, trace);
	assert_string_equal(im.result.what, "text");
	assert_true(im.result.inexact);
	assert_false(im.result.cut);
	check_result(&im, "0:100000001000 1:100000002000 1:100000003000", "sched_waking");
	release(&im);
}

/* A line of another program between the events is left out, and reported. */
static void test_damaged_line(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct imported im;

	(void)state;
	strbuf_addf(&text, "%sthis is not an event\n", trace);
	import_text(&im, text.s);
	check_result(&im, "0:100000001000 1:100000002000 1:100000003000", "sched_waking");
	assert_true(im.diags.list.n > 0);
	release(&im);
	strbuf_release(&text);
}

static void test_unknown(void **state)
{
	static const char *const unknown[] = { "", "hello\n", "\177ELF\2\1\1", "{\"a\":1}" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		struct imported im;

		import_text(&im, unknown[i]);
		assert_int_equal(im.err, -HIST_ENOTTRACE);
		assert_true(diags_has_error(&im.diags, 0));
		release(&im);
	}
}

/* A perf.data whose header announces more than there is. */
static void test_cut(void **state)
{
	struct imported im;

	(void)state;
	import_text(&im, "PERFILE2h");
	assert_true(im.err < 0);
	assert_true(diags_has_error(&im.diags, 0));
	release(&im);
}

static void test_recognises(void **state)
{
	(void)state;
	assert_true(import_recognises(span_of(trace)));
	assert_true(import_recognises(span_of("PERFILE2")));
	assert_false(import_recognises(span_of("")));
	assert_false(import_recognises(span_of("\027\010\104tracing7")));
	assert_false(import_recognises(span_of("#!/bin/sh\n")));
	assert_false(import_recognises_path("/nonexistent"));
	assert_false(import_is_inexact(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_text), TEST(test_damaged_line), TEST(test_unknown),
		TEST(test_cut),  TEST(test_recognises),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
