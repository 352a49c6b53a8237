// SPDX-License-Identifier: LGPL-2.1-only
/* Comparisons of results that the tests make: verdicts, rows, options. */
#include "unit.h"

#include <math.h>

#include "diff/diff.h"

/* --- results --- */

enum { MAX_ROWS = 16 };

struct made_row {
	const char *text; /* NULL: none */
	u64 num, max;
	const char *label; /* label of .num; NULL: none */
	u64 hits, sum;
};

struct made {
	enum result_type type; /* type of the only key */
	const char *name, *modifier, *trigger;
	struct made_row rows[MAX_ROWS];
	size_t n;
	double seconds;
	u64 lost, drops;
	bool counts, lost_unknown;
	const char *uname;
};

static void row(const struct result *r, size_t i, struct result_row *out)
{
	static struct result_cell cells[3];
	const struct made *m = r->arg;
	const struct made_row *from = &m->rows[i];

	cells[0] = (struct result_cell){ .num = from->num, .max = from->max };
	if (from->text)
		cells[0].text = span_of(from->text);
	if (from->label)
		cells[0].label = span_of(from->label);
	cells[1] = (struct result_cell){ .num = from->hits };
	cells[2] = (struct result_cell){ .num = from->sum };
	*out = (struct result_row){ .cells = cells };
}

static void add(struct hist_diff *d, size_t run, const struct made *m, struct diags *diags)
{
	const char *file = "made.dat";
	const struct result_info info = { .version = "0",
					  .kernel = "6.12",
					  .clock = m->counts ? "counter" : "local",
					  .clock_counts = m->counts,
					  .uname = m->uname,
					  .files = &file,
					  .n_files = 1,
					  .lost_events = m->lost,
					  .lost_unknown = m->lost_unknown };
	const struct result_column columns[] = {
		{ .name = m->name ? m->name : "key",
		  .role = RESULT_KEY,
		  .type = m->type,
		  .has_label = m->rows[0].label != NULL,
		  .modifier = m->modifier },
		{ .name = "hitcount", .role = RESULT_VALUE },
		{ .name = "bytes", .role = RESULT_VALUE },
	};
	struct result r = { .info = &info,
			    .event = "sys:event",
			    .trigger = m->trigger ? m->trigger
						  : "hist:keys=key:vals=hitcount,bytes",
			    .to = (u64)(m->seconds * 1e9),
			    .covered = (u64)(m->seconds * 1e9),
			    .columns = columns,
			    .n_columns = 3,
			    .n_keys = 1,
			    .n_values = 2,
			    .n_rows = m->n,
			    .drops = m->drops,
			    .row = row,
			    .arg = (void *)m };

	for (size_t i = 0; i < m->n; i++)
		r.hits += m->rows[i].hits;
	d->diags = diags;
	assert_int_equal(hist_diff_start_run(d, run, run ? "after" : "before", diags), 0);
	assert_int_equal(diff_add_result(d, &r), 0);
}

static int to_strbuf(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

/* The text and the messages of a comparison. */
static struct strbuf output = STRBUF_INIT, said = STRBUF_INIT;

static enum hist_diff_verdict compare_runs(struct hist_diff_options o,
					   const struct made *const *runs)
{
	struct diags diags = DIAGS_INIT;
	enum hist_diff_verdict verdict;
	struct hist_diff *d;

	o.n_before = o.n_before ? o.n_before : 1;
	o.n_after = o.n_after ? o.n_after : 1;
	strbuf_reset(&output);
	strbuf_reset(&said);
	assert_int_equal(hist_diff_new(&o, &d, &diags), 0);
	for (size_t i = 0; i < o.n_before + o.n_after; i++)
		add(d, i, runs[i], &diags);
	if (hist_diff_print(d, to_strbuf, &output, &verdict, &diags))
		verdict = 99;
	for (size_t i = 0; i < diags.list.n; i++)
		strbuf_addf(&said, "%s\n", diags.list.v[i].text);
	hist_diff_free(d);
	diags_release(&diags);
	return verdict;
}

static enum hist_diff_verdict compare(struct hist_diff_options o, const struct made *a,
				      const struct made *b)
{
	const struct made *const runs[] = { a, b };

	/* every difference counts */
	o.alpha = o.alpha > 0 ? o.alpha : 1;
	return compare_runs(o, runs);
}

static void has(const struct strbuf *text, const char *what)
{
	if (!strstr(text->s, what))
		fail_msg("no '%s' in:\n%s", what, text->s);
}

static int release(void **state)
{
	(void)state;
	strbuf_release(&output);
	strbuf_release(&said);
	return 0;
}

#define FAIL_ON(...)                                     \
	.fail_on = (const char *const[]){ __VA_ARGS__ }, \
	.n_fail_on = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)

#define TEXT_ROWS(n, a, b, c)                                                \
	{                                                                    \
		{ .text = "a", .hits = (a), .sum = (u64)(a) * (n) },         \
			{ .text = "b", .hits = (b), .sum = (u64)(b) * (n) }, \
		{                                                            \
			.text = "c", .hits = (c), .sum = (u64)(c) * (n)      \
		}                                                            \
	}

static const struct made base = {
	.type = RESULT_TEXT, .rows = TEXT_ROWS(8, 100, 50, 7), .n = 3, .seconds = 10
};
static const struct made twice = {
	.type = RESULT_TEXT, .rows = TEXT_ROWS(8, 200, 100, 14), .n = 3, .seconds = 20
};
static const struct made more_b = {
	.type = RESULT_TEXT, .rows = TEXT_ROWS(8, 100, 55, 7), .n = 3, .seconds = 10
};

/* --- same, scaled, changed --- */

static void itself(void **state)
{
	(void)state;
	assert_int_equal(compare((struct hist_diff_options){ .all = true }, &base, &base),
			 HIST_DIFF_SAME);
	has(&output, "verdict: same\n");
	has(&output, "(all)     15.70    15.70      0   +0.0%  1     157    157\n");
	assert_int_equal(
		compare((struct hist_diff_options){ FAIL_ON("hitcount>+0", "hitcount<-0") }, &base,
			&base),
		HIST_DIFF_SAME);
}

static void scaled(void **state)
{
	(void)state;
	/* twice as many hits in twice the time */
	assert_int_equal(compare((struct hist_diff_options){ .top = 0 }, &base, &twice),
			 HIST_DIFF_SAME);
	assert_int_equal(compare((struct hist_diff_options){ .mode = HIST_DIFF_SHARE }, &base,
				 &twice),
			 HIST_DIFF_SAME);
	assert_int_equal(compare((struct hist_diff_options){ .mode = HIST_DIFF_ABSOLUTE }, &base,
				 &twice),
			 HIST_DIFF_DIFFERENT);
	has(&output, "+100.0%");
	assert_int_equal(compare((struct hist_diff_options){ .mode = HIST_DIFF_ABSOLUTE,
							     FAIL_ON("bytes>+99%") },
				 &base, &twice),
			 HIST_DIFF_DIFFERENT);
	assert_int_equal(compare((struct hist_diff_options){ .mode = HIST_DIFF_ABSOLUTE,
							     FAIL_ON("bytes>+100%") },
				 &base, &twice),
			 HIST_DIFF_SAME);
}

static void noise(void **state)
{
	(void)state;
	assert_int_equal(compare((struct hist_diff_options){ .noise = 0 }, &base, &more_b),
			 HIST_DIFF_DIFFERENT);
	has(&output,
	    "b             5     5.50   +0.5  +10.0%  1      100.0%  100.0%      50     55  !\n");
	has(&output, "3 rows: 1 changed, 0 only before, 0 only after");
	assert_int_equal(compare((struct hist_diff_options){ .noise = 10 }, &base, &more_b),
			 HIST_DIFF_SAME);
	has(&output, "1 within the noise");
	assert_int_equal(compare((struct hist_diff_options){ .noise = 9.9 }, &base, &more_b),
			 HIST_DIFF_DIFFERENT);
}

static void new_and_gone(void **state)
{
	static const struct made without_c = {
		.type = RESULT_TEXT, .rows = TEXT_ROWS(8, 100, 50, 0), .n = 2, .seconds = 10
	};
	struct hist_diff_options o = { .min_count = 0 };

	(void)state;
	assert_int_equal(compare(o, &base, &without_c), HIST_DIFF_DIFFERENT);
	has(&output, "gone  1      100.0%  100.0%       7      0  -\n");
	o.ignore_gone = true;
	assert_int_equal(compare(o, &base, &without_c), HIST_DIFF_SAME);
	assert_int_equal(compare(o, &without_c, &base), HIST_DIFF_DIFFERENT);
	has(&output, "new  1      100.0%  100.0%       0      7  +\n");
	o.ignore_new = true;
	assert_int_equal(compare(o, &without_c, &base), HIST_DIFF_SAME);
	/* (all) has 7 hits of 150 more */
	o = (struct hist_diff_options){ .min_count = 8, .noise = 5 };
	assert_int_equal(compare(o, &without_c, &base), HIST_DIFF_SAME);
	o = (struct hist_diff_options){ FAIL_ON("c:hitcount>+1000000%") };
	assert_int_equal(compare(o, &without_c, &base), HIST_DIFF_DIFFERENT);
}

/* --- --fail-on --- */

static void fail_on(void **state)
{
	(void)state;
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("b:hitcount>+5%") }, &base,
				 &more_b),
			 HIST_DIFF_DIFFERENT);
	has(&output, "fail-on b:hitcount>+5%: holds: hitcount of b 5 -> 5.50 (+10.0%)\n");
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("a:hitcount>+5%") }, &base,
				 &more_b),
			 HIST_DIFF_SAME);
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("[ab]:hitcount>+0.4") }, &base,
				 &more_b),
			 HIST_DIFF_DIFFERENT);
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("hitcount>+5%") }, &base,
				 &more_b),
			 HIST_DIFF_SAME);
	/* a missing key must not count as a passed limit */
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("x:hitcount>+5%") }, &base,
				 &more_b),
			 HIST_DIFF_INCONCLUSIVE);
	has(&output, "no row has this key");
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("p99>+5%") }, &base, &more_b),
			 99);
	has(&said, "there is no p99 to compare, only hitcount, bytes");
	assert_int_equal(
		compare((struct hist_diff_options){ FAIL_ON("bytes>+5us") }, &base, &more_b), 99);
	has(&said, "--unit bytes=us");
}

static void units(void **state)
{
	const char *unit = "bytes=us";
	struct hist_diff_options o = {
		.mode = HIST_DIFF_ABSOLUTE, .units = &unit, .n_units = 1, FAIL_ON("bytes>+39us")
	};

	(void)state;
	assert_int_equal(compare(o, &base, &more_b), HIST_DIFF_DIFFERENT);
	o = (struct hist_diff_options){
		.mode = HIST_DIFF_ABSOLUTE, .units = &unit, .n_units = 1, FAIL_ON("bytes>+0.04ms")
	};
	assert_int_equal(compare(o, &base, &more_b), HIST_DIFF_SAME);
	unit = "other=us";
	assert_int_equal(compare(o, &base, &more_b), 99);
}

/* --- keys that are numbers --- */

static struct made numbers(u64 from, u64 hits, u64 width)
{
	struct made m = { .type = width > 1 ? RESULT_RANGE : RESULT_NUMBER,
			  .name = "lat",
			  .n = 10,
			  .seconds = 10 };

	for (u64 i = 0; i < m.n; i++) {
		m.rows[i].num = from + 10 * i;
		m.rows[i].max = m.rows[i].num + width - 1;
		m.rows[i].hits = hits;
	}
	return m;
}

static void shifted_copy(void **state)
{
	const struct made a = numbers(100, 1000, 1), b = numbers(150, 1000, 1);

	(void)state;
	assert_int_equal(
		compare((struct hist_diff_options){ FAIL_ON("p50>+49", "lat.p99>+49", "min>+49") },
			&a, &b),
		HIST_DIFF_DIFFERENT);
	has(&output, "quantile shift +50, Kolmogorov-Smirnov D 0.5, Cliff's delta +0.75\n");
	has(&output, "    140     190    +50  +35.7%  1\n");
	assert_int_equal(
		compare((struct hist_diff_options){ FAIL_ON("p50>+50", "lat.p99>+50", "mean>+50") },
			&a, &b),
		HIST_DIFF_SAME);
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("p50>+5us") }, &a, &b), 99);
}

static void few_samples(void **state)
{
	const struct made a = numbers(100, 99, 1), b = numbers(150, 99, 1);

	(void)state;
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("p90>+10%") }, &a, &b),
			 HIST_DIFF_DIFFERENT);
	/* 990 samples: 9 above p99 */
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("p99>+10%") }, &a, &b),
			 HIST_DIFF_INCONCLUSIVE);
	has(&output, "fewer than 10 samples beyond the quantile: p99 needs 1000 in each run");
}

static void bucketed_keys(void **state)
{
	const struct made a = numbers(100, 1000, 10), b = numbers(150, 1000, 10);

	(void)state;
	/* before 140..149, after 190..199: 41 to 59 more */
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("p50>+40") }, &a, &b),
			 HIST_DIFF_DIFFERENT);
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("p50>+50") }, &a, &b),
			 HIST_DIFF_INCONCLUSIVE);
	has(&output, "only the buckets of the values are known");
	assert_int_equal(compare((struct hist_diff_options){ FAIL_ON("p50>+59") }, &a, &b),
			 HIST_DIFF_SAME);
	has(&output, "140..149  190..199  +41..+59");
}

/* --- joining --- */

static void symbols(void **state)
{
	static const struct made a = {
		.type = RESULT_NUMBER,
		.modifier = "sym-offset",
		.rows = { { .num = 0xffff1, .label = "do_it+0x1/0x20 [mod]", .hits = 3 },
			  { .num = 0xffff2, .label = "do_it+0x2/0x20 [mod]", .hits = 4 },
			  { .num = 0x123, .label = "0x123", .hits = 1 } },
		.n = 3,
		.seconds = 1,
	};
	static const struct made b = {
		.type = RESULT_NUMBER,
		.modifier = "sym-offset",
		.rows = { { .num = 0x77771, .label = "do_it+0x9/0x44 [mod]", .hits = 7 },
			  { .num = 0x123, .label = "0x123", .hits = 1 } },
		.n = 2,
		.seconds = 1,
	};

	(void)state;
	assert_int_equal(compare((struct hist_diff_options){ .all = true }, &a, &b),
			 HIST_DIFF_SAME);
	has(&output, "do_it [mod]         7        7");
	has(&output, "0x123               1        1");
}

static void dropped_key(void **state)
{
	static const struct made other = { .type = RESULT_TEXT,
					   .rows = { { .text = "z", .hits = 157, .sum = 1256 } },
					   .n = 1,
					   .seconds = 10 };
	const char *key = "key";
	struct hist_diff_options o = { .drop_keys = &key, .n_drop_keys = 1 };

	(void)state;
	assert_int_equal(compare((struct hist_diff_options){ .noise = 99 }, &base, &other),
			 HIST_DIFF_DIFFERENT);
	assert_int_equal(compare(o, &base, &other), HIST_DIFF_SAME);
	key = "kye";
	assert_int_equal(compare(o, &base, &other), 99);
	has(&said, "--drop-key kye: unknown key; known: key");
}

static void hints(void **state)
{
	struct made pids = numbers(100, 1, 1), addresses = numbers(0xffffffff81000000, 1, 1);

	(void)state;
	pids.name = "next_pid";
	addresses.name = "ip";
	assert_int_equal(compare((struct hist_diff_options){ .noise = 0 }, &pids, &pids),
			 HIST_DIFF_SAME);
	has(&said, "next_pid: pids differ from run to run");
	assert_int_equal(compare((struct hist_diff_options){ .noise = 0 }, &addresses, &addresses),
			 HIST_DIFF_SAME);
	has(&said, "the key ip.sym compares better");
}

/* --- doubts --- */

static void doubts(void **state)
{
	struct made bad = base;
	struct hist_diff_options o = { .noise = 0 };

	(void)state;
	bad.lost = 1;
	assert_int_equal(compare(o, &base, &bad), HIST_DIFF_INCONCLUSIVE);
	has(&said, "after: 1 events lost");
	o.allow_lost = 1;
	assert_int_equal(compare(o, &base, &bad), HIST_DIFF_SAME);
	bad.lost = 0;
	bad.lost_unknown = true;
	assert_int_equal(compare(o, &bad, &base), HIST_DIFF_INCONCLUSIVE);
	o.allow_lost = 100;
	assert_int_equal(compare(o, &bad, &base), HIST_DIFF_SAME);
	o.allow_lost = 0;
	bad = base;
	bad.drops = 5;
	assert_int_equal(compare(o, &bad, &base), HIST_DIFF_INCONCLUSIVE);
	bad = base;
	bad.counts = true;
	assert_int_equal(compare(o, &base, &bad), HIST_DIFF_INCONCLUSIVE);
	bad = base;
	bad.trigger = "hist:keys=other";
	assert_int_equal(compare(o, &base, &bad), HIST_DIFF_INCONCLUSIVE);
	bad = base;
	bad.n = 0;
	assert_int_equal(compare(o, &bad, &bad), HIST_DIFF_INCONCLUSIVE);
	has(&said, "no event was counted");
	assert_int_equal(compare((struct hist_diff_options){ .min_count = 1000 }, &base, &more_b),
			 HIST_DIFF_INCONCLUSIVE);
	has(&said, "every row was left out or has too few hits");
	bad = base;
	bad.uname = "Linux box 6.1.0 x86_64";
	bad.trigger = "hist:keys=key:vals=hitcount,bytes:size=4096";
	assert_int_equal(compare(o, &base, &bad), HIST_DIFF_SAME);
}

static void clocks_that_count(void **state)
{
	struct made counts = base;

	(void)state;
	counts.counts = true;
	assert_int_equal(compare((struct hist_diff_options){ .noise = 0 }, &counts, &counts),
			 HIST_DIFF_SAME);
	has(&said, "counts are compared as they are");
	assert_int_equal(compare((struct hist_diff_options){ .mode = HIST_DIFF_RATE }, &counts,
				 &counts),
			 99);
	has(&said, "--rate: before covers no time");
}

/* --- several runs --- */

static void several_runs(void **state)
{
	struct made m[8];
	const struct made *runs[8];
	struct hist_diff_options o = { .n_before = 4, .n_after = 4, FAIL_ON("hitcount>+5%") };

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		m[i] = base;
		m[i].rows[0].hits = (i < 4 ? 100 : 130) + i;
		runs[i] = &m[i];
	}
	assert_int_equal(compare_runs(o, runs), HIST_DIFF_DIFFERENT);
	has(&output, "p=0.0286");
	has(&output, "smallest p possible with 4 runs against 4: 0.0286\n");
	/* one outlier: the median is still greater, but the difference is not significant */
	m[3].rows[0].hits = 200;
	assert_int_equal(compare_runs(o, runs), HIST_DIFF_SAME);
	/* numbers that depend on each other do not need more runs */
	m[3] = m[2];
	o = (struct hist_diff_options){ .n_before = 4,
					.n_after = 4,
					FAIL_ON("hitcount>+5%", "a:hitcount>+5%") };
	assert_int_equal(compare_runs(o, runs), HIST_DIFF_DIFFERENT);
	has(&output, "p=0.0286, with the other tests 0.0286\n");
	/* so few runs cannot reach this level */
	o.alpha = 0.02;
	assert_int_equal(compare_runs(o, runs), HIST_DIFF_INCONCLUSIVE);
	has(&output, "there are too few runs for this --alpha");
	/* three runs: the medians decide */
	o = (struct hist_diff_options){ .n_before = 3, .n_after = 5, FAIL_ON("hitcount>+5%") };
	m[3] = m[7];
	assert_int_equal(compare_runs(o, runs), HIST_DIFF_DIFFERENT);
	has(&output, "smallest p possible with 3 runs against 5");
}

/* --- displayed rows --- */

static void order_of_rows(void **state)
{
	struct hist_diff_options o = { .sort = "key", .top = 2, .all = true };
	const char *a, *b;

	(void)state;
	compare(o, &base, &more_b);
	has(&output, "(1 more)");
	a = strstr(output.s, "\na ");
	b = strstr(output.s, "\nb ");
	assert_true(a && b && a < b);
	o.sort = NULL;
	compare(o, &base, &more_b);
	a = strstr(output.s, "\na ");
	b = strstr(output.s, "\nb ");
	assert_true(a && b && b < a);
}

static void wrong_options(void **state)
{
	const struct hist_diff_options wrong[] = {
		{ .n_before = 1 },
		{ .n_before = 1, .n_after = 1, .format = "xml" },
		{ .n_before = 1, .n_after = 1, FAIL_ON("p99") },
		{ .n_before = 1,
		  .n_after = 1,
		  .units = (const char *[]){ "lat=min" },
		  .n_units = 1 },
		{ .n_before = 1, .n_after = 1, .units = (const char *[]){ "us" }, .n_units = 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct diags diags = DIAGS_INIT;
		struct hist_diff *d;

		assert_int_equal(hist_diff_new(&wrong[i], &d, &diags), -HIST_EINVAL);
		assert_null(d);
		assert_int_equal(diags.list.n, 1);
		diags_release(&diags);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(itself),        TEST(scaled),
		TEST(noise),         TEST(new_and_gone),
		TEST(fail_on),       TEST(units),
		TEST(shifted_copy),  TEST(few_samples),
		TEST(bucketed_keys), TEST(symbols),
		TEST(dropped_key),   TEST(hints),
		TEST(doubts),        TEST(clocks_that_count),
		TEST(several_runs),  TEST(order_of_rows),
		TEST(wrong_options),
	};

	return cmocka_run_group_tests_name("diff_compare", tests, NULL, release);
}
