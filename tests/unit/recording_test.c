// SPDX-License-Identifier: LGPL-2.1-only
/* Several files as one recording of a machine: formats, buffers, times, what they state. */
#include "replay_recording.h"

#include "recording/page_times.h"
#include "recording/recording.h"

static const struct event_line lines[] = {
	{ .event = "sched:sched_waking", .fields = "pid=1 @ts=1000" },
	{ .event = "sched:sched_waking", .fields = "pid=2 @ts=2000", .cpu = 2 },
	{ .event = "sched:sched_waking", .fields = "pid=3 @ts=3000", .buffer = "foo" },
};

static const struct event_line later[] = {
	{ .event = "sched:sched_switch", .fields = "next_pid=1 @ts=5000" },
	{ .event = "sched:sched_switch", .fields = "next_pid=1 @ts=400000000000" },
	{ .event = "sched:sched_switch", .fields = "next_pid=1 @ts=800000000000" },
};

static int make_recordings(void **state)
{
	if (recording_make_dir(state))
		return -1;
	recording_write("a.dat", &(struct recording_of){ .lines = lines, .n = ARRAY_SIZE(lines) });
	recording_write("b.dat", &(struct recording_of){ .lines = later, .n = ARRAY_SIZE(later) });
	recording_write("other.dat", &(struct recording_of){ .lines = later,
							     .n = ARRAY_SIZE(later),
							     .uname = "Linux other 6.1.0 x86_64" });
	return 0;
}

/* Open the named recordings; the result of recordings_open(). */
static int open_named(struct recordings *r, const char *a, const char *b, struct diags *diags)
{
	const char *paths[] = { recording_path(a), b ? recording_path(b) : NULL };
	const struct hist_options options = { .inputs = paths, .n_inputs = b ? 2 : 1 };

	*diags = (struct diags)DIAGS_INIT;
	return recordings_open(r, &options, diags);
}

static void close_all(struct recordings *r, struct diags *diags)
{
	recordings_close(r);
	diags_release(diags);
}

static void test_machine(void **state)
{
	const struct event_format *format;
	struct recordings r;
	struct diags diags;
	size_t buffer;

	(void)state;
	assert_int_equal(open_named(&r, "a.dat", NULL, &diags), 0);
	assert_int_equal(r.files.n, 1);
	assert_int_equal(r.kernel.major, 6);
	assert_int_equal(r.kernel.minor, 12);
	assert_string_equal(r.machine.clock, "local");
	assert_int_equal(r.machine.long_size, 8);
	assert_int_equal(event_db_find(r.db, "sched", "sched_waking", &format), 0);
	assert_int_equal(recording_event_id(&r.files.v[0], format), 100);
	assert_true(recording_find_buffer(&r.files.v[0], "foo", &buffer));
	assert_string_equal(r.files.v[0].buffers[buffer].name, "foo");
	assert_false(recording_find_buffer(&r.files.v[0], "nix", &buffer));
	assert_null(slimmed_text(&r.files.v[0]).s);
	close_all(&r, &diags);
}

static void test_one_timeline(void **state)
{
	struct recordings_times times;
	struct recordings r;
	struct diags diags;

	(void)state;
	assert_int_equal(open_named(&r, "a.dat", "b.dat", &diags), 0);
	assert_int_equal(r.files.n, 2);
	r.diags = &diags;
	assert_int_equal(recordings_times(&r, "", &times), 0);
	assert_int_equal(times.first, 1000);
	assert_int_equal(times.last, 800000000000);
	assert_int_equal(recordings_times(&r, "foo", &times), 0);
	assert_int_equal(times.first, 3000);
	assert_int_equal(times.last, 3000);
	assert_int_equal(recordings_times(&r, "nix", &times), 0);
	assert_int_equal(times.last, 0);
	/* formats that both have are there once */
	for (size_t i = 0; i < r.n_texts; i++)
		for (size_t j = i + 1; j < r.n_texts; j++)
			assert_false(!strcmp(r.texts[i].system, r.texts[j].system) &&
				     span_same(r.texts[i].name, r.texts[j].name));
	close_all(&r, &diags);
}

static void test_other_machine(void **state)
{
	struct recordings r;
	struct diags diags;

	(void)state;
	assert_int_equal(open_named(&r, "a.dat", "other.dat", &diags), -HIST_EUNSUPPORTED);
	assert_true(diags_has_error(&diags, 0));
	close_all(&r, &diags);
	assert_true(open_named(&r, "nix.dat", NULL, &diags) < 0);
	assert_true(diags_has_error(&diags, 0));
	close_all(&r, &diags);
}

/* Sub-buffers are selected by time; a span without records selects none that has others. */
static void test_pages(void **state)
{
	struct trace_dat_pages *pages;
	struct recording_cpu cpu = { .buffer = 0 };
	struct recordings r;
	struct diags diags;
	struct page_span span;

	(void)state;
	assert_int_equal(open_named(&r, "b.dat", NULL, &diags), 0);
	r.diags = &diags;
	cpu.rec = r.files.v;
	assert_int_equal(recordings_find_times(&r, ""), 0);
	assert_int_equal(trace_dat_pages_open(r.files.v[0].td, 0, 0, &pages, &diags), 0);
	span = recording_select_pages(&cpu, pages, 0, UINT64_MAX);
	assert_int_equal(span.first, 0);
	assert_int_equal(span.end, 3);
	span = recording_select_pages(&cpu, pages, 400000000000, 400000000000);
	assert_true(span.first <= 1 && span.end >= 2 && span.end - span.first < 3);
	span = recording_select_pages(&cpu, pages, 800000000001, UINT64_MAX);
	assert_true(span.first >= span.end || span.end - span.first == 1);
	trace_dat_pages_close(pages);
	close_all(&r, &diags);
}

/* The lines that hist_slim() stores. */
static void test_slimmed_lines(void **state)
{
	struct span text = span_of("span 1 2 a b\nnew 1\nspan x 2 c\nspan -3 4 \n");
	struct slimmed_line line;

	(void)state;
	assert_true(slimmed_next(&text, "span ", 2, &line));
	assert_int_equal(line.a, 1);
	assert_int_equal(line.b, 2);
	assert_true(span_eq(line.rest, "a b"));
	assert_true(slimmed_next(&text, "span ", 2, &line));
	assert_int_equal(line.a, -3);
	assert_false(slimmed_next(&text, "span ", 2, &line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_machine), TEST(test_one_timeline),  TEST(test_other_machine),
		TEST(test_pages),   TEST(test_slimmed_lines),
	};

	return cmocka_run_group_tests(tests, make_recordings, recording_remove_dir);
}
