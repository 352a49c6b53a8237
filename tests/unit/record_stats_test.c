// SPDX-License-Identifier: LGPL-2.1-only
/* Parsing small texts of tracefs, as kernels 4.19 to 6.18 print them. */
#include "unit.h"

#include "record/tracedir.h"

static void test_stats(void **state)
{
	static const char text[] =
		"entries: 12\noverrun: 2772\ncommit overrun: 3\nbytes: 4016\n"
		"oldest event ts:  1234.567890\nnow ts:  1235.000001\ndropped events: 40\n"
		"read events: 18446744073709551615\n";
	struct ring_stats s;

	(void)state;
	ring_stats_parse(span_of(text), &s);
	assert_int_equal(s.entries, 12);
	assert_int_equal(s.overrun, 2772);
	assert_int_equal(s.commit_overrun, 3);
	assert_int_equal(s.dropped, 40);
	assert_true(s.read == UINT64_MAX);
	assert_int_equal(ring_stats_lost(&s), 2815);
	assert_int_equal(s.bytes, 4016);
	assert_true(s.oldest == 1234567890000ull && s.now == 1235000001000ull);
	ring_stats_parse(span_of("read events\nentries: x\noverrun:"), &s);
	assert_int_equal(ring_stats_lost(&s) + s.read + s.entries, 0);
}

static void test_header_page(void **state)
{
	static const char text64[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				     "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				     "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				     "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	static const char text32[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				     "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
				     "\tfield: char data;\toffset:12;\tsize:16372;\tsigned:1;\n";
	u32 subbuf, long_size;

	(void)state;
	assert_int_equal(header_page_parse(span_of(text64), &subbuf, &long_size), 0);
	assert_int_equal(subbuf, 4096);
	assert_int_equal(long_size, 8);
	assert_int_equal(header_page_parse(span_of(text32), &subbuf, &long_size), 0);
	assert_int_equal(subbuf, 16384);
	assert_int_equal(long_size, 4);
	assert_int_equal(header_page_parse(span_of(""), &subbuf, &long_size), -HIST_EFORMAT);
	assert_int_equal(header_page_parse(span_of(text64 + 60), &subbuf, &long_size), 0);
	assert_int_equal(header_page_parse(span_of(text64 + 120), &subbuf, &long_size),
			 -HIST_EFORMAT);
}

static void test_clocks(void **state)
{
	static const char text[] =
		"local [global] counter uptime perf mono mono_raw boot tai x86-tsc\n";

	(void)state;
	assert_true(span_eq(clock_selected(span_of(text)), "global"));
	assert_null(clock_selected(span_of("local global\n")).s);
	assert_null(clock_selected(span_of("local [global\n")).s);
	assert_true(clock_offered(span_of(text), "global"));
	assert_true(clock_offered(span_of(text), "local"));
	assert_true(clock_offered(span_of(text), "x86-tsc"));
	assert_false(clock_offered(span_of(text), "mono_"));
	assert_false(clock_offered(span_of(text), ""));
}

/* Symbols are stored for events that can contain an address. */
static void test_addresses(void **state)
{
	(void)state;
	assert_false(format_has_address(
		span_of("name: sched_switch\nformat:\n"
			"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
			"print fmt: \"%*s unsigned long \", 1\n")));
	assert_true(format_has_address(
		span_of("\tfield:unsigned long call_site;\toffset:8;\tsize:8;\n")));
	assert_true(format_has_address(span_of("\tfield:const void * ptr;\toffset:8;\tsize:8;\n")));
	assert_true(format_has_address(
		span_of("\tfield:__data_loc s64[] stack;\toffset:8;\tsize:4;\n")));
}

static void test_error_log(void **state)
{
	static const char text[] =
		"[ 2011.346114] event filter parse error: error: Invalid operator\n"
		"  Command: next_pid = = 1\n"
		"                     ^\n"
		"[ 2011.348066] event filter parse error: error: Field not found\n"
		"  Command: foo == 1\n"
		"               ^\n";
	struct span message, command;
	unsigned int pos;

	(void)state;
	assert_true(error_log_last(span_of(text), &message, &command, &pos));
	assert_true(span_eq(message, "Field not found"));
	assert_true(span_eq(command, "foo == 1"));
	assert_int_equal(pos, 4);
	assert_false(error_log_last(span_of(""), &message, &command, &pos));
	assert_true(error_log_last(span_of("  Command: x"), &message, &command, &pos));
	assert_int_equal(pos, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_stats),     TEST(test_header_page), TEST(test_clocks),
		TEST(test_addresses), TEST(test_error_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
