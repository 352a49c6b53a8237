// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A session: derived events are kept for the next question, if memory permits, and until the file
 * changes; every answer is the one without a session.
 */
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hist-script.h"
#include "hist-session.h"
#include "replay_recording.h"

static const struct event_line lines[] = {
	{ .event = "sched:sched_waking", .fields = "pid=7 prio=1 comm=a common_pid=1 @ts=1000000" },
	{ .event = "sched:sched_switch", .fields = "next_pid=7 next_comm=a @ts=2000000" },
	{ .event = "sched:sched_waking", .fields = "pid=8 prio=2 comm=b @ts=3000000", .cpu = 1 },
	{ .event = "sched:sched_switch", .fields = "next_pid=8 next_comm=b @ts=4000000", .cpu = 1 },
	{ .event = "sched:sched_switch",
	  .fields = "prev_pid=7 prev_comm=a next_pid=0 next_comm=idle @ts=5000000" },
	{ .event = "sched:sched_waking", .fields = "pid=7 prio=1 comm=a common_pid=8 @ts=6000000" },
	{ .lost = 5, .cpu = 1 },
	{ .event = "sched:sched_switch", .fields = "next_pid=7 next_comm=a @ts=9000000" },
};

static const char *const questions[] = {
	"echo 'hist:keys=comm' >> events/derived/wait/trigger; cat events/derived/wait/hist",
	"echo 'hist:keys=cpu,comm:vals=ns' >> events/derived/wait/trigger; cat events/derived/wait/hist",
	"echo 'hist:keys=ns.log2 if ns > 1000' >> events/derived/wait/trigger; cat events/derived/wait/hist",
	"echo 'hist:keys=common_cpu:vals=ns' >> events/derived/wait/trigger; cat events/derived/wait/hist",
	"echo 'hist:keys=state,comm' >> events/derived/task_state/trigger; cat events/derived/task_state/hist",
	"echo 'hist:keys=reason:vals=ns' >> events/derived/wait/trigger; cat events/derived/wait/hist",
	"echo 'hist:keys=waker_comm' >> events/derived/wait/trigger; cat events/derived/wait/hist",
	"echo 'hist:keys=common_pid.execname' >> events/derived/wait/trigger; cat events/derived/wait/hist",
	"echo 'hist:keys=pid' >> events/derived/wait/trigger; echo 'hist:keys=state:vals=ns' >> "
	"events/derived/task_state/trigger; cat events/derived/wait/hist; cat "
	"events/derived/task_state/hist",
	"echo 'hist:keys=pid:t=common_timestamp' >> events/derived/task_state/trigger; echo "
	"'hist:keys=pid:d=common_timestamp-$t' >> events/derived/wait/trigger; cat "
	"events/derived/wait/hist events/derived/task_state/hist",
	"echo 'hist:keys=comm:vals=ns:w=ns:onmax($w).save(pid,cpu) if kind == \"woken\" && ns >= 0 && comm ~ \"*\"' >> "
	"events/derived/wait/trigger; echo 'hist:keys=ns.log2 if comm ~ \"a*\" && comm != \"b\"' >> "
	"events/derived/wait/trigger; echo 'hist:keys=kind:vals=ns' >> events/derived/wait/trigger; cat "
	"events/derived/wait/hist",
	"echo 'hist:keys=kind:w=cpu:onchange($w).save(pid,ns)' >> events/derived/wait/trigger; echo "
	"'hist:keys=pid:t=ns' >> events/derived/wait/trigger; echo 'hist:keys=pid:d=ns-$t' >> "
	"events/derived/wait/trigger; cat events/derived/wait/hist",
	"echo 'hist:keys=comm,kind,prio:vals=ns,prio' >> events/derived/wait/trigger; cat events/derived/wait/hist",
	"echo 'hist:keys=ns,comm:vals=prio' >> events/derived/wait/trigger; cat events/derived/wait/hist",
	"echo 'hist:keys=comm:vals=ns if comm == \"a\" || ns > 1000 && cpu < 2' >> events/derived/wait/trigger; cat events/derived/wait/hist",
};

struct asked {
	struct strbuf out;
	bool kept;
};

static int add_output(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

/* The answer, and all messages but that of the plan. */
static struct asked ask(struct hist_session *session, const char *path, const char *question,
			const char *from)
{
	struct hist_options options = {
		.inputs = &path, .n_inputs = 1, .from = from, .explain = true
	};
	struct asked a = { .out = STRBUF_INIT };
	struct hist_script *script = hist_script_new();
	struct diags *diags = hist_diags_new();
	struct hist *h = NULL;

	assert_int_equal(hist_session_open(session, &options, &h, diags), 0);
	assert_int_equal(hist_script_parse(script, "t", question, strlen(question), diags), 0);
	assert_int_equal(hist_run(h, script, &(struct hist_run_options){ .keep_going = false },
				  add_output, &a.out, diags),
			 0);
	for (size_t i = 0; i < hist_diags_count(diags); i++) {
		char *text = hist_diags_text(diags, i, "t", false);
		const bool kept = strstr(text, "the session kept") != NULL;

		a.kept |= kept;
		if (!kept)
			strbuf_addstr(&a.out, text);
		free(text);
	}
	hist_close(h);
	hist_script_free(script);
	hist_diags_free(diags);
	return a;
}

/* Whether what was derived before was used. */
static bool is_kept(struct hist_session *session, const char *path, const char *question,
		    const char *from)
{
	struct asked a = ask(session, path, question, from), b = ask(NULL, path, question, from);

	assert_string_equal(a.out.s, b.out.s);
	assert_false(b.kept);
	strbuf_release(&a.out);
	strbuf_release(&b.out);
	return a.kept;
}

static void wait_until_old(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	while (time(NULL) - st.st_ctim.tv_sec <= 1)
		sleep(1);
}

static const char *make_recording(const char *name, size_t n)
{
	const char *path;

	recording_write(name, &(struct recording_of){ .lines = lines, .n = n });
	path = recording_path(name);
	wait_until_old(path);
	return path;
}

static void ask_all(const char *path)
{
	struct hist_session *session = hist_session_new(64 << 20);

	assert_non_null(session);
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
		is_kept(session, path, questions[i], i % 2 ? "+0.002" : NULL);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = ARRAY_SIZE(questions); i-- > 0;)
			is_kept(session, path, questions[i], k ? "+0.001" : NULL);
	hist_session_free(session);
}

static void test_same_answers(void **state)
{
	(void)state;
	ask_all(make_recording("all.dat", ARRAY_SIZE(lines)));
	ask_all("trace.dat-samples/wakeup.dat");
	ask_all("trace.dat-samples/switch.dat");
}

static void test_kept(void **state)
{
	static const char path[] = "trace.dat-samples/wakeup.dat";
	struct hist_session *session = hist_session_new(64 << 20);

	(void)state;
	wait_until_old(path);
	assert_false(is_kept(session, path, questions[0], "+0.01")); /* not all of it */
	assert_false(is_kept(session, path, questions[0], NULL));
	assert_true(is_kept(session, path, questions[0], NULL));
	assert_true(is_kept(session, path, questions[0], "+0.01"));
	assert_true(is_kept(session, path, questions[1], NULL));  /* other keys and sums */
	assert_true(is_kept(session, path, questions[2], NULL));  /* a filter */
	assert_true(is_kept(session, path, questions[3], NULL));  /* what no field has */
	assert_false(is_kept(session, path, questions[4], NULL)); /* another event */
	assert_false(is_kept(session, path, questions[5], NULL)); /* all that happened meanwhile */
	assert_true(is_kept(session, path, questions[5], NULL));
	assert_false(is_kept(session, path, questions[7], NULL)); /* names of tasks */
	assert_false(is_kept(session, path, questions[7], NULL));
	hist_session_free(session);
}

/* How much memory is enough to keep what is derived for a question. */
static u64 memory_for(const char *path, const char *question)
{
	bool kept = false;
	u64 size = 1;

	while (!kept) {
		struct hist_session *session = hist_session_new(size);

		assert_true(size < 1 << 20);
		assert_false(is_kept(session, path, question, NULL));
		kept = is_kept(session, path, question, NULL);
		hist_session_free(session);
		size += kept ? 0 : 1000;
	}
	return size;
}

/* A second kind of events displaces the first one. */
static void test_memory(void **state)
{
	static const char path[] = "trace.dat-samples/wakeup.dat";
	struct hist_session *session;
	u64 size;

	(void)state;
	wait_until_old(path);
	size = max_t(u64, memory_for(path, questions[0]), memory_for(path, questions[4]));
	assert_true(size > 1);
	session = hist_session_new(size);
	for (size_t i = 0; i < 2; i++) {
		assert_false(is_kept(session, path, questions[0], NULL));
		assert_true(is_kept(session, path, questions[0], NULL));
		assert_false(is_kept(session, path, questions[4], NULL));
		assert_true(is_kept(session, path, questions[4], NULL));
	}
	hist_session_free(session);
}

static void test_changed(void **state)
{
	struct hist_session *session = hist_session_new(64 << 20);

	(void)state;
	for (size_t n = 4; n <= 6; n += 2) {
		const char *path = make_recording("changes.dat", n);

		assert_false(is_kept(session, path, questions[0], NULL));
		assert_true(is_kept(session, path, questions[0], NULL));
	}
	/* it may change again without another time */
	recording_write("new.dat", &(struct recording_of){ .lines = lines, .n = 4 });
	assert_false(is_kept(session, recording_path("new.dat"), questions[0], NULL));
	hist_session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_same_answers),
		TEST(test_kept),
		TEST(test_memory),
		TEST(test_changed),
	};

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
