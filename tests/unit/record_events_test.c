// SPDX-License-Identifier: LGPL-2.1-only
/* The events selected by the requests of a plan, and messages for unknown ones. */
#include "unit.h"

#include "record/event_choice.h"

static const char available[] =
	"sched:sched_switch\nsched:sched_waking\nsched:sched_wakeup\nsched:sched_process_exit\n"
	"irq:irq_handler_entry\nirq:irq_handler_exit\nirq:softirq_entry\n"
	"ext4:writepages\nxfs:writepages\noom:oom\nraw_syscalls:sys_enter\n";

/* The selection as text: "system:name[=filter][+stack] ...", or the error. */
static int select_into(const struct record_event *requests, size_t n, struct strbuf *out)
{
	struct event_list list = EVENT_LIST_INIT;
	struct selection sel = SELECTION_INIT;
	struct diags diags = DIAGS_INIT;
	int err;

	assert_int_equal(event_list_parse(&list, span_of(available)), 0);
	err = selection_make(&sel, &list, requests, n, &diags);
	for (size_t i = 0; !err && i < sel.events.n; i++)
		strbuf_addf(out, "%s%s:%s%s%s%s", i ? " " : "", sel.events.v[i].system,
			    sel.events.v[i].name, sel.events.v[i].filter ? "=" : "",
			    sel.events.v[i].filter ? sel.events.v[i].filter : "",
			    sel.events.v[i].stack ? "+stack" : "");
	for (size_t i = 0; err && i < diags.list.n; i++)
		strbuf_addstr(out, diags.list.v[i].text);
	selection_release(&sel);
	event_list_release(&list);
	diags_release(&diags);
	return err;
}

static void expect(const char *pattern, int want_err, const char *want)
{
	const struct record_event request = { .pattern = pattern };
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(select_into(&request, 1, &out), want_err);
	assert_string_equal(out.s, want);
	strbuf_release(&out);
}

static void test_patterns(void **state)
{
	(void)state;
	expect("sched:sched_switch", 0, "sched:sched_switch");
	expect("sched/sched_switch", 0, "sched:sched_switch");
	expect("sched_switch", 0, "sched:sched_switch");
	expect("irq", 0, "irq:irq_handler_entry irq:irq_handler_exit irq:softirq_entry");
	expect("irq:", 0, "irq:irq_handler_entry irq:irq_handler_exit irq:softirq_entry");
	expect("irq:*_entry", 0, "irq:irq_handler_entry irq:softirq_entry");
	expect("*:softirq_*", 0, "irq:softirq_entry");
	expect("sched_w*,irq_handler_exit,", 0,
	       "irq:irq_handler_exit sched:sched_wakeup sched:sched_waking");
	expect("i*", 0, "irq:irq_handler_entry irq:irq_handler_exit irq:softirq_entry");
	expect("oom", 0, "oom:oom");
	expect("ext4:writepages", 0, "ext4:writepages");
}

static void test_all(void **state)
{
	const struct record_event request = { .pattern = "all" };
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(select_into(&request, 1, &out), 0);
	assert_non_null(strstr(out.s, "ext4:writepages"));
	assert_non_null(strstr(out.s, "xfs:writepages"));
	strbuf_release(&out);
}

static void test_unknown(void **state)
{
	(void)state;
	expect("sched:sched_swich", -HIST_ENOENT,
	       "this kernel has no event sched:sched_swich; nearest: sched:sched_switch, sched:sched_waking");
	expect("sched_swich", -HIST_ENOENT,
	       "this kernel has no event sched_swich; nearest: sched:sched_switch");
	expect("shed", -HIST_ENOENT, "this kernel has no event shed; nearest: sched");
	expect("zzz*", -HIST_ENOENT,
	       "no event of this kernel matches zzz*; hist list --live shows all");
	expect("sched:zzzzzzzz", -HIST_ENOENT,
	       "this kernel has no event sched:zzzzzzzz; hist list --live shows all");
	expect("writepages", -HIST_EINVAL,
	       "several systems have an event writepages: ext4:writepages, xfs:writepages");
	expect("", -HIST_EINVAL, "-e takes the name of an event");
	expect(",", -HIST_EINVAL, "-e takes the name of an event");
}

static void test_requests(void **state)
{
	const struct record_event requests[] = {
		{ .pattern = "sched" },
		{ .pattern = "sched_switch", .filter = "next_pid > 1" },
		{ .pattern = "sched_waking", .filter = "pid > 1", .stack = true },
		{ .pattern = "sched_waking", .filter = "pid > 2" },
		{ .pattern = "sched:sched_process_*", .exclude = true },
		{ .pattern = "no_such_event", .optional = true },
		{ .pattern = "sched_wakeup", .exclude = true },
	};
	const struct record_event unknown[] = {
		{ .pattern = "sched" },
		{ .pattern = "no_such_event", .exclude = true },
	};
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(select_into(requests, ARRAY_SIZE(requests), &out), 0);
	assert_string_equal(out.s,
			    "sched:sched_switch=next_pid > 1 sched:sched_waking=pid > 2+stack");
	assert_int_equal(select_into(unknown, ARRAY_SIZE(unknown), &out), -HIST_ENOENT);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_patterns),
		TEST(test_all),
		TEST(test_unknown),
		TEST(test_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
