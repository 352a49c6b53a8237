// SPDX-License-Identifier: LGPL-2.1-only
/* task_fact: lines of the journal of tasks, written and read; hostile texts. */
#include "unit.h"

#include "trace_dat/task_fact.h"

static struct task_fact parse(const char *line)
{
	struct span rest = span_of(line);
	struct task_fact fact = { .kind = N_TASK_FACTS };

	if (!task_fact_next(&rest, &fact))
		fact.kind = N_TASK_FACTS;
	return fact;
}

static void writes_and_reads(void **state)
{
	static const char *const lines[] = {
		"tasks 1\n",
		"begin 18446744073709551615\n",
		"is 7 7 1 20000000 a\\040b\n",
		"of 8 7\n",
		"args 7 sh\\000-c\\000a\\134b\\000\n",
		"in 7 0 /a/b\n",
		"scanned 3\n",
		"new 5 8 7 4001536 sh\n",
		"name 5 8  \\377\n",
		"exec 6 8 8 /bin/dd\n",
		"argv 6 8 dd\\000a\\040b\\000\n",
		"moved 6 8 0 \n",
		"exit 7 8 dd\n",
		"from perf.data\n",
		"unread 2\n",
		"unseen 0\n",
		"lost 3\n",
		"lacks cgroup/cgroup_attach_task\n",
		"end 9\n",
		"map 4 7 4194304 4096 0  /a\\040b\n",
		"code 4096 a\\000b\\000 /a/b\n",
		"cgroup 28 /a/b\n",
		"quota 1 20 927359157 /a/b 10000\\040100000\n",
		"steal 0 118360000000\n",
		"pressure 1 47900655215 12 /a/b\n",
		"uid 4 7 10077\n",
	};

	(void)state;
	assert_int_equal(ARRAY_SIZE(lines), N_TASK_FACTS);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct task_fact fact = parse(lines[i]);
		struct strbuf out = STRBUF_INIT;
		char text[2][64];

		assert_int_equal(fact.kind, i);
		for (size_t k = 0; k < 2 && fact.text[k].s; k++)
			fact.text[k] = (struct span){ text[k], task_text(fact.text[k], text[k],
									 sizeof(text[k])) };
		task_fact_print(&fact, &out);
		if (fact.kind != TASK_NAME) /* \377 is written as it is */
			assert_string_equal(out.s, lines[i]);
		else
			assert_string_equal(out.s, "name 5 8  \xff\n");
		strbuf_release(&out);
	}
}

static void skips_other_lines(void **state)
{
	struct span rest = span_of("later 1 2 3\n\nexit\nexit x 8 dd\nexit 7\nexit 7 8\nis 7 7 1\n"
				   "exit 7 2147483648 dd\nexit -1 8 dd\nexit 07 08 dd\n"
				   "exit 99999999999999999999 8 dd\nexit 7 8 dd more of it");
	struct task_fact fact;

	(void)state;
	assert_true(task_fact_next(&rest, &fact));
	assert_int_equal(fact.kind, TASK_EXIT);
	assert_int_equal(fact.ts, 7);
	assert_int_equal(fact.pid, 8);
	assert_true(span_eq(fact.text[0], "dd"));
	assert_false(task_fact_next(&rest, &fact));
}

static void decodes_at_most(void **state)
{
	char text[8] = "-------";

	(void)state;
	assert_int_equal(task_text(span_of("a\\040b\\000c\\"), text, 5), 5);
	assert_memory_equal(text, "a b\0c--", 7);
	assert_int_equal(task_text(span_of("\\400\\04"), text, 7), 7);
	assert_memory_equal(text, "\\400\\04", 7);
	assert_int_equal(task_text(span_of(""), text, 7), 0);
	assert_int_equal(task_text(span_of("ab"), text, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_and_reads),
		cmocka_unit_test(skips_other_lines),
		cmocka_unit_test(decodes_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
