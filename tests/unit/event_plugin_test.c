// SPDX-License-Identifier: LGPL-2.1-only
/* Plugins of libtraceevent on records whose offsets point anywhere. */
#include <traceevent/event-parse.h>

#include "tracing_dir.h"

static unsigned int loaded, unloaded;

/* Prints the targets of the fields of test:all without checking the offsets. */
static int print_all(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
		     void *context)
{
	unsigned long long b8, dyn;
	const char *data = record->data;

	(void)context;
	if (tep_get_field_val(s, event, "b8", record, &b8, 1) ||
	    tep_get_field_val(s, event, "dyn", record, &dyn, 1))
		return -1;
	if (b8 == 99)
		return -1; /* not handled by this plugin */
	trace_seq_printf(s, "b8=%llu dyn=%s", b8, data + (dyn & 0xffff));
	for (unsigned long long i = 0; i < dyn >> 16; i++)
		b8 += (unsigned char)data[(dyn & 0xffff) + i];
	trace_seq_printf(s, " sum=%llu", b8);
	return 0;
}

static int load(void *arg)
{
	struct tep_handle *tep = arg;

	loaded++;
	tep_register_event_handler(tep, -1, "test", "all", print_all, NULL);
	tep_register_event_handler(tep, -1, "test", "none", print_all, NULL);
	return 0;
}

static void unload(void *tep)
{
	(void)tep;
	unloaded++;
}

static const struct event_plugin plugins[] = { { load, unload }, { load, NULL } };

static void check_print(struct dir *d, const char *event, const char *fields, const char *want)
{
	const struct event_format *fmt = file_of(d, event)->format;
	struct strbuf out = STRBUF_INIT;
	struct arena arena = ARENA_INIT;
	struct event_print *print = event_print_parse(d->db, fmt, &arena);
	struct record r;

	make_record(d, &r, fmt, fields);
	assert_non_null(print);
	assert_int_equal(event_print(print, r.bytes, r.len, &out), want != NULL);
	assert_string_equal(out.s, want ? want : "");
	strbuf_release(&out);
	arena_release(&arena);
}

static void test_handler(void **state)
{
	struct dir d;

	(void)state;
	loaded = unloaded = 0;
	dir_open(&d, "6.12");
	check_print(&d, "test:all", "b8=7 dyn=abc", "7");
	assert_int_equal(event_db_use_plugins(d.db, plugins, 2), 0);
	assert_int_equal(loaded, 2);
	check_print(&d, "test:all", "b8=7 dyn=abc", "b8=7 dyn=abc sum=301");
	check_print(&d, "test:all", "b8=99 dyn=abc", "99"); /* falls back to the kernel's text */
	check_print(&d, "sched:sched_waking", "comm=x", "comm=x");
	assert_int_equal(event_db_use_plugins(d.db, plugins + 1, 1), 0);
	assert_int_equal(unloaded, 1);
	check_print(&d, "test:all", "b8=1 dyn=a", "b8=1 dyn=a sum=98");
	assert_int_equal(event_db_use_plugins(d.db, NULL, 0), 0);
	check_print(&d, "test:all", "b8=7 dyn=abc", "7");
	dir_close(&d);
}

/* Every offset and length that fits into a field, in a record that ends exactly at its end. */
static void test_hostile_record(void **state)
{
	static const u32 locs[] = { 0xffffffff, 0xffff0000, 0x0000ffff, 0x7fff7fff };
	struct arena arena = ARENA_INIT;
	struct event_print *print;
	struct record r;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	assert_int_equal(event_db_use_plugins(d.db, plugins, 1), 0);
	print = event_print_parse(d.db, file_of(&d, "test:all")->format, &arena);
	assert_non_null(print);
	make_record(&d, &r, file_of(&d, "test:all")->format, "b8=1");
	for (size_t i = 0; i < ARRAY_SIZE(locs); i++) {
		struct strbuf out = STRBUF_INIT;
		u8 *exact = malloc(r.len);

		assert_non_null(exact);
		store_u32(r.bytes + 56, locs[i], false);
		memcpy(exact, r.bytes, r.len);
		assert_true(event_print(print, exact, r.len, &out));
		assert_non_null(strstr(out.s, "sum="));
		strbuf_reset(&out);
		event_print(print, exact, 10, &out); /* too short for a plugin */
		assert_null(strstr(out.s, "sum="));
		strbuf_release(&out);
		free(exact);
	}
	arena_release(&arena);
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_handler),
		TEST(test_hostile_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
