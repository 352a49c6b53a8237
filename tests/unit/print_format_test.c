// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Formats: a histogram with all features, made by hand, in each format; then histograms of
 * a replay: signs, ranges, names, saved fields, snapshots.
 */
#include "tracing_dir.h"

static int collect(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

/* --- made by hand --- */

static const struct result_column columns[] = {
	{ .name = "id",
	  .type = RESULT_NUMBER,
	  .is_signed = true,
	  .has_label = true,
	  .modifier = "syscall" },
	{ .name = "lat",
	  .type = RESULT_RANGE,
	  .is_signed = true,
	  .modifier = "log2",
	  .unit = "us" },
	{ .name = "comm", .type = RESULT_TEXT },
	{ .name = "common_stacktrace", .type = RESULT_STACK, .modifier = "stacktrace" },
	{ .name = "hitcount", .role = RESULT_VALUE },
	{ .name = "id", .role = RESULT_VALUE, .is_signed = true },
	{ .name = "max", .role = RESULT_SAVED },
	{ .name = "who", .role = RESULT_SAVED, .type = RESULT_TEXT },
};

static void hand_row(const struct result *result, size_t i, struct result_row *row)
{
	static const struct result_frame one = { 0xffffffff81001000, { "do_one+0x0/0x1000", 17 } },
					 two = { 16, { "0x10", 4 } };
	static const struct result_frame *const frames[] = { &one, &two };
	static const struct result_cell cells[2][ARRAY_SIZE(columns)] = {
		{ { .num = (u64)-1, .label = { "sys_\xff", 5 } },
		  { .num = (u64)-8, .max = (u64)-5 },
		  { .text = { "a\"b,\tc\\\n", 8 } },
		  { .frames = frames, .n_frames = 2 },
		  { .num = UINT64_MAX },
		  { .num = (u64)INT64_MIN },
		  { .num = 3 },
		  { .text = { "", 0 } } },
		{ { .num = 5, .label = { "sys_x", 5 } },
		  { .num = 0, .max = 1 },
		  { .text = { "plain", 5 } },
		  { .n_frames = 0 },
		  { .num = 1 },
		  { .num = 0 },
		  { .num = 0 },
		  { .absent = true } },
	};

	assert_ptr_equal(result->arg, columns);
	*row = (struct result_row){ .cells = cells[i], .saved = i == 0, .saved_at = 1500000000 };
}

static void hand_made(struct result *r, struct result_info *info)
{
	static const char *const files[] = { "a.dat", "b.dat" };
	static const char *const script[] = { "echo 'x' >> events/a/b/trigger" };
	static const struct result_sort sort[] = { { 4, true }, { 1, false } };

	*info = (struct result_info){
		.version = "1.2.3",
		.kernel = "6.12",
		.clock = "local",
		.uname = "Linux h 6.12 x86_64",
		.files = files,
		.n_files = 2,
		.script = script,
		.n_script = 1,
		.recording_limits = "filter a:b x > 1 && y\npids 7 8\nchildren\nmax-size 4\n",
		.lost_events = 2,
	};
	*r = (struct result){
		.info = info,
		.event = "a:b",
		.trigger = "hist:keys=id",
		.from = 1,
		.to = 2000000000,
		.covered = 1999999999,
		.columns = columns,
		.n_columns = ARRAY_SIZE(columns),
		.n_keys = 4,
		.n_values = 2,
		.sort = sort,
		.n_sort = 2,
		.n_rows = 2,
		.hits = 4,
		.drops = 1,
		.row = hand_row,
		.arg = (void *)columns,
	};
}

static void check_format(const char *name, struct format_options options, const char *want)
{
	struct format room;
	const struct format *format = format_find(name, &room);
	void *state = NULL;
	struct strbuf out = STRBUF_INIT;
	struct printer p = { .buf = STRBUF_INIT, .sink = collect, .arg = &out };
	struct result_info info;
	struct result r;

	hand_made(&r, &info);
	options.state = &state;
	format->print(format, &r, &options, &p);
	/* slices of time continue a table */
	if (options.sliced)
		format->print(format, &r, &options, &p);
	if (format->finish)
		format->finish(format, &options, true, &p);
	assert_int_equal(printer_end(&p), 0);
	assert_string_equal(out.s, want);
	strbuf_release(&out);
}

#define HEAD                                                                                                       \
	"\"schema\":1,\"version\":\"1.2.3\",\"event\":\"a:b\",\"trigger\":\"hist:keys=id\",\"columns\":{\"key\":[" \
	"{\"name\":\"id\",\"type\":\"number\",\"signed\":true,\"modifier\":\"syscall\",\"text\":true},"            \
	"{\"name\":\"lat\",\"type\":\"range\",\"signed\":true,\"modifier\":\"log2\",\"unit\":\"us\"},"             \
	"{\"name\":\"comm\",\"type\":\"text\"},"                                                                   \
	"{\"name\":\"common_stacktrace\",\"type\":\"stack\",\"modifier\":\"stacktrace\"}],\"val\":["               \
	"{\"name\":\"hitcount\",\"type\":\"number\",\"signed\":false},"                                            \
	"{\"name\":\"id\",\"type\":\"number\",\"signed\":true}],\"saved\":["                                       \
	"{\"name\":\"max\",\"type\":\"number\",\"signed\":false},{\"name\":\"who\",\"type\":\"text\"}]},"          \
	"\"sort\":[{\"val\":\"hitcount\",\"descending\":true},{\"key\":\"lat\",\"descending\":false}],"            \
	"\"script\":[\"echo 'x' >> events/a/b/trigger\"],\"filters\":{\"a:b\":\"x > 1 && y\"},\"pids\":[7,8],"     \
	"\"children\":true,\"state\":\"active\",\"limits\":\"kernel\",\"lost_events\":2,\"clock\":\"local\","      \
	"\"kernel\":\"6.12\",\"span\":{\"from\":0.000000001,\"to\":2.000000000},"                                  \
	"\"source\":{\"uname\":\"Linux h 6.12 x86_64\",\"file\":\"a.dat\",\"files\":[\"a.dat\",\"b.dat\"]}"

#define ROW_1                                                                                                 \
	"\"key\":{\"id\":-1,\"lat\":{\"min\":-8,\"max\":-5},\"comm\":\"a\\\"b,\\u0009c\\\\\\\\\\u000a\","     \
	"\"common_stacktrace\":[18446744071578849280,16]},\"text\":{\"id\":\"sys_\\\\xff\","                  \
	"\"common_stacktrace\":[\"do_one+0x0/0x1000\",\"0x10\"]},\"val\":{\"hitcount\":18446744073709551615," \
	"\"id\":-9223372036854775808},\"saved\":{\"max\":3,\"who\":\"\"},\"saved_at\":1.500000000"
#define ROW_2                                                                                           \
	"\"key\":{\"id\":5,\"lat\":{\"min\":0,\"max\":1},\"comm\":\"plain\",\"common_stacktrace\":[]}," \
	"\"text\":{\"id\":\"sys_x\",\"common_stacktrace\":[]},\"val\":{\"hitcount\":1,\"id\":0},"       \
	"\"saved\":{\"max\":0,\"who\":null}"
#define TOTALS "\"hits\":4,\"entries\":2,\"dropped\":1"

static void json_has_everything(void **state)
{
	struct format_options options = { .u64_as_string = false };

	(void)state;
	check_format("json", options,
		     "{\"type\":\"hist_trigger\"," HEAD ",\"totals\":{" TOTALS "},\"data\":[{" ROW_1
		     "},{" ROW_2 "}]}\n");
	check_format("ndjson", options,
		     "{\"type\":\"hist_head\"," HEAD "}\n{\"type\":\"hist_row\"," ROW_1
		     "}\n{\"type\":\"hist_row\"," ROW_2 "}\n{\"type\":\"hist_totals\"," TOTALS
		     "}\n");
}

#define CSV_NAMES                                                                                         \
	"id,id_text,lat_min,lat_max,comm,common_stacktrace,common_stacktrace_text,hitcount,id#2,max,who," \
	"saved_at\n"
#define CSV_ROW_1                                                                                                      \
	"-1,sys_\\xff,-8,-5,\"a\"\"b,\tc\\\\\n\",0xffffffff81001000 0x10,do_one+0x0/0x1000;0x10,18446744073709551615," \
	"-9223372036854775808,3,\"\",1.500000000\n"
#define CSV_ROW_2 "5,sys_x,0,1,plain,\"\",\"\",1,0,0,,\n"

static void csv_is_a_table(void **state)
{
	const struct format_options options = { .u64_as_string = false };

	(void)state;
	check_format("csv", options, CSV_NAMES CSV_ROW_1 CSV_ROW_2);
	check_format(
		"tsv", options,
		"id\tid_text\tlat_min\tlat_max\tcomm\tcommon_stacktrace\tcommon_stacktrace_text\thitcount\tid#2\t"
		"max\twho\tsaved_at\n"
		"-1\tsys_\\xff\t-8\t-5\ta\"b,\\tc\\\\\\n\t0xffffffff81001000 0x10\tdo_one+0x0/0x1000;0x10\t"
		"18446744073709551615\t-9223372036854775808\t3\t\t1.500000000\n"
		"5\tsys_x\t0\t1\tplain\t\t\t1\t0\t0\t\t\n");
}

#define SLICE "0.000000001,2.000000000,"

static void a_table_names_its_slices(void **state)
{
	struct format_options options = { .sliced = true };

	(void)state;
	check_format("csv", options,
		     "from,to," CSV_NAMES SLICE CSV_ROW_1 SLICE CSV_ROW_2 SLICE CSV_ROW_1 SLICE
			     CSV_ROW_2);
}

static void formats_have_names(void **state)
{
	struct strbuf names = STRBUF_INIT;
	struct format room;
	struct span rest, name;

	(void)state;
	assert_null(format_find("text", &room));
	assert_null(format_find("xml", &room));
	format_names(&names);
	rest = strbuf_span(&names);
	span_sep(&rest, ",");
	while (rest.s) {
		char text[32];

		name = span_trim(span_sep(&rest, ","));
		snprintf(text, sizeof(text), "%.*s", (int)name.n, name.s);
		assert_string_equal(format_find(text, &room)->name, text);
	}
	strbuf_release(&names);
}

/* --- made by a replay --- */

/*
 * The last histogram of an event in ndjson, without its first object; @columns is set to the
 * columns in that.
 */
static void print_last(struct dir *d, const char *event, struct strbuf *rows, struct strbuf *cols)
{
	const struct event_file *file = file_of(d, event);
	const struct trigger *t = file->triggers.v[file->triggers.n - 1];
	const struct format_options options = { .u64_as_string = false };
	struct strbuf out = STRBUF_INIT;
	struct printer p = { .buf = STRBUF_INIT, .sink = collect, .arg = &out };
	static const char *const files[] = { "x" };
	const struct result_info info = {
		.version = "v", .kernel = "6.12", .clock = "local", .files = files, .n_files = 1
	};
	struct stored_result *frozen;
	const char *from, *to;

	assert_int_equal(result_freeze(t, &info, &frozen), 0);
	format_ndjson.print(&format_ndjson, &frozen->result, &options, &p);
	assert_int_equal(printer_end(&p), 0);
	from = strstr(out.s, "\"columns\"");
	to = strstr(out.s, ",\"script\"");
	strbuf_add(cols, from, (size_t)(to - from));
	from = strstr(out.s, "\"snapshot\"");
	to = strchr(out.s, '\n');
	if (from && from < to)
		strbuf_add(rows, from, (size_t)(to - from));
	strbuf_addstr(rows, to + 1);
	strbuf_release(&out);
	stored_free(frozen);
}

/* Compare some of the columns, and the lines of the rows ("key":...) one by one. */
static void check_result(struct dir *d, const char *event, const char *in_columns, const char *rows)
{
	struct strbuf got = STRBUF_INIT, cols = STRBUF_INIT, want = STRBUF_INIT;
	struct span rest = span_of(rows);

	print_last(d, event, &got, &cols);
	if (!strstr(cols.s, in_columns))
		assert_string_equal(cols.s, in_columns);
	while (rest.s && rest.n) {
		struct span line = span_sep(&rest, "\n");

		strbuf_addf(&want, "{\"type\":\"hist_row\",%.*s}\n", (int)line.n, line.s);
	}
	strbuf_cut(&got, (size_t)(strstr(got.s, "{\"type\":\"hist_totals\"") - got.s));
	assert_string_equal(got.s, want.s);
	strbuf_release(&got);
	strbuf_release(&cols);
	strbuf_release(&want);
}

static void numbers_have_their_signs(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=a16,b64:vals=a32,b32");
	hit(&d, "test:all", "a16=-2 b64=18446744073709551615 a32=-7 b32=4000000000");
	check_result(
		&d, "test:all",
		"{\"name\":\"a16\",\"type\":\"number\",\"signed\":true},{\"name\":\"b64\",\"type\":\"number\","
		"\"signed\":false}]",
		"\"key\":{\"a16\":-2,\"b64\":18446744073709551615},"
		"\"val\":{\"hitcount\":1,\"a32\":-7,\"b32\":4000000000}");
	dir_close(&d);
}

/* kernel: "~ 2^5" is 17 to 32. */
static void buckets_are_inclusive(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=b64.log2:sort=b64");
	hit(&d, "test:all", "b64=0");
	hit(&d, "test:all", "b64=1");
	hit(&d, "test:all", "b64=2");
	hit(&d, "test:all", "b64=17");
	hit(&d, "test:all", "b64=32");
	hit(&d, "test:all", "b64=9223372036854775808");
	hit(&d, "test:all", "b64=9223372036854775809");
	check_result(&d, "test:all", "\"type\":\"range\",\"signed\":false,\"modifier\":\"log2\"",
		     "\"key\":{\"b64\":{\"min\":0,\"max\":1}},\"val\":{\"hitcount\":2}\n"
		     "\"key\":{\"b64\":{\"min\":2,\"max\":2}},\"val\":{\"hitcount\":1}\n"
		     "\"key\":{\"b64\":{\"min\":17,\"max\":32}},\"val\":{\"hitcount\":2}\n"
		     "\"key\":{\"b64\":{\"min\":4611686018427387905,\"max\":9223372036854775808}},"
		     "\"val\":{\"hitcount\":1}\n"
		     "\"key\":{\"b64\":{\"min\":9223372036854775809,\"max\":18446744073709551615}},"
		     "\"val\":{\"hitcount\":1}");
	accept(&d, "test:all", "hist:keys=a64.log2:sort=a64");
	hit(&d, "test:all", "a64=-3");
	hit(&d, "test:all", "a64=9223372036854775807");
	check_result(
		&d, "test:all", "\"signed\":true",
		"\"key\":{\"a64\":{\"min\":4611686018427387905,\"max\":9223372036854775807}},"
		"\"val\":{\"hitcount\":1}\n"
		"\"key\":{\"a64\":{\"min\":-9223372036854775807,\"max\":-1}},\"val\":{\"hitcount\":1}");
	accept(&d, "test:all", "hist:keys=b64.buckets=10:sort=b64");
	hit(&d, "test:all", "b64=25");
	hit(&d, "test:all", "b64=18446744073709551615");
	check_result(
		&d, "test:all", "\"modifier\":\"buckets\"",
		"\"key\":{\"b64\":{\"min\":20,\"max\":29}},\"val\":{\"hitcount\":1}\n"
		"\"key\":{\"b64\":{\"min\":18446744073709551610,\"max\":18446744073709551615}},"
		"\"val\":{\"hitcount\":1}");
	accept(&d, "test:all", "hist:keys=a64.buckets=10");
	hit(&d, "test:all", "a64=-15");
	check_result(&d, "test:all", "\"signed\":true",
		     "\"key\":{\"a64\":{\"min\":-16,\"max\":-7}},\"val\":{\"hitcount\":1}");
	dir_close(&d);
}

static void names_say_what_columns_are(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=b8,b8,5:vals=b16+1,b16:nohitcount");
	hit(&d, "test:all", "b8=3 b16=9");
	check_result(
		&d, "test:all", "\"name\":\"b16+1\"",
		"\"key\":{\"b8\":3,\"b8#2\":3,\"5\":5},\"val\":{\"hitcount\":1,\"b16+1\":10,\"b16\":9}");
	accept(&d, "test:all",
	       "hist:keys=common_timestamp.usecs,common_cpu:t=common_timestamp.usecs:vals=hitcount");
	hit(&d, "test:all", "@ts=5000");
	check_result(&d, "test:all",
		     "{\"name\":\"common_timestamp\",\"type\":\"number\",\"signed\":false,"
		     "\"modifier\":\"usecs\",\"unit\":\"us\"}",
		     "\"key\":{\"common_timestamp\":5,\"common_cpu\":0},\"val\":{\"hitcount\":1}");
	dir_close(&d);
}

static void renderings_are_separate(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	d.stack[0] = 0xffffffff81001010;
	d.stack[1] = 0xffffffff81002001;
	d.n_stack = 2;
	accept(&d, "raw_syscalls:sys_enter",
	       "hist:keys=id.syscall,common_pid.execname,common_stacktrace");
	hit(&d, "raw_syscalls:sys_enter", "id=1 common_pid=7");
	check_result(
		&d, "raw_syscalls:sys_enter", "{\"name\":\"common_stacktrace\",\"type\":\"stack\"",
		"\"key\":{\"id\":1,\"common_pid\":7,\"common_stacktrace\":[18446744071578849296,"
		"18446744071578853377]},\"text\":{\"id\":\"sys_write\",\"common_pid\":\"task\","
		"\"common_stacktrace\":[\"do_one+0x10/0x1000\",\"do_two+0x1/0x1000\"]},"
		"\"val\":{\"hitcount\":1}");
	accept(&d, "test:all", "hist:keys=b64.sym,a64.sym-offset,b32.hex");
	hit(&d, "test:all", "b64=0xffffffff81001010 a64=-1 b32=255");
	check_result(
		&d, "test:all", "\"modifier\":\"hex\"",
		"\"key\":{\"b64\":18446744071578849296,\"a64\":-1,\"b32\":255},"
		"\"text\":{\"b64\":\"do_one\",\"a64\":\"0xffffffffffffffff\"},\"val\":{\"hitcount\":1}");
	dir_close(&d);
}

static void saved_values_are_separate(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=b8:v=a32:onmax($v).save(st,a16)");
	hit(&d, "test:all", "b8=1 a32=0 st=never a16=1");
	hit(&d, "test:all", "b8=2 a32=9 st=first a16=-3");
	hit(&d, "test:all", "b8=2 a32=9 st=second a16=4");
	check_result(
		&d, "test:all",
		"\"saved\":[{\"name\":\"max\",\"type\":\"number\",\"signed\":true,\"tracked\":true},{\"name\":\"st\",\"type\":\"text\"},"
		"{\"name\":\"a16\",\"type\":\"number\",\"signed\":true}]",
		"\"key\":{\"b8\":1},\"val\":{\"hitcount\":1},\"saved\":{\"max\":0,\"st\":null,\"a16\":null}\n"
		"\"key\":{\"b8\":2},\"val\":{\"hitcount\":2},\"saved\":{\"max\":9,\"st\":\"first\",\"a16\":-3},\"saved_at\":0.000002000");
	dir_close(&d);
}

static void prints_the_snapshot(void **state)
{
	struct strbuf got = STRBUF_INIT, cols = STRBUF_INIT;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=common_pid.execname:v=a32:onmax($v).snapshot()");
	hit(&d, "test:all", "common_pid=4 a32=3");
	print_last(&d, "test:all", &got, &cols);
	assert_int_equal(
		strncmp(got.s,
			"\"snapshot\":{\"handler\":\"onmax\",\"variable\":\"$v\",\"value\":3,"
			"\"key\":{\"common_pid\":4},\"text\":{\"common_pid\":\"task\"}}",
			strlen("\"snapshot\":{\"handler\":\"onmax\",\"variable\":\"$v\",\"value\":3,")),
		0);
	assert_non_null(strstr(got.s, "\"text\":{\"common_pid\":\"task\"}}"));
	strbuf_release(&got);
	strbuf_release(&cols);
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(json_has_everything),        TEST(csv_is_a_table),
		TEST(a_table_names_its_slices),   TEST(formats_have_names),
		TEST(numbers_have_their_signs),   TEST(buckets_are_inclusive),
		TEST(names_say_what_columns_are), TEST(renderings_are_separate),
		TEST(saved_values_are_separate),  TEST(prints_the_snapshot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
