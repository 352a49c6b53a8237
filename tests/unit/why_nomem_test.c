// SPDX-License-Identifier: LGPL-2.1-only
/*
 * hist why, in which the n-th allocation fails, for every n: it ends with -HIST_ENOMEM, or prints
 * the usual answer. With a sanitizer, also checks for leaks.
 */
#include "hist-why.h"
#include "nomem.h"
#include "replay_recording.h"

struct asked {
	const char *event, *path;
	struct hist_why_options how;
};

static int ask(const void *arg, struct output *out)
{
	const struct asked *a = arg;
	const struct hist_options options = { .inputs = &a->path, .n_inputs = 1, .jobs = 1 };
	struct hist_script *script = hist_script_new();
	struct diags *diags = hist_diags_new();
	struct hist *h = NULL;
	int err = script && diags ? 0 : -HIST_ENOMEM;

	out->len = 0;
	if (!err)
		err = hist_open(&options, &h, diags);
	if (!err)
		err = hist_script_write(script, "-e", a->event, "1", HIST_TRUNCATE);
	if (!err)
		err = hist_why(h, script, &a->how, add_output, out, diags);
	hist_close(h);
	hist_script_free(script);
	hist_diags_free(diags);
	return err;
}

static void test_formats(void **state)
{
#define SWITCH(cpu_, ts, prev, state_, next)                                            \
	{                                                                               \
		.event = "sched:sched_switch", .cpu = (cpu_),                           \
		.fields = "prev_pid=" #prev " prev_comm=t" #prev " prev_state=" #state_ \
			  " next_pid=" #next " next_comm=t" #next " @ts=" #ts           \
	}
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 7, 1, 9),
		SWITCH(1, 1100, 0, 0, 8),
		{ .event = "sched:sched_waking",
		  .cpu = 1,
		  .fields = "common_pid=8 pid=7 comm=t7 target_cpu=0 @ts=2000" },
		SWITCH(0, 2500, 9, 256, 7),
		SWITCH(0, 3000, 7, 1, 0),
	};
	static const char *const formats[] = { "text", "json", "svg", "html" };
	char *path;

	(void)state;
	recording_write("w.dat", &(struct recording_of){ .lines = lines, .n = ARRAY_SIZE(lines) });
	path = strdup(recording_path("w.dat"));
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const struct asked one = { "events/derived/task_state/enable",
					   path,
					   { .format = formats[i], .top = 3 } };
		const struct asked all = { "events/derived/wait/enable",
					   path,
					   { .format = formats[i], .all = true } };

		check_allocations(ask, &one, 0, formats[i]);
		if (i < 2)
			check_allocations(ask, &all, 0, formats[i]);
	}
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_formats) };

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
