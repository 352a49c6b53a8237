// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Adding up results: the sum does not depend on order and grouping. Results are random, with few
 * keys, values and times, so that they coincide; each sum is written and read again.
 */
#include <stdio.h>

#include "unit.h"

#include "print/print.h"
#include "saved/saved.h"

enum { KEYS = 3, COLUMNS = 8, N_RESULTS = 9, TRIALS = 60 };

static u64 state_of_dice = 1;

static u64 dice(u64 n)
{
	state_of_dice = state_of_dice * 6364136223846793005ull + 1442695040888963407ull;
	return (state_of_dice >> 33) % n;
}

static int collect(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

static char *print(const struct result *r)
{
	const struct format_options options = { .u64_as_string = false };
	struct strbuf out = STRBUF_INIT;
	struct printer p = { .buf = STRBUF_INIT, .sink = collect, .arg = &out };

	format_json.print(&format_json, r, &options, &p);
	assert_int_equal(printer_end(&p), 0);
	return strbuf_detach(&out);
}

/* --- random results --- */

static const struct result_column columns[COLUMNS] = {
	{ .name = "pid", .is_signed = true, .has_label = true, .modifier = "execname" },
	{ .name = "lat", .type = RESULT_RANGE, .modifier = "log2" },
	{ .name = "comm", .type = RESULT_TEXT },
	{ .name = "hitcount", .role = RESULT_VALUE },
	{ .name = "bytes", .role = RESULT_VALUE, .is_signed = true },
	{ .name = "max", .role = RESULT_SAVED, .tracked = true },
	{ .name = "max#2", .role = RESULT_SAVED, .tracked = true },
	{ .name = "who", .role = RESULT_SAVED, .type = RESULT_TEXT },
};

static struct stored_result *empty_result(void)
{
	static const struct result_sort sort[] = { { 3, true }, { 2, false } };
	static const struct result_stat stats[] = { { .name = "bytes", .is_signed = true },
						    { .name = "lat", .column = 1 } };
	static const char *const files[] = { "c.dat", "a.dat", "b.dat" };
	static const char *const limits[] = { "", "pids 1 2\n",
					      "filter a:b x > 1\npids 3\nchildren\n",
					      "filter a:b x > 2\n" };
	struct stored_result *s = stored_new();
	u64 from = dice(5) * 1000000000;

	assert_non_null(s);
	s->columns = arena_alloc(&s->arena, sizeof(columns));
	s->stats = arena_alloc(&s->arena, sizeof(stats));
	memcpy(s->columns, columns, sizeof(columns));
	memcpy(s->stats, stats, sizeof(stats));
	s->info = (struct result_info){ .version = "1",
					.kernel = dice(2) ? "6.1" : "6.12",
					.clock = "local",
					.uname = dice(2) ? "one" : NULL,
					.files = &files[dice(3)],
					.n_files = 1,
					.recording_limits = limits[dice(4)],
					.lost_events = dice(2) };
	s->result.info = &s->info;
	s->result.event = "a:b";
	s->result.trigger =
		"hist:keys=pid.execname,lat.log2,comm:onmax($a).trace(x,y):onmax($b).save(who)";
	s->result.columns = s->columns;
	s->result.n_columns = COLUMNS;
	s->result.n_keys = KEYS;
	s->result.n_values = 2;
	s->result.sort = sort;
	s->result.n_sort = 2;
	s->result.stats = s->stats;
	s->result.n_stats = 2;
	s->result.n_row_stats = 1;
	s->result.from = from;
	s->result.to = from + dice(3) * 500000000;
	s->result.covered = s->result.to - s->result.from;
	assert_int_equal(stored_begin_rows(s, 0), 0);
	return s;
}

static bool has_row(const struct stored_result *s, const struct result_cell *cells)
{
	struct result_cell own[KEYS];

	for (size_t i = 0; i < s->result.n_rows; i++) {
		for (size_t c = 0; c < KEYS; c++)
			stored_get_cell(s, i, c, &own[c]);
		if (own[0].num == cells[0].num && span_same(own[0].label, cells[0].label) &&
		    own[1].num == cells[1].num && span_same(own[2].text, cells[2].text))
			return true;
	}
	return false;
}

/* A random row with the samples of @sketch, unless there is one with its key. */
static void add_row_of(struct stored_result *s, u64 hits, const struct sketch *sketch)
{
	static const char *const texts[] = { "x", "y\\", "\xff", "" };
	const char *label = texts[dice(2)], *comm = texts[dice(4)], *who = texts[dice(4)];
	u64 lat = dice(3);
	const struct sketch *sketches[] = { sketch };
	const struct result_cell cells[COLUMNS] = {
		{ .num = dice(3) - 1, .label = span_of(label) },
		{ .num = lat ? (1ull << (lat - 1)) + 1 : 0, .max = 1ull << lat },
		{ .text = span_of(comm) },
		{ .num = hits },
		{ .num = sketch_sums(sketch).sum.w[0] },
		{ .num = dice(3) },
		{ .num = dice(3) },
		{ .text = span_of(who), .absent = !dice(3) },
	};
	const struct result_row row = { .cells = cells,
					.sketches = sketches,
					.saved = dice(3),
					.saved_at = dice(3) * 1000000000 };

	if (has_row(s, cells))
		return;
	assert_int_equal(stored_add_row(s, &row), 0);
	s->result.hits += hits;
}

static void add_random_row(struct stored_result *s)
{
	struct sketch sketch = SKETCH_INIT(true);
	u64 hits = 1 + dice(3);

	/* sometimes more different values than are stored exactly */
	for (u64 i = 0, n = dice(20) ? hits : 700; i < n; i++)
		assert_int_equal(sketch_add(&sketch, dice(2) ? 0 - dice(5000) : dice(5000), 1), 0);
	add_row_of(s, hits, &sketch);
	sketch_release(&sketch);
}

static char *random_result(void)
{
	struct stored_result *s = empty_result();
	char *text;

	for (u64 n = dice(30); n; n--)
		add_random_row(s);
	assert_int_equal(stored_end_rows(s), 0);
	text = print(&s->result);
	stored_free(s);
	return text;
}

/* --- sums --- */

static void add(struct result_merge *m, const char *text)
{
	struct diags diags = DIAGS_INIT;
	saved_array list = ARRAY_INIT;
	int err = saved_read("x", span_of(text), &list, &diags);

	if (!err)
		err = merge_add(m, &(struct merge_input){ .name = "x" }, &list, &diags);
	for (size_t i = 0; i < diags.list.n; i++)
		fprintf(stderr, "%s\n", diags.list.v[i].text);
	assert_int_equal(err, 0);
	saved_array_release(&list);
	diags_release(&diags);
}

static char *sum(const char *const *texts, size_t n)
{
	struct result_merge m = { .n_added = 0 };
	char *text;

	for (size_t i = 0; i < n; i++)
		add(&m, texts[i]);
	assert_int_equal(merge_end(&m), 0);
	assert_int_equal(m.results.n, 1);
	text = print(m.results.v[0]);
	merge_release(&m);
	return text;
}

/* Merge two to four results, anywhere in the list, until one is left. */
static char *sum_somehow(char *const *results)
{
	char *list[N_RESULTS];
	size_t n = N_RESULTS;

	for (size_t i = 0; i < n; i++)
		list[i] = strdup(results[i]);
	while (n > 1) {
		size_t some = 2 + dice(3) < n ? 2 + dice(3) : n;
		char *text;

		some = some < n ? some : n;
		for (size_t i = 0; i < some; i++) {
			size_t other = i + dice(n - i);
			char *t = list[i];

			list[i] = list[other];
			list[other] = t;
		}
		text = sum((const char *const *)list, some);
		for (size_t i = 0; i < some; i++)
			free(list[i]);
		memmove(list, list + some, (n - some) * sizeof(*list));
		n -= some;
		list[n++] = text;
	}
	return list[0];
}

static void grouping_does_not_matter(void **state)
{
	(void)state;
	for (int t = 0; t < TRIALS; t++) {
		char *results[N_RESULTS], *want;

		for (size_t i = 0; i < N_RESULTS; i++)
			results[i] = random_result();
		want = sum((const char *const *)results, N_RESULTS);
		for (int again = 0; again < 4; again++) {
			char *got = sum_somehow(results);

			assert_string_equal(got, want);
			free(got);
		}
		for (size_t i = 0; i < N_RESULTS; i++)
			free(results[i]);
		free(want);
	}
}

static void text_of(char *text, const char *needle, bool there)
{
	if (!!strstr(text, needle) != there)
		assert_string_equal(text, needle);
}

/* The fields of the greatest value are kept; of equal values, those of the earliest. Sums saturate.
 */
static void keeps_the_greatest_then_the_earliest(void **state)
{
	static const char form[] =
		"{\"type\":\"hist_trigger\",\"schema\":1,\"event\":\"a:b\",\"trigger\":\"hist:keys=k:onmax($m).save(w)\","
		"\"clock\":\"local\",\"kernel\":\"6.12\",\"columns\":{\"key\":[{\"name\":\"k\",\"type\":\"number\"}],"
		"\"val\":[{\"name\":\"hitcount\",\"type\":\"number\"}],\"saved\":[{\"name\":\"max\",\"type\":\"number\","
		"\"tracked\":true},{\"name\":\"w\",\"type\":\"text\"}]},\"totals\":{\"hits\":%s,\"entries\":1,\"dropped\":0},"
		"\"data\":[{\"key\":{\"k\":1},\"val\":{\"hitcount\":%s},\"saved\":{\"max\":%s,\"w\":\"%s\"},\"saved_at\":%s}]}";
	static const char *const rows[][4] = { { "18446744073709551615", "7", "late", "3.5" },
					       { "1", "7", "early", "1.000000001" },
					       { "2", "6", "least", "0.5" } };
	char *texts[3], *got;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_true(asprintf(&texts[i], form, rows[i][0], rows[i][0], rows[i][1],
				     rows[i][2], rows[i][3]) > 0);
	got = sum((const char *const *)texts, 3);
	text_of(got, "\"hitcount\":18446744073709551615}", true);
	text_of(got, "\"saved\":{\"max\":7,\"w\":\"early\"},\"saved_at\":1.000000001", true);
	text_of(got, "\"hits\":18446744073709551615,\"entries\":1", true);
	free(got);
	for (size_t i = 0; i < 3; i++)
		free(texts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(grouping_does_not_matter),
		TEST(keeps_the_greatest_then_the_earliest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
