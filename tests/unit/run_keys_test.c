// SPDX-License-Identifier: LGPL-2.1-only
/* Keys and values: every type of field, limits, sizes, drops, sorting. */
#include "tracing_dir.h"

/* The rows of test:all with @trigger after one hit with @fields must be @want. */
static void check_one(const char *trigger, const char *fields, const char *want)
{
	struct dir d;

	dir_open(&d, "6.12");
	accept(&d, "test:all", trigger);
	d.stack[0] = 0xffffffff81001010;
	d.stack[1] = 0xffffffffc0000104;
	d.n_stack = 2;
	hit(&d, "test:all", fields);
	check_rows(&d, "test:all", want);
	dir_close(&d);
}

static const char *const keys[][3] = {
	{ "a16", "a16=-3", "{ a16: 18446744073709551613 }" },
	{ "b16", "b16=-3", "{ b16: 65533 }" },
	{ "a8", "a8=200", "{ a8: 18446744073709551560 }" },
	{ "b64", "b64=18446744073709551615", "{ b64: 18446744073709551615 }" },
	{ "a32.hex", "a32=-3", "{ a32: fffffffffffffffd }" },
	{ "ptr", "ptr=0x1000", "{ ptr: 4096 }" },
	{ "st", "st=abc", "{ st: abc }" },
	{ "st", "st=0123456789abcdef", "{ st: 0123456789abcde }" }, /* the last byte is for NUL */
	{ "dyn", "dyn=hello rel=x", "{ dyn: hello }" },
	{ "rel", "dyn=hello rel=xyz", "{ rel: xyz }" },
	{ "st.hex", "st=ab", "{ st: 6261 }" },
	{ "b64.sym", "b64=0xffffffff81001010", "{ b64: [ffffffff81001010] do_one }" },
	{ "b64.sym", "b64=0xffffffffc0000104", "{ b64: [ffffffffc0000104] mod_gn [mod] }" },
	{ "b64.sym", "b64=0", "{ b64: [0] 0x0 }" },
	{ "b64.sym-offset", "b64=0xffffffff81001010",
	  "{ b64: [ffffffff81001010] do_one+0x10/0x1000 }" },
	{ "b64.syscall", "b64=1", "{ b64: sys_write [ 1] }" },
	{ "b64.syscall", "b64=99999", "{ b64: unknown_syscall [99999] }" },
	{ "common_pid", "common_pid=5", "{ common_pid: 5 }" },
	{ "common_pid.execname", "common_pid=5", "{ common_pid: task [ 5] }" },
	{ "common_pid.execname", "common_pid=0", "{ common_pid: <idle> [ 0] }" },
	{ "common_cpu", "@cpu=3", "{ common_cpu: 3 }" },
	{ "cpu", "@cpu=3", "{ cpu: 3 }" },
	{ "CPU", "@cpu=3", "{ CPU: 3 }" },
	{ "hitcount", "b8=1", "{ hitcount: 1 }" },
	{ "5", "b8=1", "{ : 5 }" },
	{ "foo.bar.b8", "b8=9", "{ b8: 9 }" }, /* not a variable, so a field of this event */
	{ "stacktrace", "b8=1",
	  "{ common_stacktrace: do_one+0x10/0x1000 mod_gn+0x4/0xf00 [mod] }" },
	{ "common_stacktrace", "b8=1",
	  "{ common_stacktrace: do_one+0x10/0x1000 mod_gn+0x4/0xf00 [mod] }" },
	{ "b8,st,a16", "b8=1 st=x a16=-1", "{ b8: 1, st: x , a16: 18446744073709551615 }" },
	{ "b8,stacktrace,b16", "b8=1 b16=2",
	  "{ b8: 1, common_stacktrace: do_one+0x10/0x1000 mod_gn+0x4/0xf00 [mod] , b16: 2}" },
};

static void test_keys(void **state)
{
	char trigger[64], want[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		snprintf(trigger, sizeof(trigger), "hist:keys=%s", keys[i][0]);
		snprintf(want, sizeof(want), "%s hitcount: 1 | 1 1 0", keys[i][2]);
		check_one(trigger, keys[i][1], want);
	}
}

/* Strings are compared up to their NUL, whatever follows it in the record. */
static void test_string_keys(void **state)
{
	struct dir d;
	struct record r;
	struct hit h;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=st,dyn");
	hit(&d, "test:all", "st=ab dyn=x");
	make_record(&d, &r, file_of(&d, "test:all")->format, "st=ab dyn=x");
	r.bytes[40 + 5] = 'Z';
	h = (struct hit){ .rec = r.bytes, .len = r.len, .context = &d.context };
	h.file = file_of(&d, "test:all");
	event_hit(event_count_of(file_of(&d, "test:all")), &h);
	check_rows(&d, "test:all", "{ st: ab , dyn: x } hitcount: 2 | 2 1 0");
	dir_close(&d);
}

static const char *const values[][3] = {
	{ "keys=b8:vals=b16", "b8=1 b16=7", "{ b8: 1 } hitcount: 1 b16: 7" },
	{ "keys=b8:vals=hitcount,b16", "b8=1 b16=7", "{ b8: 1 } hitcount: 1 b16: 7" },
	{ "keys=b8:vals=b16,hitcount", "b8=1 b16=7", "{ b8: 1 } hitcount: 1 b16: 7" },
	{ "keys=b8:vals=b16,a16,hitcount", "b8=1 b16=7 a16=2",
	  "{ b8: 1 } hitcount: 1 b16: 7 a16: 2" },
	{ "keys=b8:vals=hitcount,hitcount", "b8=1", "{ b8: 1 } hitcount: 1 hitcount: 1" },
	{ "keys=b8:vals=a16", "a16=-1", "{ b8: 0 } hitcount: 1 a16: 18446744073709551615" },
	{ "keys=b8:vals=b16.hex,a16.usecs", "b16=255 a16=3",
	  "{ b8: 0 } hitcount: 1 b16: ff a16: 3" },
	{ "keys=b8:vals=b16.percent,b16.graph", "b16=5",
	  "{ b8: 0 } hitcount: 1 b16 (%): 100.00 b16: ####################" },
	{ "keys=b8:vals=b16:nohitcount", "b16=5", "{ b8: 0 } b16: 5" },
	{ "keys=b8:vals=b16+1", "b16=5", "{ b8: 0 } hitcount: 1" }, /* summed and never printed */
	{ "keys=b8:vals=common_cpu", "@cpu=2", "{ b8: 0 } hitcount: 1 common_cpu: 2" },
	{ "keys=b8:vals=st,dyn", "st=abc dyn=x",
	  "{ b8: 0 } hitcount: 1 st: 0 dyn: 0" }, /* addresses in the kernel */
	{ "keys=b8:vals=common_timestamp", "@ts=70", "{ b8: 0 } hitcount: 1 common_timestamp: 70" },
};

static void test_values(void **state)
{
	char trigger[64], want[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		snprintf(trigger, sizeof(trigger), "hist:%s", values[i][0]);
		snprintf(want, sizeof(want), "%s | 1 1 0", values[i][2]);
		check_one(trigger, values[i][1], want);
	}
}

static void test_percent(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=b8:vals=hitcount.percent,b16.graph:sort=b8");
	for (int i = 0; i < 9; i++)
		hit(&d, "test:all", i < 3 ? "b8=1 b16=1" : "b8=2 b16=3");
	/* truncated, not rounded */
	check_rows(&d, "test:all",
		   "{ b8: 1 } hitcount: 3 hitcount (%): 33.33 b16: ### "
		   "{ b8: 2 } hitcount: 6 hitcount (%): 66.66 b16: #################### | 9 2 0");
	dir_close(&d);
}

/* --- rejected keys and values --- */

static const char *const refused[][2] = {
	{ "hist:keys=nix", "10 Couldn't find field" },
	{ "hist:keys= b8", "10 Couldn't find field" },
	{ "hist:keys=b8,", "0 Couldn't find field" },
	{ "hist:keys=b8,,b16", "0 Couldn't find field" },
	{ "hist:keys=b8.hexx", "13 Invalid field modifier" },
	{ "hist:keys=b8.hex.log2", "17 Couldn't find field" },
	{ "hist:keys=b8.buckets", "0 Invalid field modifier" },
	{ "hist:keys=b8.buckets=0", "21 Invalid field modifier" },
	{ "hist:keys=b8.execname", "13 Invalid field modifier" },
	{ "hist:keys=b8.percent", "13 Invalid field modifier" },
	{ "hist:keys=b8.graph", "13 Invalid field modifier" },
	{ "hist:keys=b8.stacktrace", "10 Invalid field modifier" },
	{ "hist:keys=12x", "10 Expecting numeric literal" },
	/* kernel: points at the first occurrence of that text */
	{ "hist:keys=st+1", "2 String type can not be an operand in expression" },
	{ "hist:keys=1+dyn", "12 String type can not be an operand in expression" },
	{ "hist:keys=common_timestamp.usecs-1000", "0 Timestamp units in expression don't match" },
	{ "hist:keys=b8:vals=b16.log2", "18 Invalid field modifier" },
	{ "hist:keys=b8:vals=b16.buckets=4", "18 Invalid field modifier" },
	{ "hist:keys=b8:vals=b64.sym", "18 Invalid field modifier" },
	{ "hist:keys=b8:vals=b64.sym-offset", "0 Invalid field modifier" },
	{ "hist:keys=b8:vals=b64.syscall", "18 Invalid field modifier" },
	{ "hist:keys=b8:vals=stacktrace", "18 Invalid field modifier" },
	{ "hist:keys=b8:x=b16.log2", "15 Invalid field modifier" },
	{ "hist:keys=b8:x=b16.percent", "19 Invalid field modifier" },
	{ "hist:keys=b8:nohitcount", "0 Non-hitcount value is required for 'nohitcount'" },
	{ "hist:keys=b8:sort=nix", "18 Sort field must be a key or a val" },
	{ "hist:keys=b8:sort=b8.up", "21 Invalid sort modifier" },
	{ "hist:keys=b8:sort=b8,", "13 Empty sort field" },
	{ "hist:keys=b8:sort=b8,hitcount,b8", "13 Too many sort fields (Max = 2)" },
	{ "hist:keys=b8:sort=", "13 Empty assignment" },
	{ "hist:keys=CPU:sort=common_cpu", "19 Sort field must be a key or a val" },
	/* rejected without a message */
	{ "hist:keys=b8,b16,a8,a16", "" },
	{ "hist:keys=b8:vals=b16,a16,b32", "" },
	{ "hist:keys=dyn,rel", "" }, /* 512 bytes */
	{ "hist:keys=mac", "" },
	{ "hist:keys=b8:size=1", "" },
	{ "hist:keys=b8:what", "" },
	{ "hist:vals=b8", "" },
	{ "hist:", "" },
	{ "hist", "" },
	{ "hits:keys=b8", "" },
	{ "hist:keys=b8 if", "" },
	{ "hist:keys=b8+", "" },
	{ "hist:keys=-b8", "" },
};

static void test_refused(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		refuse(&d, "test:all", refused[i][0], refused[i][1]);
	assert_int_equal(file_of(&d, "test:all")->triggers.n, 0);
	dir_close(&d);
}

static void test_long_text(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	strbuf_addstr(&text, "hist:keys=b8 if b8 == 1");
	strbuf_fill(&text, ' ', TRIGGER_TEXT_MAX - 1 - text.len);
	accept(&d, "test:all", text.s);
	strbuf_addstr(&text, " ");
	refuse(&d, "test:all", text.s, "");
	accept(&d, "test:all", ""); /* an empty write has no effect */
	strbuf_release(&text);
	dir_close(&d);
}

/* --- the map of a trigger --- */

static const struct tracing_map *counted(struct dir *d)
{
	return hist_map(hist_count_of(file_of(d, "test:all")->triggers.v[0]->hist));
}

static void test_size_and_drops(void **state)
{
	struct dir d;
	char fields[32];

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=b64:size=100:sort=b64.descending:vals=b8");
	for (int i = 0; i < 200; i++) {
		snprintf(fields, sizeof(fields), "b8=1 b64=%d", i);
		hit(&d, "test:all", fields);
	}
	hit(&d, "test:all", "b8=1 b64=5");
	assert_int_equal(counted(&d)->n_elts, 128);
	assert_int_equal(counted(&d)->hits, 129);
	assert_int_equal(counted(&d)->drops, 72);
	check_triggers(&d, "test:all",
		       "hist:keys=b64:vals=hitcount,b8:sort=b64.descending:size=128 [active]");
	dir_close(&d);
}

/* Sorting compares keys by the size and sign of their field. */
static void test_sorting(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=a16:sort=a16.descending");
	accept(&d, "test:all", "hist:keys=st:sort=st");
	accept(&d, "test:all", "hist:keys=a64+1:sort=a64+1");
	accept(&d, "test:all", "hist:keys=b8:vals=a16:sort=a16");
	hit(&d, "test:all", "a16=-1 st=b b8=1 a64=-5");
	hit(&d, "test:all", "a16=1 st=ab b8=2 a64=5");
	hit(&d, "test:all", "a16=0 st=B b8=3 a64=0");
	check_rows(
		&d, "test:all",
		"{ a16: 1 } hitcount: 1 { a16: 0 } hitcount: 1 { a16: 18446744073709551615 } hitcount: 1 | 3 3 0 || "
		"{ st: B } hitcount: 1 { st: ab } hitcount: 1 { st: b } hitcount: 1 | 3 3 0 || "
		"{ a64+1: 18446744073709551612 } hitcount: 1 { a64+1: 1 } hitcount: 1 { a64+1: 6 } hitcount: 1 | 3 3 0 || "
		"{ b8: 3 } hitcount: 1 a16: 0 { b8: 2 } hitcount: 1 a16: 1 "
		"{ b8: 1 } hitcount: 1 a16: 18446744073709551615 | 3 3 0");
	dir_close(&d);
}

/* The comm of a row is permanently that of the task that created it. */
static void test_execname_is_frozen(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=common_pid.execname:sort=common_pid");
	d.comm = "first";
	hit(&d, "test:all", "common_pid=5");
	d.comm = "second";
	hit(&d, "test:all", "common_pid=5");
	hit(&d, "test:all", "common_pid=6");
	check_rows(
		&d, "test:all",
		"{ common_pid: first [ 5] } hitcount: 2 { common_pid: second [ 6] } hitcount: 1 | 3 2 0");
	dir_close(&d);
}

/* Data outside a record is read as zero. */
static void test_short_records(void **state)
{
	static u8 bytes[8];
	struct hit h = { .rec = bytes, .len = 8 };
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=b64,dyn:vals=a32,b16+b8:x=st,y=rel");
	h.file = file_of(&d, "test:all");
	h.context = &d.context;
	tracing_reset(d.t);
	event_hit(event_count_of(file_of(&d, "test:all")), &h);
	check_rows(&d, "test:all", "{ b64: 0, dyn: } hitcount: 1 a32: 0 | 1 1 0");
	dir_close(&d);
}

/* A dynamic field that extends beyond its record is cut there. */
static void test_wild_dynamic(void **state)
{
	struct record r;
	struct hit h;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=dyn:x=dyn if dyn != \"x\"");
	make_record(&d, &r, file_of(&d, "test:all")->format, "dyn=abc");
	h = (struct hit){ .rec = r.bytes, .len = r.len, .context = &d.context };
	h.file = file_of(&d, "test:all");
	tracing_reset(d.t);
	for (u32 at = 0; at < 0x10000; at += 0xfff) {
		store_u32(r.bytes + 56, 0xffff0000u | at, false);
		event_hit(event_count_of(file_of(&d, "test:all")), &h);
	}
	assert_int_equal(counted(&d)->hits, 17);
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_keys),           TEST(test_string_keys),  TEST(test_values),
		TEST(test_percent),        TEST(test_refused),      TEST(test_long_text),
		TEST(test_size_and_drops), TEST(test_sorting),      TEST(test_execname_is_frozen),
		TEST(test_short_records),  TEST(test_wild_dynamic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
