// SPDX-License-Identifier: LGPL-2.1-only
/* Commands built piece by piece: appending, rejected arguments, the end of the buffer. */
#include "unit.h"

#include "hist-dynevent.h"

static struct dynevent_cmd cmd;
static char buf[64];

static int run_nothing(struct dynevent_cmd *c)
{
	return c == &cmd ? 42 : -1;
}

static int start(void **state)
{
	(void)state;
	memset(buf, 'x', sizeof(buf));
	dynevent_cmd_init(&cmd, buf, sizeof(buf), DYNEVENT_TYPE_NONE, run_nothing);
	return 0;
}

static void test_init(void **state)
{
	(void)state;
	assert_string_equal(buf, "");
	assert_ptr_equal(cmd.seq.buffer, buf);
	assert_int_equal(cmd.seq.size, sizeof(buf));
	assert_int_equal(cmd.seq.len, 0);
	assert_int_equal(cmd.n_fields, 0);
	assert_int_equal(cmd.type, DYNEVENT_TYPE_NONE);
	assert_null(cmd.private_data);
	assert_null(cmd.event_name);
}

static void test_arg(void **state)
{
	struct dynevent_arg arg;

	(void)state;
	dynevent_arg_init(&arg, 0);
	assert_null(arg.str);
	assert_int_equal(arg.separator, ' ');
	arg.str = "one";
	assert_int_equal(dynevent_arg_add(&cmd, &arg, NULL), 0);
	dynevent_arg_init(&arg, ';');
	arg.str = "two";
	assert_int_equal(dynevent_arg_add(&cmd, &arg, NULL), 0);
	assert_string_equal(buf, " one  two;");
	assert_int_equal(cmd.seq.len, 10);
	arg.str = NULL;
	assert_int_equal(dynevent_arg_add(&cmd, &arg, NULL), -EINVAL);
	assert_string_equal(buf, " one  two;");
}

static void test_arg_pair(void **state)
{
	struct dynevent_arg_pair pair;

	(void)state;
	dynevent_arg_pair_init(&pair, 0, ';');
	assert_int_equal(pair.operator, ' ');
	pair.lhs = "u64";
	pair.rhs = "lat";
	assert_int_equal(dynevent_arg_pair_add(&cmd, &pair, NULL), 0);
	dynevent_arg_pair_init(&pair, '=', 0);
	assert_int_equal(pair.separator, ' ');
	pair.lhs = "flags";
	assert_int_equal(dynevent_arg_pair_add(&cmd, &pair, NULL), -EINVAL);
	pair.rhs = "%cx";
	assert_int_equal(dynevent_arg_pair_add(&cmd, &pair, NULL), 0);
	assert_string_equal(buf, " u64 lat; flags=%cx ");
}

static int refuse(void *data)
{
	const struct dynevent_arg *arg = data;

	return strcmp(arg->str, "bad") ? 0 : -EPERM;
}

static int refuse_pair(void *data)
{
	const struct dynevent_arg_pair *pair = data;

	return pair->rhs ? 0 : -ENODATA;
}

/* As in the kernel's source, and as in its documentation. */
static void test_check(void **state)
{
	struct dynevent_arg_pair pair;
	struct dynevent_arg arg;

	(void)state;
	dynevent_arg_init(&arg, 0);
	arg.str = "bad";
	assert_int_equal(dynevent_arg_add(&cmd, &arg, refuse), -EPERM);
	assert_int_equal(dynevent_arg_add(&cmd, &arg), 0);
	dynevent_arg_init(&arg, refuse, ',');
	assert_int_equal(arg.separator, ',');
	arg.str = "bad";
	assert_int_equal(dynevent_arg_add(&cmd, &arg), -EPERM);
	arg.str = "good";
	assert_int_equal(dynevent_arg_add(&cmd, &arg), 0);
	dynevent_arg_pair_init(&pair, refuse_pair, '-', '+');
	pair.lhs = "l";
	assert_int_equal(dynevent_arg_pair_add(&cmd, &pair), -ENODATA);
	pair.rhs = "r";
	assert_int_equal(dynevent_arg_pair_add(&cmd, &pair), 0);
	dynevent_arg_pair_init(&pair, '-', '+');
	pair.lhs = "l";
	assert_int_equal(dynevent_arg_pair_add(&cmd, &pair, refuse_pair), -ENODATA);
	assert_string_equal(buf, " bad  good, l-r+");
}

static void test_str(void **state)
{
	(void)state;
	assert_int_equal(dynevent_str_add(&cmd, "p:kprobes/x"), 0);
	assert_int_equal(dynevent_str_add(&cmd, ""), 0);
	assert_int_equal(dynevent_str_add(&cmd, "%s y"), 0);
	assert_int_equal(dynevent_str_add(&cmd, NULL), -EINVAL);
	assert_string_equal(buf, "p:kprobes/x%s y");
}

/* 63 characters and the NUL fit, of an argument its beginning, of a text and later ones nothing. */
static void test_full(void **state)
{
	struct dynevent_arg_pair pair;
	char text[sizeof(buf)];

	(void)state;
	memset(text, 't', sizeof(text));
	text[60] = '\0';
	assert_int_equal(dynevent_str_add(&cmd, text), 0);
	assert_int_equal(dynevent_str_add(&cmd, "abc"), 0);
	assert_int_equal(strlen(buf), 63);
	start(state);
	assert_int_equal(dynevent_str_add(&cmd, text), 0);
	dynevent_arg_pair_init(&pair, 0, 0);
	pair.lhs = pair.rhs = "x";
	assert_int_equal(dynevent_arg_pair_add(&cmd, &pair, NULL), -E2BIG);
	strcat(text, " x ");
	assert_string_equal(buf, text);
	assert_true(cmd.seq.len > cmd.seq.size);
	assert_int_equal(dynevent_str_add(&cmd, "y"), -E2BIG);
	assert_string_equal(buf, text);
	start(state);
	assert_int_equal(dynevent_str_add(&cmd, text), 0);
	assert_int_equal(dynevent_str_add(&cmd, "y"), -E2BIG);
	assert_string_equal(buf, text);
}

static void test_no_buffer(void **state)
{
	char none[1] = { 'x' };

	(void)state;
	dynevent_cmd_init(&cmd, none, 0, DYNEVENT_TYPE_NONE, NULL);
	assert_int_equal(dynevent_str_add(&cmd, ""), -E2BIG);
	assert_int_equal(none[0], 'x');
	dynevent_cmd_init(&cmd, none, -1, DYNEVENT_TYPE_NONE, NULL);
	assert_int_equal(dynevent_str_add(&cmd, "a"), -E2BIG);
	dynevent_cmd_init(&cmd, none, 1, DYNEVENT_TYPE_NONE, NULL);
	assert_int_equal(dynevent_str_add(&cmd, ""), 0);
	assert_int_equal(dynevent_str_add(&cmd, "a"), -E2BIG);
}

static void test_create(void **state)
{
	(void)state;
	assert_int_equal(dynevent_create(&cmd), 42);
	dynevent_cmd_init(&cmd, buf, sizeof(buf), DYNEVENT_TYPE_NONE, NULL);
	assert_int_equal(dynevent_create(&cmd), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_init), TEST(test_arg),  TEST(test_arg_pair),  TEST(test_check),
		TEST(test_str),  TEST(test_full), TEST(test_no_buffer), TEST(test_create),
	};
	struct CMUnitTest with_setup[ARRAY_SIZE(tests)];

	memcpy(with_setup, tests, sizeof(tests));
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		with_setup[i].setup_func = start;
	return cmocka_run_group_tests(with_setup, NULL, NULL);
}
