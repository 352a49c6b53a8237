/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables and sentences shared by all text formats: private to diff. */
#pragma once
#include "diff/diff.h"

/* --- tables.c: fill an empty table; 0, -HIST_ENOMEM; release it in any case --- */

/*
 * Whether text of the answers to a question has one table, of what takes the time or else of what
 * happened; others are only named.
 */
bool diff_is_brief(const struct hist_diff *d, const struct comparison *c);
/* Whether the comparison with this number is such another one. */
bool diff_only_names(const struct hist_diff *d, size_t i);
/* The value in that table. */
size_t main_value(const struct join *j);
/* What is not in that table, in lines, each with the option that shows it. */
void others_add(struct strbuf *out, const struct hist_diff *d, const struct comparison *c);

/* A metric: its name, the row (all) and the rows of its @view, their summary and exemplars. */
void table_of_metric(struct table *t, const struct hist_diff *d, const struct comparison *c,
		     const struct metric *metric, const struct view *view);

/*
 * n, min, ... p99.9 of all rows; the verdict are the sizes of effects. @dists: their distributions,
 * released by the caller in any case.
 */
int table_of_stat(struct table *t, const struct comparison *c, size_t stat, struct dists *dists);

/* A line for each row: its samples, its mean, the shift of the distribution. */
int table_of_stat_rows(struct table *t, const struct hist_diff *d, const struct comparison *c,
		       size_t stat);

/* A value of every side, each side compared with the first. */
int table_of_sides(struct table *t, const struct hist_diff *d, size_t join, size_t v);

/* --- words.c: append sentences without a newline --- */

/*
 * A number with useful digits, a time in a unit that fits; ranges are "1..2" and "1 us to 2 us", an
 * unknown value is "."; @unit: NULL for none.
 */
void number_add(struct strbuf *out, double v, bool with_sign, const char *unit);
void interval_add(struct strbuf *out, struct interval i, bool with_sign, const char *unit);
void percent_add(struct strbuf *out, struct interval i);
/* The unit of what is compared: parts, and numbers of samples, have none. */
const char *metric_unit(const struct comparison *c, const struct metric *metric);
/* "size (bytes)" */
void name_add(struct strbuf *out, const char *name, const char *unit);
/* "before a.dat: 7 hits in 2 s" */
void run_add(struct strbuf *out, const struct hist_diff *d, const struct diff_run *run);
/* "3 better, 1 worse, 28 the same (less is better); geometric mean -3.1%" */
void summary_add(struct strbuf *out, const struct hist_diff *d, const struct summary *s);
/* "lat (us): quantile shift ..."; empty without samples on both sides. */
void effects_add(struct strbuf *out, const struct diff_stat *stat, const struct dists *d);
/*
 * "over cpu: the largest share 25% (0) -> 80% (3), ..."; nothing if the key has fewer than @least
 * different values. 0, -HIST_ENOMEM
 */
int balance_add(struct strbuf *out, const struct comparison *c, size_t key, size_t v, size_t least);
/*
 * "worst hits: sys_read: max 900, prev_comm sync at 30.2; ..." for the first rows that are not
 * better; may be empty.
 */
void exemplars_add(struct strbuf *out, const struct hist_diff *d, const struct comparison *c,
		   const struct view *view);
/* "p99 of (all) 3 -> 4 (+33.3%)", and the reason if it is undecided. */
void check_add(struct strbuf *out, const struct hist_diff *d, const struct fail_on_check *c);
/* "7 rows: 2 changed, 0 only before, 0 only after" */
void marks_add(struct strbuf *out, const struct hist_diff *d, const struct comparison *c);
/*
 * "the spread contains the median with 87.5% (4 runs) and 95.8% (6 runs)"; empty for single runs.
 */
void spread_add(struct strbuf *out, const struct comparison *c);
/*
 * "; p99 is more than that of 9 of 10 before: 1 ms [4.3..2...1^] 2 ms", of what @m measured last:
 * a digit is a number of runs, the one after them is at ^. Nothing unless it is one against a few.
 */
void history_add(struct strbuf *out, const struct meter *m, const char *name, const char *unit);
/* "changed: us.p50 of (all) 3 -> 4 (+33.3%, p=0.002); ...": the numbers that decide. */
void findings_add(struct strbuf *out, const struct comparison *c);

/* Whether to print the line of a check: most matches of a pattern pass. */
bool check_is_shown(const struct hist_diff *d, const struct fail_on_check *c);
/* The first reason for an inconclusive verdict; NULL: none. */
const char *first_doubt(const struct hist_diff *d);
