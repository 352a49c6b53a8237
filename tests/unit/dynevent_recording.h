/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A recording of two events, opened for tests of the functions that the kernel offers to modules.
 */
#ifndef TESTS_DYNEVENT_RECORDING_H
#define TESTS_DYNEVENT_RECORDING_H

#include "replay_recording.h"

static struct hist *h;
static struct diags *diags;
static const char *recording_uname; /* NULL: that of a 6.12 */

static int open_recording(void **state)
{
	static const struct event_line lines[] = {
		{ .event = "sched:sched_waking", .fields = "pid=7 prio=1 comm=a @ts=1000" },
		{ .event = "sched:sched_waking",
		  .fields = "pid=8 prio=2 comm=b @ts=2000",
		  .cpu = 1 },
		{ .event = "sched:sched_waking", .fields = "pid=7 prio=3 comm=a @ts=3000" },
	};
	const char *path;

	(void)state;
	recording_write("module.dat", &(struct recording_of){ .lines = lines,
							      .n = ARRAY_SIZE(lines),
							      .uname = recording_uname,
							      .kprobe = true });
	path = recording_path("module.dat");
	diags = hist_diags_new();
	if (!diags)
		return -1;
	return hist_open(&(struct hist_options){ .inputs = &path, .n_inputs = 1 }, &h, diags);
}

static int close_recording(void **state)
{
	(void)state;
	hist_close(h);
	hist_diags_free(diags);
	return 0;
}

static inline int write_file(const char *path, const char *text)
{
	return hist_write(h, path, text, strlen(text), HIST_APPEND, diags);
}

/* The contents of @path, squeezed by short_output(), must be @want. */
static inline void check_file(const char *path, const char *want)
{
	struct strbuf out = STRBUF_INIT;
	char *got;

	assert_int_equal(hist_read(h, path, add_to_strbuf, &out, diags), 0);
	got = short_output(out.s ? out.s : "");
	assert_string_equal(got, want);
	free(got);
	strbuf_release(&out);
}

/* The last entry of error_log, from after the time up to the caret, must be @want. */
static inline void check_error(const char *want)
{
	struct strbuf out = STRBUF_INIT;
	const char *last, *p;

	assert_int_equal(hist_read(h, "error_log", add_to_strbuf, &out, diags), 0);
	last = p = out.s ? out.s : "";
	while (p && (p = strstr(p, ": error: "))) {
		last = p++;
		while (last[-1] != ' ')
			last--;
	}
	if (strncmp(last, want, strlen(want)))
		assert_string_equal(last, want);
	strbuf_release(&out);
}

#define RECORDING_TEST(fn) cmocka_unit_test_setup_teardown(fn, open_recording, close_recording)

#endif
