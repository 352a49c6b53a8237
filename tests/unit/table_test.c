// SPDX-License-Identifier: LGPL-2.1-only
/* Tables, and what each format makes of the same one. */
#include <math.h>

#include "unit.h"

#include "table/table.h"

/* Two names and a number with a spread; the rows have marks in a column without a title. */
static void fill(struct table *t)
{
	table_add(t, "comm");
	table_add(t, "before");
	t->columns[t->at].hide = 1;
	table_add(t, "delta");
	table_end_row(t);
	table_add(t, "a|<b>");
	table_addf(t, "%u ±3%%", 120);
	table_add(t, "-7.5");
	table_add(t, "!");
	table_end_row(t);
	strbuf_addstr(table_cell(t), "中");
	table_end_cell(t);
	table_add(t, "inf");
	table_add(t, "");
	table_end_row(t);
}

static void check(void (*writer)(const struct table *t, struct strbuf *out), size_t width,
		  const char *want)
{
	struct strbuf out = STRBUF_INIT;
	struct table t = TABLE_INIT;

	fill(&t);
	table_fit(&t, width);
	writer(&t, &out);
	assert_string_equal(out.s, want);
	assert_false(out.failed);
	table_release(&t);
	strbuf_release(&out);
}

static void text_is_aligned(void **state)
{
	const char *want = "comm    before  delta\n"
			   "a|<b>  120 ±3%   -7.5  !\n"
			   "中         inf\n";

	(void)state;
	check(table_text, 0, want);
	check(table_text, 25, want);
}

static void text_hides_columns_that_do_not_fit(void **state)
{
	(void)state;
	check(table_text, 24, "comm    before  delta\na|<b>  120 ±3%   -7.5  !\n中         inf\n");
	check(table_text, 23,
	      "(too wide: delta)\ncomm    before\na|<b>  120 ±3%  !\n中         inf\n");
	/* no other column may be hidden */
	check(table_text, 1,
	      "(too wide: delta)\ncomm    before\na|<b>  120 ±3%  !\n中         inf\n");
}

/* A text that takes too much room is shortened in the middle, after columns were hidden. */
static void text_is_shortened(void **state)
{
	static const struct {
		size_t most, width;
		const char *want;
	} cases[] = {
		{ 40, 0,
		  "path                             hits\n"
		  "/system.slice/中中.service/a.b  1,234\n" },
		{ 24, 0,
		  "path                       hits\n"
		  "/system.sl...service/a.b  1,234\n" },
		{ 40, 30,
		  "path                      hits\n"
		  "/system.sl...ervice/a.b  1,234\n" },
		{ 40, 3,
		  "path       hits\n"
		  "/s...a.b  1,234\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf out = STRBUF_INIT;
		struct table t = TABLE_INIT;

		table_add(&t, "path");
		table_add(&t, "hits");
		table_end_row(&t);
		table_add(&t, "/system.slice/中中.service/a.b");
		table_add(&t, "1,234");
		table_end_row(&t);
		t.columns[0].shortens = true;
		t.columns[0].width = min_t(size_t, t.columns[0].width, cases[i].most);
		table_fit(&t, cases[i].width);
		table_text(&t, &out);
		assert_string_equal(out.s, cases[i].want);
		table_release(&t);
		strbuf_release(&out);
	}
}

/* Of a table that is too wide, the columns of the last ranks stay if shorter texts leave room. */
static void important_columns_stay(void **state)
{
	static const struct {
		size_t width;
		const char *want;
	} cases[] = {
		{ 27, "/system.slice/a.b  1  7  99\n" },
		{ 22, "/sys...e/a.b  1  7  99\n" },
		{ 15, "(too wide: 7)\n/s...a.b  1  99\n" },
		{ 14, "(too wide: 7, 1 more)\n/s...a.b  1\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf out = STRBUF_INIT;
		struct table t = TABLE_INIT;

		t.columns[0].shortens = true;
		t.columns[2].hide = 1;
		t.columns[3].hide = 51;
		table_add(&t, "/system.slice/a.b");
		table_add(&t, "1");
		table_add(&t, "7");
		table_add(&t, "99");
		table_end_row(&t);
		table_fit(&t, cases[i].width);
		table_text(&t, &out);
		assert_string_equal(out.s, cases[i].want);
		table_release(&t);
		strbuf_release(&out);
	}
}

static void words_are_wrapped(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&out, "first\n1. one two three");
	assert_int_equal(text_wrap(&out, 6, 0, 10, 3), 2);
	assert_string_equal(out.s, "first\n1. one two\n   three\n");
	strbuf_reset(&out);
	strbuf_addstr(&out, "averylongword b");
	assert_int_equal(text_wrap(&out, 0, 0, 5, 0), 2);
	assert_string_equal(out.s, "averylongword\nb\n");
	strbuf_reset(&out);
	strbuf_addstr(&out, "a b");
	assert_int_equal(text_wrap(&out, 0, 0, 0, 0), 1);
	assert_string_equal(out.s, "a b\n");
	strbuf_release(&out);
}

/* Rows that are added after table_fit(), one at a time. */
static void long_row_does_not_move_the_next(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct table t = TABLE_INIT;

	(void)state;
	table_add(&t, "path");
	table_add(&t, "hits");
	table_fit(&t, 0);
	for (int i = 0; i < 3; i++) {
		table_drop_rows(&t);
		t.at = 0;
		table_add(&t, i == 1 ? "/long/path" : "/");
		table_addf(&t, "%d", i);
		table_end_row(&t);
		table_text(&t, &out);
	}
	assert_string_equal(out.s, "/        0\n/long/path     1\n/        2\n");
	table_release(&t);
	strbuf_release(&out);
}

static void markdown_is_never_markup(void **state)
{
	(void)state;
	check(table_markdown, 0,
	      "| comm | before | delta |  |\n"
	      "| :-- | --: | --: | --: |\n"
	      "| a&#124;&lt;b&gt; | 120 ±3% | -7.5 | &#33; |\n"
	      "| 中 | inf |  |  |\n\n");
}

static void rows_html(const struct table *t, struct strbuf *out)
{
	table_html(t, "a label", "rows", out);
}

static void plain_html(const struct table *t, struct strbuf *out)
{
	table_html(t, "a label", NULL, out);
}

static void html_has_numbers_to_sort_by(void **state)
{
	(void)state;
	check(rows_html, 0,
	      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"a label\">"
	      "<table class=\"rows\">\n<thead>"
	      "<tr><th>comm</th><th class=\"n\">before</th><th class=\"n\">delta</th>"
	      "<th class=\"n\">mark</th></tr></thead>\n<tbody>\n"
	      "<tr><td>a|&lt;b&gt;</td><td class=\"n\" data-v=\"120\">120 ±3%</td>"
	      "<td class=\"n\" data-v=\"-7.5\">-7.5</td><td class=\"n\">!</td></tr>\n"
	      "<tr><td>中</td><td class=\"n\">inf</td><td class=\"n\"></td>"
	      "<td class=\"n\"></td></tr>\n"
	      "</tbody></table></div>\n");
	check(plain_html, 0,
	      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"a label\">"
	      "<table>\n<thead>"
	      "<tr><th>comm</th><th class=\"n\">before</th><th class=\"n\">delta</th>"
	      "<th class=\"n\">mark</th></tr></thead>\n<tbody>\n"
	      "<tr><td>a|&lt;b&gt;</td><td class=\"n\">120 ±3%</td>"
	      "<td class=\"n\">-7.5</td><td class=\"n\">!</td></tr>\n"
	      "<tr><td>中</td><td class=\"n\">inf</td><td class=\"n\"></td>"
	      "<td class=\"n\"></td></tr>\n"
	      "</tbody></table></div>\n");
}

static void dropped_rows_leave_their_width(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct table t = { .text = STRBUF_INIT };

	(void)state;
	table_add(&t, "12345");
	table_end_row(&t);
	table_drop_rows(&t);
	table_add(&t, "1");
	table_end_row(&t);
	table_text_row(&t, 0, &out);
	assert_string_equal(out.s, "    1");
	table_release(&t);
	strbuf_release(&out);
}

/* --- rows --- */

static const struct row_column columns[] = {
	{ .name = "n", .kind = CELL_TEXT },    { .name = "formula", .kind = CELL_TEXT },
	{ .name = "tab", .kind = CELL_TEXT },  { .name = "pid", .kind = CELL_SIGNED },
	{ .name = "none", .kind = CELL_TEXT }, { .name = "share", .kind = CELL_DOUBLE },
	{ .name = "ts", .kind = CELL_TIME },   { .name = "at", .kind = CELL_ADDRESS },
	{ .name = "all", .kind = CELL_JSON },
};

static u64 third(const void *of, size_t i)
{
	return ((const u64 *)of)[i] / 3;
}

static void check_rows(const char *format, bool encoded, const char *want)
{
	static const char *const stack[] = { "a", "b" };
	static const u64 numbers[] = { 3, 30 };
	struct strbuf out = STRBUF_INIT;
	struct row_writer w = { .format = row_format_find(format),
				.out = &out,
				.encoded = encoded };

	assert_non_null(w.format);
	rows_begin(&w, columns, ARRAY_SIZE(columns));
	rows_str(&w, "");
	rows_str(&w, "=a,\"b\\\xff");
	rows_str(&w, "c\td");
	rows_number(&w, CELL_SIGNED, UINT64_MAX);
	rows_absent(&w);
	rows_double(&w, -0.0);
	rows_number(&w, CELL_TIME, 1500000000);
	rows_number(&w, CELL_ADDRESS, 255);
	rows_cell(&w, &(struct row_cell){ .kind = CELL_JSON, .text = span_of("{\"a\":\"\\\\\"}") });
	rows_str(&w, "there is no such column");
	rows_end_row(&w);
	rows_str(&w, "-7");
	rows_cell(&w, &(struct row_cell){ .kind = CELL_TEXTS, .list = { .n = 2, .texts = stack } });
	rows_cell(&w, &(struct row_cell){ .kind = CELL_NUMBERS,
					  .list = { .n = 2,
						    .number = third,
						    .of = numbers,
						    .kind = CELL_UNSIGNED } });
	rows_cell(&w, &(struct row_cell){ .kind = CELL_BYTES, .text = { "\x01\xff", 2 } });
	rows_double(&w, -HUGE_VAL);
	rows_double(&w, (double)NAN);
	rows_end_row(&w);
	assert_int_equal(rows_end(&w, true), 0);
	assert_string_equal(out.s, want);
	strbuf_release(&out);
}

static void rows_are_the_same_in_each_format(void **state)
{
	(void)state;
	check_rows(
		"csv", false,
		"n,formula,tab,pid,none,share,ts,at,all\n"
		"\"\",\"=a,\"\"b\\\\\\xff\",c\td,-1,,0,1.500000000,0xff,\"{\"\"a\"\":\"\"\\\\\"\"}\"\n"
		"-7,a;b,1 10,01ff,-inf,,,,\n");
	check_rows("csv", true,
		   "n,formula,tab,pid,none,share,ts,at,all\n"
		   ",\"=a,\"\"b\\\xff\",c\td,-1,,0,1.500000000,0xff,\"{\"\"a\"\":\"\"\\\\\"\"}\"\n"
		   "-7,a;b,1 10,01ff,-inf,,,,\n");
	check_rows("tsv", false,
		   "n\tformula\ttab\tpid\tnone\tshare\tts\tat\tall\n"
		   "\t=a,\"b\\\\\\xff\tc\\td\t-1\t\t0\t1.500000000\t0xff\t{\"a\":\"\\\\\"}\n"
		   "-7\ta;b\t1 10\t01ff\t-inf\t\t\t\t\n");
	check_rows(
		"csv-safe", false,
		"\"n\",\"formula\",\"tab\",\"pid\",\"none\",\"share\",\"ts\",\"at\",\"all\"\n"
		"\"\",\"'=a,\"\"b\\\\\\xff\",\"c\td\",-1,,0,1.500000000,\"0xff\",\"{\"\"a\"\":\"\"\\\\\"\"}\"\n"
		"\"-7\",\"a;b\",\"1 10\",\"01ff\",-inf,,,,\n");
	check_rows(
		"json", false,
		"[\n{\"n\":\"\",\"formula\":\"=a,\\\"b\\\\\\\\\\\\xff\",\"tab\":\"c\\u0009d\",\"pid\":-1,"
		"\"none\":null,\"share\":0,\"ts\":1.500000000,\"at\":\"0xff\",\"all\":{\"a\":\"\\\\\"}},\n"
		"{\"n\":\"-7\",\"formula\":[\"a\",\"b\"],\"tab\":[1,10],\"pid\":\"01ff\",\"none\":null,"
		"\"share\":null,\"ts\":null,\"at\":null,\"all\":null}\n]\n");
	check_rows(
		"sql", false,
		"BEGIN;\nCREATE TABLE answer(\"n\", \"formula\", \"tab\", \"pid\", \"none\", \"share\", \"ts\", "
		"\"at\", \"all\");\n"
		"INSERT INTO answer VALUES('', '=a,\"b\\\\\\xff', 'c\td', -1, NULL, 0.0, 1500000000, '0xff', "
		"'{\"a\":\"\\\\\"}');\n"
		"INSERT INTO answer VALUES('-7', 'a;b', '1 10', '01ff', -9e999, NULL, NULL, NULL, NULL);\n"
		"COMMIT;\n");
	check_rows(
		"text", false,
		"n   formula      tab    pid  none  share           ts    at  all\n"
		"    =a,\"b\\\\\\xff  c\\td    -1            0  1.500000000  0xff  {\"a\":\"\\\\\"}\n"
		"-7  a;b          1 10  01ff  -inf\n");
	check_rows("markdown", false,
		   "| n | formula | tab | pid | none | share | ts | at | all |\n"
		   "| :-- | :-- | :-- | --: | :-- | --: | --: | --: | :-- |\n"
		   "|  | =a,\"b&#92;&#92;&#92;xff | c&#92;td | -1 |  | 0 | 1.500000000 | 0xff | "
		   "{\"a\"&#58;\"&#92;&#92;\"} |\n"
		   "| -7 | a;b | 1 10 | 01ff | -inf |  |  |  |  |\n");
}

/* What precedes the table is the same for all pages. */
static void a_page_escapes_all_texts(void **state)
{
	static const struct row_column of[] = { { .name = "<name>", .kind = CELL_TEXT },
						{ .name = "n", .kind = CELL_UNSIGNED } };
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct row_writer w = { .format = row_format_find("html"), .out = &out, .title = "a & b" };
	size_t first;

	(void)state;
	rows_begin(&w, of, 2);
	rows_str(&w, "<i>\xff\t\"");
	rows_number(&w, CELL_UNSIGNED, 7);
	rows_end_row(&w);
	assert_int_equal(rows_end(&w, true), 0);
	assert_non_null(strstr(out.s, "<title>a &amp; b</title>"));
	assert_non_null(strstr(out.s, "<h1>a &amp; b</h1>\n<table>"));
	assert_string_equal(strstr(out.s, "<thead>"),
			    "<thead><tr><th scope=\"col\">&lt;name&gt;</th>"
			    "<th scope=\"col\" class=\"n\">n</th></tr></thead>\n<tbody>\n"
			    "<tr><td>&lt;i&gt;\\xff\\t&#34;</td><td class=\"n\">7</td></tr>\n"
			    "</tbody>\n</table>\n");
	first = out.len;
	w.continued = true;
	rows_begin(&w, of, 2);
	assert_int_equal(rows_end(&w, false), 0);
	assert_int_equal(strncmp(out.s + first, "<table>\n<thead>", 15), 0);
	assert_non_null(strstr(out.s + first, "</table>\n<p>Rows are missing.</p>\n"));
}

/* A text keeps the widths of its first rows. */
static void text_of_many_rows_needs_no_memory(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct row_writer w = { .format = row_format_find("text"), .out = &out };
	const char *last;

	(void)state;
	rows_begin(&w, columns, 2);
	for (u64 i = 0; i < 1500; i++) {
		rows_str(&w, i ? "a" : "wide");
		rows_str(&w, "b");
		rows_end_row(&w);
	}
	assert_int_equal(rows_end(&w, true), 0);
	last = strrchr(out.s, 'a');
	assert_string_equal(last, "a     b\n");
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_is_aligned),
		TEST(text_hides_columns_that_do_not_fit),
		TEST(text_is_shortened),
		TEST(important_columns_stay),
		TEST(words_are_wrapped),
		TEST(long_row_does_not_move_the_next),
		TEST(markdown_is_never_markup),
		TEST(html_has_numbers_to_sort_by),
		TEST(dropped_rows_leave_their_width),
		TEST(rows_are_the_same_in_each_format),
		TEST(a_page_escapes_all_texts),
		TEST(text_of_many_rows_needs_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
