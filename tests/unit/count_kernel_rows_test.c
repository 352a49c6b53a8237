// SPDX-License-Identifier: LGPL-2.1-only
/* What is read from the file hist of a kernel prints the same file. */
#include "tracing_dir.h"

#include "count/count.h"

static const char waking[] = "sched:sched_waking", all[] = "test:all";

static struct hist_count *counts_of(struct dir *d, const char *event)
{
	dir_replay(d);
	return hist_count_of(file_of(d, event)->triggers.v[0]->hist);
}

static int read_text(struct dir *d, const char *event, const char *text)
{
	return kernel_rows_read(counts_of(d, event), span_of(text));
}

static void check_file(struct dir *d, const char *event, const char *want)
{
	char *got = shown(file_of(d, event), print_hist_file);

	assert_string_equal(got, want);
	free(got);
}

/* A directory with a trigger; a question is answered by the exact rules. */
static void open_with(struct dir *d, const char *event, const char *trigger,
		      const struct kernel_quirks *question)
{
	dir_open(d, "6.12");
	d->t->machine.rules.question = question;
	assert_int_equal(event_trigger_write(file_of(d, event), span_of(trigger), question != NULL,
					     &d->diags),
			 0);
}

/* clang-format off */
#define HEAD(trigger) "# event histogram\n#\n# trigger info: " trigger " [active]\n#\n\n"
#define TOTALS(hits, entries, drops) \
	"\nTotals:\n    Hits: " hits "\n    Entries: " entries "\n    Dropped: " drops "\n"
#define COMM(text, pad) "{ comm: " text pad
#define PAD10 "          "
#define PAD40 PAD10 PAD10 PAD10 PAD10

/* Names that contain what separates fields and rows; a hexadecimal value. */
static const char strings[] =
	HEAD("hist:keys=comm,pid:vals=hitcount,prio.hex:sort=hitcount:size=2048")
	COMM("a, pid: 7 } h", PAD10 PAD10 PAD10 "       ") ", pid:          7 } hitcount:          1  prio:         ff\n"
	COMM("two\nlines", PAD40 " ") ", pid: 18446744073709551615 } hitcount:          2  prio: ffffffffffffffff\n"
	TOTALS("3", "2", "4");

static const char ranges[] =
	HEAD("hist:keys=prio.log2,pid.buckets=64:vals=hitcount:sort=hitcount:size=2048")
	"{ prio: ~ 2^7 , pid: ~ 64-127 } hitcount:          1\n"
	"{ prio: ~ 2^10, pid: ~ 0-63 } hitcount:          2\n"
	TOTALS("3", "2", "0");

/*
 * kernel: from 6.16 on, bytes after the end of a string are part of a key; two events were counted
 * while the rows were printed
 */
static const char equal_rows[] =
	HEAD("x")
	COMM("abc", PAD40 "       ") " } hitcount:          1  prio:          5\n"
	COMM("abc", PAD40 "       ") " } hitcount:          2  prio:          6\n"
	TOTALS("5", "2", "0");

/* do_one, do_one, do_two, and what has no symbol */
static const char addresses[] =
	HEAD("x")
	"{ b64: [ffffffff81001004] do_one                                                 } hitcount:          1\n"
	"{ b64: [ffffffff81001ff0] do_one                                                 } hitcount:          2\n"
	"{ b64: [ffffffff81002000] do_two                                                 } hitcount:          4\n"
	"{ b64: [12345] 0x12345                                                } hitcount:          8\n"
	TOTALS("15", "4", "0");

static const char *const damaged[] = {
	"",
	"#",
	"# event histogram\n",
	HEAD("x"),
	HEAD("x") "{ pid:          7 } hitcount:",
	HEAD("x") "{ pid:          7 } hitcount:          1\n",
	HEAD("x") "{ prio:          7 } hitcount:          1\n" TOTALS("1", "1", "0"),
	HEAD("x") "{ pid:          x } hitcount:          1\n" TOTALS("1", "1", "0"),
	HEAD("x") "{ pid: 99999999999999999999 } hitcount:          1\n" TOTALS("1", "1", "0"),
	HEAD("x") "{ pid:          7 } hitcount:          1  prio:          1\n" TOTALS("1", "1", "0"),
	HEAD("x") TOTALS("0", "0", "0") "\n" HEAD("y") TOTALS("0", "0", "0"),
	HEAD("x") "\nTotals:\n    Hits: 1\n",
};
/* clang-format on */

static void test_kernels_text(void **state)
{
	struct dir d;

	(void)state;
	open_with(&d, waking, "hist:keys=comm,pid:vals=prio.hex", NULL);
	assert_int_equal(read_text(&d, waking, strings), 0);
	check_file(&d, waking, strings);
	/* what was there before is replaced */
	assert_int_equal(read_text(&d, waking, strings), 0);
	check_file(&d, waking, strings);
	dir_close(&d);

	open_with(&d, waking, "hist:keys=prio.log2,pid.buckets=64", NULL);
	assert_int_equal(read_text(&d, waking, ranges), 0);
	check_file(&d, waking, ranges);
	dir_close(&d);
}

/* What hist counted is read again from what it prints. */
static void test_own_text(void **state)
{
	static const char *const triggers[] = {
		"hist:keys=pid",
		"hist:keys=pid.hex:vals=prio",
		"hist:keys=common_pid.execname,comm",
		"hist:keys=pid.syscall,comm:vals=prio,pid",
		"hist:keys=pid.sym,prio",
		"hist:keys=prio,pid.sym-offset",
		"hist:keys=cpu,comm,pid.log2:sort=pid",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(triggers); i++) {
		struct dir d;
		char *text;

		open_with(&d, waking, triggers[i], NULL);
		hit(&d, waking, "comm=abc pid=7 prio=3");
		hit(&d, waking, "comm=ab pid=70000 prio=-3");
		hit(&d, waking, "comm=abc pid=7 prio=9");
		assert_null(kernel_rows_lack(counts_of(&d, waking)->hd));
		text = shown(file_of(&d, waking), print_hist_file);
		hist_count_clear(counts_of(&d, waking));
		assert_int_equal(read_text(&d, waking, text), 0);
		check_file(&d, waking, text);
		free(text);
		dir_close(&d);
	}
}

static void test_added_rows(void **state)
{
	struct kernel_quirks exact;
	struct dir d;

	(void)state;
	open_with(&d, waking, "hist:keys=comm:vals=prio", NULL);
	assert_int_equal(read_text(&d, waking, equal_rows), 0);
	check_rows(&d, waking, "{ comm: abc } hitcount: 3 prio: 11 | 3 1 0");
	dir_close(&d);

	/* a question is about functions; the kernel counts addresses */
	kernel_quirks_exact(&exact);
	open_with(&d, all, "hist:keys=b64.sym", &exact);
	assert_int_equal(read_text(&d, all, addresses), 0);
	check_rows(&d, all,
		   "{ b64: [ffffffff81001000] do_one } hitcount: 3 "
		   "{ b64: [ffffffff81002000] do_two } hitcount: 4 "
		   "{ b64: [12345] 0x12345 } hitcount: 8 | 15 3 0");
	dir_close(&d);
}

static void test_damaged(void **state)
{
	struct dir d;

	(void)state;
	open_with(&d, waking, "hist:keys=pid", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(damaged); i++)
		assert_int_equal(read_text(&d, waking, damaged[i]), -HIST_EINVAL);
	assert_int_equal(read_text(&d, waking, HEAD("x") TOTALS("0", "0", "0")), 0);
	check_rows(&d, waking, "| 0 0 0");
	dir_close(&d);
}

static void check_lack(const char *event, const char *trigger, const struct kernel_quirks *question,
		       const char *want)
{
	const char *lack;
	struct dir d;

	open_with(&d, event, trigger, question);
	lack = kernel_rows_lack(counts_of(&d, event)->hd);
	if (want)
		assert_non_null(lack);
	assert_string_equal(lack ? lack : "", want ? want : "");
	dir_close(&d);
}

static void test_lack(void **state)
{
	struct kernel_quirks exact;

	(void)state;
	kernel_quirks_exact(&exact);
	check_lack(waking, "hist:keys=common_stacktrace", NULL, "a key is a stack");
	check_lack(waking, "hist:keys=common_timestamp", NULL, "a key is the time");
	check_lack(waking, "hist:keys=pid:vals=prio.percent", NULL,
		   "a value is printed as a percentage or a bar");
	check_lack(waking, "hist:keys=pid:p=prio", NULL,
		   "a trigger has variables, actions or a name");
	check_lack(waking, "hist:keys=pid:vals=prio:nohitcount", NULL, "nohitcount");
	check_lack(all, "hist:keys=dyn", NULL, "a key may have strings of more than 50 bytes");
	check_lack(all, "hist:keys=a32.log2", &exact,
		   "a key has ranges below 0, or with a start, which no kernel has");
	check_lack(all, "hist:keys=a32.log2", NULL, NULL);
	check_lack(all, "hist:keys=b32.log2", &exact, NULL);
	check_lack(all, "hist:keys=b64.log2", &exact, NULL);
	exact.log2_up_to_64 = false;
	check_lack(all, "hist:keys=b32.log2", &exact, NULL);
	check_lack(all, "hist:keys=b64.log2", &exact, "this kernel counts numbers above 2^63 as 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_kernels_text), TEST(test_own_text), TEST(test_added_rows),
		TEST(test_damaged),      TEST(test_lack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
