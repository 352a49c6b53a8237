// SPDX-License-Identifier: LGPL-2.1-only
/* Statements of SQL as tables and writes to the tracing directory, and the positions of errors in
 * them. */
#include "tracing_dir.h"

#include "sql_events.h"

struct translated {
	struct arena arena;
	struct diags diags;
	struct sql_result result;
	int err;
};

static void translate(struct translated *t, const struct sql_request *request)
{
	struct sql_events events = { .n = 2,
				     .v = { { "sched", "sched_waking", span_of(format_waking) },
					    { "sched", "sched_switch", span_of(format_switch) } } };
	struct sql_request r = *request;

	r.name = "lat";
	r.find = sql_events_find;
	r.find_arg = &events;
	*t = (struct translated){ .arena = ARENA_INIT, .diags = DIAGS_INIT };
	t->err = sql_translate(&r, &t->arena, &t->result, &t->diags);
}

static void release(struct translated *t)
{
	diags_release(&t->diags);
	arena_release(&t->arena);
}

static void assert_write(const struct sql_write *w, const char *path, const char *text)
{
	assert_string_equal(w->path, path);
	assert_string_equal(w->text, text);
}

static void test_histogram(void **state)
{
	struct translated t;

	(void)state;
	translate(&t,
		  &(struct sql_request){ .query = "SELECT next_pid, next_prio FROM sched_switch" });
	assert_int_equal(t.err, 0);
	assert_int_equal(t.result.n, 0);
	assert_null(t.result.fields);
	assert_string_equal(t.result.path, "events/sched/sched_switch");
	assert_string_equal(t.result.keys, "next_pid,next_prio");
	assert_null(t.result.values);
	assert_null(t.result.filter);
	release(&t);
}

static const char join[] =
	"SELECT start.pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS us FROM sched_waking AS start "
	"JOIN sched_switch AS end ON start.pid = end.next_pid WHERE start.prio < 100";

static void test_join(void **state)
{
	struct translated t;

	(void)state;
	translate(&t, &(struct sql_request){ .query = join });
	assert_int_equal(t.err, 0);
	assert_int_equal(t.result.n, 3);
	assert_string_equal(t.result.path, "events/synthetic/lat");
	assert_int_equal(t.result.n_fields, 2);
	assert_string_equal(t.result.fields[0].name, "pid");
	assert_false(t.result.fields[0].measured);
	assert_string_equal(t.result.fields[1].name, "us");
	assert_true(t.result.fields[1].measured);
	assert_write(&t.result.writes[0], "synthetic_events", "lat pid_t pid; u64 us");
	assert_string_equal(t.result.writes[1].path, "events/sched/sched_waking/trigger");
	assert_non_null(strstr(t.result.writes[1].text, "hist:keys=pid:"));
	assert_non_null(strstr(t.result.writes[1].text, ":size=16384 if prio < 100"));
	assert_string_equal(t.result.writes[2].path, "events/sched/sched_switch/trigger");
	assert_non_null(strstr(t.result.writes[2].text, "hist:keys=next_pid:"));
	assert_non_null(strstr(t.result.writes[2].text, ":onmatch(sched.sched_waking)."));
	release(&t);
}

/* The same statement has the same text each time. */
static void test_stable(void **state)
{
	struct translated a, b;

	(void)state;
	translate(&a, &(struct sql_request){ .query = join });
	translate(&b, &(struct sql_request){ .query = join });
	for (size_t i = 0; i < a.result.n; i++)
		assert_string_equal(a.result.writes[i].text, b.result.writes[i].text);
	release(&a);
	release(&b);
}

static void test_handlers(void **state)
{
	struct translated t;

	(void)state;
	translate(&t, &(struct sql_request){ .query = join,
					     .on = "max:us",
					     .what = "save:next_comm+next_prio,snapshot" });
	assert_int_equal(t.err, 0);
	assert_non_null(strstr(t.result.writes[2].text, ":onmax($lat_us_"));
	assert_non_null(strstr(t.result.writes[2].text, ").save(next_comm,next_prio):onmax("));
	assert_non_null(strstr(t.result.writes[2].text, ").snapshot()"));
	assert_null(strstr(t.result.writes[2].text, "onmatch"));
	release(&t);
}

static void test_refused(void **state)
{
	static const struct {
		struct sql_request request;
		const char *message;
	} wrong[] = {
		{ { .query = "SELECT nix FROM sched_switch" },
		  "Field 'nix' not part of event sched_switch" },
		{ { .query = "SELECT next_pid FROM nix" }, "nix" },
		{ { .query = "SELECT FROM" }, "" },
		{ { .query = join, .on = "min:us" }, "--on takes max:FIELD or change:FIELD" },
		{ { .query = join, .on = "max:nix" }, "the statement has no field nix" },
		{ { .query = join, .on = "max:us", .what = "print" },
		  "--do takes trace, snapshot" },
		{ { .query = "SELECT next_pid FROM sched_switch", .on = "max:us" },
		  "needs a statement with a JOIN" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct translated t;

		translate(&t, &wrong[i].request);
		assert_int_equal(t.err, -HIST_EREJECTED);
		assert_true(diags_has_error(&t.diags, 0));
		assert_non_null(strstr(t.diags.list.v[t.diags.list.n - 1].text, wrong[i].message));
		release(&t);
	}
}

/* The caret is at the word that is wrong. */
static void test_place(void **state)
{
	struct translated t;

	(void)state;
	translate(&t, &(struct sql_request){ .query = "SELECT next_pid FROM\n nix" });
	assert_int_equal(t.err, -HIST_EREJECTED);
	assert_int_equal(t.diags.list.v[0].line, 2);
	assert_int_equal(t.diags.list.v[0].col, 2);
	assert_int_equal(t.diags.list.v[0].len, 3);
	release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_histogram), TEST(test_join),    TEST(test_stable),
		TEST(test_handlers),  TEST(test_refused), TEST(test_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
