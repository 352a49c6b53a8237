// SPDX-License-Identifier: LGPL-2.1-only
/* Arithmetic: constant folding, divisions as in the kernel, 64 bits, buckets, logarithms. */
#include "tracing_dir.h"

/* Check the printed value of a variable whose expression @expr is constant. */
static void check_constant(struct dir *d, const char *expr, const char *want)
{
	char text[128], line[256];

	snprintf(text, sizeof(text), "hist:keys=pid:x=%s", expr);
	snprintf(line, sizeof(line),
		 "hist:keys=pid:vals=hitcount:x=%s:sort=hitcount:size=2048 [active]", want);
	accept(d, "sched:sched_waking", text);
	check_triggers(d, "sched:sched_waking", line);
	snprintf(text, sizeof(text), "!hist:keys=pid:x=%s", expr);
	accept(d, "sched:sched_waking", text);
}

static const char *const constants[][2] = {
	/* from the kernel's own tests */
	{ "123", "123" },
	{ "16-8-4-2", "2" },
	{ "64/8/4/2", "1" },
	{ "16-8+4+2", "14" },
	{ "4*3/2*2", "12" },
	{ "4+3*2-2", "8" },
	{ "4+6/2-2", "5" },
	/* for small divisors that are not powers of two, quotients are rounded up */
	{ "7/3", "3" },
	{ "100/7", "15" },
	{ "8/4", "2" },
	{ "9/4", "2" },
	{ "0/3", "0" },
	{ "0x10+010", "24" },
	{ "1-2", "18446744073709551615" },
	{ "18446744073709551615+2", "1" },
	{ "4294967296*4294967296", "0" },
	{ "5000000000/2000003", "2499" }, /* above 2^20: rounded down */
	{ "7/1", "7" },
};

static void test_constant_folding(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		check_constant(&d, constants[i][0], constants[i][1]);
	dir_close(&d);
}

/* One hit with b64 = @v; @expr as a key. */
static void check_value(const char *expr, u64 v, const char *want)
{
	char text[128], fields[160], rows[256];
	struct dir d;

	dir_open(&d, "6.12");
	snprintf(text, sizeof(text), "hist:keys=%s", expr);
	snprintf(fields, sizeof(fields), "b64=%llu a64=%llu a32=%lld a8=%lld b8=%llu",
		 (unsigned long long)v, (unsigned long long)v, (long long)v, (long long)v,
		 (unsigned long long)v & 0xff);
	snprintf(rows, sizeof(rows), "{ %s } hitcount: 1 | 1 1 0", want);
	accept(&d, "test:all", text);
	hit(&d, "test:all", fields);
	check_rows(&d, "test:all", rows);
	dir_close(&d);
}

struct result_of {
	u64 v;
	const char *want;
};

static void check_values(const char *expr, const struct result_of *values, size_t n)
{
	char want[128];

	for (size_t i = 0; i < n; i++) {
		snprintf(want, sizeof(want), "%s: %s", expr, values[i].want);
		check_value(expr, values[i].v, want);
	}
}

/* As in a kernel: below 2^20, quotients of a small divisor are rounded up by a multiplication. */
static void test_division(void **state)
{
	static const struct result_of by_3[] = {
		{ 0, "0" }, { 1, "1" }, { 2, "1" }, { 3, "1" }, { 4, "2" },
		{ 5, "2" }, { 6, "2" }, { 7, "3" }, { 9, "3" }, { 120, "40" },
	};
	static const struct result_of by_7[] = {
		{ 0, "0" },
		{ 1, "1" },
		{ 7, "1" },
		{ 8, "2" },
		{ 1048575, "149796" },
		{ 1048576, "149796" },
		{ 1048577, "149796" },
		{ UINT64_MAX, "2635249153387078802" },
	};
	static const struct result_of by_8[] = {
		{ 7, "0" },
		{ 8, "1" },
		{ 15, "1" },
		{ UINT64_MAX, "2305843009213693951" },
	};
	static const struct result_of by_large[] = {
		{ 2000002, "0" },
		{ 2000003, "1" },
		{ 4000005, "1" },
		{ UINT64_MAX, "9223358201817" },
	};

	(void)state;
	check_values("b64/3", by_3, ARRAY_SIZE(by_3));
	check_values("b64/7", by_7, ARRAY_SIZE(by_7));
	check_values("b64/8", by_8, ARRAY_SIZE(by_8));
	check_values("b64/2000003", by_large, ARRAY_SIZE(by_large));
}

/* A divisor that is not constant: zero results in all ones; otherwise the quotient is exact. */
static void test_division_by_field(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=b64/b32:sort=hitcount");
	hit(&d, "test:all", "b64=7 b32=3");
	hit(&d, "test:all", "b64=8 b32=3");
	hit(&d, "test:all", "b64=100 b32=4");
	hit(&d, "test:all", "b64=5 b32=0");
	hit(&d, "test:all", "b64=5 b32=0");
	hit(&d, "test:all", "b64=5 b32=0");
	check_rows(&d, "test:all",
		   "{ b64/b32: 25 } hitcount: 1 { b64/b32: 2 } hitcount: 2 "
		   "{ b64/b32: 18446744073709551615 } hitcount: 3 | 6 3 0");
	refuse(&d, "test:all", "hist:keys=b64/0", "14 Division by zero");
	refuse(&d, "test:all", "hist:keys=b8:x=3/0", "17 Division by zero");
	dir_close(&d);
}

/* kernel: constant folding omits the multiplier if the divisor is a variable. */
static void test_division_by_constant_variable(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "sched:sched_waking", "hist:keys=pid:three=3,big=600,huge=6000000");
	accept(&d, "sched:sched_switch",
	       "hist:keys=next_pid:a=$big/$three,b=600/$three,c=$huge/$three");
	check_triggers(
		&d, "sched:sched_switch",
		"hist:keys=next_pid:vals=hitcount:a=0,b=0,c=2000000:sort=hitcount:size=2048 [active]");
	dir_close(&d);
}

static void test_arithmetic(void **state)
{
	(void)state;
	check_value("b64+1", UINT64_MAX, "b64+1: 0");
	check_value("b64-8", 7, "b64-8: 18446744073709551615");
	check_value("b64*b64", 4294967296, "b64*b64: 0");
	check_value("-(b64)", 1, "-(b64): 18446744073709551615");
	check_value("-(b64+b64)", 2, "-(b64+b64): 18446744073709551612");
	/* operands are sign-extended by their own type */
	check_value("a32+b64", (u64)-3, "a32+b64: 18446744073709551610");
	check_value("a8*a8", (u64)-3, "a8*a8: 9");
	check_value("b8+0", (u64)-3, "b8+0: 253");
	check_value("common_cpu+5", 0, "common_cpu+5: 5");
}

static void test_buckets(void **state)
{
	(void)state;
	check_value("a64.buckets=10", (u64)-15, "a64: ~ 18446744073709551600-18446744073709551609");
	check_value("a64.buckets=10", 25, "a64: ~ 20-29");
	check_value("a64.buckets=10", 0, "a64: ~ 0-9");
	check_value("a64.buckets=1", 7, "a64: ~ 7-7");
	check_value("b64.buckets=5*2", 7, "b64.buckets*2: 10");
}

static void test_log2(void **state)
{
	static const struct result_of logs[] = {
		{ 0, "~ 2^0" },
		{ 1, "~ 2^0" },
		{ 2, "~ 2^1" },
		{ 3, "~ 2^2" },
		{ 4, "~ 2^2" },
		{ 5, "~ 2^3" },
		{ 64, "~ 2^6" },
		{ 65, "~ 2^7" },
		{ UINT64_MAX, "~ 2^64" },
		{ 1ull << 63, "~ 2^63" },
		{ (1ull << 63) + 1, "~ 2^64" },
	};
	char want[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		snprintf(want, sizeof(want), "b64: %s", logs[i].want);
		check_value("b64.log2", logs[i].v, want);
	}
	check_value("a32.log2", (u64)-3, "a32: ~ 2^64");
}

/* Time in units of the clock, or in microseconds rounded to the nearest. */
static void test_timestamps(void **state)
{
	struct machine tsc = dir_machine("6.12");
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "sched:sched_waking", "hist:keys=common_timestamp:sort=common_timestamp");
	accept(&d, "sched:sched_switch", "hist:keys=common_timestamp.usecs");
	hit(&d, "sched:sched_waking", "@ts=1499");
	hit(&d, "sched:sched_switch", "@ts=1499");
	hit(&d, "sched:sched_switch", "@ts=1500");
	hit(&d, "sched:sched_switch", "@ts=2499");
	check_rows(&d, "sched:sched_waking", "{ common_timestamp: 1499 } hitcount: 1 | 1 1 0");
	check_rows(
		&d, "sched:sched_switch",
		"{ common_timestamp: 1 } hitcount: 1 { common_timestamp: 2 } hitcount: 2 | 3 2 0");
	/* if one is in microseconds, all time stamps of the trigger are */
	accept(&d, "test:all", "hist:keys=common_timestamp:x=common_timestamp.usecs");
	hit(&d, "test:all", "@ts=7000");
	check_rows(&d, "test:all", "{ common_timestamp: 7 } hitcount: 1 | 1 1 0");
	dir_close(&d);

	tsc.clock = "x86-tsc"; /* does not count nanoseconds */
	dir_open_machine(&d, tsc);
	accept(&d, "sched:sched_switch", "hist:keys=common_timestamp.usecs");
	hit(&d, "sched:sched_switch", "@ts=7000");
	check_rows(&d, "sched:sched_switch", "{ common_timestamp: 7000 } hitcount: 1 | 1 1 0");
	dir_close(&d);
}

/* A big-endian machine with longs of 4 bytes has the same counts. */
static void test_big_endian(void **state)
{
	struct machine m = dir_machine("6.12");
	struct dir d;

	(void)state;
	m.big_endian = true;
	dir_open_machine(&d, m);
	accept(&d, "test:all",
	       "hist:keys=a16,dyn,st:vals=b64,b32+1:sort=a16 if b8 > 3 && dyn == \"abc\"");
	hit(&d, "test:all", "a16=-2 b8=4 b64=5 b32=7 dyn=abc st=x");
	hit(&d, "test:all", "a16=1 b8=5 b64=6 b32=7 dyn=abc st=x");
	hit(&d, "test:all", "a16=1 b8=3 b64=6 b32=7 dyn=abc st=x");
	check_rows(&d, "test:all",
		   "{ a16: 18446744073709551614, dyn: abc , st: x } hitcount: 1 b64: 5 "
		   "{ a16: 1, dyn: abc , st: x } hitcount: 1 b64: 6 | 2 2 0");
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_constant_folding),
		TEST(test_division),
		TEST(test_division_by_field),
		TEST(test_division_by_constant_variable),
		TEST(test_arithmetic),
		TEST(test_buckets),
		TEST(test_log2),
		TEST(test_timestamps),
		TEST(test_big_endian),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
