// SPDX-License-Identifier: LGPL-2.1-only
/* diag: the list, and its output for users: position, caret, underline, colour, hostile text. */
#include "unit.h"

static void assert_shown(const struct diag *d, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	diag_print(d, "hist", false, &sb);
	assert_string_equal(sb.s, want);
	strbuf_release(&sb);
}

static void collects(void **state)
{
	struct diags ds = DIAGS_INIT;
	struct diag *d;

	(void)state;
	assert_false(diags_has_error(&ds, 0));
	d = diags_add(&ds, DIAG_WARNING, "%d events were lost on CPU %d", 12, 3);
	assert_string_equal(d->text, "12 events were lost on CPU 3");
	assert_int_equal(d->at, DIAG_NOWHERE);
	assert_false(diags_has_error(&ds, 0));
	assert_int_equal(diags_error(&ds, -HIST_EFORMAT, "cut"), -HIST_EFORMAT);
	assert_true(diags_has_error(&ds, 0));
	assert_true(diags_has_error(&ds, 1));
	assert_false(diags_has_error(&ds, 2));
	assert_int_equal(ds.list.n, 2);
	diags_release(&ds);
	assert_int_equal(ds.list.n, 0);
}

/* Texts do not move while the list grows. */
static void keeps_texts(void **state)
{
	struct diags ds = DIAGS_INIT;
	const char *first;

	(void)state;
	first = diags_add(&ds, DIAG_NOTE, "first")->text;
	for (int i = 0; i < 500; i++)
		diags_add(&ds, DIAG_NOTE, "%d", i);
	assert_string_equal(first, "first");
	assert_ptr_equal(ds.list.v[0].text, first);
	assert_string_equal(ds.list.v[500].text, "499");
	diags_release(&ds);
}

static void prints_without_a_position(void **state)
{
	struct diag d = { .level = DIAG_ERROR, .text = "no such file" };

	(void)state;
	assert_shown(&d, "hist: error: no such file\n");
	d.level = DIAG_WARNING;
	d.file = "trace.dat";
	assert_shown(&d, "trace.dat: warning: no such file\n");
	d.level = DIAG_NOTE;
	d.line = 3;
	assert_shown(&d, "trace.dat:3: note: no such file\n");
	d.source = "cat x";
	assert_shown(&d, "trace.dat:3: note: no such file\n"); /* the previous one shows it */
	d.level = DIAG_ERROR;
	assert_shown(&d, "trace.dat:3: error: no such file\n    cat x\n");
}

static void points(void **state)
{
	struct diag d = {
		.level = DIAG_ERROR,
		.text = "Couldn't find field",
		.loc = "hist:sched:sched_switch",
		.file = "wakeup.sh",
		.line = 2,
		.col = 17,
		.len = 4,
		.source = "echo 'hist:keys=pidd' >> t",
	};

	(void)state;
	assert_shown(&d, "wakeup.sh:2:17: error: hist:sched:sched_switch: Couldn't find field\n"
			 "    echo 'hist:keys=pidd' >> t\n"
			 "                    ^~~~\n");
	d.len = 1;
	d.col = 1;
	assert_shown(&d, "wakeup.sh:2:1: error: hist:sched:sched_switch: Couldn't find field\n"
			 "    echo 'hist:keys=pidd' >> t\n"
			 "    ^\n");
}

/* The kernel's own command and caret if there is no script. */
static void points_into_the_command(void **state)
{
	struct diag d = {
		.level = DIAG_ERROR,
		.text = "Couldn't find field",
		.cmd = "hist:keys=pidd",
		.pos = 10,
	};

	(void)state;
	assert_shown(&d, "hist: error: Couldn't find field\n"
			 "    hist:keys=pidd\n"
			 "              ^\n");
}

static void caret_under_tabs_and_umlauts(void **state)
{
	struct diag d = {
		.level = DIAG_ERROR,
		.text = "x",
		.file = "f",
		.line = 1,
		.col = 4,
		.len = 2,
		.source = "\ta\tbcd",
	};

	(void)state;
	assert_shown(&d, "f:1:4: error: x\n    \ta\tbcd\n    \t \t^~\n");
	d.source = "\xc3\xa4\xc3\xb6=\xc3\xbc!"; /* two characters before the =, which is byte 5 */
	d.col = 5;
	d.len = 4;
	assert_shown(&d, "f:1:5: error: x\n    \xc3\xa4\xc3\xb6=\xc3\xbc!\n      ^~~\n");
}

static void caret_stays_in_the_line(void **state)
{
	struct diag d = {
		.level = DIAG_ERROR,
		.text = "x",
		.file = "f",
		.line = 1,
		.col = 3,
		.len = 100,
		.source = "abcd",
	};

	(void)state;
	assert_shown(&d, "f:1:3: error: x\n    abcd\n      ^~\n");
	d.col = 5; /* directly after the end: something is missing */
	assert_shown(&d, "f:1:5: error: x\n    abcd\n        ^\n");
	d.col = 4000000000;
	assert_shown(&d, "f:1:4000000000: error: x\n    abcd\n        ^\n");
	d.source = "";
	d.col = 1;
	assert_shown(&d, "f:1:1: error: x\n    \n    ^\n");
}

static void hostile_text_is_escaped(void **state)
{
	struct diag d = {
		.level = DIAG_ERROR,
		.text = "a\033[2Jb\n",
		.loc = "hist:\a",
		.file = "x\r",
		.line = 1,
		.col = 2,
		.source = "\033]0;\x7f",
	};
	struct diag c1 = { .level = DIAG_ERROR,
			   .text = "\x9b"
				   "2J \xc2\x9b"
				   "2J \xc3\x9b",
			   .file = "x" };

	(void)state;
	assert_shown(&d, "x?:1:2: error: hist:?: a?[2Jb?\n    ?]0;?\n     ^\n");
	assert_shown(&c1, "x: error: ?2J \\u009b2J \xc3\x9b\n");
}

static void colours(void **state)
{
	struct diag d = { .level = DIAG_ERROR, .text = "x", .cmd = "ab", .pos = 1 };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	diag_print(&d, "hist", true, &sb);
	assert_string_equal(sb.s,
			    "hist: \033[1;31merror:\033[0m x\n    ab\n     \033[1;31m^\033[0m\n");
	strbuf_release(&sb);
}

static void every_code_has_a_message(void **state)
{
	(void)state;
	assert_string_equal(hist_strerror(0), "success");
	assert_string_equal(hist_strerror(-99), "unknown error");
	for (int i = 1; i <= HIST_ELIMIT; i++)
		assert_string_not_equal(hist_strerror(-i), "unknown error");
	assert_string_equal(hist_strerror(-HIST_ELIMIT - 1), "unknown error");
}

/* A line of a file can be as long as the file. */
static void long_texts_are_cut(void **state)
{
	static char line[100000], text[100000];
	struct diag d = {
		.level = DIAG_ERROR, .text = "x", .file = "f", .line = 1, .source = line
	};
	const size_t places[] = { 1, 10, 140, 160, 1000, 50000, 99990, 99999 };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	memset(line, 'a', sizeof(line) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const char *first, *second;

		d.col = (unsigned int)places[i];
		line[d.col - 1] = '!';
		diag_print(&d, "hist", false, &sb);
		first = strchr(sb.s, '\n') + 1;
		second = strchr(first, '\n') + 1;
		assert_true(sb.len < 800);
		assert_int_equal(strchr(first, '!') - first, strchr(second, '^') - second);
		assert_true(strstr(first, "...") != NULL);
		line[d.col - 1] = 'a';
		strbuf_reset(&sb);
	}
	memset(text, 'b', sizeof(text) - 1);
	text[0] = 's';
	text[sizeof(text) - 2] = 'e';
	d = (struct diag){ .level = DIAG_ERROR, .text = text };
	diag_print(&d, "hist", false, &sb);
	assert_true(sb.len < 5000 && !strncmp(sb.s, "hist: error: sbbb", 17));
	assert_non_null(strstr(sb.s, "...(95903 bytes)... bbb"));
	assert_non_null(strstr(sb.s, "bbe\n"));
	strbuf_release(&sb);
}

static void directions_are_visible(void **state)
{
	struct diag d = {
		.level = DIAG_ERROR,
		.text = "a\u202eb",
		.file = "\u2066",
		.line = 1,
		.col = 5,
		.len = 5,
		.source = "a\u202e=\u2069!",
	};

	(void)state;
	assert_shown(&d, "\\u2066:1:5: error: a\\u202eb\n"
			 "    a\\u202e=\\u2069!\n"
			 "           ^~~~~~~~\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(long_texts_are_cut),
		TEST(directions_are_visible),
		TEST(collects),
		TEST(keeps_texts),
		TEST(prints_without_a_position),
		TEST(points),
		TEST(points_into_the_command),
		TEST(caret_under_tabs_and_umlauts),
		TEST(caret_stays_in_the_line),
		TEST(hostile_text_is_escaped),
		TEST(colours),
		TEST(every_code_has_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
