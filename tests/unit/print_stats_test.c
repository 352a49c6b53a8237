// SPDX-License-Identifier: LGPL-2.1-only
/*
 * --stats: the samples, their output in each format, and that the kernel's part of the output does
 * not change.
 */
#include "tracing_dir.h"

static int collect(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

static void open_with_stats(struct dir *d)
{
	struct machine machine = dir_machine("6.12");

	dir_open_machine(d, machine);
	d->t->options.stats = true;
}

/* The last histogram of the event in @format; NULL is text. */
static char *printed(struct dir *d, const char *event, const struct format *format)
{
	const struct event_file *file = file_of(d, event);
	const struct trigger *t = file->triggers.v[file->triggers.n - 1];
	static const char *const files[] = { "x" };
	const struct result_info info = {
		.version = "v", .kernel = "6.12", .clock = "local", .files = files, .n_files = 1
	};
	void *state = NULL;
	const struct format_options options = { .state = &state };
	struct strbuf out = STRBUF_INIT;
	struct printer p = { .buf = STRBUF_INIT, .sink = collect, .arg = &out };
	struct stored_result *frozen;

	dir_replay(d);
	assert_int_equal(result_freeze(t, &info, &frozen), 0);
	if (format)
		format->print(format, &frozen->result, &options, &p);
	if (format && format->finish)
		format->finish(format, &options, true, &p);
	else
		print_hist(&p, &frozen->result, &(struct format_options){ .top = 0 });
	stored_free(frozen);
	assert_int_equal(printer_end(&p), 0);
	return strbuf_detach(&out);
}

static void check_has(struct dir *d, const char *event, const struct format *format,
		      const char *want)
{
	char *text = printed(d, event, format);

	if (!strstr(text, want))
		assert_string_equal(text, want);
	free(text);
}

static void check_lacks(struct dir *d, const char *event, const struct format *format,
			const char *unwanted)
{
	char *text = printed(d, event, format);

	if (strstr(text, unwanted))
		assert_string_equal(text, "");
	free(text);
}

static void hit_values(struct dir *d)
{
	hit(d, "test:all", "b8=1 a32=2 b64=7");
	hit(d, "test:all", "b8=1 a32=4 b64=7");
	hit(d, "test:all", "b8=1 a32=-9 b64=7");
	hit(d, "test:all", "b8=2 a32=5 b64=7");
}

#define STATS_1                                                                                 \
	"{\"n\":3,\"min\":-9,\"max\":4,\"mean\":-1,\"stddev\":7,\"p50\":2,\"p90\":4,\"p99\":4," \
	"\"p99.9\":4,\"exact\":true,\"sum\":\"-3\",\"sum2\":\"101\",\"values\":[[-9,1],[2,1],[4,1]]}"
#define STATS_2                                                                                  \
	"{\"n\":1,\"min\":5,\"max\":5,\"mean\":5,\"stddev\":null,\"p50\":5,\"p90\":5,\"p99\":5," \
	"\"p99.9\":5,\"exact\":true,\"sum\":\"5\",\"sum2\":\"25\",\"values\":[[5,1]]}"

static void json_has_the_sums(void **state)
{
	struct dir d;

	(void)state;
	open_with_stats(&d);
	accept(&d, "test:all", "hist:keys=b8:vals=a32:sort=b8");
	hit_values(&d);
	check_has(&d, "test:all", &format_json,
		  "\"val\":{\"hitcount\":3,\"a32\":-3},\"stats\":{\"a32\":" STATS_1 "}}");
	check_has(&d, "test:all", &format_ndjson, "\"stats\":{\"a32\":" STATS_2 "}}\n");
	check_has(
		&d, "test:all", &format_json,
		"\"stats\":{\"exact_values\":1024,\"relative_error\":0.00390625,\"all\":{\"a32\":{\"of\":\"val\","
		"\"signed\":true,\"n\":4,\"min\":-9,\"max\":5,\"mean\":0.5,\"stddev\":6.454972243679028,"
		"\"p50\":2,\"p90\":5,\"p99\":5,\"p99.9\":5,\"exact\":true},\"b8\":{\"of\":\"key\","
		"\"signed\":false,\"n\":4,\"min\":1,\"max\":2,\"mean\":1.25,");
	check_has(&d, "test:all", &format_ndjson,
		  "{\"type\":\"hist_totals\",\"hits\":4,\"entries\":2,\"dropped\":0,"
		  "\"stats\":{\"exact_values\":1024,");
	dir_close(&d);
}

/* A column is as wide as its longest number, which may be the smallest one of a row. */
static void columns_are_wide(void **state)
{
	struct dir d;

	(void)state;
	open_with_stats(&d);
	accept(&d, "test:all", "hist:keys=b8:vals=a32:sort=b8");
	hit(&d, "test:all", "b8=2 a32=-1000000000 b64=7");
	hit(&d, "test:all", "b8=1 a32=7 b64=7");
	check_has(&d, "test:all", NULL,
		  "\n  1  -1000000000  -1000000000  -1000000000.00             -  -1000000000  ");
	check_has(&d, "test:all", NULL,
		  "\n  1            7            7            7.00             -            7  ");
	dir_close(&d);
}

static void tables_have_columns(void **state)
{
	struct format room;
	struct dir d;
	char *text;

	(void)state;
	open_with_stats(&d);
	accept(&d, "test:all", "hist:keys=b8:vals=a32:sort=b8");
	hit_values(&d);
	text = printed(&d, "test:all", format_find("csv", &room));
	assert_string_equal(
		text,
		"b8,hitcount,a32,a32_n,a32_min,a32_max,a32_mean,a32_stddev,a32_p50,a32_p90,a32_p99,"
		"a32_p99.9\n1,3,-3,3,-9,4,-1,7,2,4,4,4\n2,1,5,1,5,5,5,,5,5,5,5\n");
	free(text);
	dir_close(&d);
}

/* These lines follow those of the kernel. */
static void text_follows_the_rows(void **state)
{
	static const char below[] = "\n# statistics of a32\n"
				    "# n  min  max   mean  stddev  p50  p90  p99  p99.9  b8\n"
				    "  4   -9    5   0.50    6.45    2    5    5      5  (all)\n"
				    "  3   -9    4  -1.00    7.00    2    4    4      4  1\n"
				    "  1    5    5   5.00       -    5    5    5      5  2\n"
				    "\n# statistics of b8\n";
	struct dir with, without;
	char *a, *b;

	(void)state;
	open_with_stats(&with);
	dir_open(&without, "6.12");
	accept(&with, "test:all", "hist:keys=b8:vals=a32:sort=b8");
	accept(&without, "test:all", "hist:keys=b8:vals=a32:sort=b8");
	hit_values(&with);
	hit_values(&without);
	a = printed(&with, "test:all", NULL);
	b = printed(&without, "test:all", NULL);
	assert_memory_equal(a, b, strlen(b));
	if (strncmp(a + strlen(b), below, strlen(below)))
		assert_string_equal(a + strlen(b), below);
	free(a);
	free(b);
	dir_close(&with);
	dir_close(&without);
}

static void samples_values_and_variables(void **state)
{
	struct dir d;

	(void)state;
	open_with_stats(&d);
	accept(&d, "sched:sched_waking", "hist:keys=pid:ts0=common_timestamp.usecs,c=comm,k=12");
	accept(&d, "sched:sched_switch",
	       "hist:keys=next_pid:lat=common_timestamp.usecs-$ts0,al=sched.sched_waking.$ts0:vals=next_prio+1");
	hit(&d, "sched:sched_waking", "pid=5 @ts=1000000");
	hit(&d, "sched:sched_switch", "next_pid=5 next_prio=3 @ts=1020000");
	hit(&d, "sched:sched_waking", "pid=5 @ts=1040000");
	hit(&d, "sched:sched_switch", "next_pid=5 next_prio=4 @ts=1100000");
	check_has(&d, "sched:sched_switch", &format_json,
		  "\"stats\":{\"next_prio+1\":{\"n\":2,\"min\":4,\"max\":5,\"mean\":4.5,");
	check_has(&d, "sched:sched_switch", &format_json,
		  "\"lat\":{\"n\":2,\"min\":20,\"max\":60,\"mean\":40,");
	check_has(&d, "sched:sched_switch", &format_json,
		  "\"lat\":{\"of\":\"val\",\"signed\":false,\"unit\":\"us\",\"n\":2,");
	/* time stamps and strings are not quantities */
	check_lacks(&d, "sched:sched_waking", &format_json, "\"ts0\":{");
	check_lacks(&d, "sched:sched_waking", &format_json, "\"c\":{");
	check_lacks(&d, "sched:sched_waking", &format_json, "\"k\":{");
	check_lacks(&d, "sched:sched_waking", &format_json, "\"hitcount\":{");
	dir_close(&d);
}

static void rounded_keys_are_ranges(void **state)
{
	struct dir d;

	(void)state;
	open_with_stats(&d);
	accept(&d, "test:all", "hist:keys=b64.log2,b32.buckets=10,b16.hex");
	hit(&d, "test:all", "b64=1 b32=5 b16=16");
	hit(&d, "test:all", "b64=17 b32=15 b16=16");
	hit(&d, "test:all", "b64=18 b32=5 b16=18");
	check_has(
		&d, "test:all", &format_json,
		"\"b64\":{\"of\":\"key\",\"signed\":false,\"n\":3,\"min\":{\"min\":0,\"max\":1},"
		"\"max\":{\"min\":17,\"max\":32},\"mean\":{\"min\":11.333333333333334,\"max\":21.666666666666668},"
		"\"stddev\":null,\"p50\":{\"min\":17,\"max\":32},");
	check_has(&d, "test:all", &format_json,
		  "\"b32\":{\"of\":\"key\",\"signed\":false,\"n\":3,"
		  "\"min\":{\"min\":0,\"max\":9},\"max\":{\"min\":10,\"max\":19},");
	check_has(&d, "test:all", &format_json,
		  "\"b16\":{\"of\":\"key\",\"signed\":false,\"n\":3,\"min\":16,\"max\":18,");
	check_has(&d, "test:all", NULL, "  3  0..1  17..32  11.33..21.67       -  17..32");
	dir_close(&d);
}

/* With more different values than can be stored, quantiles are marked; the rest is exact. */
static void marks_rounded_values(void **state)
{
	struct dir d;
	char fields[64];

	(void)state;
	open_with_stats(&d);
	accept(&d, "test:all", "hist:keys=b8:vals=b64");
	for (u64 i = 0; i < 3000; i++) {
		snprintf(fields, sizeof(fields), "b8=1 b64=%llu", 1000000 + (unsigned long long)i);
		hit(&d, "test:all", fields);
	}
	check_has(&d, "test:all", NULL, "# statistics of b64; ~: within 0.4 %\n");
	check_has(
		&d, "test:all", NULL,
		"  3000  1000000  1002999  1001499.50  866.17  ~1001499  ~1001499  ~1001499  ~1001499  (all)");
	check_has(&d, "test:all", &format_json,
		  "\"exact\":false,\"sum\":\"3004498500\",\"sum2\":\"");
	dir_close(&d);
}

static void an_empty_histogram_has_none(void **state)
{
	struct dir d;

	(void)state;
	open_with_stats(&d);
	accept(&d, "test:all", "hist:keys=b8:vals=b64");
	check_has(&d, "test:all", NULL, "  0    -    -     -       -    -    -    -      -  (all)");
	check_has(&d, "test:all", &format_json,
		  "\"n\":0,\"min\":null,\"max\":null,\"mean\":null,\"stddev\":null,"
		  "\"p50\":null,");
	accept(&d, "test:all", "hist:keys=st");
	check_lacks(&d, "test:all", &format_json, "\"stats\"");
	dir_close(&d);
}

static void clear_removes_the_samples(void **state)
{
	struct dir d;

	(void)state;
	open_with_stats(&d);
	accept(&d, "test:all", "hist:keys=b8:vals=a32");
	hit_values(&d);
	accept(&d, "test:all", "hist:keys=b8:vals=a32:clear");
	d.replaying = true;
	hit(&d, "test:all", "b8=9 a32=1");
	check_has(&d, "test:all", &format_json, "\"a32\":{\"n\":1,\"min\":1,");
	dir_close(&d);
}

static void save_has_a_time(void **state)
{
	struct dir d;

	(void)state;
	open_with_stats(&d);
	accept(&d, "test:all", "hist:keys=b8:v=a32:onmax($v).save(a16)");
	hit(&d, "test:all", "b8=2 a32=9 a16=-3 @ts=1500000000");
	hit(&d, "test:all", "b8=2 a32=9 a16=4 @ts=1600000000");
	check_has(&d, "test:all", &format_json,
		  "\"saved\":{\"max\":9,\"a16\":-3},\"saved_at\":1.500000000,\"stats\":");
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(json_has_the_sums),
		TEST(tables_have_columns),
		cmocka_unit_test(columns_are_wide),
		TEST(text_follows_the_rows),
		TEST(samples_values_and_variables),
		TEST(rounded_keys_are_ranges),
		TEST(marks_rounded_values),
		TEST(an_empty_histogram_has_none),
		TEST(clear_removes_the_samples),
		TEST(save_has_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
