// SPDX-License-Identifier: LGPL-2.1-only
/* Numbers, strings and times for programs; the JSON writer. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "unit.h"

#include "json/json.h"

/* --- strings --- */

static void checks_utf8(void **state)
{
	static const struct {
		const char *text;
		size_t n;
	} cases[] = {
		{ "a", 1 },
		{ "\x7f", 1 },
		{ "\xc3\xa4", 2 },
		{ "\xe2\x82\xac", 3 },
		{ "\xf0\x9f\x98\x80", 4 },
		{ "\xf4\x8f\xbf\xbf", 4 },
		{ "\x80", 0 },
		{ "\xbf", 0 },
		{ "\xc3", 0 },
		{ "\xc3(", 0 },
		{ "\xe2\x82", 0 },
		{ "\xf0\x9f\x98", 0 },
		{ "\xc0\x80", 0 },
		{ "\xc1\xbf", 0 },
		{ "\xe0\x9f\xbf", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 },
		{ "\xed\xa0\x80", 0 },
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xf8\x88\x80\x80\x80", 0 },
		{ "\xff", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(utf8_length(span_of(cases[i].text)), cases[i].n);
}

static void check_number(u64 v, bool is_signed, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	text_add_number(&sb, v, is_signed);
	assert_string_equal(sb.s, want);
	strbuf_release(&sb);
}

static void writes_whole_numbers(void **state)
{
	(void)state;
	check_number(0, false, "0");
	check_number(10, true, "10");
	check_number(UINT64_MAX, false, "18446744073709551615");
	check_number(UINT64_MAX, true, "-1");
	check_number((u64)INT64_MIN, true, "-9223372036854775808");
	check_number(INT64_MAX, true, "9223372036854775807");
}

/* Numbers of every length, compared with printf(). */
static void pads_numbers(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char want[64];

	(void)state;
	for (u64 v = 1; v < UINT64_MAX / 7; v *= 7) {
		for (u64 n = v - 1; n <= v + 1; n++) {
			snprintf(want, sizeof(want), "%10llu|%llu", (unsigned long long)n,
				 (unsigned long long)n);
			strbuf_reset(&sb);
			text_add_padded(&sb, n);
			strbuf_addch(&sb, '|');
			text_add_u64(&sb, n);
			assert_string_equal(sb.s, want);
		}
	}
	strbuf_release(&sb);
}

static void check_double(double v, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	text_add_double(&sb, v);
	assert_string_equal(sb.s, want);
	if (sb.len)
		assert_true(strtod(sb.s, NULL) == v);
	strbuf_release(&sb);
}

static void writes_the_shortest_fraction_that_reads_back(void **state)
{
	(void)state;
	check_double(0, "0");
	check_double(0.1, "0.1");
	check_double(1.0 / 3, "0.3333333333333333");
	check_double(-2.5, "-2.5");
	check_double(1e300, "1e+300");
	check_double(DBL_MAX, "1.7976931348623157e+308");
	check_double((double)NAN, "");
	check_double((double)INFINITY, "");
}

static void writes_times(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	text_add_time(&sb, 1000000001, false);
	strbuf_addch(&sb, ' ');
	text_add_time(&sb, 7, false);
	strbuf_addch(&sb, ' ');
	text_add_time(&sb, 1000000001, true);
	assert_string_equal(sb.s, "1.000000001 0.000000007 1000000001");
	strbuf_release(&sb);
}

/* --- json --- */

static void separates_with_commas(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j = { .out = &sb };

	(void)state;
	json_object(&j, NULL);
	json_array(&j, "a");
	json_u64(&j, NULL, 1);
	json_s64(&j, NULL, -2);
	json_array(&j, NULL);
	json_close(&j, ']');
	json_object(&j, NULL);
	json_close(&j, '}');
	json_null(&j, NULL);
	json_close(&j, ']');
	json_str(&j, "b", NULL);
	json_bool(&j, "c", true);
	json_u64(&j, "d", 4);
	json_double(&j, "e", 0.5);
	json_double(&j, "f", (double)NAN);
	json_close(&j, '}');
	json_end_line(&j);
	json_u64(&j, NULL, 5);
	assert_string_equal(
		sb.s,
		"{\"a\":[1,-2,[],{},null],\"b\":null,\"c\":true,\"d\":4,\"e\":0.5,\"f\":null}\n5");
	strbuf_release(&sb);
}

static void check_text(const char *text, const char *want)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j = { .out = &sb };

	json_text(&j, NULL, span_of(text));
	assert_string_equal(sb.s, want);
	strbuf_release(&sb);
}

static void escapes_special_characters(void **state)
{
	(void)state;
	check_text("", "\"\"");
	check_text("a\"b", "\"a\\\"b\"");
	check_text("a\\b", "\"a\\\\\\\\b\"");
	check_text("\x01\n\x7f", "\"\\u0001\\u000a\\u007f\"");
	check_text("\xc3\xa4\xff", "\"\xc3\xa4\\\\xff\"");
	check_text("\xe2\x82", "\"\\\\xe2\\\\x82\"");
}

static void quotes_numbers_on_request(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j = { .out = &sb, .u64_as_string = true };

	(void)state;
	json_array(&j, NULL);
	json_number(&j, NULL, UINT64_MAX, false);
	json_number(&j, NULL, UINT64_MAX, true);
	json_u64(&j, NULL, 3);
	json_close(&j, ']');
	assert_string_equal(sb.s, "[\"18446744073709551615\",\"-1\",3]");
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(checks_utf8),
		TEST(writes_whole_numbers),
		TEST(pads_numbers),
		TEST(writes_the_shortest_fraction_that_reads_back),
		TEST(writes_times),
		TEST(separates_with_commas),
		TEST(escapes_special_characters),
		TEST(quotes_numbers_on_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
