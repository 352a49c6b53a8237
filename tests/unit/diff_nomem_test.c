// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A comparison in which the n-th allocation fails, for every n: it ends with -HIST_ENOMEM or, if
 * the memory was optional, with the usual result. With a sanitizer, also checks for leaks.
 */
#include "nomem.h"
#include "replay_recording.h"

#include "hist-diff.h"

static const u64 stack[] = { 0xffffffff81000001, 0xffffffff81000002, 0 };

static const struct event_line lines[] = {
	{ .event = "sched:sched_waking", .fields = "pid=7 prio=1 comm=a common_pid=1 @ts=1000000" },
	{ .event = "stack", .fields = "common_pid=1 @ts=1000001", .stack = stack },
	{ .event = "sched:sched_waking", .fields = "pid=8 prio=2 comm=b @ts=3000000" },
	{ .event = "raw_syscalls:sys_enter", .fields = "id=1 @ts=7000000" },
	{ .event = "raw_syscalls:sys_enter", .fields = "id=2 @ts=8000000" },
};

static const char script_text[] =
	"echo hist:keys=comm,prio.log2:vals=prio > events/sched/sched_waking/trigger\n"
	"echo hist:keys=common_stacktrace >> events/sched/sched_waking/trigger\n"
	"echo hist:keys=id.syscall > events/raw_syscalls/sys_enter/trigger\n";

static struct output saved;
static char *path;

static int open_script(struct hist **h, struct hist_script **script, struct diags *diags)
{
	const char *input = path;
	const struct hist_options options = { .inputs = &input, .n_inputs = 1, .jobs = 1 };
	int err = hist_open(&options, h, diags);

	*script = err ? NULL : hist_script_new();
	if (!err && !*script)
		err = -HIST_ENOMEM;
	return err ? err : hist_script_parse(*script, "t", script_text, strlen(script_text), diags);
}

static int add_recording(struct hist_diff *d, size_t run, struct diags *diags)
{
	struct hist_script *script = NULL;
	struct hist *h = NULL;
	int err = open_script(&h, &script, diags);

	if (!err)
		err = hist_diff_start_run(d, run, "recorded", diags);
	if (!err)
		err = hist_diff_add_recording(d, h, script, diags);
	hist_script_free(script);
	hist_close(h);
	return err;
}

static int compare(const void *arg, struct output *out)
{
	const struct hist_diff_options *options = arg;
	struct diags *diags = hist_diags_new();
	enum hist_diff_verdict verdict = HIST_DIFF_INCONCLUSIVE;
	struct hist_diff *d = NULL;
	int err = diags ? hist_diff_new(options, &d, diags) : -HIST_ENOMEM;

	out->len = 0;
	for (size_t i = 0; i < options->n_before && !err; i++) {
		err = hist_diff_start_run(d, i, "saved", diags);
		if (!err)
			err = hist_diff_add_saved(d, saved.text, saved.len, diags);
	}
	if (!err)
		hist_diff_script(d); /* the recording has what the saved result has */
	if (!err)
		err = add_recording(d, options->n_before, diags);
	if (!err)
		err = hist_diff_print(d, add_output, out, &verdict, diags);
	hist_diff_free(d);
	hist_diags_free(diags);
	return err ? err : (int)verdict;
}

static void check(const struct hist_diff_options *options)
{
	check_allocations(compare, options, HIST_DIFF_SAME, "diff");
}

static void text(void **state)
{
	static const char *const fail_on[] = { "a*:hitcount>+1%", "prio.mean>+1%" };
	const struct hist_diff_options options = { .n_before = 1,
						   .n_after = 1,
						   .fail_on = fail_on,
						   .n_fail_on = 1,
						   .units = (const char *[]){ "prio=us" },
						   .n_units = 1,
						   .all = true };

	(void)state;
	check(&options);
}

static void json(void **state)
{
	const struct hist_diff_options options = {
		.n_before = 1, .n_after = 1, .all = true, .format = "json"
	};

	(void)state;
	check(&options);
}

static void pages(void **state)
{
	static const char *const formats[] = { "html", "markdown", "junit" };
	struct hist_diff_options options = { .n_before = 1, .n_after = 1, .all = true };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		options.format = formats[i];
		check(&options);
	}
}

static void several_runs(void **state)
{
	const struct hist_diff_options options = {
		.n_before = 2, .n_after = 1, .all = true, .exemplars = 1
	};

	(void)state;
	check(&options);
}

static void csv(void **state)
{
	const struct hist_diff_options options = { .n_before = 1,
						   .n_after = 1,
						   .all = true,
						   .show = "sys_enter",
						   .drop_keys = (const char *[]){ "id" },
						   .n_drop_keys = 1,
						   .format = "csv" };

	(void)state;
	check(&options);
}

static int save(void **state)
{
	const struct hist_run_options options = {
		.format = "json", .stats = true, .exemplars = 2, .exemplars_of = "prio"
	};
	struct diags *diags = hist_diags_new();
	struct hist_script *script = NULL;
	struct hist *h = NULL;
	int err;

	if (recording_make_dir(state))
		return -1;
	recording_write("all.dat",
			&(struct recording_of){ .lines = lines, .n = ARRAY_SIZE(lines) });
	path = strdup(recording_path("all.dat"));
	err = open_script(&h, &script, diags);
	if (!err)
		err = hist_run(h, script, &options, add_output, &saved, diags);
	hist_script_free(script);
	hist_close(h);
	hist_diags_free(diags);
	return err;
}

static int remove_all(void **state)
{
	free(path);
	return recording_remove_dir(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text), TEST(json), TEST(csv), TEST(pages), TEST(several_runs),
	};

	return cmocka_run_group_tests_name("diff_nomem", tests, save, remove_all);
}
