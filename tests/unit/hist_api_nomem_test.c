// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A report in which the n-th allocation fails, for every n: it ends with -HIST_ENOMEM or, if the
 * memory was optional, with the usual result. With a sanitizer, also checks for leaks.
 *
 * The linker redirects the library's allocations to this program (see TEST_LDFLAGS in the
 * Makefile); those of other libraries are not affected.
 */
#include <sys/stat.h>
#include <time.h>

#include "hist-session.h"
#include "nomem.h"
#include "replay_recording.h"

/* --- one report --- */

struct report {
	const char *recording, *script, *path;
	bool keep_going, unlimited;
	unsigned int jobs;
};

static int run_in(struct hist_session *session, const void *arg, struct output *out)
{
	const struct report *r = arg;
	const char *path = r->path;
	struct hist_options options = {
		.inputs = &path, .n_inputs = 1, .jobs = r->jobs, .unlimited = r->unlimited
	};
	struct hist_run_options how = { .keep_going = r->keep_going };
	struct hist_script *script = hist_script_new();
	struct diags *diags = hist_diags_new();
	struct hist *h = NULL;
	int err = script && diags ? 0 : -HIST_ENOMEM;

	out->len = 0;
	if (!err)
		err = hist_session_open(session, &options, &h, diags);
	if (!err)
		err = hist_script_parse(script, "t", r->script, strlen(r->script), diags);
	if (!err)
		err = hist_run(h, script, &how, add_output, out, diags);
	for (size_t i = 0; diags && i < hist_diags_count(diags); i++)
		free(hist_diags_text(diags, i, "t", false));
	hist_close(h);
	hist_script_free(script);
	hist_diags_free(diags);
	return err;
}

static int run_report(const void *arg, struct output *out)
{
	return run_in(NULL, arg, out);
}

/* The same question twice, on a recording whose chunks are kept. */
static int run_twice(const void *arg, struct output *out)
{
	struct hist_session *session = hist_session_new(8 << 20);
	int err = session ? run_in(session, arg, out) : -HIST_ENOMEM;

	if (!err)
		err = run_in(session, arg, out);
	hist_session_free(session);
	return err;
}

static void check_report(const struct report *what)
{
	struct report r = *what;
	char *path = strdup(recording_path(r.recording));

	r.path = path;
	check_allocations(run_report, &r, r.keep_going ? -HIST_EREJECTED : 0, "report");
	free(path);
}

/* --- reports that use all features --- */

static const u64 stack[] = { 0xffffffff81000001, 0xffffffff81000002, 0xffffffff81001010, 0 };

static const struct event_line lines[] = {
	{ .event = "sched:sched_waking", .fields = "pid=7 prio=1 comm=a common_pid=1 @ts=1000000" },
	{ .event = "stack", .fields = "common_pid=1 @ts=1000001", .stack = stack },
	{ .event = "sched:sched_switch", .fields = "next_pid=7 next_comm=a @ts=2000000" },
	{ .event = "sched:sched_waking", .fields = "pid=8 prio=2 comm=b @ts=3000000", .cpu = 1 },
	{ .event = "sched:sched_switch", .fields = "next_pid=8 next_comm=b @ts=4000000", .cpu = 1 },
	{ .event = "ftrace:print", .fields = "buf=start\n @ts=5000000" },
	{ .event = "test:all", .fields = "b64=0xffffffff81001010 dyn=text @ts=6000000" },
	{ .event = "raw_syscalls:sys_enter", .fields = "id=1 @ts=7000000" },
	{ .event = "sched:sched_waking", .fields = "pid=9 @ts=7000000", .buffer = "foo" },
	{ .lost = 5, .cpu = 1 },
	{ .event = "sched:sched_switch", .fields = "next_pid=8 @ts=8000000", .cpu = 1 },
};

#define EVENT(name) "events/" name "/trigger\n"

/* clang-format off */
static const char plain[] =
	"echo 'hist:keys=pid,comm:vals=prio:sort=pid if prio < 100 && comm ~ \"[ab]*\"' > " EVENT("sched/sched_waking")
	"echo 'hist:keys=b64.sym-offset,dyn' > " EVENT("test/all")
	"echo 'hist:keys=id.syscall:vals=hitcount.percent' > " EVENT("raw_syscalls/sys_enter")
	"cat events/sched/sched_waking/trigger events/test/all/hist events/raw_syscalls/sys_enter/hist\n"
	"cat events/sched/sched_waking/hist error_log available_events\n";

static const char latency[] =
	"echo 'lat u64 lat; char comm[16]; char text[]' > synthetic_events\n"
	"echo 'hist:keys=pid:ts0=common_timestamp.usecs,cm=comm' > " EVENT("sched/sched_waking")
	"echo 'hist:keys=next_pid:d=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).lat($d,next_comm,comm)"
	":onmax($d).save(next_comm,prev_pid):onmax($d).snapshot()' > " EVENT("sched/sched_switch")
	"echo 'hist:keys=comm,text:vals=lat:sort=lat' > " EVENT("synthetic/lat")
	"cat events/synthetic/lat/hist events/sched/sched_switch/hist events/sched/sched_switch/hist_debug\n"
	"cat synthetic_events events/synthetic/lat/format events/sched/sched_waking/trigger\n"
	"echo '!hist:keys=comm,text:vals=lat:sort=lat' >> " EVENT("synthetic/lat")
	"cat events/synthetic/lat/hist\n";

static const char by_key[] =
	"echo 'lat u64 lat; char comm[16]; char text[]' > synthetic_events\n"
	"echo 'hist:keys=pid:ts0=common_timestamp.usecs,cm=comm' > " EVENT("sched/sched_waking")
	"echo 'hist:keys=next_pid:d=common_timestamp.usecs-$ts0" ":onmatch(sched.sched_waking).lat($d,next_comm,prev_comm)"
	":onmax($d).save(next_comm,prev_pid)' > " EVENT("sched/sched_switch")
	"echo 'hist:keys=comm,text:vals=lat:sort=lat' > " EVENT("synthetic/lat")
	"cat events/synthetic/lat/hist events/sched/sched_switch/hist\n";

static const char named[] =
	"echo 'hist:name=foo:keys=common_pid.execname,common_stacktrace' > " EVENT("sched/sched_waking")
	"echo 'hist:name=foo:keys=common_pid.execname,common_stacktrace if COMM != \"x\"' > " EVENT("sched/sched_switch")
	"echo 'enable_hist:sched:sched_switch:1 if buf == \"start\"' > " EVENT("ftrace/print")
	"echo hist:keys=pid > instances/foo/" EVENT("sched/sched_waking")
	"cat events/sched/sched_switch/hist instances/foo/events/sched/sched_waking/hist\n"
	"echo '!hist:name=foo:keys=common_pid.execname,common_stacktrace' >> " EVENT("sched/sched_waking")
	"echo hist:keys=prio > " EVENT("sched/sched_waking")
	"cat events/sched/sched_waking/hist\n";

static const char unlimited[] =
	"echo 'hist:keys=next_pid,prev_pid,next_prio,prev_prio:vals=hitcount:sort=hitcount,next_pid,prev_pid' > "
	EVENT("sched/sched_switch")
	"echo 'hist:keys=pid:sort=pid,pid,hitcount.descending' > " EVENT("sched/sched_waking")
	"cat events/sched/sched_switch/hist events/sched/sched_waking/hist\n";

static const char refused[] =
	"echo 'hist:keys=nix' > " EVENT("sched/sched_waking")
	"echo 'hist:keys=pid if nix == 1' > " EVENT("sched/sched_waking")
	"echo 'hist:keys=pid:sort' > " EVENT("sched/sched_waking")
	"echo 'hist:keys=pid' > " EVENT("sched/sched_walking")
	"echo 'nix == 1' > events/sched/sched_waking/filter\n"
	"echo 'lat u65 x' > synthetic_events\n"
	"echo 'hist:keys=pid:onmatch(sched.sched_switch).nix(pid)' > " EVENT("sched/sched_waking")
	"cat error_log events/sched/sched_waking/filter nosuch\n";

static const char names[] =
	"echo 'hist:keys=common_pid.execname,common_stacktrace' > " EVENT("sched/sched_waking")
	"echo 'hist:keys=next_comm if COMM != \"x\"' > " EVENT("sched/sched_switch")
	"cat events/sched/sched_waking/hist events/sched/sched_switch/hist\n";
/* clang-format on */

static int make_recording(void **state)
{
	if (recording_make_dir(state))
		return -1;
	recording_write("all.dat",
			&(struct recording_of){ .lines = lines, .n = ARRAY_SIZE(lines) });
	return 0;
}

static void test_plain(void **state)
{
	(void)state;
	check_report(&(struct report){ .recording = "all.dat", .script = plain, .jobs = 1 });
}

static void test_threads(void **state)
{
	(void)state;
	check_report(&(struct report){ .recording = "all.dat", .script = plain, .jobs = 3 });
}

/* As for large histograms; in the build with SMALL_PARTS, see check-plan, by several threads. */
static void test_unlimited(void **state)
{
	(void)state;
	check_report(&(struct report){
		.recording = "all.dat", .script = unlimited, .unlimited = true, .jobs = 3 });
}

static void test_latency(void **state)
{
	(void)state;
	check_report(&(struct report){ .recording = "all.dat", .script = latency, .jobs = 1 });
}

static void test_by_key(void **state)
{
	(void)state;
	check_report(&(struct report){ .recording = "all.dat", .script = by_key, .jobs = 3 });
}

static void test_named(void **state)
{
	(void)state;
	check_report(&(struct report){ .recording = "all.dat", .script = named, .jobs = 1 });
}

static void test_names_on_threads(void **state)
{
	(void)state;
	check_report(&(struct report){ .recording = "all.dat", .script = names, .jobs = 3 });
}

static void test_refused(void **state)
{
	(void)state;
	check_report(&(struct report){
		.recording = "all.dat", .script = refused, .keep_going = true, .jobs = 1 });
}

/* On a recording whose chunks are compressed. */
static void test_session(void **state)
{
	struct report r = {
		.path = "trace.dat-samples/wakeup.dat",
		.script = "echo hist:keys=next_pid > events/sched/sched_switch/trigger\n"
			  "cat events/sched/sched_switch/hist\n",
		.jobs = 1,
	};
	struct stat st;

	(void)state;
	check_allocations(run_twice, &r, 0, "session");
	r.script = "echo hist:keys=comm > events/derived/wait/trigger\n"
		   "cat events/derived/wait/hist\n";
	assert_int_equal(stat(r.path, &st), 0);
	while (time(NULL) - st.st_ctim.tv_sec <= 1)
		sleep(1);
	check_allocations(run_report, &r, 0, "derived events");
	check_allocations(run_twice, &r, 0, "derived events that a session keeps");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_plain),   TEST(test_threads), TEST(test_latency),
		TEST(test_by_key),  TEST(test_named),   TEST(test_names_on_threads),
		TEST(test_session), TEST(test_refused), TEST(test_unlimited),
	};

	return cmocka_run_group_tests(tests, make_recording, recording_remove_dir);
}
