// SPDX-License-Identifier: LGPL-2.1-only
/* Pictures: text is never markup, frames add up, omitted parts are counted. */
#include "unit.h"

#include <math.h>

#include "picture/picture.h"

static struct strbuf out = STRBUF_INIT;

static int release(void **state)
{
	(void)state;
	strbuf_release(&out);
	return 0;
}

static void markup(void **state)
{
	static const char text[] = "<a b=\"c\" d='e'>&`\x01\x7f\xff\xc3\xa9\n";

	(void)state;
	strbuf_reset(&out);
	markup_add(&out, (struct span){ text, sizeof(text) - 1 });
	assert_string_equal(
		out.s,
		"&#60;a b=&#34;c&#34; d=&#39;e&#39;&#62;&#38;&#96;\\x01\\x7f\\xff\xc3\xa9\n");
}

static void frame_names(void **state)
{
	static const struct {
		const char *symbol, *name;
	} cases[] = {
		{ "do_it+0x1/0x20", "do_it" },
		{ "do_it+0x1/0x20 [mod]", "do_it [mod]" },
		{ "0x1234", "0x1234" },
		{ "", "" },
	};
	struct arena arena = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct span name = flame_frame_name(&arena, span_of(cases[i].symbol));

		assert_true(span_eq(name, cases[i].name));
	}
	arena_release(&arena);
}

static void add(struct flame *f, const char *a, const char *b, double before, double after)
{
	const struct span frames[] = { span_of(a), span_of(b ? b : "") };

	assert_int_equal(flame_add(f, frames, b ? 2 : 1, before, after), 0);
}

static void has(const char *text)
{
	if (!strstr(out.s, text))
		fail_msg("no '%s' in:\n%s", text, out.s);
}

/* Equal prefixes become one frame, wherever they occur. */
static void flames(void **state)
{
	struct flame f = { .what = "hits" };

	(void)state;
	strbuf_reset(&out);
	add(&f, "main", "read", 30, 0);
	add(&f, "idle", NULL, 20, 0);
	add(&f, "main", "write", 40, 0);
	add(&f, "main", NULL, 10, 0);
	assert_int_equal(flame_draw(&f, 100, &out), 0);
	has("<title>all: 100 hits (100.00%)</title>");
	has("<title>main: 80 hits (80.00%)</title>");
	has("x=\"20.0000%\" y=\"17\" width=\"80.0000%\"");
	has("<title>read: 30 hits (30.00%)</title>");
	has("<title>idle: 20 hits (20.00%)</title>");
	assert_int_equal(f.hidden, 0);
	flame_release(&f);
}

static void narrow_frames(void **state)
{
	struct flame f = { .what = "hits" };

	(void)state;
	strbuf_reset(&out);
	for (int i = 0; i < 10; i++) {
		const char name[] = { (char)('a' + i), '\0' };

		add(&f, name, NULL, i + 1, 0);
	}
	assert_int_equal(flame_draw(&f, 4, &out), 0);
	assert_int_equal(f.hidden, 7);
	has("<title>j: 10 hits");
	has("<title>h: 8 hits");
	assert_null(strstr(out.s, "<title>g: "));
	flame_release(&f);
}

static void differences(void **state)
{
	struct flame f = { .what = "hits", .both = true };

	(void)state;
	strbuf_reset(&out);
	add(&f, "gone", NULL, 50, 0);
	add(&f, "new", NULL, 0, 50);
	add(&f, "same", NULL, 50, 50);
	assert_int_equal(flame_draw(&f, 100, &out), 0);
	has("<title>all: 100 \u2192 100 hits (+0.0%)</title>");
	has("<title>gone: 50 \u2192 0 hits (-100.0%)</title><rect width=\"100%\" height=\"100%\" fill=\"rgb(70,70,250)\"");
	has("<title>new: 0 \u2192 50 hits</title><rect width=\"100%\" height=\"100%\" fill=\"rgb(250,70,70)\"");
	has("<title>same: 50 \u2192 50 hits (+0.0%)</title><rect width=\"100%\" height=\"100%\" fill=\"rgb(235,235,235)\"");
	flame_release(&f);
}

static void nothing(void **state)
{
	struct flame f = { .what = "hits" };

	(void)state;
	strbuf_reset(&out);
	assert_int_equal(flame_draw(&f, 100, &out), 0);
	flame_release(&f);
	chart_draw(&out, &(struct chart){ .both = true });
	assert_null(strstr(out.s, "nan"));
	assert_null(strstr(out.s, "inf"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(markup),        TEST(frame_names), TEST(flames),
		TEST(narrow_frames), TEST(differences), TEST(nothing),
	};

	return cmocka_run_group_tests_name("picture", tests, NULL, release);
}
