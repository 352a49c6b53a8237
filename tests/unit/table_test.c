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
		  "path           hits\n"
		  "/sys...e/a.b  1,234\n" },
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
		t.columns[0].most = cases[i].most;
		t.columns[0].width = min_t(size_t, t.columns[0].width, cases[i].most);
		table_fit(&t, cases[i].width);
		table_text(&t, &out);
		assert_string_equal(out.s, cases[i].want);
		table_release(&t);
		strbuf_release(&out);
	}
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

/* --- csv --- */

static void check_csv(const struct csv_dialect *dialect, const char *want)
{
	struct strbuf out = STRBUF_INIT;
	struct csv t = { .dialect = dialect, .out = &out };

	csv_name(&t, "n");
	csv_text(&t, span_of(""));
	csv_text(&t, span_of("=a,\"b\\\xff"));
	csv_text(&t, span_of("c\td"));
	csv_text(&t, span_of("-7"));
	csv_absent(&t);
	csv_number(&t, UINT64_MAX, true);
	csv_end_line(&t);
	csv_double(&t, -0.0);
	csv_double(&t, (double)NAN);
	csv_double(&t, -HUGE_VAL);
	csv_time(&t, 1500000000, false);
	csv_end_line(&t);
	assert_string_equal(out.s, want);
	strbuf_release(&out);
}

static void csv_quotes_and_escapes(void **state)
{
	const struct csv_dialect csv = { ',', true, true, false };
	const struct csv_dialect tsv = { '\t', false, true, false };
	const struct csv_dialect raw = { ',', true, false, false };
	const struct csv_dialect safe = { ',', true, true, true };

	(void)state;
	check_csv(&csv, "n,\"\",\"=a,\"\"b\\\\\\xff\",c\td,-7,,-1\n0,,-inf,1.500000000\n");
	check_csv(&tsv, "n\t\t=a,\"b\\\\\\xff\tc\\td\t-7\t\t-1\n0\t\t-inf\t1.500000000\n");
	check_csv(&raw, "n,,\"=a,\"\"b\\\xff\",c\td,-7,,-1\n0,,-inf,1.500000000\n");
	check_csv(&safe,
		  "n,\"\",\"'=a,\"\"b\\\\\\xff\",\"c\td\",\"-7\",,-1\n0,,-inf,1.500000000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_is_aligned),
		TEST(text_hides_columns_that_do_not_fit),
		TEST(text_is_shortened),
		TEST(long_row_does_not_move_the_next),
		TEST(markdown_is_never_markup),
		TEST(html_has_numbers_to_sort_by),
		TEST(dropped_rows_leave_their_width),
		TEST(csv_quotes_and_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
