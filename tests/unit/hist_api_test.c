// SPDX-License-Identifier: LGPL-2.1-only
/* hist.h as a program linked with libhist uses it. */
#include "hist-ask.h"
#include "hist-list.h"
#include "replay_recording.h"

static const struct event_line lines[] = {
	{ .event = "sched:sched_waking", .fields = "pid=7 prio=1 comm=a @ts=1000000000" },
	{ .event = "sched:sched_waking", .fields = "pid=8 prio=2 comm=b @ts=2000000000", .cpu = 1 },
	{ .event = "sched:sched_switch", .fields = "next_pid=7 @ts=3000000000" },
};

static const char waking[] = "events/sched/sched_waking/trigger";

static struct diags *diags;
static struct hist *h;

static int open_recording(void **state)
{
	const char *path;

	(void)state;
	recording_write("api.dat",
			&(struct recording_of){ .lines = lines, .n = ARRAY_SIZE(lines) });
	path = recording_path("api.dat");
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

static int write_text(const char *path, const char *text, enum hist_write_mode mode)
{
	return hist_write(h, path, text, strlen(text), mode, diags);
}

static void check_read(const char *path, const char *want)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(hist_read(h, path, add_to_strbuf, &out, diags), 0);
	assert_string_equal(out.s, want);
	strbuf_release(&out);
}

static void test_write_and_read(void **state)
{
	(void)state;
	assert_int_equal(write_text(waking, "hist:keys=pid:sort=pid", HIST_APPEND), 0);
	check_read(waking, "hist:keys=pid:vals=hitcount:sort=pid:size=2048 [active]\n");
	check_read("events/sched/sched_waking/hist",
		   "# event histogram\n#\n"
		   "# trigger info: hist:keys=pid:vals=hitcount:sort=pid:size=2048 [active]\n#\n\n"
		   "{ pid:          7 } hitcount:          1\n"
		   "{ pid:          8 } hitcount:          1\n"
		   "\nTotals:\n    Hits: 2\n    Entries: 2\n    Dropped: 0\n");
	assert_int_equal(write_text(waking, "hist:keys=prio", HIST_TRUNCATE), 0);
	check_read(waking, "hist:keys=prio:vals=hitcount:sort=hitcount:size=2048 [active]\n");
	assert_int_equal(hist_replay(h, diags), 0);
	assert_false(hist_doubtful(h));
	assert_false(hist_input_cut(h));
}

static void test_errors(void **state)
{
	char *text;
	size_t n = hist_diags_count(diags);

	(void)state;
	assert_int_equal(write_text(waking, "hist:keys=nix", HIST_APPEND), -HIST_EREJECTED);
	assert_int_equal(hist_diags_count(diags), n + 2);
	assert_int_equal(hist_diags_level(diags, n), HIST_ERROR);
	assert_int_equal(hist_diags_level(diags, n + 1), HIST_NOTE);
	text = hist_diags_text(diags, n, "prog", false);
	assert_string_equal(text, "prog: error: hist:sched:sched_waking: Couldn't find field\n"
				  "    hist:keys=nix\n"
				  "              ^\n");
	free(text);
	assert_int_equal(write_text("no/such/file", "x", HIST_APPEND), -HIST_ENOENT);
	assert_int_equal(hist_read(h, "events", add_to_strbuf, NULL, diags), -HIST_ENOENT);
	assert_int_equal(hist_read(h, "", add_to_strbuf, NULL, diags), -HIST_ENOENT);
	for (int err = 0; err >= -20; err--)
		assert_non_null(hist_strerror(err));
	assert_string_not_equal(hist_strerror(-HIST_ENOMEM), hist_strerror(-HIST_EIO));
}

/* Text with NUL bytes ends at the first one, as a string in the kernel. */
static void test_nul(void **state)
{
	static const char text[] = "hist:keys=pid\0:vals=nix";

	(void)state;
	assert_int_equal(hist_write(h, waking, text, sizeof(text) - 1, HIST_APPEND, diags), 0);
	check_read(waking, "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 [active]\n");
	assert_int_equal(hist_write(h, waking, "", 0, HIST_APPEND, diags), 0);
}

static int stop_at(void *arg, const void *data, size_t len)
{
	(void)data;
	(void)len;
	return *(const int *)arg;
}

/* A result of the sink other than 0 stops the output and is returned. */
static void test_sink(void **state)
{
	int code = 42;

	(void)state;
	assert_int_equal(hist_read(h, "trace_clock", stop_at, &code, diags), 42);
	code = -7;
	assert_int_equal(hist_read(h, "trace_clock", stop_at, &code, diags), -7);
}

static const struct {
	const char *name, *path;
	int err;
} events[] = {
	{ "sched_waking", "events/sched/sched_waking", 0 },
	{ "sched:sched_waking", "events/sched/sched_waking", 0 },
	{ "sched/sched_waking", "events/sched/sched_waking", 0 },
	{ "ftrace:print", "events/ftrace/print", 0 },
	{ "nosuch", NULL, -HIST_ENOENT },
	{ "sched:nosuch", NULL, -HIST_ENOENT },
	{ "nosuch:sched_waking", NULL, -HIST_ENOENT },
	{ "print", "events/ftrace/print", 0 },
	{ "", NULL, -HIST_ENOENT },
	{ ":", NULL, -HIST_ENOENT },
};

static void test_find_event(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		char *path = NULL;

		assert_int_equal(hist_find_event(h, events[i].name, &path, diags), events[i].err);
		if (events[i].path)
			assert_string_equal(path, events[i].path);
		free(path);
	}
}

static void test_recorded_events(void **state)
{
	(void)state;
	assert_string_equal(hist_recorded_event(h, 0), "sched:sched_waking");
	assert_string_equal(hist_recorded_event(h, 1), "sched:sched_switch");
	assert_null(hist_recorded_event(h, 2));
	assert_null(hist_recorded_event(h, 99));
	assert_null(hist_stored_script(h));
}

static void test_list(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(hist_list(h, HIST_LIST_EVENTS, add_to_strbuf, &out, diags), 0);
	assert_non_null(strstr(out.s, "sched:sched_waking"));
	assert_non_null(strstr(out.s, "6.12.117"));
	assert_null(strstr(out.s, "raw_syscalls:sys_enter"));
	strbuf_reset(&out);
	assert_int_equal(
		hist_list(h, HIST_LIST_EVENTS | HIST_LIST_FULL, add_to_strbuf, &out, diags), 0);
	assert_non_null(strstr(out.s, "raw_syscalls:sys_enter"));
	strbuf_release(&out);
}

/* A script made of writes: messages name its origin. */
static void test_script_write(void **state)
{
	struct hist_script *script = hist_script_new();
	struct strbuf out = STRBUF_INIT;
	size_t n = hist_diags_count(diags);
	char *text;

	(void)state;
	assert_non_null(script);
	assert_int_equal(hist_script_write(script, "-R", waking, "hist:keys=prio:nix", HIST_APPEND),
			 0);
	assert_int_equal(hist_run(h, script, &(struct hist_run_options){ 0 }, add_to_strbuf, &out,
				  diags),
			 -HIST_EREJECTED);
	assert_string_equal(out.s, "");
	text = hist_diags_text(diags, n, "prog", false);
	assert_non_null(strstr(text, "-R"));
	assert_non_null(strstr(text, "hist:keys=prio:nix\n"));
	free(text);
	hist_script_free(script);
	strbuf_release(&out);
}

/* A stored script is returned unchanged. */
static void test_stored_script(void **state)
{
	const struct trace_dat_machine machine = {
		.version = 7, .long_size = 8, .page_size = SUBBUF, .cpu_count = 1, .clock = "local"
	};
	static const char script[] = "echo hist:keys=pid > events/sched/sched_waking/trigger\n";
	const char *path = recording_path("stored.dat");
	struct trace_dat_writer *w;
	struct hist *stored;

	(void)state;
	assert_int_equal(trace_dat_writer_open(path, &machine, &w, diags), 0);
	write_formats(w, &(struct recording_of){ .n = 0 });
	trace_dat_writer_buffer(w, "", "local", SUBBUF);
	trace_dat_writer_option(w, TRACE_DAT_HIST_SCRIPT, script, sizeof(script));
	assert_int_equal(trace_dat_writer_finish(w, diags), 0);
	assert_int_equal(hist_open(&(struct hist_options){ .inputs = &path, .n_inputs = 1 },
				   &stored, diags),
			 0);
	assert_string_equal(hist_stored_script(stored), script);
	assert_null(hist_recorded_event(stored, 0));
	hist_close(stored);
}

/* Two simultaneous handles are independent. */
static void test_independent(void **state)
{
	const char *path = recording_path("api.dat");
	struct diags *other_diags = hist_diags_new();
	struct hist *other;

	(void)state;
	assert_int_equal(hist_open(&(struct hist_options){ .inputs = &path, .n_inputs = 1 }, &other,
				   other_diags),
			 0);
	assert_int_equal(write_text(waking, "hist:keys=pid", HIST_TRUNCATE), 0);
	assert_int_equal(hist_write(other, waking, "traceoff", 8, HIST_APPEND, other_diags), 0);
	check_read(waking, "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 [active]\n");
	hist_close(other);
	hist_diags_free(other_diags);
	hist_close(NULL);
	hist_diags_free(NULL);
	hist_script_free(NULL);
}

/* The hits of a histogram of all that the options leave; all their texts change after the opening.
 */
static void check_texts(struct hist_options options, const char *want)
{
	const char **const texts[] = {
		&options.buffer, &options.cpus, &options.from, &options.to,
		&options.kernel, &options.pids, &options.comm, &options.tree
	};
	char copies[ARRAY_SIZE(texts)][16] = { 0 }, path[4096];
	const char *paths[] = { path };
	struct strbuf out = STRBUF_INIT;
	struct hist *other;

	snprintf(path, sizeof(path), "%s", recording_path("api.dat"));
	options.inputs = paths;
	options.n_inputs = 1;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (*texts[i])
			*texts[i] = memcpy(copies[i], *texts[i], strlen(*texts[i]));
	assert_int_equal(hist_open(&options, &other, diags), 0);
	memset(copies, 'x', sizeof(copies));
	memset(path, 'x', sizeof(path));
	paths[0] = NULL;
	assert_int_equal(
		hist_write(other, waking, "hist:keys=pid:sort=pid", 22, HIST_APPEND, diags), 0);
	assert_int_equal(
		hist_read(other, "events/sched/sched_waking/hist", add_to_strbuf, &out, diags), 0);
	assert_non_null(strstr(out.s, want));
	strbuf_release(&out);
	hist_close(other);
}

static int add_trigger(void *arg, const struct hist_trigger *trigger)
{
	strbuf_addf(arg, "%s %s\n", trigger->path, trigger->text);
	return 0;
}

/* A kernel that prints a table has another key for the name of a task than hist, which counts it.
 */
static void test_triggers_of_tables(void **state)
{
	struct hist_script *script = hist_script_new();
	struct strbuf text = STRBUF_INIT;

	(void)state;
	assert_int_equal(hist_script_ask(script,
					 &(struct hist_table){ .events = "sched:sched_waking",
							       .keys = "task" }),
			 0);
	assert_int_equal(hist_script_triggers(h, script, true, add_trigger, &text, diags), 0);
	assert_int_equal(hist_script_triggers(h, script, false, add_trigger, &text, diags), 0);
	assert_string_equal(text.s, "events/sched/sched_waking/trigger "
				    "hist:keys=common_pid.execname:sort=hitcount.descending\n"
				    "events/sched/sched_waking/trigger "
				    "hist:keys=common_task:sort=hitcount.descending\n");
	strbuf_release(&text);
	hist_script_free(script);
}

static void test_texts_of_options(void **state)
{
	(void)state;
	check_texts((struct hist_options){ .buffer = "" }, "Hits: 2\n");
	check_texts((struct hist_options){ .cpus = "1" }, "Hits: 1\n");
	check_texts((struct hist_options){ .from = "+0.5" }, "Hits: 1\n");
	check_texts((struct hist_options){ .to = "1.5" }, "Hits: 1\n");
	check_texts((struct hist_options){ .kernel = "6.1" }, "Hits: 2\n");
	check_texts((struct hist_options){ .pids = "7" }, "Hits: 1\n");
	check_texts((struct hist_options){ .comm = "b,c" }, "Hits: 1\n");
}

#define OPENED(fn) cmocka_unit_test_setup_teardown(fn, open_recording, close_recording)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OPENED(test_write_and_read),
		OPENED(test_errors),
		OPENED(test_nul),
		OPENED(test_sink),
		OPENED(test_find_event),
		OPENED(test_recorded_events),
		OPENED(test_list),
		OPENED(test_script_write),
		OPENED(test_stored_script),
		OPENED(test_independent),
		OPENED(test_triggers_of_tables),
		OPENED(test_texts_of_options),
	};

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
