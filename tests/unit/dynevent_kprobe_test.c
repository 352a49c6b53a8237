// SPDX-License-Identifier: LGPL-2.1-only
/* Definitions of probes, by files and by the kernel's functions. */
#include "dynevent_recording.h"

#include "hist-synth.h"

static char buf[MAX_DYNEVENT_CMD_LEN];
static struct dynevent_cmd cmd;

static const char kprobes[] = "kprobe_events", uprobes[] = "uprobe_events",
		  all[] = "dynamic_events";

/* The last diagnosis must start with @want. */
static void says(const char *want)
{
	size_t n = hist_diags_count(diags);
	char *text = n ? hist_diags_text(diags, n - 1, "hist", false) : NULL;

	if (!text || !strstr(text, want))
		assert_string_equal(text ? text : "", want);
	free(text);
}

static void test_files(void **state)
{
	(void)state;
	assert_int_equal(write_file(kprobes, "p:a do_one # comment\n\nr2:b do_one rc=$retval\n"),
			 0);
	assert_int_equal(write_file(uprobes, "p:c /bin/sh:0x10(0x20)"), 0);
	assert_int_equal(write_file("synthetic_events", "s u64 x"), 0);
	assert_int_equal(write_file(all, "p:d do_two"), 0);
	check_file(kprobes, "p:kprobes/a do_one r2:kprobes/b do_one rc=$retval p:kprobes/d do_two");
	check_file(uprobes, "p:uprobes/c /bin/sh:0x0000000000000010(0x20)");
	check_file(
		all,
		"p:kprobes/a do_one r2:kprobes/b do_one rc=$retval p:uprobes/c /bin/sh:0x0000000000000010(0x20) "
		"s:synthetic/s u64 x p:kprobes/d do_two");
	assert_int_equal(write_file(kprobes, "-:a"), 0);
	assert_int_equal(write_file(all, "-:kprobes/b"), 0);
	assert_int_equal(write_file(all, "-:s"), 0);
	check_file(all, "p:uprobes/c /bin/sh:0x0000000000000010(0x20) p:kprobes/d do_two");
	assert_int_equal(write_file(kprobes, "-:c"), -HIST_EREJECTED);
	assert_int_equal(hist_write(h, kprobes, "", 0, HIST_TRUNCATE, diags), 0);
	check_file(all, "p:uprobes/c /bin/sh:0x0000000000000010(0x20)");
	assert_int_equal(write_file(kprobes, "p:e do_one+0x10 %ax"), 0);
	assert_int_equal(write_file(kprobes, "p:f do_one+0%return"), 0);
	check_file(kprobes, "p:kprobes/e do_one+16 arg1=%ax r10:kprobes/f do_one");
	assert_int_equal(hist_write(h, all, "p:e do_one", 10, HIST_TRUNCATE, diags), 0);
	check_file(all, "p:kprobes/e do_one");
}

static void test_refused(void **state)
{
	(void)state;
	assert_int_equal(write_file(kprobes, "p:a do_one\np:b do_one x=%ax:u65\np:c do_one"),
			 -HIST_EREJECTED);
	says("                     ^\n");
	check_file(kprobes, "p:kprobes/a do_one");
	check_error(
		"trace_kprobe: error: Unknown type is specified\n  Command: p:b do_one x=%ax:u65");
	assert_int_equal(write_file(kprobes, "p:c /bin/sh:0x10"), -HIST_EREJECTED);
	assert_int_equal(write_file(uprobes, "p:c do_one"), -HIST_EREJECTED);
	assert_int_equal(write_file(kprobes, "p:a do_one"), -HIST_EREJECTED);
	check_error("trace_kprobe: error: There is already the exact same probe event");
	assert_int_equal(write_file(kprobes, "r:a do_one"), -HIST_EREJECTED);
	check_error("trace_kprobe: error: Probe type is different from existing probe");
	assert_int_equal(write_file(kprobes, "p:a do_one x=%ax"), -HIST_EREJECTED);
	check_error("trace_kprobe: error: Argument type or name is different from existing probe");
	/* the caret is at the argument, observed on 6.12.117 */
	assert_int_equal(write_file(kprobes, "p:n do_one x=%ax y=%dx:u64"), 0);
	assert_int_equal(write_file(kprobes, "p:n do_one x=%ax y=%dx:u32"), -HIST_EREJECTED);
	check_error("trace_kprobe: error: Argument type or name is different from existing probe\n"
		    "  Command: p:n do_one x=%ax y=%dx:u32\n                            ^\n");
	assert_int_equal(write_file(kprobes, "p:n do_one"), -HIST_EREJECTED);
	check_error("trace_kprobe: error: Argument type or name is different from existing probe\n"
		    "  Command: p:n do_one\n                      ^\n");
	assert_int_equal(write_file(kprobes, "p:o do_one x=+0(%ax):u8[0]"), -HIST_EREJECTED);
	check_error("trace_kprobe: error: Invalid array size\n"
		    "  Command: p:o do_one x=+0(%ax):u8[0]\n"
		    "                                   ^\n");
	assert_int_equal(write_file(kprobes, "p:o do_one x="), -HIST_EREJECTED);
	check_error("trace_kprobe: error: No argument expression\n"
		    "  Command: p:o do_one x=\n                        ^\n");
	assert_int_equal(write_file(kprobes, "-:n"), 0);
	assert_int_equal(write_file(kprobes, "p:sched/sched_waking do_one"), -HIST_EREJECTED);
	check_error("trace_kprobe: error: Given group/event name is already used by another event");
	assert_int_equal(write_file(kprobes, "s:a u64 x"), -HIST_EREJECTED);
	assert_int_equal(write_file(uprobes, "p:a-b /bin/sh:0x10"), -HIST_EREJECTED);
	check_error("trace_uprobe: error: Event name must follow the same rules as C identifiers");
	/* another location for the same event */
	assert_int_equal(write_file(kprobes, "p:a do_two"), 0);
	check_file(kprobes, "p:kprobes/a do_one p:kprobes/a do_two");
	assert_int_equal(write_file(kprobes, "-:a"), 0);
	check_file(kprobes, "");
}

/* The recorded event takes precedence; the definition must match. */
static void test_recorded(void **state)
{
	size_t n = hist_diags_count(diags);

	(void)state;
	assert_int_equal(write_file(kprobes, "p:kp f nr=%di:u32 comm=$comm"), 0);
	assert_int_equal(hist_diags_count(diags), n);
	assert_int_equal(write_file("events/kprobes/kp/trigger", "hist:keys=nr"), 0);
	assert_int_equal(write_file(kprobes, "-:kp"), -HIST_EREJECTED);
	assert_int_equal(write_file("events/kprobes/kp/trigger", "!hist:keys=nr"), 0);
	assert_int_equal(write_file(kprobes, "-:kp"), 0);
	assert_int_equal(write_file("events/kprobes/kp/trigger", "hist:keys=nr"), 0);
	assert_int_equal(hist_diags_count(diags), n + 1);

	assert_int_equal(write_file(kprobes, "p:kp f nr=%di comm=$comm"), 0);
	assert_int_equal(write_file(kprobes, "-:kp"), -HIST_EREJECTED);
	assert_int_equal(write_file("events/kprobes/kp/trigger", "!hist:keys=nr"), 0);
	assert_int_equal(write_file(kprobes, "-:kp"), 0);
	assert_int_equal(hist_diags_count(diags), n + 2);
	assert_int_equal(write_file(kprobes, "p:kp f number=%di:u32 comm=$comm"), 0);
	says("kprobes:kp was recorded with other fields; the recorded ones are used: unsigned long __probe_ip, "
	     "u32 nr, __data_loc char[] comm");
}

/* Other kinds are accepted whether the event was recorded or not. */
static void test_other_kinds(void **state)
{
	(void)state;
	assert_int_equal(write_file(all, "f:kprobes/kp f a b=$arg1"), 0);
	check_file(all, "f:kprobes/kp f a=a b=$arg1");
	check_file(kprobes, "");
	assert_int_equal(write_file(all, "-:kprobes/kp"), 0);
	assert_int_equal(write_file(all, "e:new sched.sched_waking pid=$pid if pid > 1"), 0);
	check_file(all, "e:eprobes/new sched.sched_waking pid=$pid");
	assert_int_equal(write_file(all, "-:new sched.sched_switch"), -HIST_EREJECTED);
	assert_int_equal(write_file(all, "-:new sched/sched_waking pid=$pid"), 0);
	assert_int_equal(write_file(all, "e:new sched.sched_waking p=$none"), -HIST_EREJECTED);
	says("Invalid $-variable specified");
	assert_int_equal(write_file(all, "e:new kprobes.kp nr=$nr"), -HIST_EREJECTED);
	says("Attached event does not exist");
	assert_int_equal(write_file(kprobes, "f:kp f"), -HIST_EREJECTED);
	says("dynamic_events");
}

/* An event that was not recorded has a format nevertheless, and a histogram without rows. */
static void test_not_recorded(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(write_file("events/kprobes/new/trigger", "hist:keys=a"), -HIST_ENOENT);
	assert_int_equal(write_file(kprobes, "r:new f a=+0($retval):s16[2] b=$comm c=%ax:symbol"),
			 0);
	assert_int_equal(hist_read(h, "events/kprobes/new/format", add_to_strbuf, &out, diags), 0);
	assert_non_null(strstr(out.s,
			       "\tfield:s16 a[];\toffset:24;\tsize:4;\tsigned:1;\n"
			       "\tfield:__data_loc char[] b;\toffset:28;\tsize:4;\tsigned:1;\n"
			       "\tfield:u64 c;\toffset:32;\tsize:8;\tsigned:0;\n"));
	assert_non_null(strstr(out.s,
			       "print fmt: \"(%lx <- %lx) a={%d,%d} b=\\\"%s\\\" c=%pS\", "
			       "REC->__probe_func, REC->__probe_ret_ip, REC->a[0], REC->a[1], "
			       "__get_str(b), REC->c\n"));
	strbuf_release(&out);
	assert_int_equal(write_file("events/kprobes/new/trigger", "hist:keys=c.sym"), 0);
	assert_int_equal(
		write_file("events/sched/sched_waking/trigger", "enable_event:kprobes:new"), 0);
	assert_int_equal(hist_replay(h, diags), 0);
	says("no kprobes:new event is in the recording");
	assert_int_equal(write_file("events/kprobes/new/trigger", "!hist:keys=c.sym"), 0);
	assert_int_equal(write_file(kprobes, "-:new"), -HIST_EREJECTED);
	assert_int_equal(
		write_file("events/sched/sched_waking/trigger", "!enable_event:kprobes:new"), 0);
	/* kernel: events enabled by the trigger remain enabled */
	assert_int_equal(write_file(kprobes, "-:new"), -HIST_EREJECTED);
	assert_int_equal(write_file("events/kprobes/new/enable", "0"), 0);
	assert_int_equal(write_file(kprobes, "-:new"), 0);
	assert_int_equal(write_file("events/kprobes/new/trigger", "hist:keys=b"), -HIST_ENOENT);
}

/* --- with functions --- */

static void test_functions(void **state)
{
	struct trace_event_file *file;

	(void)state;
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf), h);
	assert_int_equal(kretprobe_event_gen_cmd_start(&cmd, "a", "do_one"), 0);
	assert_int_equal(kretprobe_event_add_fields(&cmd, "rc=$retval:s32"), 0);
	assert_int_equal(kretprobe_event_gen_cmd_end(&cmd), 0);
	check_file(kprobes, "r10:kprobes/a do_one rc=$retval:s32");
	assert_int_equal(kretprobe_event_gen_cmd_end(&cmd), -EEXIST);

	file = trace_get_event_file(NULL, "kprobes", "a", h);
	assert_false(IS_ERR(file));
	assert_int_equal(kprobe_event_delete("a", h), -EBUSY);
	assert_int_equal(trace_array_set_clr_event(file->tr, "kprobes", NULL, true), 0);
	check_file("events/kprobes/a/enable", "1");
	trace_put_event_file(file);
	assert_int_equal(kprobe_event_delete("a", h), -EBUSY);
	assert_int_equal(write_file("events/kprobes/a/enable", "0"), 0);
	assert_int_equal(kprobe_event_delete("a", h), 0);
	assert_int_equal(kprobe_event_delete("a", h), -ENOENT);
	assert_int_equal(kprobe_event_delete(NULL, h), -ENOENT);
	assert_int_equal(kprobe_event_delete("", h), -EINVAL);
	/* values are only for synthetic events */
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf), h);
	assert_int_equal(kprobe_event_gen_cmd_start(&cmd, "b", "do_one"), 0);
	assert_int_equal(kprobe_event_gen_cmd_end(&cmd), 0);
	file = trace_get_event_file(NULL, "kprobes", "b", h);
	assert_int_equal(trace_array_set_clr_event(file->tr, "kprobes", "b", true), 0);
	assert_int_equal((synth_event_trace_array)(file, (uint64_t[]){ 1 }, 1), -EINVAL);
	trace_put_event_file(file);
}

/* A program's file of a recorded event remains when a definition of the event is removed. */
static void test_held_before_defined(void **state)
{
	struct trace_event_file *file = trace_get_event_file(NULL, "kprobes", "kp", h);

	(void)state;
	assert_false(IS_ERR(file));
	assert_int_equal(write_file(kprobes, "p:kp f nr=%di:u32 comm=$comm"), 0);
	assert_int_equal(write_file(kprobes, "-:kp"), 0);
	assert_int_equal(trace_array_set_clr_event(file->tr, "kprobes", "kp", true), 0);
	check_file("events/kprobes/kp/enable", "1");
	trace_put_event_file(file);
}

static void test_functions_refused(void **state)
{
	char name[MAX_DYNEVENT_CMD_LEN];

	(void)state;
	synth_event_cmd_init(&cmd, buf, sizeof(buf));
	assert_int_equal(kprobe_event_gen_cmd_start(&cmd, "a", "do_one"), -EINVAL);
	assert_int_equal(kprobe_event_add_fields(&cmd, "x=%ax"), -EINVAL);
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf), h);
	assert_int_equal(synth_event_add_field(&cmd, "u64", "x"), -EINVAL);
	assert_int_equal(kprobe_event_gen_cmd_start(&cmd, NULL, "do_one"), 0);
	assert_int_equal(kprobe_event_gen_cmd_end(&cmd), -EINVAL);
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf), h);
	assert_int_equal(kprobe_event_gen_cmd_start(&cmd, "a", NULL), -EINVAL);
	assert_int_equal(kprobe_event_gen_cmd_start(&cmd, "a-b", "do_one"), 0);
	assert_int_equal(kprobe_event_gen_cmd_end(&cmd), -EINVAL);
	check_error("trace_kprobe: error: Event name must follow the same rules as C identifiers");
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf), h);
	assert_int_equal(kprobe_event_gen_cmd_start(&cmd, "a", name), -E2BIG);
	/* the name is cut */
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf), h);
	assert_int_equal(kprobe_event_gen_cmd_start(&cmd, name, "f"), 0);
	assert_int_equal(strlen(buf), 63 + strlen(" f "));
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf), h);
	assert_int_equal(kprobe_event_gen_cmd_start(&cmd, "a", "do_one"), 0);
	for (int i = 0; i < 128; i++)
		assert_int_equal(kprobe_event_add_fields(&cmd, "%ax"), 0);
	assert_int_equal(kprobe_event_add_fields(&cmd, "%ax"), -EINVAL);
}

/* Without a recording, only the text is checked, for a script that hist record uses. */
static void test_without_recording(void **state)
{
	(void)state;
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf), NULL);
	assert_int_equal(kprobe_event_gen_cmd_start(&cmd, "a", "do_one", "x=%di"), 0);
	assert_int_equal(kprobe_event_gen_cmd_end(&cmd), 0);
	assert_string_equal(buf, "p:kprobes/a do_one  x=%di ");
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf), NULL);
	assert_int_equal(kprobe_event_gen_cmd_start(&cmd, "a", "do_one", "x=$retval"), 0);
	assert_int_equal(kprobe_event_gen_cmd_end(&cmd), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDING_TEST(test_files),
		RECORDING_TEST(test_refused),
		RECORDING_TEST(test_recorded),
		RECORDING_TEST(test_other_kinds),
		RECORDING_TEST(test_not_recorded),
		RECORDING_TEST(test_functions),
		RECORDING_TEST(test_held_before_defined),
		RECORDING_TEST(test_functions_refused),
		RECORDING_TEST(test_without_recording),
	};

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
