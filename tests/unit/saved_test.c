// SPDX-License-Identifier: LGPL-2.1-only
/* Saved results are read back unchanged, or rejected. */
#include "unit.h"

#include "print/print.h"
#include "saved/saved.h"

/* Some of everything; on one line, as it is written. */
#define HEAD                                                                                            \
	"\"schema\":1,\"version\":\"1.2.3\",\"event\":\"a:b\",\"instance\":\"i\","                      \
	"\"trigger\":\"hist:keys=id\",\"columns\":{\"key\":["                                           \
	"{\"name\":\"id\",\"type\":\"number\",\"signed\":true,\"modifier\":\"sys\\\"call\","            \
	"\"text\":true},"                                                                               \
	"{\"name\":\"lat\",\"type\":\"range\",\"signed\":true,\"modifier\":\"log2\",\"unit\":\"us\"},"  \
	"{\"name\":\"comm\",\"type\":\"text\"},"                                                        \
	"{\"name\":\"common_stacktrace\",\"type\":\"stack\"}],"                                         \
	"\"val\":[{\"name\":\"hitcount\",\"type\":\"number\",\"signed\":false},"                        \
	"{\"name\":\"id\",\"type\":\"number\",\"signed\":true}],"                                       \
	"\"saved\":[{\"name\":\"max\",\"type\":\"number\",\"signed\":false},"                           \
	"{\"name\":\"who\",\"type\":\"text\"}],"                                                        \
	"\"stats\":[{\"name\":\"id\",\"signed\":true},"                                                 \
	"{\"name\":\"lat\",\"key\":\"lat\",\"signed\":true,\"unit\":\"us\"}]},"                         \
	"\"sort\":[{\"val\":\"hitcount\",\"descending\":true},{\"key\":\"lat\",\"descending\":false}]," \
	"\"script\":[\"echo 'x' >> events/a/b/trigger\"],"                                              \
	"\"filters\":{\"a:b\":\"x > 1 && y\"},\"pids\":[7,-8],\"children\":true,"                       \
	"\"state\":\"paused\",\"limits\":\"none\",\"lost_events\":2,\"lost_unknown\":true,"             \
	"\"clock\":\"local\",\"kernel\":\"6.12\",\"span\":{\"from\":0.000000001,"                       \
	"\"to\":2.000000000,\"covered\":3.500000000},"                                                  \
	"\"source\":{\"uname\":\"Linux h\",\"file\":\"a.dat\",\"files\":[\"a.dat\",\"b.dat\"]},"        \
	"\"snapshot\":{\"handler\":\"onmax\",\"variable\":\"$x\",\"value\":18446744073709551615,"       \
	"\"key\":{\"id\":-1,\"lat\":{\"min\":-8,\"max\":-5},\"comm\":\"c\",\"common_stacktrace\":[1]}," \
	"\"text\":{\"id\":\"one\",\"common_stacktrace\":[\"f\"]}}"
#define TOTALS "\"hits\":3,\"entries\":2,\"dropped\":18446744073709551615"
#define STATS                                                                                    \
	",\"stats\":{\"exact_values\":1024,\"relative_error\":0.00390625,\"all\":{"              \
	"\"id\":{\"of\":\"val\",\"signed\":true,\"n\":3,\"min\":-9223372036854775808,\"max\":7," \
	"\"mean\":-3.0744573456182584e+18,\"stddev\":5.325116328314171e+18,\"p50\":7,\"p90\":7," \
	"\"p99\":7,\"p99.9\":7,\"exact\":true},"                                                 \
	"\"lat\":{\"of\":\"key\",\"signed\":true,\"unit\":\"us\",\"n\":3,"                       \
	"\"min\":{\"min\":-8,\"max\":-5},\"max\":{\"min\":0,\"max\":1},"                         \
	"\"mean\":{\"min\":-5.333333333333333,\"max\":-3},\"stddev\":null,"                      \
	"\"p50\":{\"min\":-8,\"max\":-5},\"p90\":{\"min\":0,\"max\":1},"                         \
	"\"p99\":{\"min\":0,\"max\":1},\"p99.9\":{\"min\":0,\"max\":1},\"exact\":true}}}"
#define ROW1                                                                                                     \
	"\"key\":{\"id\":-1,\"lat\":{\"min\":-8,\"max\":-5},"                                                    \
	"\"comm\":\"a\\\"b,\\u0009c\\\\\\\\x\\\\xff\xc3\xa4\",\"common_stacktrace\":[18446744071578849280,16]}," \
	"\"text\":{\"id\":\"sys_\\\\xff\",\"common_stacktrace\":[\"do_one+0x0/0x1000\",\"0x10\"]},"              \
	"\"val\":{\"hitcount\":2,\"id\":-9223372036854775801},"                                                  \
	"\"saved\":{\"max\":3,\"who\":\"\"},\"saved_at\":1.500000000,"                                           \
	"\"stats\":{\"id\":{\"n\":2,\"min\":-9223372036854775808,\"max\":7,\"mean\":-4.611686018427388e+18,"     \
	"\"stddev\":6.521908912666392e+18,\"p50\":-9223372036854775808,\"p90\":7,\"p99\":7,"                     \
	"\"p99.9\":7,\"exact\":true,\"sum\":\"-9223372036854775801\","                                           \
	"\"sum2\":\"85070591730234615865843651857942052913\","                                                   \
	"\"values\":[[-9223372036854775808,1],[7,1]]}}"
#define ROW2                                                                                   \
	"\"key\":{\"id\":5,\"lat\":{\"min\":0,\"max\":1},\"comm\":\"plain\","                  \
	"\"common_stacktrace\":[]},\"text\":{\"id\":\"sys_x\",\"common_stacktrace\":[]},"      \
	"\"val\":{\"hitcount\":1,\"id\":7},\"saved\":{\"max\":0,\"who\":null},"                \
	"\"stats\":{\"id\":{\"n\":1,\"min\":7,\"max\":7,\"mean\":7,\"stddev\":null,\"p50\":7," \
	"\"p90\":7,\"p99\":7,\"p99.9\":7,\"exact\":true,\"sum\":\"7\",\"sum2\":\"49\","        \
	"\"values\":[[7,1]]}}"

static const char as_json[] = "{\"type\":\"hist_trigger\"," HEAD ",\"totals\":{" TOTALS "}" STATS
			      ",\"data\":[{" ROW1 "},{" ROW2 "}]}\n";
static const char as_ndjson[] = "{\"type\":\"hist_head\"," HEAD "}\n"
				"{\"type\":\"hist_row\"," ROW1 "}\n"
				"{\"type\":\"hist_row\"," ROW2 "}\n"
				"{\"type\":\"hist_totals\"," TOTALS STATS "}\n";

static int collect(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

static void check_print(const struct result *result, const char *format_name, const char *want)
{
	struct format room;
	const struct format *format = format_find(format_name, &room);
	const struct format_options options = { .u64_as_string = false };
	struct strbuf out = STRBUF_INIT;
	struct printer p = { .buf = STRBUF_INIT, .sink = collect, .arg = &out };

	format->print(format, result, &options, &p);
	assert_int_equal(printer_end(&p), 0);
	assert_string_equal(out.s, want);
	strbuf_release(&out);
}

static int read_text(const char *text, size_t len, saved_array *list, struct strbuf *messages)
{
	/* exactly its size, so that a sanitizer detects reads past the end */
	char *copy = malloc(len + 1);
	struct diags diags = DIAGS_INIT;
	int err;

	assert_non_null(copy);
	memcpy(copy, text, len);
	copy = realloc(copy, len ? len : 1);
	err = saved_read("x.json", (struct span){ copy, len }, list, &diags);
	for (size_t i = 0; messages && i < diags.list.n; i++)
		strbuf_addf(messages, "%s\n", diags.list.v[i].text);
	assert_int_equal(err != 0, diags_has_error(&diags, 0));
	diags_release(&diags);
	free(copy);
	return err;
}

static void is_read_back_unchanged(void **state)
{
	saved_array list = ARRAY_INIT;

	(void)state;
	assert_int_equal(read_text(as_json, strlen(as_json), &list, NULL), 0);
	assert_int_equal(read_text(as_ndjson, strlen(as_ndjson), &list, NULL), 0);
	assert_int_equal(list.n, 2);
	for (size_t i = 0; i < 2; i++) {
		check_print(&list.v[i]->result, "json", as_json);
		check_print(&list.v[i]->result, "ndjson", as_ndjson);
	}
	saved_array_release(&list);
}

static void accepts_several_results(void **state)
{
	struct strbuf text = STRBUF_INIT;
	saved_array list = ARRAY_INIT;

	(void)state;
	strbuf_addstr(&text, as_json);
	strbuf_addstr(&text, as_ndjson);
	strbuf_addstr(&text, as_json);
	assert_int_equal(read_text(text.s, text.len, &list, NULL), 0);
	assert_int_equal(list.n, 3);
	check_print(&list.v[2]->result, "json", as_json);
	saved_array_release(&list);
	strbuf_release(&text);
}

static void refuses_cut_results(void **state)
{
	const size_t whole = strlen(as_json) - 1;
	saved_array list = ARRAY_INIT;

	(void)state;
	for (size_t n = 1; n < whole; n++)
		assert_int_equal(read_text(as_json, n, &list, NULL), -HIST_EFORMAT);
	for (size_t n = 1; n < strlen(as_ndjson) - 1; n++)
		assert_int_equal(read_text(as_ndjson, n, &list, NULL), -HIST_EFORMAT);
	assert_int_equal(list.n, 0);
	assert_int_equal(read_text("", 0, &list, NULL), 0);
	saved_array_release(&list);
}

/* Check the message for @as_json with the first @old replaced by @new. */
static void check_refused(const char *old, const char *new, const char *message)
{
	const char *at = strstr(as_json, old);
	struct strbuf text = STRBUF_INIT, messages = STRBUF_INIT;
	saved_array list = ARRAY_INIT;

	assert_non_null(at);
	strbuf_add(&text, as_json, (size_t)(at - as_json));
	strbuf_addstr(&text, new);
	strbuf_addstr(&text, at + strlen(old));
	assert_int_not_equal(read_text(text.s, text.len, &list, &messages), 0);
	if (!strstr(messages.s, message))
		assert_string_equal(messages.s, message);
	saved_array_release(&list);
	strbuf_release(&text);
	strbuf_release(&messages);
}

static void refuses_inconsistent_sums(void **state)
{
	(void)state;
	check_refused("\"schema\":1", "\"schema\":2", "x.json:1: its schema is not 1");
	check_refused("\"schema\":1", "\"schema\":1,\"schema\":1", "a member is repeated");
	check_refused("hist_trigger", "hist_diff", "not a result of hist report");
	check_refused("\"entries\":2", "\"entries\":3", "the number of rows differs");
	check_refused("\"hitcount\":2,", "", "a row lacks a column");
	check_refused("\"hitcount\":2,", "\"hitcount\":2,\"hitcount\":2,", "two values");
	check_refused(
		"\"key\":{\"id\":-1,\"lat\":{\"min\":-8,\"max\":-5},\"comm\":\"c\","
		"\"common_stacktrace\":[1]},\"text\":{\"id\":\"one\",\"common_stacktrace\":[\"f\"]}",
		"\"key\":{}", "a snapshot lacks a key");
	check_refused("\"hitcount\":2", "\"hitcount\":18446744073709551616", "64-bit");
	check_refused("\"hitcount\":2", "\"hitcount\":2.5", "64-bit");
	check_refused("\"hitcount\":2", "\"hitcount\":-2", "64-bit");
	check_refused("\"hitcount\":2", "\"hitcount\":02", "64-bit");
	check_refused("\"hitcount\":2", "\"hitcount\":4", "differs from the hits of the totals");
	check_refused("\"hits\":3", "\"hits\":5", "differs from the hits of the totals");
	check_refused("\"id\":-1", "\"id\":9223372036854775808", "64-bit");
	check_refused("[7,1]", "[7,2]", "contradict");
	check_refused("5801}", "5802}", "differs from the sum of its statistics");
	check_refused("\"sum2\":\"8", "\"sum2\":\"-8", "integer");
	check_refused("\"type\":\"range\"", "\"type\":\"rage\"", "unknown type");
	check_refused("\"state\":\"paused\"", "\"state\":\"odd\"", "unknown state");
	check_refused("\"0x10\"]", "\"0x10\",\"f\"]", "more symbols than frames");
	check_refused("\"val\":\"hitcount\"", "\"val\":\"bytes\"", "sorted by an unknown column");
	check_refused("\"val\":[{\"name\":\"hitcount\"", "\"val\":[{\"name\":\"hits\"", "hitcount");
	check_refused("\"key\":\"lat\"", "\"key\":\"let\"", "an unknown key");
	check_refused("\\u0009", "\\u0000", "character");
	check_refused("\\u0009", "\\ud800", "an incomplete character");
	check_refused("\"to\":2.000000000", "\"to\":99999999999999999999", "time in seconds");
	check_refused("x > 1", "x\\n> 1", "more than one line");
	check_refused("\"data\":[", "\"more\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
		      "nested too deeply");
}

static void accepts_members_in_any_order(void **state)
{
	saved_array list = ARRAY_INIT;
	static const char text[] =
		"{\"data\":[{\"text\":{\"s\":[\"f\"],\"n\":\"x\"},\"val\":{\"hitcount\":\"1\"},"
		"\"key\":{\"s\":[1],\"n\":\"2\"}}],\"totals\":{\"dropped\":0,\"entries\":1,\"hits\":1},"
		"\"later\":[{},1e3,null],\"columns\":{\"val\":[{\"type\":\"number\",\"name\":\"hitcount\"}],"
		"\"key\":[{\"name\":\"s\",\"type\":\"stack\"},{\"name\":\"n\",\"text\":true}]},"
		"\"kernel\":\"6.1\",\"clock\":\"counter\",\"trigger\":\"t\",\"event\":\"e\",\"schema\":1,"
		"\n\"type\":\"hist_trigger\"}";
	struct result_row row;

	(void)state;
	assert_int_equal(read_text(text, strlen(text), &list, NULL), 0);
	assert_int_equal(list.n, 1);
	list.v[0]->result.row(&list.v[0]->result, 0, &row);
	assert_true(span_eq(row.cells[0].frames[0]->symbol, "f"));
	assert_true(span_eq(row.cells[1].label, "x"));
	assert_int_equal(row.cells[1].num, 2);
	assert_true(list.v[0]->info.clock_counts);
	saved_array_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(is_read_back_unchanged),       TEST(accepts_several_results),
		TEST(refuses_cut_results),          TEST(refuses_inconsistent_sums),
		TEST(accepts_members_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
