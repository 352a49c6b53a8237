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
		out.s, "&lt;a b=&#34;c&#34; d=&#39;e&#39;&gt;&amp;&#96;\\x01\\x7f\\xff\xc3\xa9\n");
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

static const char *people(double v, const char *unit)
{
	strbuf_reset(&out);
	people_add(&out, v, unit);
	return out.s ?: "";
}

/* Three digits in the largest unit that fits; what is exact stays exact. */
static void numbers(void **state)
{
	static const struct {
		double v;
		const char *unit, *text;
	} cases[] = {
		{ 0, NULL, "0" },
		{ 1234567, NULL, "1,234,567" },
		{ -1000, NULL, "\u22121,000" },
		{ 0.25, NULL, "0.25" },
		{ 18446744073709551615.0, NULL, "18,446,744,073,709,551,616" },
		{ 0, "ns", "0\u00a0ns" },
		{ 831, "ns", "831\u00a0ns" },
		{ 999, "ns", "999\u00a0ns" },
		{ 999.6, "ns", "1.00\u00a0\u00b5s" },
		{ 12345, "ns", "12.3\u00a0\u00b5s" },
		{ 123456, "ns", "123\u00a0\u00b5s" },
		{ 5, "us", "5\u00a0\u00b5s" },
		{ 0.5, "us", "500\u00a0ns" },
		{ 5000, "ns", "5.00\u00a0\u00b5s" },
		{ 24282222183.0, "ns", "24.3\u00a0s" },
		{ 9999e9, "ns", "9,999\u00a0s" },
		{ 1234, "pages", "1,234\u00a0pages" },
		{ NAN, "ns", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(people(cases[i].v, cases[i].unit), cases[i].text);
}

static void steps(void **state)
{
	(void)state;
	assert_true(fabs(axis_step(3.17, 9) - 0.5) < 1e-9);
	assert_true(fabs(axis_step(1500, 4) - 500) < 1e-9);
	assert_true(fabs(axis_step(10, 10) - 1) < 1e-9);
	assert_true(axis_step(0, 4) > 0 && axis_step(NAN, 4) > 0);
	strbuf_reset(&out);
	axis_draw(&out, 3.17e9, "ns", 9);
	has(">0\u00a0s</text>");
	has(">0.5\u00a0s</text>");
	has(">3\u00a0s</text>");
	assert_null(strstr(out.s, "3.5"));
}

/* Every value is in the bin whose edges are around it. */
static void check_bins(double min, double max)
{
	struct scale s;

	scale_init(&s, min, max);
	assert_true(s.n > 0 && s.n <= SCALE_MAX);
	assert_true(s.edges[0] <= min && s.edges[s.n] > max);
	for (size_t i = 0; i < s.n; i++) {
		assert_true(s.edges[i] < s.edges[i + 1]);
		assert_int_equal(scale_bin(&s, s.edges[i]), i);
	}
	assert_int_equal(scale_bin(&s, min), 0);
	assert_int_equal(scale_bin(&s, max), s.n - 1);
}

static void bins(void **state)
{
	static const double ends[] = { -1e15, -1000, -1,  0,   1,   2,      9,   10,
				       50,    99,    100, 149, 1e3, 123456, 1e9, 1.8e19 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		for (size_t k = i; k < ARRAY_SIZE(ends); k++)
			check_bins(ends[i], ends[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(markup),        TEST(frame_names), TEST(flames),
		TEST(narrow_frames), TEST(differences), TEST(nothing),
		TEST(numbers),       TEST(steps),       TEST(bins),
	};

	return cmocka_run_group_tests_name("picture", tests, NULL, release);
}
