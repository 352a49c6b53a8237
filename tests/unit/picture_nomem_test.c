// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Pictures with the n-th allocation failing, for every n: they end with -HIST_ENOMEM or, where the
 * memory was not vital, as they would have ended. Under a sanitizer also: nothing leaks.
 */
#include "nomem.h"
#include "replay_recording.h"

static const u64 stack[] = { 0xffffffff81000001, 0xffffffff81000002, 0xffffffff81001010, 0 };
static const u64 other[] = { 0xffffffff81000001, 0xffffffff81001010, 0 };

static const struct event_line lines[] = {
	{ .event = "sched:sched_waking", .fields = "pid=7 prio=1 comm=a common_pid=1 @ts=1000000" },
	{ .event = "stack", .fields = "common_pid=1 @ts=1000001", .stack = stack },
	{ .event = "sched:sched_waking",
	  .fields = "pid=8 prio=20 comm=b common_pid=1 @ts=3000000" },
	{ .event = "stack", .fields = "common_pid=1 @ts=3000001", .stack = other },
	{ .event = "sched:sched_waking",
	  .fields = "pid=9 prio=300 comm=<b> @ts=4000000",
	  .cpu = 1 },
	{ .lost = 5, .cpu = 1 },
	{ .event = "sched:sched_waking", .fields = "pid=7 prio=2 comm=a @ts=9000000", .cpu = 1 },
};

#define TRIGGER " >> events/sched/sched_waking/trigger\n"

static const char stacks[] = "echo hist:keys=common_stacktrace,comm:vals=prio:sort=prio" TRIGGER;
static const char values[] = "echo hist:keys=comm,prio.log2:vals=prio" TRIGGER
			     "echo hist:keys=pid.buckets=4" TRIGGER
			     "echo 'hist:keys=comm:onmax($p).save(pid):p=prio'" TRIGGER;

struct drawing {
	const char *format, *script, *interval;
	bool stats, colour;
	unsigned int exemplars;
};

static char *path;

static int draw(const void *arg, struct output *out)
{
	const struct drawing *d = arg;
	const char *input = path;
	const struct hist_options options = { .inputs = &input, .n_inputs = 1, .jobs = 1 };
	const struct hist_run_options how = { .format = d->format,
					      .interval = d->interval,
					      .stats = d->stats,
					      .colour = d->colour,
					      .width = 60,
					      .exemplars = d->exemplars,
					      .command = "hist report -i 'a b'" };
	struct hist_script *script = hist_script_new();
	struct diags *diags = hist_diags_new();
	struct hist *h = NULL;
	int err = script && diags ? 0 : -HIST_ENOMEM;

	out->len = 0;
	if (!err)
		err = hist_open(&options, &h, diags);
	if (!err)
		err = hist_script_parse(script, "t", d->script, strlen(d->script), diags);
	if (!err)
		err = hist_run(h, script, &how, add_output, out, diags);
	hist_close(h);
	hist_script_free(script);
	hist_diags_free(diags);
	return err;
}

static void check(const struct drawing *d)
{
	check_allocations(draw, d, 0, d->format);
}

static void pages(void **state)
{
	(void)state;
	check(&(struct drawing){ .format = "html", .script = stacks });
	check(&(struct drawing){
		.format = "html", .script = values, .stats = true, .exemplars = 2 });
	check(&(struct drawing){
		.format = "html", .script = values, .interval = "0.002", .exemplars = 1 });
}

static void flame_graphs(void **state)
{
	(void)state;
	check(&(struct drawing){ .format = "svg", .script = stacks });
	check(&(struct drawing){ .format = "svg", .script = stacks, .interval = "0.002" });
}

static void terminals(void **state)
{
	static const char *const formats[] = { "heat", "plot" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		check(&(struct drawing){ .format = formats[i], .script = values });
		check(&(struct drawing){ .format = formats[i],
					 .script = values,
					 .interval = "0.002",
					 .colour = true });
	}
}

static int record(void **state)
{
	if (recording_make_dir(state))
		return -1;
	recording_write("all.dat",
			&(struct recording_of){ .lines = lines, .n = ARRAY_SIZE(lines) });
	path = strdup(recording_path("all.dat"));
	return path ? 0 : -1;
}

static int remove_all(void **state)
{
	free(path);
	return recording_remove_dir(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pages),
		TEST(flame_graphs),
		TEST(terminals),
	};

	return cmocka_run_group_tests_name("picture_nomem", tests, record, remove_all);
}
