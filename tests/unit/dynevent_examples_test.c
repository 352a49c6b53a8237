// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The examples of the kernel's documentation, "In-kernel trace event API" in Event Tracing,
 * unchanged: with THIS_MODULE set to a struct hist, the source of a module compiles without
 * changes. hist-kernel.h has the other names of the kernel that they use.
 */
#pragma GCC diagnostic ignored "-Wpointer-to-int-cast" /* they cast strings to u64 */

static struct hist *h;
#define THIS_MODULE h

#include "hist-kernel.h"
#include "hist-synth.h"
/* the u64 of a program is that of stdint.h, the one of the tests that of the kernel */
#define u64 test_u64
#define s64 test_s64
#include "unit.h"
#undef u64
#undef s64

static struct diags *diags;
static int ret;

static int open_recording(void **state)
{
	const char *path = "trace.dat-samples/wakeup.dat";

	(void)state;
	diags = hist_diags_new();
	return hist_open(&(struct hist_options){ .inputs = &path, .n_inputs = 1 }, &h, diags);
}

static int close_recording(void **state)
{
	(void)state;
	hist_close(h);
	hist_diags_free(diags);
	return 0;
}

static int add_to_strbuf(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

/* @path must contain lines with @want, in this order. */
static void shows(const char *path, const char *want)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(hist_read(h, path, add_to_strbuf, &out, diags), 0);
	if (!out.s || !strstr(out.s, want))
		assert_string_equal(out.s, want);
	strbuf_release(&out);
}

/* clang-format off: the examples are not reformatted */

/* --- 7.1 --- */

static struct synth_field_desc sched_fields[] = {
	{ .type = "pid_t", .name = "next_pid_field" },
	{ .type = "char[16]", .name = "next_comm_field" },
	{ .type = "u64", .name = "ts_ns" },
	{ .type = "u64", .name = "ts_ms" },
	{ .type = "unsigned int", .name = "cpu" },
	{ .type = "char[64]", .name = "my_string_field" },
	{ .type = "int", .name = "my_int_field" },
};

#define SCHED_FIELDS                                                                        \
	"schedtest\tpid_t next_pid_field; char[16] next_comm_field; u64 ts_ns; u64 ts_ms; " \
	"unsigned int cpu; char[64] my_string_field; int my_int_field\n"

static void test_create_in_one_step(void **state)
{
	(void)state;
	ret = synth_event_create("schedtest", sched_fields, ARRAY_SIZE(sched_fields), THIS_MODULE);
	assert_int_equal(ret, 0);
	shows("synthetic_events", SCHED_FIELDS);
}

static void test_create_in_steps(void **state)
{
	struct dynevent_cmd cmd;
	char *buf;

	(void)state;
	/* Create a buffer to hold the generated command */
	buf = kzalloc(MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);

	/* Before generating the command, initialize the cmd object */
	synth_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);

	ret = synth_event_gen_cmd_start(&cmd, "schedtest", THIS_MODULE, "pid_t", "next_pid_field",
					"u64", "ts_ns");
	assert_int_equal(ret, 0);

	ret = synth_event_add_field(&cmd, "int", "intfield");
	assert_int_equal(ret, 0);

	ret = synth_event_add_field_str(&cmd, "u32 by_string");
	assert_int_equal(ret, 0);

	ret = synth_event_gen_cmd_end(&cmd);
	assert_int_equal(ret, 0);
	shows("synthetic_events",
	      "schedtest\tpid_t next_pid_field; u64 ts_ns; int intfield; u32 by_string\n");
	kfree(buf);
}

static void test_create_from_an_array(void **state)
{
	struct synth_field_desc fields[] = { { "pid_t", "next_pid_field" }, { "u64", "ts_ns" } };
	unsigned int n_fields = ARRAY_SIZE(fields);
	struct dynevent_cmd cmd;
	char *buf;

	(void)state;
	buf = kzalloc(MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);
	synth_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);

	ret = synth_event_gen_cmd_array_start(&cmd, "schedtest", THIS_MODULE, fields, n_fields);
	assert_int_equal(ret, 0);

	/* the text says "the first four" here; two of these fields exist already */
	ret = synth_event_add_fields(&cmd, sched_fields + 3, 4);
	assert_int_equal(ret, 0);
	ret = synth_event_gen_cmd_end(&cmd);
	assert_int_equal(ret, 0);
	shows("synthetic_events",
	      "schedtest\tpid_t next_pid_field; u64 ts_ns; u64 ts_ms; unsigned int cpu; "
	      "char[64] my_string_field; int my_int_field\n");
	kfree(buf);
}

static void test_first_four_fields(void **state)
{
	struct dynevent_cmd cmd;
	char *buf;

	(void)state;
	buf = kzalloc(MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);
	synth_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);
	ret = synth_event_gen_cmd_start(&cmd, "schedtest", THIS_MODULE);
	assert_int_equal(ret, 0);

	ret = synth_event_add_fields(&cmd, sched_fields, 4);
	assert_int_equal(ret, 0);
	ret = synth_event_gen_cmd_end(&cmd);
	assert_int_equal(ret, 0);
	shows("synthetic_events",
	      "schedtest\tpid_t next_pid_field; char[16] next_comm_field; u64 ts_ns; u64 ts_ms\n");
	kfree(buf);
}

/* --- 7.2 --- */

static struct trace_event_file *schedtest_event_file;

/* Hold and enable the event, with a histogram of what is traced. */
static void prepare(void)
{
	static const char hist[] =
		"hist:keys=next_pid_field,next_comm_field,my_string_field:vals=ts_ns,my_int_field";

	ret = synth_event_create("schedtest", sched_fields, ARRAY_SIZE(sched_fields), THIS_MODULE);
	assert_int_equal(ret, 0);

	schedtest_event_file = trace_get_event_file(NULL, "synthetic", "schedtest");
	assert_false(IS_ERR(schedtest_event_file));

	ret = trace_array_set_clr_event(schedtest_event_file->tr, "synthetic", "schedtest", true);
	assert_int_equal(ret, 0);
	shows("events/synthetic/schedtest/enable", "1\n");
	assert_int_equal(hist_write(h, "events/synthetic/schedtest/trigger", hist, strlen(hist),
				    HIST_APPEND, diags),
			 0);
}

static void clean_up(void)
{
	static const char no_hist[] =
		"!hist:keys=next_pid_field,next_comm_field,my_string_field:vals=ts_ns,my_int_field";

	assert_int_equal(hist_write(h, "events/synthetic/schedtest/trigger", no_hist,
				    strlen(no_hist), HIST_APPEND, diags),
			 0);

	trace_array_set_clr_event(schedtest_event_file->tr, "synthetic", "schedtest", false);
	shows("events/synthetic/schedtest/enable", "0\n");

	trace_put_event_file(schedtest_event_file);

	ret = synth_event_delete("schedtest");
	assert_int_equal(ret, 0);
	shows("available_events", "sched:sched_switch\n");
}

#define ROW(pid, comm, string, ns, number)                                                      \
	"{ next_pid_field:        " pid ", next_comm_field: " comm ", my_string_field: " string \
	" } "                                                                                   \
	"hitcount:          1  ts_ns:    " ns "  my_int_field:     " number "\n"

static void test_trace_all_at_once(void **state)
{
	struct trace_event_file *create_synth_test;

	(void)state;
	prepare();
	create_synth_test = schedtest_event_file;

	ret = synth_event_trace(create_synth_test, 7, /* number of values */
				444,                  /* next_pid_field */
				(u64) "clackers",     /* next_comm_field */
				1000000,              /* ts_ns */
				1000,                 /* ts_ms */
				smp_processor_id(),   /* cpu */
				(u64) "Thneed",       /* my_string_field */
				999);                 /* my_int_field */
	assert_int_equal(ret, 0);
	shows("events/synthetic/schedtest/hist",
	      ROW("444", "clackers                                          ",
		  "Thneed                                            ", "1000000", "   999"));
	clean_up();
}

static void test_trace_an_array(void **state)
{
	u64 vals[7];

	(void)state;
	prepare();

	vals[0] = 777;                 /* next_pid_field */
	vals[1] = (u64) "tiddlywinks"; /* next_comm_field */
	vals[2] = 1000000;             /* ts_ns */
	vals[3] = 1000;                /* ts_ms */
	vals[4] = smp_processor_id();  /* cpu */
	vals[5] = (u64) "thneed";      /* my_string_field */
	vals[6] = 398;                 /* my_int_field */

	ret = synth_event_trace_array(schedtest_event_file, vals, ARRAY_SIZE(vals));
	assert_int_equal(ret, 0);
	shows("events/synthetic/schedtest/hist",
	      ROW("777", "tiddlywinks                                       ",
		  "thneed                                            ", "1000000", "   398"));
	clean_up();
}

static void test_trace_values_in_order(void **state)
{
	struct synth_event_trace_state trace_state;

	(void)state;
	prepare();
	ret = synth_event_trace_start(schedtest_event_file, &trace_state);
	assert_int_equal(ret, 0);

	/* next_pid_field */
	ret = synth_event_add_next_val(777, &trace_state);
	assert_int_equal(ret, 0);

	/* next_comm_field */
	ret = synth_event_add_next_val((u64) "slinky", &trace_state);
	assert_int_equal(ret, 0);

	/* ts_ns */
	ret = synth_event_add_next_val(1000000, &trace_state);
	assert_int_equal(ret, 0);

	/* ts_ms */
	ret = synth_event_add_next_val(1000, &trace_state);
	assert_int_equal(ret, 0);

	/* cpu */
	ret = synth_event_add_next_val(smp_processor_id(), &trace_state);
	assert_int_equal(ret, 0);

	/* my_string_field */
	ret = synth_event_add_next_val((u64) "thneed_2.01", &trace_state);
	assert_int_equal(ret, 0);

	/* my_int_field */
	ret = synth_event_add_next_val(395, &trace_state);
	assert_int_equal(ret, 0);

	ret = synth_event_trace_end(&trace_state);
	assert_int_equal(ret, 0);
	shows("events/synthetic/schedtest/hist",
	      ROW("777", "slinky                                            ",
		  "thneed_2.01                                       ", "1000000", "   395"));
	clean_up();
}

static void test_trace_values_by_name(void **state)
{
	struct synth_event_trace_state trace_state;

	(void)state;
	prepare();
	ret = synth_event_trace_start(schedtest_event_file, &trace_state);
	assert_int_equal(ret, 0);

	ret = synth_event_add_val("next_pid_field", 777, &trace_state);
	assert_int_equal(ret, 0);
	ret = synth_event_add_val("next_comm_field", (u64) "silly putty", &trace_state);
	assert_int_equal(ret, 0);
	ret = synth_event_add_val("ts_ns", 1000000, &trace_state);
	assert_int_equal(ret, 0);
	ret = synth_event_add_val("ts_ms", 1000, &trace_state);
	assert_int_equal(ret, 0);
	ret = synth_event_add_val("cpu", smp_processor_id(), &trace_state);
	assert_int_equal(ret, 0);
	ret = synth_event_add_val("my_string_field", (u64) "thneed_9", &trace_state);
	assert_int_equal(ret, 0);
	ret = synth_event_add_val("my_int_field", 3999, &trace_state);
	assert_int_equal(ret, 0);

	ret = synth_event_trace_end(&trace_state);
	assert_int_equal(ret, 0);
	shows("events/synthetic/schedtest/hist",
	      ROW("777", "silly putty                                       ",
		  "thneed_9                                          ", "1000000", "  3999"));
	clean_up();
}

/* --- 7.3 --- */

/* The probe of the text, except for its name: "schedtest" there, gen_kprobe_test in the code. */
static void define_kprobe(void)
{
	struct dynevent_cmd cmd;
	char *buf;

	/* Create a buffer to hold the generated command */
	buf = kzalloc(MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);

	/* Before generating the command, initialize the cmd object */
	kprobe_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);

	/*
	 * Define the gen_kprobe_test event with the first 2 kprobe
	 * fields.
	 */
	ret = kprobe_event_gen_cmd_start(&cmd, "gen_kprobe_test", "do_sys_open", "dfd=%ax",
					 "filename=%dx");
	assert_int_equal(ret, 0);

	ret = kprobe_event_add_fields(&cmd, "flags=%cx", "mode=+4($stack)");
	assert_int_equal(ret, 0);

	ret = kprobe_event_gen_cmd_end(&cmd);
	assert_int_equal(ret, 0);
	kfree(buf);
}

static void test_kprobe(void **state)
{
	struct trace_event_file *gen_kprobe_test;

	(void)state;
	define_kprobe();
	shows("kprobe_events",
	      "p:kprobes/gen_kprobe_test do_sys_open dfd=%ax filename=%dx flags=%cx "
	      "mode=+4($stack)\n");
	shows("events/kprobes/gen_kprobe_test/format",
	      "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	      "\tfield:u64 dfd;\toffset:16;\tsize:8;\tsigned:0;\n");

	gen_kprobe_test = trace_get_event_file(NULL, "kprobes", "gen_kprobe_test");
	assert_false(IS_ERR(gen_kprobe_test));

	ret = trace_array_set_clr_event(gen_kprobe_test->tr, "kprobes", "gen_kprobe_test", true);
	assert_int_equal(ret, 0);
	shows("events/kprobes/gen_kprobe_test/enable", "1\n");
	assert_int_equal(kprobe_event_delete("gen_kprobe_test"), -EBUSY);

	/* as the text describes for synthetic events, before it puts the file */
	ret = trace_array_set_clr_event(gen_kprobe_test->tr, "kprobes", "gen_kprobe_test", false);
	assert_int_equal(ret, 0);
	assert_int_equal(kprobe_event_delete("gen_kprobe_test"), -EBUSY);

	trace_put_event_file(gen_kprobe_test);

	ret = kprobe_event_delete("gen_kprobe_test");
	assert_int_equal(ret, 0);
	assert_int_equal(kprobe_event_delete("gen_kprobe_test"), -ENOENT);
}

static void test_kretprobe(void **state)
{
	struct dynevent_cmd cmd;
	char *buf;

	(void)state;
	buf = kzalloc(MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);
	kprobe_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);

	ret = kretprobe_event_gen_cmd_start(&cmd, "gen_kretprobe_test", "do_sys_open", "$retval");
	assert_int_equal(ret, 0);

	ret = kretprobe_event_gen_cmd_end(&cmd);
	assert_int_equal(ret, 0);
	shows("dynamic_events", "r10:kprobes/gen_kretprobe_test do_sys_open arg1=$retval\n");
	kfree(buf);
}

/* --- 7.4 --- */

#define DYNEVENT_TYPE_FOO ((enum dynevent_type)(DYNEVENT_TYPE_NONE + 1))

static const char *foo_ran;

static int foo_event_run_command(struct dynevent_cmd *cmd)
{
	foo_ran = cmd->seq.buffer;
	return cmd->type == DYNEVENT_TYPE_FOO ? 0 : -EINVAL;
}

static int dynevent_foo_check_arg_fn(void *data)
{
	struct dynevent_arg_pair *arg_pair = data;

	return arg_pair->lhs && arg_pair->rhs ? 0 : -EINVAL;
}

static int add_name(struct dynevent_cmd *cmd, const char *name)
{
	struct dynevent_arg arg;

	dynevent_arg_init(&arg, NULL, 0);

	arg.str = name;

	ret = dynevent_arg_add(cmd, &arg);
	return ret;
}

static int add_pair(struct dynevent_cmd *cmd, const char *type, const char *name)
{
	struct dynevent_arg_pair arg_pair;

	dynevent_arg_pair_init(&arg_pair, dynevent_foo_check_arg_fn, 0, ';');

	arg_pair.lhs = type;
	arg_pair.rhs = name;

	ret = dynevent_arg_pair_add(cmd, &arg_pair);
	return ret;
}

static void test_low_level(void **state)
{
	int maxlen = MAX_DYNEVENT_CMD_LEN;
	struct dynevent_cmd cmd;
	char *buf;

	(void)state;
	buf = kzalloc(MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);

	dynevent_cmd_init(&cmd, buf, maxlen, DYNEVENT_TYPE_FOO, foo_event_run_command);

	assert_int_equal(add_name(&cmd, "name"), 0);
	assert_int_equal(add_pair(&cmd, "u64", "field"), 0);
	assert_int_equal(add_pair(&cmd, "u64", NULL), -EINVAL);
	assert_int_equal(dynevent_str_add(&cmd, "as it is"), 0);

	ret = dynevent_create(&cmd);
	assert_int_equal(ret, 0);
	assert_ptr_equal(foo_ran, buf);
	assert_string_equal(buf, " name  u64 field;as it is");
	kfree(buf);
}

#define RECORDING_TEST(fn) cmocka_unit_test_setup_teardown(fn, open_recording, close_recording)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDING_TEST(test_create_in_one_step),
		RECORDING_TEST(test_create_in_steps),
		RECORDING_TEST(test_create_from_an_array),
		RECORDING_TEST(test_first_four_fields),
		RECORDING_TEST(test_trace_all_at_once),
		RECORDING_TEST(test_trace_an_array),
		RECORDING_TEST(test_trace_values_in_order),
		RECORDING_TEST(test_trace_values_by_name),
		RECORDING_TEST(test_kprobe),
		RECORDING_TEST(test_kretprobe),
		TEST(test_low_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
