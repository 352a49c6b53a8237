// SPDX-License-Identifier: LGPL-2.1-only
/* Creating and deleting synthetic events by the kernel's functions. */
#include "dynevent_recording.h"

#include "hist-synth.h"

static char buf[MAX_DYNEVENT_CMD_LEN];
static struct dynevent_cmd cmd;

static struct synth_field_desc two[] = { { "u64", "lat" }, { "char[16]", "comm" } };

static void test_create(void **state)
{
	(void)state;
	assert_int_equal(synth_event_create("one", two, 1, h), 0);
	assert_int_equal(synth_event_create("two", two, 2, h), 0);
	check_file("synthetic_events", "one u64 lat two u64 lat; char[16] comm");
	/* the text defines an event of another name */
	assert_int_equal(synth_event_create("three u64 x;", two, 1, h), -ENOENT);
	check_file("synthetic_events",
		   "one u64 lat two u64 lat; char[16] comm three u64 x; u64 lat");
	assert_int_equal(synth_event_create("one", two, 2, h), -EEXIST);
	check_error("synthetic_events: error: Event already exists");
}

static void test_refused(void **state)
{
	struct synth_field_desc bad[] = {
		{ "u65", "lat" }, { "u64", NULL }, { NULL, "lat" }, { "u64", "a-b" }
	};
	struct synth_field_desc many[65];
	char names[65][16];

	(void)state;
	assert_int_equal(synth_event_create("e", bad, 1, h), -EINVAL);
	check_error(""); /* refused before the command is run */
	assert_int_equal(synth_event_create("e", bad + 1, 1, h), -EINVAL);
	assert_int_equal(synth_event_create("e", bad + 2, 1, h), -EINVAL);
	assert_int_equal(synth_event_create("e", bad + 3, 1, h), -EINVAL);
	assert_int_equal(synth_event_create("a-b", two, 2, h), -EINVAL);
	check_error("synthetic_events: error: Illegal name");
	assert_int_equal(synth_event_create("e", two, 0, h), -EINVAL);
	check_error(
		"synthetic_events: error: Command must be of the form: <name> field[;field] ...");
	assert_int_equal(synth_event_create(NULL, two, 2, h), -EINVAL);
	check_error("synthetic_events: error: Illegal name\n  Command: (null)  u64 lat;");
	assert_int_equal(synth_event_create("e", two, 2, NULL), -EINVAL);
	for (int i = 0; i < 65; i++) {
		snprintf(names[i], sizeof(names[i]), "f%d", i);
		many[i] = (struct synth_field_desc){ "u64", names[i] };
	}
	assert_int_equal(synth_event_create("e", many, 65, h), -EINVAL);
	assert_int_equal(synth_event_create("e", many, 64, h), 0);
	check_error("synthetic_events: error: Illegal name\n  Command: (null)"); /* nothing new */
}

/* A name in use is detected before invalid fields, but after too few words. */
static void test_order_of_refusals(void **state)
{
	struct synth_field_desc bad[] = { { "u65[2]", "lat" } };

	(void)state;
	assert_int_equal(synth_event_create("e", two, 2, h), 0);
	assert_int_equal(synth_event_create("e", bad, 1, h), -EEXIST);
	assert_int_equal(synth_event_create("e", two, 0, h), -EINVAL);
}

static void test_too_long(void **state)
{
	struct synth_field_desc fields[2] = { { "u64", "x" }, { "u64", "y" } };
	char name[MAX_DYNEVENT_CMD_LEN];

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(synth_event_create(name, fields, 2, h), -E2BIG);
	fields[1].name = name;
	assert_int_equal(synth_event_create("e", fields, 2, h), -E2BIG);
	check_file("synthetic_events", "");
}

static void test_delete(void **state)
{
	struct trace_event_file *file;

	(void)state;
	assert_int_equal(synth_event_delete("e", h), -ENOENT);
	assert_int_equal(synth_event_create("e", two, 2, h), 0);
	file = trace_get_event_file(NULL, "synthetic", "e", h);
	assert_false(IS_ERR(file));
	assert_int_equal(synth_event_delete("e", h), -EBUSY);
	assert_int_equal(trace_array_set_clr_event(file->tr, "synthetic", "e", true), 0);
	trace_put_event_file(file);
	assert_int_equal(synth_event_delete("e", h), -EBUSY);
	assert_int_equal(write_file("events/synthetic/e/enable", "0"), 0);
	assert_int_equal(write_file("events/synthetic/e/trigger", "hist:keys=lat"), 0);
	assert_int_equal(synth_event_delete("e", h), -EBUSY);
	assert_int_equal(write_file("events/synthetic/e/trigger", "!hist:keys=lat"), 0);
	assert_int_equal(synth_event_delete("e", h), 0);
	assert_int_equal(synth_event_delete("e", h), -ENOENT);
	check_file("synthetic_events", "");
}

static void test_pieces(void **state)
{
	(void)state;
	synth_event_cmd_init(&cmd, buf, sizeof(buf));
	assert_int_equal(synth_event_gen_cmd_start(&cmd, "e", h), 0);
	assert_int_equal(synth_event_add_field(&cmd, "u64", "a"), 0);
	assert_int_equal(synth_event_add_field_str(&cmd, "unsigned int b[1]"), 0);
	assert_int_equal(synth_event_add_fields(&cmd, two, 2), 0);
	assert_string_equal(buf, " e  u64 a; unsigned int b[1]; u64 lat; char[16] comm;");
	assert_int_equal(cmd.n_fields, 4);
	assert_int_equal(synth_event_gen_cmd_end(&cmd), -EINVAL);
	synth_event_cmd_init(&cmd, buf, sizeof(buf));
	assert_int_equal(synth_event_gen_cmd_array_start(&cmd, "e", h, two, 2), 0);
	assert_int_equal(synth_event_add_field(&cmd, "char", "name[8]"), 0);
	assert_int_equal(synth_event_gen_cmd_end(&cmd), 0);
	check_file("synthetic_events", "e u64 lat; char[16] comm; char[8] name");
}

static void test_pieces_refused(void **state)
{
	(void)state;
	synth_event_cmd_init(&cmd, buf, sizeof(buf));
	assert_int_equal(synth_event_gen_cmd_start(&cmd, "e", h, "u64", "a"), 0);
	assert_int_equal(synth_event_add_field(&cmd, NULL, "b"), -EINVAL);
	assert_int_equal(synth_event_add_field(&cmd, "u64", NULL), -EINVAL);
	assert_int_equal(synth_event_add_field_str(&cmd, NULL), -EINVAL);
	cmd.type = DYNEVENT_TYPE_KPROBE;
	assert_int_equal(synth_event_gen_cmd_start(&cmd, "e", h), -EINVAL);
	assert_int_equal(synth_event_gen_cmd_array_start(&cmd, "e", h, two, 2), -EINVAL);
	assert_int_equal(synth_event_add_field(&cmd, "u64", "b"), -EINVAL);
	assert_int_equal(synth_event_add_field_str(&cmd, "u64 b"), -EINVAL);
	assert_int_equal(synth_event_add_fields(&cmd, two, 2), -EINVAL);
}

/* kernel: gen_cmd_start() counts each of its fields twice. */
static void test_counting(void **state)
{
	static const char *const f[33] = { "a", "b", "c", "d", "e", "f", "g", "h", "i",
					   "j", "k", "l", "m", "n", "o", "p", "q", "r",
					   "s", "t", "u", "v", "w", "x", "y", "z" };

	(void)state;
	synth_event_cmd_init(&cmd, buf, sizeof(buf));
#define F(i) "u64", f[i]
#define F8(i) \
	F(i), F((i) + 1), F((i) + 2), F((i) + 3), F((i) + 4), F((i) + 5), F((i) + 6), F((i) + 7)
	assert_int_equal(synth_event_gen_cmd_start(&cmd, "e", h, F8(0), F8(8), F8(16)), 0);
	assert_int_equal(cmd.n_fields, 48);
	for (int i = 0; i < 16; i++)
		assert_int_equal(synth_event_add_field(&cmd, "u8", "x"), 0);
	assert_int_equal(synth_event_add_field(&cmd, "u8", "x"), -EINVAL);
}

/* Text that is not from a file has no comments, and blanks are not special. */
static void test_one_command(void **state)
{
	(void)state;
	synth_event_cmd_init(&cmd, buf, sizeof(buf));
	assert_int_equal(synth_event_gen_cmd_start(&cmd, "e", h, "u64", "a"), 0);
	assert_int_equal(dynevent_str_add(&cmd, "\nu64 b"), 0);
	assert_int_equal(synth_event_gen_cmd_end(&cmd), 0);
	check_file("synthetic_events", "e u64 a; u64 b");
	assert_int_equal(synth_event_create("f", &(struct synth_field_desc){ "u64", "a#b" }, 1, h),
			 -EINVAL);
}

static void test_event_files(void **state)
{
	struct trace_event_file *file;

	(void)state;
	file = trace_get_event_file(NULL, "synthetic", "e", h);
	assert_true(IS_ERR(file));
	assert_int_equal(PTR_ERR(file), -EINVAL);
	assert_int_equal(PTR_ERR(trace_get_event_file(NULL, "ftrace", "print", h)), -EINVAL);
	assert_int_equal(PTR_ERR(trace_get_event_file("none", "sched", "sched_waking", h)),
			 -ENOENT);
	file = trace_get_event_file(NULL, "sched", "sched_waking", h);
	assert_false(IS_ERR(file));
	assert_ptr_equal(file->hist, h);
	assert_int_equal(trace_array_set_clr_event(file->tr, "sched", "sched_waking", true), 0);
	check_file("events/sched/sched_waking/enable", "1");
	assert_int_equal(trace_array_set_clr_event(file->tr, "sched", NULL, false), 0);
	check_file("events/sched/sched_waking/enable", "0");
	assert_int_equal(trace_array_set_clr_event(file->tr, NULL, "sched_waking", true), 0);
	check_file("events/sched/sched_waking/enable", "1");
	check_file("events/sched/sched_switch/enable", "0");
	assert_int_equal(trace_array_set_clr_event(file->tr, NULL, NULL, true), 0);
	check_file("events/sched/sched_switch/enable", "1");
	assert_int_equal(trace_array_set_clr_event(file->tr, "sched", "nix", true), -EINVAL);
	assert_int_equal(trace_array_set_clr_event(file->tr, "nix", NULL, true), -EINVAL);
	assert_int_equal(trace_array_set_clr_event(NULL, "sched", NULL, true), -ENOENT);
	/* not put: hist_close() releases it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDING_TEST(test_create),
		RECORDING_TEST(test_refused),
		RECORDING_TEST(test_order_of_refusals),
		RECORDING_TEST(test_too_long),
		RECORDING_TEST(test_delete),
		RECORDING_TEST(test_pieces),
		RECORDING_TEST(test_pieces_refused),
		RECORDING_TEST(test_counting),
		RECORDING_TEST(test_one_command),
		RECORDING_TEST(test_event_files),
	};

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
