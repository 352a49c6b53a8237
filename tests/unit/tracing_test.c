// SPDX-License-Identifier: LGPL-2.1-only
/* State of the tracing directory: instances, events, options, pids, error_log. */
#include "tracing_dir.h"

#include "tracing/trace_options.h"

static void test_instances(void **state)
{
	struct trace_array *tr;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	assert_ptr_equal(tracing_instance(d.t, "", false), d.t->top);
	assert_null(tracing_instance(d.t, "foo", false));
	tr = tracing_instance(d.t, "foo", true);
	assert_non_null(tr);
	assert_ptr_equal(tracing_instance(d.t, "foo", true), tr);
	assert_ptr_not_equal(file_in(tr, "test:all"), file_of(&d, "test:all"));
	assert_ptr_equal(file_in(tr, "test:all"), file_in(tr, "test:all"));
	assert_null(event_file_find(tr, span_of("test"), span_of("nix")));
	assert_null(event_file_known(tr, span_of("sched"), span_of("sched_waking")));
	assert_false(tracing_failed(d.t));
	dir_close(&d);
}

/* Write to set_event; 0 or -HIST_EREJECTED. */
static int set_event(struct dir *d, const char *text)
{
	forget_diags(d);
	return set_event_write(d->t->top, span_of(text), &d->diags);
}

static void test_set_event(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	assert_int_equal(system_enabled(d.t->top, "sched"), '0');
	assert_int_equal(set_event(&d, "sched:sched_waking"), 0);
	assert_true(file_of(&d, "sched:sched_waking")->state.enabled);
	assert_false(file_of(&d, "sched:sched_switch")->state.enabled);
	assert_int_equal(system_enabled(d.t->top, "sched"), 'X');
	assert_int_equal(set_event(&d, "sched:*"), 0);
	assert_int_equal(system_enabled(d.t->top, "sched"), '1');
	assert_int_equal(set_event(&d, "!sched_switch"), 0);
	assert_int_equal(system_enabled(d.t->top, "sched"), 'X');
	/* the words before the bad one take effect */
	assert_int_equal(set_event(&d, "all nix sched_switch"), -HIST_EREJECTED);
	assert_true(file_of(&d, "test:all")->state.enabled);
	assert_false(file_of(&d, "sched:sched_switch")->state.enabled);
	set_event_clear(d.t->top);
	assert_int_equal(system_enabled(d.t->top, NULL), '0');
	assert_int_equal(system_enable(d.t->top, NULL, true, &d.diags), 0);
	assert_int_equal(system_enabled(d.t->top, NULL), '1');
	assert_true(system_exists(d.t, span_of("test")));
	assert_false(system_exists(d.t, span_of("nix")));
	dir_close(&d);
}

static void test_options(void **state)
{
	struct trace_array *tr;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	tr = d.t->top;
	assert_int_equal(tr->trace_flags, trace_options_default(tr));
	assert_true(tr->trace_flags & TRACE_ITER_OVERWRITE);
	assert_int_equal(trace_options_write(tr, span_of("nooverwrite"), &d.diags), 0);
	assert_false(tr->trace_flags & TRACE_ITER_OVERWRITE);
	assert_int_equal(trace_options_write(tr, span_of(" fields \n"), &d.diags), 0);
	assert_true(tr->trace_flags & TRACE_ITER_FIELDS);
	assert_int_equal(trace_options_write(tr, span_of("nonix"), &d.diags), -HIST_EREJECTED);
	assert_int_equal(trace_option_find(tr, span_of("sym-addr")), TRACE_ITER_SYM_ADDR);
	assert_int_equal(trace_option_find(tr, span_of("nix")), 0);
	/* 6.1 has fewer */
	assert_true(trace_option_find(tr, span_of("fields")) != 0);
	dir_close(&d);
	dir_open(&d, "6.1");
	assert_int_equal(trace_option_find(d.t->top, span_of("fields")), 0);
	dir_close(&d);
}

static int write_pids(struct dir *d, const char *text)
{
	return event_pid_write(d->t->top, EVENT_PIDS, span_of(text), &d->diags);
}

static void test_pids(void **state)
{
	struct pid_list *pids;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	pids = &d.t->top->pids[EVENT_PIDS];
	assert_false(event_pid_filters(d.t->top));
	assert_int_equal(write_pids(&d, "30 7\n"), 0);
	assert_int_equal(write_pids(&d, "8 7"), 0);
	assert_true(event_pid_filters(d.t->top));
	assert_int_equal(pids->n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pids->v[i], ((const u32[]){ 7, 8, 30 })[i]);
	assert_int_equal(write_pids(&d, "9 x"), -HIST_EREJECTED);
	event_pid_clear(d.t->top, EVENT_PIDS);
	assert_int_equal(pids->n, 0);
	assert_false(event_pid_filters(d.t->top));
	dir_close(&d);
}

/* The log has the last eight errors. */
static void test_error_log(void **state)
{
	struct error_log log = { .n = 0 };

	(void)state;
	for (unsigned int i = 0; i < TRACING_LOG_ERRS_MAX + 2; i++) {
		char cmd[16];

		snprintf(cmd, sizeof(cmd), "command %u", i);
		assert_int_equal(error_log_add(&log, "hist:test:all", cmd, "Why", i), 0);
	}
	assert_int_equal(log.n, TRACING_LOG_ERRS_MAX);
	assert_string_equal(log.entries[0].cmd, "command 2");
	assert_int_equal(log.entries[0].pos, 2);
	assert_string_equal(log.entries[log.n - 1].cmd, "command 9");
	assert_string_equal(log.entries[log.n - 1].loc, "hist:test:all");
	assert_string_equal(log.entries[log.n - 1].text, "Why");
	error_log_clear(&log);
	assert_int_equal(log.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_instances), TEST(test_set_event), TEST(test_options),
		TEST(test_pids),      TEST(test_error_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
