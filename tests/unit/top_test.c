// SPDX-License-Identifier: LGPL-2.1-only
/* What hist top shows: bars, rows over time, a screen, keys. */
#include "unit.h"

#include "plugin/plugin.h"
#include "top/top_screen.h"
#include "top/top_terminal.h"

/* --- bars --- */

static void assert_spark(const u64 *v, size_t n, bool plain, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	spark_add(&sb, v, n, plain);
	assert_string_equal(sb.s, want);
	strbuf_release(&sb);
}

static void draws_bars(void **state)
{
	(void)state;
	assert_spark((const u64[]){ 0, 1, 2, 3, 4, 5, 6, 7, 8 }, 9, false, " ▁▂▃▄▅▆▇█");
	assert_spark((const u64[]){ 0, 1, 2, 3, 4, 5, 6, 7, 8 }, 9, true, " .:-=+*%#");
	assert_spark((const u64[]){ 0, 0 }, 2, false, "  ");
	assert_spark((const u64[]){ 5 }, 1, false, "█");
	/* the smallest number is not nothing */
	assert_spark((const u64[]){ 1, 1000000, UINT64_MAX }, 3, false, "▁▁█");
	assert_spark(NULL, 0, false, "");
}

/* --- tables --- */

struct row {
	const char *comm;
	u64 hits;
};

static const struct result_column columns[] = {
	{ .name = "comm", .role = RESULT_KEY, .type = RESULT_TEXT },
	{ .name = "hitcount", .role = RESULT_VALUE, .type = RESULT_NUMBER },
};
static const struct result_sort by_hits = { .column = 1, .descending = true };
static struct modifiers no_modifiers;

static struct taken_result make_table(const struct row *rows, size_t n)
{
	struct stored_result *s = stored_new();
	struct taken_result t = { .frozen = s };

	assert_non_null(s);
	s->columns = arena_alloc(&s->arena, sizeof(columns));
	memcpy(s->columns, columns, sizeof(columns));
	s->info = (struct result_info){ .version = "1", .kernel = "6.1", .clock = "local" };
	s->result.info = &s->info;
	s->result.event = "sched:sched_switch";
	s->result.trigger = "hist:keys=comm";
	s->result.columns = s->columns;
	s->result.n_columns = 2;
	s->result.n_keys = s->result.n_values = 1;
	s->result.sort = &by_hits;
	s->result.n_sort = 1;
	assert_int_equal(stored_begin_rows(s, n), 0);
	for (size_t i = 0; i < n; i++) {
		const struct result_cell cells[] = { { .text = span_of(rows[i].comm) },
						     { .num = rows[i].hits } };

		assert_int_equal(stored_add_row(s, &(struct result_row){ .cells = cells }), 0);
		s->result.hits += rows[i].hits;
	}
	assert_int_equal(stored_end_rows(s), 0);
	assert_int_equal(modified_result_new(&no_modifiers, &s->result, &t.named), 0);
	return t;
}

static void refresh(struct top_rows *rows, const struct row *list, size_t n)
{
	const struct taken_result t = make_table(list, n);

	assert_int_equal(top_rows_refresh(rows, &t), 0);
}

#define REFRESH(rows, ...)                                 \
	refresh(rows, (const struct row[]){ __VA_ARGS__ }, \
		sizeof((const struct row[]){ __VA_ARGS__ }) / sizeof(struct row))

/* The rows that are shown: "comm hits+change ...". */
static void assert_shown(struct top_rows *rows, const struct top_choice *choice, const char *want)
{
	struct strbuf sb = STRBUF_INIT;
	struct top_view v;

	assert_int_equal(top_view_init(&v, rows, choice), 0);
	for (size_t i = 0; i < v.result.n_rows; i++) {
		struct result_row row;
		const struct top_row *known;

		v.result.row(&v.result, i, &row);
		known = top_rows_find(rows, &row);
		assert_non_null(known);
		strbuf_addf(&sb, "%s%.*s %llu+%llu", i ? " " : "", (int)row.cells[0].text.n,
			    row.cells[0].text.s, (unsigned long long)row.cells[1].num,
			    (unsigned long long)top_row_added(rows, known, 0));
	}
	assert_string_equal(sb.s, want);
	strbuf_release(&sb);
	top_view_release(&v);
}

static void follows_rows(void **state)
{
	struct top_rows rows = { .key = STRBUF_INIT };
	const struct top_choice all = { .max = 9 };

	(void)state;
	REFRESH(&rows, { "cat", 5 }, { "sh", 2 });
	assert_shown(&rows, &all, "cat 5+5 sh 2+2");
	assert_int_equal(rows.added, 7);
	/* other order, a new row */
	REFRESH(&rows, { "sh", 9 }, { "cat", 6 }, { "ls", 1 });
	assert_shown(&rows, &all, "sh 9+7 cat 6+1 ls 1+1");
	assert_shown(&rows, &(struct top_choice){ .sort = TOP_CHANGE, .max = 2 }, "sh 9+7 cat 6+1");
	REFRESH(&rows, { "sh", 9 }, { "cat", 6 }, { "ls", 4 });
	assert_int_equal(rows.added, 3);
	assert_shown(&rows, &(struct top_choice){ .sort = TOP_CHANGE, .max = 9 },
		     "ls 4+3 sh 9+0 cat 6+0");
	assert_shown(&rows, &(struct top_choice){ .sort = "comm", .max = 9 },
		     "cat 6+0 ls 4+3 sh 9+0");
	assert_shown(&rows, &(struct top_choice){ .filter = "S", .max = 9 }, "sh 9+0 ls 4+3");
	assert_shown(&rows, &(struct top_choice){ .filter = "nothing", .max = 9 }, "");
	assert_shown(&rows, &(struct top_choice){ .first = 1, .max = 1 }, "cat 6+0");
	assert_shown(&rows, &(struct top_choice){ .first = 7, .max = 9 }, "");
	assert_string_equal(top_rows_order(&rows, 0), "hitcount");
	assert_ptr_equal(top_rows_order(&rows, 1), TOP_CHANGE);
	assert_string_equal(top_rows_order(&rows, 2), "comm");
	assert_null(top_rows_order(&rows, 3));
	top_rows_release(&rows);
}

static void remembers_changes(void **state)
{
	struct top_rows rows = { .key = STRBUF_INIT };
	const struct top_row *known;
	struct result_row row;
	u64 total = 0;

	(void)state;
	for (u64 i = 1; i <= TOP_HISTORY + 3; i++) {
		total += i;
		REFRESH(&rows, { "cat", total });
	}
	rows.now.named->row(rows.now.named, 0, &row);
	known = top_rows_find(&rows, &row);
	for (u64 ago = 0; ago < TOP_HISTORY; ago++)
		assert_int_equal(top_row_added(&rows, known, ago), TOP_HISTORY + 3 - ago);
	assert_int_equal(top_row_added(&rows, known, TOP_HISTORY), 0);
	top_rows_release(&rows);
}

/* Rows that do not change any more leave their room to others. */
static void forgets_changes(void **state)
{
	static const char *const names[] = { "a", "b", "c" };
	struct top_rows rows = { .key = STRBUF_INIT };
	struct row list[] = { { "a", 0 }, { "b", 0 }, { "c", 0 } };
	struct result_row row;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names) * (TOP_HISTORY + 1); i++) {
		list[i / (TOP_HISTORY + 1)].hits += i % (TOP_HISTORY + 1) == 0;
		refresh(&rows, list, ARRAY_SIZE(list));
	}
	assert_int_equal(rows.changes.n, 1);
	assert_int_equal(rows.unused.n, 1);
	/* and it gets no old changes when it changes again */
	list[0].hits += 7;
	refresh(&rows, list, ARRAY_SIZE(list));
	assert_shown(&rows, &(struct top_choice){ .max = 9 }, "a 8+7 b 1+0 c 1+0");
	rows.now.named->row(rows.now.named, 0, &row);
	for (u64 ago = 1; ago < TOP_HISTORY; ago++)
		assert_int_equal(top_row_added(&rows, top_rows_find(&rows, &row), ago), 0);
	top_rows_release(&rows);
}

/* --- the screen --- */

/* The lines of a screen, without escape sequences. */
static void get_lines(struct top_screen *s, struct top_rows *rows, struct strbuf *text)
{
	struct strbuf sb = STRBUF_INIT;

	top_screen_add(&sb, s, rows);
	strbuf_reset(text);
	for (size_t i = 0; i < sb.len; i++) {
		if (sb.s[i] == '\r')
			continue;
		if (sb.s[i] != '\033') {
			strbuf_addch(text, sb.s[i]);
			continue;
		}
		while (sb.s[i] && !strchr("mHJK", sb.s[i]))
			i++;
	}
	strbuf_release(&sb);
}

/* The columns are those of the refresh with the widest cells so far. */
static void keeps_columns(void **state)
{
	struct top_rows rows = { .key = STRBUF_INIT };
	struct strbuf text = STRBUF_INIT;
	struct top_screen s = { .width = 40, .height = 8, .plain = true, .n_tables = 1 };

	(void)state;
	REFRESH(&rows, { "sh", 1 });
	get_lines(&s, &rows, &text);
	assert_non_null(strstr(text.s, "\ncomm  hits  change  last 16\n"));
	REFRESH(&rows, { "sh", 1000000 });
	get_lines(&s, &rows, &text);
	assert_non_null(strstr(text.s, "\ncomm       hits    change\n"));
	REFRESH(&rows, { "sh", 5 });
	get_lines(&s, &rows, &text);
	assert_non_null(strstr(text.s, "\ncomm       hits    change\n"));
	strbuf_release(&text);
	top_rows_release(&rows);
}

static void fills_a_screen(void **state)
{
	struct top_rows rows = { .key = STRBUF_INIT };
	struct strbuf text = STRBUF_INIT;
	struct top_screen s = { .width = 60,
				.height = 8,
				.plain = true,
				.n_tables = 1,
				.status = { .time = "12:34:56", .lost = 3, .cpu = 0.025 } };

	(void)state;
	get_lines(&s, NULL, &text);
	assert_string_equal(text.s, "hist top\n"
				    "12:34:56  3 lost, 0 sub-buffers skipped; hist: 2.5 % of a CP\n"
				    "\n"
				    "no rows by value  q quit, s sort, / filter, p pause, w write");
	s.status.rated = true;
	s.status.events = 1234567;
	get_lines(&s, NULL, &text);
	assert_string_equal(text.s, "hist top\n"
				    "12:34:56  1,234,567 events/s, 3 lost, 0 sub-buffers skipped;\n"
				    "\n"
				    "no rows by value  q quit, s sort, / filter, p pause, w write");
	REFRESH(&rows, { "a", 10 }, { "b", 8 }, { "c\033[2J", 5 }, { "d", 3 });
	REFRESH(&rows, { "a", 1010 }, { "b", 8 }, { "c\033[2J", 5 }, { "d", 3 });
	get_lines(&s, &rows, &text);
	/* a text of an event does not control the terminal */
	assert_string_equal(text.s, "hist top  sched:sched_switch by comm\n"
				    "12:34:56  1,234,567 events/s, 3 lost, 0 sub-buffers skipped;\n"
				    "\n"
				    "comm       hits  change  last 16\n"
				    "a         1,010  +1,000                .#\n"
				    "b             8                        # \n"
				    "c\\x1b[2J      5                        # \n"
				    "1 to 3 of 4 rows by value  q quit, s sort, / filter, p pause");
	/* not further than to the end */
	s.choice.first = 1000;
	s.paused = true;
	s.n_tables = 2;
	get_lines(&s, &rows, &text);
	assert_int_equal(s.choice.first, 1);
	assert_non_null(strstr(text.s, "\npaused  12:34:56"));
	assert_non_null(strstr(text.s, "\nd"));
	assert_non_null(strstr(text.s, "\n2 to 4 of 4 rows by value  table 1 of 2: t  q quit"));
	s.typed = "sh";
	get_lines(&s, &rows, &text);
	assert_non_null(strstr(text.s, "\nrows with: sh"));
	/* a long text does not hide the numbers */
	REFRESH(&rows, { "a-name-that-is-too-long", 10 });
	s = (struct top_screen){ .width = 30, .height = 9, .plain = true, .n_tables = 1 };
	get_lines(&s, &rows, &text);
	assert_non_null(strstr(text.s, "\na-name...o-long     10  "));
	/* any size */
	for (s.height = 0; s.height < 9; s.height++)
		for (s.width = 0; s.width < 70; s.width += 7)
			get_lines(&s, &rows, &text);
	strbuf_release(&text);
	top_rows_release(&rows);
}

/* --- keys --- */

static void assert_key(const char *bytes, int key, size_t used)
{
	size_t n;

	assert_int_equal(top_key((const unsigned char *)bytes, strlen(bytes), &n), key);
	assert_int_equal(n, used);
}

static void reads_keys(void **state)
{
	(void)state;
	assert_key("", TOP_KEY_NONE, 0);
	assert_key("q", 'q', 1);
	assert_key("\033", TOP_KEY_ESCAPE, 1);
	assert_key("\033q", TOP_KEY_ESCAPE, 1);
	assert_key("\033[A", TOP_KEY_UP, 3);
	assert_key("\033OBx", TOP_KEY_DOWN, 3);
	assert_key("\033[5~\033[6~", TOP_KEY_PAGE_UP, 4);
	assert_key("\033[H", TOP_KEY_HOME, 3);
	assert_key("\033[4~", TOP_KEY_END, 4);
	/* unknown ones, and what is cut off, are nothing */
	assert_key("\033[1;5Ax", TOP_KEY_NONE, 6);
	assert_key("\033[12", TOP_KEY_NONE, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(draws_bars),      TEST(follows_rows),  TEST(remembers_changes),
		TEST(forgets_changes), TEST(keeps_columns), TEST(fills_a_screen),
		TEST(reads_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
