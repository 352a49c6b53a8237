// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A result does not change, whatever happens to its histogram: more hits, a slice of time, a map
 * that is cleared, the removal of its trigger.
 */
#include "tracing_dir.h"

static const char waking[] = "sched:sched_waking", all[] = "test:all";

static const struct result_info info = { .version = "v", .kernel = "6.12", .clock = "local" };

static char *in_format(const struct stored_result *s, const char *name)
{
	void *state = NULL;
	const struct format_options options = { .state = &state };
	struct format room;
	const struct format *format = name ? format_find(name, &room) : NULL;
	struct strbuf out = STRBUF_INIT;
	struct printer p = { .buf = STRBUF_INIT, .sink = add_to_strbuf, .arg = &out };

	if (format)
		format->print(format, &s->result, &options, &p);
	else
		print_hist(&p, &s->result, &(struct format_options){ .top = 0 });
	if (format && format->finish)
		format->finish(format, &options, true, &p);
	assert_int_equal(printer_end(&p), 0);
	return strbuf_detach(&out);
}

/* A result in each format. */
struct frozen {
	struct stored_result *s;
	char *texts[4];
};

static const char *const formats[] = { NULL, "json", "ndjson", "csv" };

static void freeze(struct frozen *f, const struct trigger *t)
{
	assert_int_equal(result_freeze(t, &info, &f->s), 0);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		f->texts[i] = in_format(f->s, formats[i]);
}

static void check_unchanged(const struct frozen *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		char *text = in_format(f->s, formats[i]);

		assert_string_equal(text, f->texts[i]);
		free(text);
	}
}

static void thaw(struct frozen *f)
{
	stored_free(f->s);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		free(f->texts[i]);
}

static const struct trigger *last_trigger(struct dir *d, const char *event)
{
	const struct event_file *file = file_of(d, event);

	return file->triggers.v[file->triggers.n - 1];
}

static void check_differs(const struct frozen *f, const struct trigger *t)
{
	struct frozen now;

	freeze(&now, t);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		assert_string_not_equal(now.texts[i], f->texts[i]);
	thaw(&now);
}

/* Strings of keys and variables, the fields of onmax, the snapshot. */
static void strings_are_copies(void **state)
{
	struct frozen f;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking,
	       "hist:keys=comm:vals=prio.percent:np=prio:onmax($np).save(comm,prio,pid):onmax($np).snapshot()");
	hit(&d, waking, "comm=aaa prio=5 pid=7001");
	hit(&d, waking, "comm=bbb prio=6 pid=7002");
	freeze(&f, last_trigger(&d, waking));
	assert_non_null(strstr(f.texts[0], "comm: aaa "));
	assert_non_null(strstr(f.texts[0], "prio (%):  45.45"));
	assert_non_null(strstr(f.texts[0], "key: { comm: bbb "));
	hit(&d, waking, "comm=aaa prio=9 pid=7003");
	hit(&d, waking, "comm=ccc prio=8 pid=7004");
	check_unchanged(&f);
	check_differs(&f, last_trigger(&d, waking));
	hist_count_clear(hist_count_of(last_trigger(&d, waking)->hist));
	check_unchanged(&f);
	accept(&d, waking,
	       "!hist:keys=comm:vals=prio.percent:np=prio:onmax($np).save(comm,prio,pid)"
	       ":onmax($np).snapshot()");
	check_unchanged(&f);
	dir_close(&d);
	thaw(&f);
}

/* Sketches are shared until another hit would change them. */
static void sketches_are_kept(void **state)
{
	struct machine machine = dir_machine("6.12");
	struct frozen f;
	struct dir d;

	(void)state;
	dir_open_machine(&d, machine);
	d.t->options.stats = true;
	accept(&d, all, "hist:keys=b8:vals=a32:x=b64:sort=b8");
	hit(&d, all, "b8=1 a32=2 b64=7");
	hit(&d, all, "b8=2 a32=3 b64=7");
	freeze(&f, last_trigger(&d, all));
	hit(&d, all, "b8=1 a32=1000 b64=8");
	hit(&d, all, "b8=1 a32=2000 b64=8");
	check_unchanged(&f);
	check_differs(&f, last_trigger(&d, all));
	hist_part_slice(hist_count_of(last_trigger(&d, all)->hist)->parts,
			last_trigger(&d, all)->hist);
	check_unchanged(&f);
	hit(&d, all, "b8=1 a32=4 b64=7");
	hist_count_clear(hist_count_of(last_trigger(&d, all)->hist));
	check_unchanged(&f);
	dir_close(&d);
	thaw(&f);
}

static void stacks_are_copies(void **state)
{
	struct frozen f;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	d.stack[0] = 0xffffffff81001010;
	d.stack[1] = 0xffffffff81002020;
	d.n_stack = 2;
	accept(&d, all, "hist:keys=common_stacktrace,common_pid.execname:sort=common_pid");
	d.comm = "one";
	hit(&d, all, "b8=1");
	freeze(&f, last_trigger(&d, all));
	assert_non_null(strstr(f.texts[0], "one"));
	d.n_stack = 1;
	d.comm = "two";
	hit(&d, all, "b8=1");
	check_unchanged(&f);
	check_differs(&f, last_trigger(&d, all));
	dir_close(&d);
	thaw(&f);
}

/* Enough rows to evict cached data, and to make the rows grow. */
static void many_rows_do_not_change(void **state)
{
	struct machine machine = dir_machine_unlimited("6.12");
	struct stored_result *s;
	struct result_row row;
	struct dir d;
	char fields[64], want[16];

	(void)state;
	dir_open_machine(&d, machine);
	accept(&d, waking, "hist:keys=comm,pid:sort=pid");
	for (unsigned int i = 0; i < 3000; i++) {
		snprintf(fields, sizeof(fields), "comm=c%u prio=5 pid=%u", i % 700, i);
		hit(&d, waking, fields);
	}
	assert_int_equal(result_freeze(last_trigger(&d, waking), &info, &s), 0);
	assert_int_equal(s->result.n_rows, 3000);
	for (unsigned int i = 0; i < 3000; i++) {
		s->result.row(&s->result, i, &row);
		snprintf(want, sizeof(want), "c%u", i % 700);
		assert_true(span_eq(row.cells[0].text, want));
		assert_int_equal(row.cells[1].num, i);
	}
	stored_free(s);
	dir_close(&d);
}

/* The text of more rows than one thread formats. */
static char *text_of_many(const char *trigger, unsigned int threads)
{
	struct machine machine = dir_machine_unlimited("6.12");
	struct stored_result *s;
	struct dir d;
	char fields[64], *text;

	dir_open_machine(&d, machine);
	d.t->options.threads = threads;
	accept(&d, all, trigger);
	for (unsigned int i = 0; i < 40000; i++) {
		snprintf(fields, sizeof(fields), "b32=%u a32=%u st=s%u", i * 2654435761u, i % 1000,
			 i % 7);
		hit(&d, all, fields);
	}
	assert_int_equal(result_freeze(last_trigger(&d, all), &info, &s), 0);
	assert_int_equal(s->result.n_rows, 40000);
	text = in_format(s, NULL);
	stored_free(s);
	dir_close(&d);
	return text;
}

static void threads_print_alike(void **state)
{
	static const char *const triggers[] = {
		"hist:keys=b32:vals=a32:sort=hitcount", "hist:keys=b32.log2,b32:vals=a32:sort=a32",
		"hist:keys=st,b32:sort=st.descending",
		"hist:keys=b32:vals=a32.percent:x=a32:onmax($x).save(st)"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(triggers); i++) {
		char *one = text_of_many(triggers[i], 1), *three = text_of_many(triggers[i], 3);

		assert_string_equal(three, one);
		free(one);
		free(three);
	}
}

static int stop_later(void *arg, const void *data, size_t len)
{
	size_t *calls = arg;

	(void)data;
	(void)len;
	return ++*calls == 5 ? -HIST_EIO : 0;
}

/* As if the output were closed. */
static void printing_can_be_stopped(void **state)
{
	struct machine machine = dir_machine_unlimited("6.12");
	struct printer p = { .buf = STRBUF_INIT, .sink = stop_later };
	struct stored_result *s;
	struct dir d;
	size_t calls = 0;
	char fields[64];

	(void)state;
	dir_open_machine(&d, machine);
	d.t->options.threads = 3;
	accept(&d, all, "hist:keys=b32");
	for (unsigned int i = 0; i < 40000; i++) {
		snprintf(fields, sizeof(fields), "b32=%u", i);
		hit(&d, all, fields);
	}
	assert_int_equal(result_freeze(last_trigger(&d, all), &info, &s), 0);
	p.arg = &calls;
	print_hist(&p, &s->result, &(struct format_options){ .top = 0 });
	assert_int_equal(printer_end(&p), -HIST_EIO);
	assert_int_equal(calls, 5);
	stored_free(s);
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_copies),  cmocka_unit_test(sketches_are_kept),
		cmocka_unit_test(stacks_are_copies),   cmocka_unit_test(many_rows_do_not_change),
		cmocka_unit_test(threads_print_alike), cmocka_unit_test(printing_can_be_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
