// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Enters: the rows of all runs. Leaves: a verdict, and the comparison in a format.
 *
 * What is doubtful is said as a warning; what is only worth knowing, as a note.
 */
#include <stdlib.h>

#include "diff/diff.h"

/* ORDER enum hist_diff_verdict */
static const char *const verdicts[] = { "same", "different", "inconclusive" };
/* ORDER enum outcome */
static const char *const outcomes[] = { "does not hold", "holds", "inconclusive" };

const char *verdict_name(enum hist_diff_verdict verdict)
{
	return verdicts[verdict];
}

const char *outcome_name(enum outcome outcome)
{
	return outcomes[outcome];
}

/* --- which histograms are compared --- */

static bool any_complete(const struct hist_diff *d)
{
	for (size_t i = 0; i < d->all.n; i++)
		if (join_is_complete(d->all.v[i].join))
			return true;
	return false;
}

static void leave_out(struct hist_diff *d, size_t i, struct diags *diags)
{
	diags_add(diags, DIAG_NOTE, "%s: '%s' is not compared: not every saved result has it",
		  d->all.v[i].join->event, d->all.v[i].join->trigger);
	join_free(d->all.v[i].join);
	d->all.n--;
	for (; i < d->all.n; i++)
		d->all.v[i] = d->all.v[i + 1];
}

/* A script that was saved with some histograms may make more of them. */
static int choose(struct hist_diff *d, struct diags *diags)
{
	if (!d->all.n)
		return diags_error(diags, -HIST_EINVAL, "there are no histograms to compare%s%s",
				   d->options.show ? " of " : "",
				   d->options.show ? d->options.show : "");
	if (d->some_histograms && any_complete(d))
		for (size_t i = d->all.n; i > 0; i--)
			if (!join_is_complete(d->all.v[i - 1].join))
				leave_out(d, i - 1, diags);
	for (size_t i = 0; i < d->all.n; i++)
		for (size_t run = 0; run < d->n_runs; run++)
			d->all.v[i].join->runs[run].name = d->names[run] ? d->names[run] : "";
	return 0;
}

/* --- options that name things --- */

/* Whether a histogram has a key of this name; adds the names of its keys. */
static bool has_key(const struct join *j, const char *name, struct strbuf *names)
{
	bool found = false;

	for (size_t i = 0; i < j->n_result_keys; i++) {
		found |= !strcmp(j->key_names[i], name);
		strbuf_addf(names, "%s%s", names->len ? ", " : "", j->key_names[i]);
	}
	return found;
}

static int check_drop_keys(const struct hist_diff *d, struct diags *diags)
{
	bool found = true;

	for (size_t k = 0; k < d->options.n_drop_keys && found; k++) {
		struct strbuf names = STRBUF_INIT;

		found = false;
		for (size_t i = 0; i < d->all.n; i++)
			found |= has_key(d->all.v[i].join, d->options.drop_keys[k], &names);
		if (!found)
			diags_error(diags, 0, "--drop-key %s: there is no such key; there is %s",
				    d->options.drop_keys[k], names.s);
		strbuf_release(&names);
	}
	return found ? 0 : -HIST_EINVAL;
}

static void set_unit(struct join *j, struct unit *unit)
{
	for (size_t i = 0; i < j->n_values; i++) {
		if (strcmp(j->values[i].name, unit->name))
			continue;
		j->values[i].unit = unit->unit;
		unit->used = true;
	}
	for (size_t i = 0; i < j->n_stats; i++) {
		if (strcmp(j->stats[i].name, unit->name))
			continue;
		j->stats[i].unit = unit->unit;
		unit->used = true;
	}
}

static int set_units(struct hist_diff *d, struct diags *diags)
{
	for (size_t u = 0; u < d->options.n_units; u++) {
		for (size_t i = 0; i < d->all.n; i++)
			set_unit(d->all.v[i].join, &d->units[u]);
		if (!d->units[u].used)
			return diags_error(
				diags, -HIST_EINVAL,
				"--unit %s: no value, statistic or numeric key is called %s",
				d->options.units[u], d->units[u].name);
	}
	return 0;
}

/* --- how values are normalised --- */

/* A run of which there is no rate; NULL: none. */
static const char *timeless_run(const struct hist_diff *d)
{
	for (size_t i = 0; i < d->all.n; i++)
		for (size_t run = 0; run < d->n_runs; run++) {
			const struct diff_run *r = &d->all.v[i].join->runs[run];

			if (r->added && run_seconds(r) <= 0)
				return r->name;
		}
	return NULL;
}

static int choose_mode(struct hist_diff *d, struct diags *diags)
{
	const char *timeless = timeless_run(d);
	struct hist_diff_options *o = &d->options;

	if (o->mode == HIST_DIFF_RATE && timeless)
		return diags_error(diags, -HIST_EINVAL,
				   "--rate: %s covers no time; compare with --share or --absolute",
				   timeless);
	if (o->mode == HIST_DIFF_DEFAULT && timeless)
		diags_add(diags, DIAG_NOTE,
			  "%s covers no time: counts are compared as they are, not per second",
			  timeless);
	if (o->mode == HIST_DIFF_DEFAULT)
		o->mode = timeless ? HIST_DIFF_ABSOLUTE : HIST_DIFF_RATE;
	return 0;
}

/* --- rows that are judged --- */

static void choose_rows(struct join *j, const struct hist_diff_options *o)
{
	for (size_t i = 0; i < j->rows.n; i++) {
		struct diff_row *row = j->rows.v[i];
		u64 before = row_hits(j, row, 0), after = row_hits(j, row, 1);

		row->left_out = (o->ignore_new && !before) || (o->ignore_gone && !after);
		row->few = before < o->min_count && after < o->min_count;
	}
}

static int prepare(struct hist_diff *d)
{
	int err = 0;

	for (size_t i = 0; i < d->all.n && !err; i++) {
		struct comparison *c = &d->all.v[i];

		choose_rows(c->join, &d->options);
		err = join_finish(c->join);
		if (!err)
			err = meter_init(&c->meter, c->join, d->options.mode);
		if (!err)
			err = comparison_judge(c, &d->options, &d->arena);
	}
	return err;
}

/* --- the verdict --- */

static bool is_empty(const struct hist_diff *d)
{
	for (size_t i = 0; i < d->all.n; i++)
		if (d->all.v[i].join->rows.n)
			return false;
	return true;
}

/* Whether a row of any histogram is judged. */
static bool any_judged(const struct hist_diff *d)
{
	for (size_t i = 0; i < d->all.n; i++)
		for (enum mark mark = MARK_SAME; mark < MARKS; mark++)
			if (mark != MARK_FEW && d->all.v[i].marks[mark])
				return true;
	return false;
}

static bool any_outcome(const struct hist_diff *d, enum outcome outcome)
{
	for (size_t i = 0; i < d->verdict.checks.n; i++)
		if (d->verdict.checks.v[i].outcome == outcome)
			return true;
	return false;
}

static bool any_row_differs(const struct hist_diff *d)
{
	for (size_t i = 0; i < d->all.n; i++) {
		const size_t *marks = d->all.v[i].marks;

		if (marks[MARK_CHANGED] || marks[MARK_GONE] || marks[MARK_NEW])
			return true;
	}
	return false;
}

static bool is_doubtful(const struct hist_diff *d)
{
	for (size_t i = 0; i < d->all.n; i++)
		if (d->all.v[i].doubts.n)
			return true;
	return false;
}

static enum hist_diff_verdict decide(const struct hist_diff *d)
{
	if (is_doubtful(d))
		return HIST_DIFF_INCONCLUSIVE;
	if (!d->options.n_fail_on)
		return any_row_differs(d) ? HIST_DIFF_DIFFERENT : HIST_DIFF_SAME;
	if (any_outcome(d, OUTCOME_HOLDS))
		return HIST_DIFF_DIFFERENT;
	return any_outcome(d, OUTCOME_UNSURE) ? HIST_DIFF_INCONCLUSIVE : HIST_DIFF_SAME;
}

static int judge(struct hist_diff *d, struct diags *diags)
{
	int err = checks_make(&d->verdict.checks, &d->all, &d->fail_on, &d->arena, diags);

	if (!err)
		err = checks_judge(&d->verdict, &d->all, d->options.alpha);
	if (!err && is_empty(d))
		err = array_push(&d->all.v[0].doubts,
				 "no event was counted on either side: nothing was compared");
	else if (!err && !d->options.n_fail_on && !any_judged(d))
		err = array_push(
			&d->all.v[0].doubts,
			"every row was left out or has too few hits: nothing was compared");
	d->verdict.is = decide(d);
	return err;
}

/* --- what else is worth saying --- */

/* The kernel's release in "Linux host 6.12.0 x86_64". */
static struct span release_of(const char *uname)
{
	struct span rest = span_of(uname);

	span_sep(&rest, " ");
	if (rest.s)
		span_sep(&rest, " ");
	return rest.s ? span_sep(&rest, " ") : span_of("");
}

static void note_runs(const struct join *j, struct diags *diags)
{
	const struct diff_run *a = &j->runs[0], *b = &j->runs[j->n_before];
	struct span from, to;

	if (!a->added || !b->added)
		return;
	from = release_of(a->uname);
	to = release_of(b->uname);
	if (from.n && to.n && !span_same(from, to))
		diags_add(diags, DIAG_NOTE, "another kernel: %.*s before, %.*s after", (int)from.n,
			  from.s, (int)to.n, to.s);
	if (strcmp(a->clock, b->clock))
		diags_add(diags, DIAG_NOTE, "another trace clock: %s before, %s after", a->clock,
			  b->clock);
	if (strcmp(a->limits, b->limits))
		diags_add(diags, DIAG_WARNING,
			  "the recordings were limited otherwise, by filters or to pids");
	if (a->unlimited != b->unlimited)
		diags_add(diags, DIAG_NOTE, "only %s was counted without the kernel's limits",
			  a->unlimited ? a->name : b->name);
}

static bool is_pid(const struct result_column *column)
{
	size_t n = strlen(column->name);

	return column->type == RESULT_NUMBER && n >= 3 && !strcmp(column->name + n - 3, "pid");
}

/* Whether all rows have what looks like an address of a kernel under @key. */
static bool is_address(const struct join *j, size_t key)
{
	const struct result_column *column = &j->keys[key].column;

	if (column->type != RESULT_NUMBER || column->is_signed || column->has_label)
		return false;
	for (size_t i = 0; i < j->rows.n; i++)
		if (j->rows.v[i]->keys[key].num >> 47 != 0x1ffff)
			return false;
	return j->rows.n > 0;
}

static void note_keys(const struct join *j, struct diags *diags)
{
	for (size_t i = 0; i < j->n_keys; i++) {
		const char *name = j->keys[i].column.name;

		if (is_pid(&j->keys[i].column))
			diags_add(
				diags, DIAG_NOTE,
				"%s: pids differ from run to run; a key that is a comm, or --drop-key %s, "
				"compares better",
				name, name);
		else if (is_address(j, i))
			diags_add(
				diags, DIAG_NOTE,
				"%s: addresses differ from boot to boot; the key %s.sym compares better",
				name, name);
	}
}

static void note_stats(const struct join *j, struct diags *diags)
{
	for (size_t run = 0; run < j->n_runs; run++)
		if (j->runs[run].added && j->n_sketches && !j->runs[run].has_stats)
			diags_add(diags, DIAG_WARNING,
				  "%s has no statistics, or of other values: save it with --stats",
				  j->runs[run].name);
}

static void say(const struct hist_diff *d, struct diags *diags)
{
	for (size_t i = 0; i < d->all.n; i++) {
		const struct comparison *c = &d->all.v[i];

		for (size_t k = 0; k < c->doubts.n; k++)
			diags_add(diags, DIAG_WARNING, "%s", c->doubts.v[k]);
		if (!i)
			note_runs(c->join, diags);
		note_keys(c->join, diags);
		note_stats(c->join, diags);
	}
}

/* --- printing --- */

static const struct diff_printer *const printers[] = { &diff_print_text, &diff_print_json,
						       &diff_print_csv };

static int print(const struct hist_diff *d, hist_sink_fn sink, void *arg, struct diags *diags)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	const struct diff_printer *printer = printers[0];
	int err, end;

	for (size_t i = 0; i < ARRAY_SIZE(printers) && d->options.format; i++)
		if (!strcmp(d->options.format, printers[i]->name))
			printer = printers[i];
	if (d->all.n > 1 && printer == &diff_print_csv)
		return diags_error(
			diags, -HIST_EINVAL,
			"csv has room for one histogram, and there are %zu: choose an event with --show, or "
			"take json",
			d->all.n);
	err = printer->print(d, &p);
	end = printer_end(&p);
	return err ? err : end;
}

int hist_diff_print(struct hist_diff *d, hist_sink_fn sink, void *arg,
		    enum hist_diff_verdict *verdict, struct diags *diags)
{
	int err = choose(d, diags);

	*verdict = HIST_DIFF_INCONCLUSIVE;
	if (!err)
		err = check_drop_keys(d, diags);
	if (!err)
		err = set_units(d, diags);
	if (!err)
		err = choose_mode(d, diags);
	if (!err)
		err = prepare(d);
	if (!err)
		err = judge(d, diags);
	if (!err)
		err = print(d, sink, arg, diags);
	if (err)
		return err;
	say(d, diags);
	*verdict = d->verdict.is;
	return 0;
}
