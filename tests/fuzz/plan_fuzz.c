// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Differential test: arbitrary bytes as a recording, with one script under every plan. The output,
 * the reported losses and the result must be the same. The first byte selects the script, and what
 * is printed besides: statistics, exemplars, slices of time.
 */
#include "fuzz.h"

#define RECORDING_AT 1 /* after the byte that selects the script and options */
#include "recording_mutator.h"

#include <sys/mman.h>
#include <unistd.h>

#include "plan_check.h"

#define FOO(trigger)         "echo '" trigger "' >> events/test/foo/trigger\n"
#define SCHED(name, trigger) "echo '" trigger "' >> events/sched/sched_" name "/trigger\n"

static const char *const scripts[] = {
	FOO("hist:keys=common_pid"),
	FOO("hist:keys=a,common_pid.execname:vals=b:sort=hitcount"),
	FOO("hist:keys=common_timestamp.log2:vals=a:size=16"),
	"echo 'lat u64 d' >> synthetic_events\n" FOO("hist:keys=common_pid:ts=common_timestamp") FOO(
		"hist:keys=common_pid:d=common_timestamp-$ts:onmatch(test.foo).lat($d)") "echo 'hist:keys=d' >> events/synthetic/lat/trigger\n",
	FOO("hist:keys=common_cpu:t=common_timestamp:onmax($t).save(common_pid)"),
	FOO("hist:keys=b,common_flags if a > 1"),
	"echo 4711 > set_event_pid\n" FOO("hist:keys=common_pid"),
	FOO("hist:keys=stacktrace"),
	FOO("hist:keys=common_pid:name=a")
		FOO("hist:keys=common_pid:name=a:pause if common_pid == 2"),
	FOO("hist:keys=common_cpu") "cat trace\n",
	/* names of tasks, of all threads; kernel stacks */
	SCHED("waking", "hist:keys=common_pid.execname,pid:vals=prio"),
	SCHED("switch", "hist:keys=next_comm,common_pid.execname")
		SCHED("waking", "hist:keys=prio"),
	SCHED("waking", "hist:keys=common_stacktrace:vals=prio"),
	SCHED("waking", "hist:keys=common_stacktrace,common_pid if prio < 3"),
	"echo 'wake u64 lat; pid_t pid' >> synthetic_events\n" SCHED(
		"waking", "hist:keys=pid:ts=common_timestamp.usecs")
		SCHED("switch",
		      "hist:keys=next_pid:lat=common_timestamp.usecs-$ts:"
		      "onmatch(sched.sched_waking).wake($lat,next_pid)") "echo 'hist:keys=pid,lat.log2' >> events/synthetic/wake/trigger\n",
	SCHED("waking", "hist:keys=pid:ts=common_timestamp.usecs") SCHED(
		"switch",
		"hist:keys=next_pid:lat=common_timestamp.usecs-$ts:onmax($lat).save(next_comm)"),
};

static const struct extra {
	bool stats;
	unsigned int exemplars;
	const char *interval;
} extras[] = {
	{ false, 0, NULL }, { true, 0, NULL },     { false, 2, NULL }, { true, 1, "100ms" },
	{ false, 0, "1" },  { false, 0, "100ms" }, { true, 0, "20s" }, { false, 3, "250ms" },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[64];
	const char *input = path;
	struct plan_case c = { .inputs = &input, .n_inputs = 1, .what = "fuzz" };
	struct plan_counts counts = { .rejected = 0 };
	struct plan_outcome want;
	const struct extra *extra;

	if (fd < 0) {
		fd = memfd_create("trace.dat", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (!size || ftruncate(fd, 0) || pwrite(fd, data + 1, size - 1, 0) != (ssize_t)size - 1)
		return 0;
	extra = &extras[*data / ARRAY_SIZE(scripts) % ARRAY_SIZE(extras)];
	c.script = scripts[*data % ARRAY_SIZE(scripts)];
	c.stats = extra->stats;
	c.exemplars = extra->exemplars;
	c.interval = extra->interval;
	plan_run(&c, HIST_PLAN_PLAIN, 1, &want);
	plan_compare(&c, &want, HIST_PLAN_ORDER, 2, &counts);
	plan_compare(&c, &want, HIST_PLAN_AUTO, 2, &counts);
	plan_compare(&c, &want, HIST_PLAN_RANGE, 2, &counts);
	strbuf_release(&want.out);
	return 0;
}
