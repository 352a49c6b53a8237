// SPDX-License-Identifier: LGPL-2.1-only
/* Tracing synthetic events into a replay: values, positions in time, rejected calls. */
#include "dynevent_recording.h"

#include "hist-synth.h"

static struct synth_field_desc fields[] = {
	{ "u64", "nr" },    { "char[16]", "comm" }, { "s8", "small" },
	{ "u16", "short" }, { "int", "number" },    { "char[]", "text" },
};
static struct trace_event_file *file;

#define HIST "events/synthetic/e/hist"

/* Make event e with the first @n fields, enabled. */
static void make_event(unsigned int n)
{
	assert_int_equal(synth_event_create("e", fields, n, h), 0);
	file = trace_get_event_file(NULL, "synthetic", "e", h);
	assert_false(IS_ERR(file));
	assert_int_equal(trace_array_set_clr_event(file->tr, "synthetic", "e", true), 0);
}

static int hist_on(const char *trigger)
{
	return write_file("events/synthetic/e/trigger", trigger);
}

#define STR(s) ((uint64_t)(uintptr_t)(s))

static void test_values(void **state)
{
	uint64_t vals[6] = { UINT64_MAX, STR("comm"),  0x1ff,
			     0x12345,    (uint64_t)-5, STR("any length") };

	(void)state;
	make_event(6);
	assert_int_equal(hist_on("hist:keys=nr,comm,text:sort=nr:vals=small,number"), 0);
	assert_int_equal(synth_event_trace(file, 6, 1, STR("a"), 2, 3, 4, STR("t")), 0);
	assert_int_equal(synth_event_trace_array(file, vals, 6), 0);
	check_file(HIST, "{ nr: 1, comm: a , text: t } hitcount: 1 small: 2 number: 4 "
			 "{ nr: 18446744073709551615, comm: comm , text: any length } hitcount: 1 "
			 "small: 18446744073709551615 number: 18446744073709551611 | 2 2 0");
	/* traced again by each replay */
	assert_int_equal(hist_on("hist:keys=small"), 0);
	check_file(HIST,
		   "{ nr: 1, comm: a , text: t } hitcount: 1 small: 2 number: 4 "
		   "{ nr: 18446744073709551615, comm: comm , text: any length } hitcount: 1 "
		   "small: 18446744073709551615 number: 18446744073709551611 | 2 2 0 "
		   "{ small: 18446744073709551615 } hitcount: 1 { small: 2 } hitcount: 1 | 2 2 0");
}

/* The function that the macro calls, for C++ and for function pointers. */
static void test_function(void **state)
{
	(void)state;
	make_event(2);
	assert_int_equal(hist_on("hist:keys=nr"), 0);
	assert_int_equal((synth_event_trace)(file, 2, (uint64_t)7, STR("x")), 0);
	assert_int_equal((synth_event_trace)(file, 1, (uint64_t)7), -EINVAL);
	assert_int_equal((synth_event_trace)(file, 0), -EINVAL);
	check_file(HIST, "{ nr: 7 } hitcount: 1 | 1 1 0");
}

static void test_texts(void **state)
{
	char longer[300];

	(void)state;
	memset(longer, 'l', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	make_event(6);
	assert_int_equal(hist_on("hist:keys=comm:sort=comm if text ~ \"*nd\""), 0);
	assert_int_equal(synth_event_trace(file, 6, 1, 0, 0, 0, 0, STR("the end")), 0);
	assert_int_equal(synth_event_trace(file, 6, 1, STR(""), 0, 0, 0, STR("no")), 0);
	memcpy(longer + 295, "end", 4);
	assert_int_equal(synth_event_trace(file, 6, 1, STR("x"), 0, 0, 0, STR(longer)), 0);
	check_file(HIST, "{ comm: (fault) } hitcount: 1 { comm: x } hitcount: 1 | 2 2 0");
}

static void test_wrong_number(void **state)
{
	uint64_t vals[3] = { 0 };

	(void)state;
	make_event(2);
	assert_int_equal(hist_on("hist:keys=nr"), 0);
	assert_int_equal(synth_event_trace(file, 3, 1, 2, 3), -EINVAL);
	assert_int_equal(synth_event_trace(file, 2, 1), -EINVAL);
	assert_int_equal(synth_event_trace_array(file, vals, 1), -EINVAL);
	assert_int_equal(synth_event_trace_array(file, vals, 3), -EINVAL);
	check_file(HIST, "| 0 0 0");
}

/* No sub-buffer has space for 16 strings of 256 bytes, or for one as long. */
static void test_too_large(void **state)
{
	struct synth_field_desc texts[16];
	uint64_t vals[16] = { 0 };
	char names[16][16], text[4096];

	(void)state;
	for (int i = 0; i < 16; i++) {
		snprintf(names[i], sizeof(names[i]), "f%d", i);
		texts[i] = (struct synth_field_desc){ "char[2]", names[i] };
	}
	assert_int_equal(synth_event_create("e", texts, 16, h), 0);
	file = trace_get_event_file(NULL, "synthetic", "e", h);
	assert_int_equal(synth_event_trace_array(file, vals, 16), 0);
	assert_int_equal(hist_on("hist:keys=f0"), 0);
	assert_int_equal(synth_event_trace_array(file, vals, 16), -EINVAL);
	assert_int_equal(write_file("synthetic_events", "t char[] text"), 0);
	file = trace_get_event_file(NULL, "synthetic", "t", h);
	assert_int_equal(trace_array_set_clr_event(file->tr, "synthetic", "t", true), 0);
	memset(text, 't', sizeof(text));
	text[4056 - 1] = '\0';
	assert_int_equal(synth_event_trace(file, 1, STR(text)), 0);
	text[4056 - 1] = 't';
	text[4056] = '\0';
	assert_int_equal(synth_event_trace(file, 1, STR(text)), -EINVAL);
}

static void test_not_synthetic(void **state)
{
	struct synth_event_trace_state trace_state;

	(void)state;
	file = trace_get_event_file(NULL, "sched", "sched_waking", h);
	assert_int_equal(synth_event_trace(file, 1, 1), -EINVAL);
	assert_int_equal(synth_event_trace_start(file, &trace_state), -EINVAL);
	assert_int_equal(write_file("synthetic_events", "s long[] stack"), 0);
	file = trace_get_event_file(NULL, "synthetic", "s", h);
	assert_int_equal(trace_array_set_clr_event(file->tr, "synthetic", "s", true), 0);
	assert_int_equal(synth_event_trace(file, 1, 0), -EINVAL);
	assert_int_equal(synth_event_trace_start(file, &trace_state), -ENOTSUPP);
	assert_int_equal(synth_event_add_next_val(1, &trace_state), -EINVAL);
	assert_int_equal(synth_event_trace_end(&trace_state), 0);
}

/* Neither enabled nor with triggers: nothing is traced, without an error. */
static void test_off(void **state)
{
	struct synth_event_trace_state trace_state;

	(void)state;
	make_event(2);
	assert_int_equal(trace_array_set_clr_event(file->tr, "synthetic", "e", false), 0);
	assert_int_equal(synth_event_trace(file, 2, 1, STR("a")), 0);
	assert_int_equal(synth_event_trace(file, 3, 1, 2, 3), 0);
	assert_int_equal(synth_event_trace_start(file, &trace_state), 0);
	assert_int_equal(synth_event_add_next_val(1, &trace_state), 0);
	assert_int_equal(synth_event_add_val("nr", 1, &trace_state), -EINVAL);
	for (int i = 0; i < 9; i++)
		assert_int_equal(synth_event_add_next_val(1, &trace_state), 0);
	assert_int_equal(synth_event_trace_end(&trace_state), 0);
	assert_int_equal(hist_on("hist:keys=nr"), 0);
	assert_int_equal(synth_event_trace(file, 2, 2, STR("b")), 0);
	check_file(HIST, "{ nr: 2 } hitcount: 1 | 1 1 0");
}

/* An event that was enabled when it was traced remains in the recording. */
static void test_off_later(void **state)
{
	(void)state;
	make_event(2);
	assert_int_equal(synth_event_trace(file, 2, 1, STR("a")), 0);
	assert_int_equal(trace_array_set_clr_event(file->tr, "synthetic", "e", false), 0);
	assert_int_equal(hist_on("hist:keys=nr"), 0);
	check_file(HIST, "{ nr: 1 } hitcount: 1 | 1 1 0");
	assert_int_equal(write_file("events/synthetic/e/trigger", "!hist:keys=nr"), 0);
	trace_put_event_file(file);
	/* removed with the event, and not restored by another one with its name */
	assert_int_equal(synth_event_delete("e", h), 0);
	make_event(2);
	assert_int_equal(hist_on("hist:keys=nr"), 0);
	check_file(HIST, "| 0 0 0");
}

/* --- positions --- */

/*
 * The time since the last sched_waking at 1000, 2000, 3000 (pids 7, 8, 7). An event comes after all
 * records with its time; at the end it has the time of the last one.
 */
static void check_places(const char *want)
{
	assert_int_equal(write_file("events/sched/sched_waking/trigger",
				    "hist:keys=common_cpu:t=common_timestamp,p=prio"),
			 0);
	assert_int_equal(write_file("synthetic_events", "l u64 nr; u64 lat; int prio"), 0);
	assert_int_equal(hist_on("hist:keys=common_cpu:lat=common_timestamp-$t,q=$p:"
				 "onmatch(sched.sched_waking).l(nr,$lat,$q)"),
			 0);
	assert_int_equal(write_file("events/synthetic/l/trigger", "hist:keys=nr,lat,prio:sort=nr"),
			 0);
	check_file("events/synthetic/l/hist", want);
}

static void test_places(void **state)
{
	(void)state;
	make_event(2);
	assert_int_equal(synth_event_trace(file, 2, 1, STR("at the end")), 0);
	hist_trace_at(h, 2999, 1, 8);
	assert_int_equal(synth_event_trace(file, 2, 2, STR("before the last")), 0);
	hist_trace_at(h, 1000, 0, 7);
	assert_int_equal(synth_event_trace(file, 2, 3, STR("behind the first")), 0);
	hist_trace_at(h, 999, 0, 7);
	assert_int_equal(synth_event_trace(file, 2, 4, STR("before all")), 0);
	check_places(
		"{ nr: 1, lat: 0, prio: 3 } hitcount: 1 { nr: 2, lat: 999, prio: 2 } hitcount: 1 "
		"{ nr: 3, lat: 0, prio: 1 } hitcount: 1 | 3 3 0");
}

static void test_order_at_one_place(void **state)
{
	(void)state;
	make_event(2);
	assert_int_equal(hist_on("hist:keys=comm:last=nr:onchange($last).save(nr)"), 0);
	hist_trace_at(h, 5000, 0, 7);
	for (uint64_t i = 1; i <= 3; i++)
		assert_int_equal(synth_event_trace(file, 2, i, STR("x")), 0);
	hist_trace_at(h, 4000, 0, 7);
	assert_int_equal(synth_event_trace(file, 2, 9, STR("x")), 0);
	/* the end is never before events that were traced elsewhere */
	hist_trace_at(h, HIST_AT_END, 0, 7);
	assert_int_equal(synth_event_trace(file, 2, 8, STR("y")), 0);
	check_file(
		HIST,
		"{ comm: y } hitcount: 1 changed: 8 nr: 8 { comm: x } hitcount: 4 changed: 3 nr: 3 | 5 2 0");
}

static void test_task(void **state)
{
	(void)state;
	make_event(2);
	assert_int_equal(hist_on("hist:keys=common_pid.execname,common_cpu,common_timestamp"), 0);
	assert_int_equal(synth_event_trace(file, 2, 1, STR("")), 0);
	hist_trace_at(h, 1500, 3, 7);
	assert_int_equal(synth_event_trace(file, 2, 1, STR("")), 0);
	check_file(
		HIST,
		"{ common_pid: a [ 7], common_cpu: 3, common_timestamp: 1500 } hitcount: 1 "
		"{ common_pid: <idle> [ 0], common_cpu: 0, common_timestamp: 3000 } hitcount: 1 | 2 2 0");
}

static void test_span(void **state)
{
	const char *path = recording_path("module.dat");

	(void)state;
	hist_close(h);
	assert_int_equal(hist_open(&(struct hist_options){ .inputs = &path,
							   .n_inputs = 1,
							   .from = "0.0000015",
							   .to = "0.0000025" },
				   &h, diags),
			 0);
	make_event(2);
	assert_int_equal(hist_on("hist:keys=nr,common_timestamp:sort=nr"), 0);
	for (uint64_t ts = 1000; ts <= 3000; ts += 500) {
		hist_trace_at(h, ts, 0, 0);
		assert_int_equal(synth_event_trace(file, 2, ts, STR("")), 0);
	}
	hist_trace_at(h, HIST_AT_END, 0, 0);
	assert_int_equal(synth_event_trace(file, 2, 1, STR("")), 0);
	check_file(
		HIST,
		"{ nr: 1, common_timestamp: 2500 } hitcount: 1 { nr: 1500, common_timestamp: 1500 } hitcount: 1 "
		"{ nr: 2000, common_timestamp: 2000 } hitcount: 1 { nr: 2500, common_timestamp: 2500 } hitcount: 1 "
		"| 4 4 0");
}

/* A finished replay is repeated with the events traced since. */
static void test_after_replay(void **state)
{
	(void)state;
	make_event(2);
	assert_int_equal(hist_on("hist:keys=nr"), 0);
	check_file(HIST, "| 0 0 0");
	assert_int_equal(synth_event_trace(file, 2, 1, STR("")), 0);
	check_file(HIST, "{ nr: 1 } hitcount: 1 | 1 1 0");
	assert_int_equal(synth_event_trace(file, 2, 1, STR("")), 0);
	check_file(HIST, "{ nr: 1 } hitcount: 2 | 2 1 0");
}

/* Triggers of recorded events control the events traced after them. */
static void test_switched_by_trigger(void **state)
{
	(void)state;
	make_event(2);
	assert_int_equal(hist_on("hist:keys=nr"), 0);
	assert_int_equal(write_file("events/sched/sched_waking/trigger",
				    "disable_hist:synthetic:e if pid == 8"),
			 0);
	hist_trace_at(h, 1500, 0, 0);
	assert_int_equal(synth_event_trace(file, 2, 1, STR("")), 0);
	hist_trace_at(h, 2000, 0, 0);
	assert_int_equal(synth_event_trace(file, 2, 2, STR("")), 0);
	check_file(HIST, "{ nr: 1 } hitcount: 1 | 1 1 0");
}

/* A stack that no record contains. */
static void test_stack(void **state)
{
	(void)state;
	make_event(2);
	assert_int_equal(hist_on("hist:keys=common_stacktrace"), 0);
	assert_int_equal(synth_event_trace(file, 2, 1, STR("")), 0);
	assert_int_equal(hist_replay(h, diags), 0);
	assert_true(hist_doubtful(h));
}

/* --- piece by piece --- */

static void test_next_val(void **state)
{
	struct synth_event_trace_state s;

	(void)state;
	make_event(5);
	assert_int_equal(hist_on("hist:keys=nr,comm:vals=small,number"), 0);
	assert_int_equal(synth_event_trace_start(file, &s), 0);
	assert_int_equal(synth_event_add_next_val(1, &s), 0);
	assert_int_equal(synth_event_add_next_val(STR("a"), &s), 0);
	assert_int_equal(synth_event_add_next_val(2, &s), 0);
	assert_int_equal(synth_event_add_val("short", 3, &s), -EINVAL);
	assert_int_equal(synth_event_add_next_val(3, &s), 0);
	assert_int_equal(synth_event_add_next_val(4, &s), 0);
	assert_int_equal(synth_event_add_next_val(5, &s), -EINVAL);
	check_file(HIST, "| 0 0 0"); /* not traced yet */
	assert_int_equal(synth_event_trace_end(&s), 0);
	assert_int_equal(hist_on("hist:keys=nr:pause"), 0); /* causes another replay */
	check_file(HIST, "{ nr: 1, comm: a } hitcount: 1 small: 2 number: 4 | 1 1 0 | 0 0 0");
}

static void test_add_val(void **state)
{
	struct synth_event_trace_state s;

	(void)state;
	make_event(5);
	assert_int_equal(hist_on("hist:keys=nr,comm:vals=small,number"), 0);
	assert_int_equal(synth_event_trace_start(file, &s), 0);
	assert_int_equal(synth_event_add_val("number", 4, &s), 0);
	assert_int_equal(synth_event_add_val("comm", STR("longer"), &s), 0);
	assert_int_equal(synth_event_add_val("comm", STR("a"), &s), 0);
	assert_int_equal(synth_event_add_val("comm", 0, &s), -EINVAL);
	/* the last field takes it; without a name it would be the next value */
	assert_int_equal(synth_event_add_val("nix", 9, &s), 0);
	assert_int_equal(synth_event_add_val(NULL, 0, &s), -EINVAL);
	assert_int_equal(synth_event_add_next_val(5, &s), -EINVAL);
	assert_int_equal(synth_event_add_val("nr", 1, &s), 0);
	assert_int_equal(synth_event_trace_end(&s), 0);
	check_file(HIST, "{ nr: 1, comm: a } hitcount: 1 small: 0 number: 9 | 1 1 0");
}

static void test_open_event(void **state)
{
	struct synth_event_trace_state s, never_ended;

	(void)state;
	make_event(2);
	assert_int_equal(hist_on("hist:keys=nr"), 0);
	assert_int_equal(synth_event_trace_start(file, NULL), -EINVAL);
	assert_int_equal(synth_event_add_next_val(1, NULL), -EINVAL);
	assert_int_equal(synth_event_add_val("nr", 1, NULL), -EINVAL);
	assert_int_equal(synth_event_trace_end(NULL), -EINVAL);
	assert_int_equal(synth_event_trace_start(file, &s), 0);
	assert_int_equal(synth_event_trace_end(&s), 0);
	assert_int_equal(synth_event_trace_end(&s), 0); /* only once */
	assert_int_equal(synth_event_trace_start(file, &never_ended), 0);
	check_file(HIST, "{ nr: 0 } hitcount: 1 | 1 1 0");
	assert_int_equal(write_file("events/synthetic/e/trigger", "!hist:keys=nr"), 0);
	assert_int_equal(trace_array_set_clr_event(file->tr, "synthetic", "e", false), 0);
	trace_put_event_file(file);
	assert_int_equal(synth_event_delete("e", h), -EBUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDING_TEST(test_values),       RECORDING_TEST(test_function),
		RECORDING_TEST(test_texts),        RECORDING_TEST(test_wrong_number),
		RECORDING_TEST(test_too_large),    RECORDING_TEST(test_not_synthetic),
		RECORDING_TEST(test_off),          RECORDING_TEST(test_off_later),
		RECORDING_TEST(test_places),       RECORDING_TEST(test_order_at_one_place),
		RECORDING_TEST(test_task),         RECORDING_TEST(test_span),
		RECORDING_TEST(test_after_replay), RECORDING_TEST(test_switched_by_trigger),
		RECORDING_TEST(test_stack),        RECORDING_TEST(test_next_val),
		RECORDING_TEST(test_add_val),      RECORDING_TEST(test_open_event),
	};

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
