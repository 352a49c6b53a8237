// SPDX-License-Identifier: LGPL-2.1-only
/* The counts of a histogram: parts that threads count are joined, sliced, and cleared. */
#include "tracing_dir.h"

#include "tracing_map/tracing_map.h"

static const char waking[] = "sched:sched_waking";

/* The counts of the first histogram of the event, after the start of a replay. */
static struct hist_count *counts_of(struct dir *d, const char *event)
{
	dir_replay(d);
	return hist_count_of(file_of(d, event)->triggers.v[0]->hist);
}

/* As hit(), in part @part. */
static void hit_part(struct dir *d, u16 part, const char *fields)
{
	struct event_file *file = file_of(d, waking);
	struct record r;
	struct hit hit;

	make_record(d, &r, file->format, fields);
	hit = (struct hit){ .file = file,
			    .rec = r.bytes,
			    .len = r.len,
			    .ts = r.ts,
			    .part = part,
			    .context = &d->context };
	event_hit(event_count_of(file), &hit);
}

/* More keys than a map of 128 has room for. */
static void fill(struct dir *d)
{
	for (int i = 0; i < 1000; i++) {
		char fields[16];

		snprintf(fields, sizeof(fields), "pid=%d", i);
		hit(d, waking, fields);
	}
}

static void test_add_up(void **state)
{
	struct hist_count *hc;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:vals=prio:sort=pid");
	hc = counts_of(&d, waking);
	assert_int_equal(hist_parts_start(hc, 2, false), 0);
	assert_int_equal(hc->n_parts, 2);
	hit_part(&d, 1, "pid=7 prio=3");
	hit_part(&d, 2, "pid=7 prio=4");
	hit_part(&d, 2, "pid=8 prio=-1");
	check_rows(&d, waking, "| 0 0 0");
	assert_true(hist_parts_join(hc));
	hist_parts_drop(hc);
	assert_int_equal(hc->n_parts, 0);
	check_rows(&d, waking,
		   "{ pid: 7 } hitcount: 2 prio: 7 { pid: 8 } hitcount: 1 "
		   "prio: 18446744073709551615 | 3 2 0");
	dir_close(&d);
}

/* A frozen part accepts only the keys of a full map; others are drops. */
static void test_frozen(void **state)
{
	struct hist_count *hc;
	struct dir d;
	char *rows;
	u32 n;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:size=128:sort=pid");
	hc = counts_of(&d, waking);
	fill(&d);
	hist_keep_keys(hc);
	n = hist_map(hc)->n_elts;
	assert_int_equal(hist_parts_start(hc, 1, true), 0);
	hit_part(&d, 1, "pid=0");
	hit_part(&d, 1, "pid=100000");
	assert_true(hist_parts_join(hc));
	hist_parts_drop(hc);
	rows = rows_of(file_of(&d, waking));
	assert_int_equal(strncmp(rows, "{ pid: 0 } hitcount: 1 { pid: 1 } hitcount: 0 ", 46), 0);
	free(rows);
	assert_int_equal(hist_map(hc)->n_elts, n);
	assert_int_equal(hist_map(hc)->drops, 1);
	dir_close(&d);
}

static void test_full(void **state)
{
	struct hist_count *hc;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:size=128");
	hc = counts_of(&d, waking);
	assert_false(hist_part_is_full(hc->parts));
	fill(&d);
	assert_true(hist_part_is_full(hc->parts));
	hist_count_clear(hc);
	assert_false(hist_part_is_full(hc->parts));
	check_rows(&d, waking, "| 0 0 0");
	dir_close(&d);
}

/* Later records need the variables of a slice that was printed, but not its counts. */
static void test_slice(void **state)
{
	struct hist_count *hc;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:p=prio");
	hc = counts_of(&d, waking);
	hit(&d, waking, "pid=7 prio=3");
	hist_part_slice(hc->parts, hc->hd);
	assert_int_equal(hist_map(hc)->n_elts, 1);
	check_rows(&d, waking, "| 0 0 0");
	hit(&d, waking, "pid=7 prio=3");
	check_rows(&d, waking, "{ pid: 7 } hitcount: 1 | 1 1 0");
	dir_close(&d);

	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid");
	hc = counts_of(&d, waking);
	hit(&d, waking, "pid=7");
	hist_part_slice(hc->parts, hc->hd);
	assert_int_equal(hist_map(hc)->n_elts, 0);
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_add_up),
		TEST(test_frozen),
		TEST(test_full),
		TEST(test_slice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
