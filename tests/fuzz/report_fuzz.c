// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary text as a script, run on a small recording: triggers, filters, synthetic events, and
 * their output. The length of the script selects the kernel version.
 */
#include <unistd.h>

#include "fuzz.h"
#include "replay_recording.h"

static const u64 stack[] = { 0xffffffff81000001, 0xffffffff81000002, 0xffffffff81001010, 0 };

static const struct event_line lines[] = {
	{ .event = "sched:sched_waking", .fields = "pid=7 prio=1 comm=a common_pid=1 @ts=1000000" },
	{ .event = "stack", .fields = "common_pid=1 @ts=1000001", .stack = stack },
	{ .event = "sched:sched_switch", .fields = "next_pid=7 next_comm=a @ts=2000000" },
	{ .event = "sched:sched_waking", .fields = "pid=8 prio=2 comm=b @ts=3000000", .cpu = 1 },
	{ .event = "sched:sched_switch",
	  .fields = "next_pid=8 next_comm=b next_prio=5 @ts=4000000",
	  .cpu = 1 },
	{ .event = "ftrace:print", .fields = "buf=start\n @ts=5000000" },
	{ .event = "test:all",
	  .fields = "b64=0xffffffff81001010 dyn=text rel=more st=abc mask=5 a8=-1 @ts=6000000" },
	{ .event = "test:all", .fields = "b64=0 @ts=6000001" },
	{ .event = "raw_syscalls:sys_enter", .fields = "id=1 @ts=7000000" },
	{ .event = "synthetic:lat", .fields = "lat=9 @ts=7000001" },
	{ .event = "sched:sched_waking", .fields = "pid=9 @ts=7000000", .buffer = "foo" },
	{ .event = "sched:sched_wakeup", .fields = "pid=7 prio=3 @ts=8000000" },
};

static void remove_recording(void)
{
	recording_remove_dir(NULL);
}

static const char *recording(void)
{
	static const char *path;

	if (path)
		return path;
	MUST(!recording_make_dir(NULL));
	atexit(remove_recording);
	recording_write("fuzz.dat", &(struct recording_of){ .lines = lines,
							    .n = ARRAY_SIZE(lines),
							    .kprobe = true });
	path = strdup(recording_path("fuzz.dat"));
	MUST(path);
	return path;
}

static int take(void *arg, const void *data, size_t len)
{
	*(size_t *)arg += len;
	MUST(len && data);
	return 0;
}

/* Read every file that contains events, after the script. */
static void read_all(struct hist *h, struct diags *diags)
{
	static const char *const dirs[] = { "sched/sched_waking", "sched/sched_switch", "test/all",
					    "ftrace/print", "synthetic/lat" };
	static const char *const names[] = { "trigger", "hist",   "hist_debug",
					     "filter",  "enable", "format" };
	static const char *const files[] = { "error_log",          "synthetic_events",
					     "dynamic_events",     "set_event",
					     "set_event_pid",      "buffer_size_kb",
					     "trace_options",      "trace",
					     "snapshot",           "per_cpu/cpu1/trace",
					     "per_cpu/cpu0/stats", "events/sched/enable",
					     "instances/foo/trace" };
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) * ARRAY_SIZE(names); i++) {
		char path[128];

		snprintf(path, sizeof(path), "events/%s/%s", dirs[i / ARRAY_SIZE(names)],
			 names[i % ARRAY_SIZE(names)]);
		hist_read(h, path, take, &len, diags);
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		hist_read(h, files[i], take, &len, diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const kernels[] = { NULL, "6.1", "6.6" };
	const char *path = recording();
	struct hist_options options = {
		.inputs = &path,
		.n_inputs = 1,
		.jobs = 1,
		.kernel = kernels[size % ARRAY_SIZE(kernels)],
		.unlimited = size % 7 == 0,
	};
	struct hist_script *script = hist_script_new();
	struct diags *diags = hist_diags_new();
	size_t len = 0;
	struct hist *h;
	int err;

	MUST(script && diags);
	MUST(!hist_open(&options, &h, diags));
	err = hist_script_parse(script, "fuzz", (const char *)data, size, diags);
	if (!err) {
		err = hist_run(h, script, &(struct hist_run_options){ .keep_going = true }, take,
			       &len, diags);
		MUST(!err || err == -HIST_EREJECTED);
		MUST(!err || diags_has_error(diags, 0));
		read_all(h, diags);
	}
	for (size_t i = 0; i < hist_diags_count(diags); i++)
		free(hist_diags_text(diags, i, "fuzz", i & 1));
	hist_close(h);
	hist_script_free(script);
	hist_diags_free(diags);
	return 0;
}
