// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares the rows of all runs, determines the verdict, and prints the comparison in a format.
 *
 * Reasons to doubt the result are warnings, other information is a note.
 */
#include "diff/diff.h"
#include "diff/tables.h"

/* --- selecting histograms --- */

static bool any_complete(const struct hist_diff *d)
{
	return any_of(i, d->joins.n, join_is_complete(d->joins.v[i]));
}

/* A saved script may define more histograms than were saved. */
static int choose(struct hist_diff *d, struct diags *diags)
{
	if (!d->joins.n)
		return diags_error(diags, -HIST_EINVAL, "no histograms to compare%s%s: %s",
				   d->options.show ? " of " : "",
				   d->options.show ? d->options.show : "",
				   d->options.show ? "--show takes an event that has one"
						   : "count with -e EVENT --by KEYS, or -S SCRIPT");
	for (size_t i = d->joins.n; i > 0 && d->some_histograms && any_complete(d); i--) {
		struct join *j = d->joins.v[i - 1];

		if (join_is_complete(j))
			continue;
		diags_add(diags, DIAG_NOTE,
			  "%s: '%s' is not compared: not every saved result has it", j->event,
			  j->trigger);
		join_free(j);
		d->joins.n--;
		for (size_t k = i - 1; k < d->joins.n; k++)
			d->joins.v[k] = d->joins.v[k + 1];
	}
	if (d->chosen > d->joins.n)
		return diags_error(diags, -HIST_EINVAL,
				   "--show takes an event, or the number of a histogram, of which "
				   "there are %zu",
				   d->joins.n);
	for (size_t i = 0; i < d->joins.n && d->chosen; i++)
		if (i + 1 != d->chosen)
			join_free(d->joins.v[i]);
	if (d->chosen) {
		d->joins.v[0] = d->joins.v[d->chosen - 1];
		d->joins.n = 1;
	}
	for (size_t i = 0; i < d->joins.n; i++)
		for (size_t run = 0; run < d->n_runs; run++)
			d->joins.v[i]->runs[run].name = d->names[run] ? d->names[run] : "";
	return 0;
}

/* --- options that name keys or metrics --- */

/* Whether a histogram has the key; @names: add all names. */
static bool has_key(const struct hist_diff *d, const char *key, struct strbuf *names)
{
	bool found = false;

	array_each_ptr(const struct join, j, &d->joins) {
		for (size_t k = 0; k < j->n_result_keys; k++) {
			found |= !strcmp(j->key_names[k], key);
			strbuf_addf(names, "%s%s", names->len ? ", " : "", j->key_names[k]);
		}
	}
	return found;
}

static int check_drop_keys(const struct hist_diff *d, struct diags *diags)
{
	bool found = true;

	for (size_t k = 0; k < d->options.n_drop_keys && found; k++) {
		scoped(strbuf_release) struct strbuf names = STRBUF_INIT;

		found = has_key(d, d->options.drop_keys[k], &names);
		if (!found)
			diags_error(diags, 0, "--drop-key %s: unknown key; known: %s",
				    d->options.drop_keys[k], names.s);
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
	if (j->exemplars.name && !strcmp(j->exemplars.name, unit->name)) {
		j->exemplars.unit = unit->unit;
		unit->used = true;
	}
}

static int set_units(struct hist_diff *d, struct diags *diags)
{
	for (size_t u = 0; u < d->options.n_units; u++) {
		for (size_t i = 0; i < d->joins.n; i++)
			set_unit(d->joins.v[i], &d->units[u]);
		if (!d->units[u].used)
			return diags_error(
				diags, -HIST_EINVAL,
				"--unit %s: no value, statistic or numeric key is called %s",
				d->options.units[u], d->units[u].name);
	}
	return 0;
}

/* Whether each row has a number of its own: the quantiles of a key are those of all rows. */
static bool metric_is_of_rows(const struct join *j, const struct metric *metric)
{
	return metric->what >= MEASURE_OF_STAT || !j->stats[metric->at].of_key;
}

/* --- normalisation --- */

/* Find a run without a rate; NULL if there is none. */
static const char *run_without_rate(const struct hist_diff *d)
{
	for (size_t i = 0; i < d->joins.n; i++)
		for (size_t run = 0; run < d->n_runs; run++) {
			const struct diff_run *r = &d->joins.v[i]->runs[run];

			if (r->added && run_seconds(r) <= 0)
				return r->name;
		}
	return NULL;
}

static int choose_mode(struct hist_diff *d, struct diags *diags)
{
	const char *timeless = run_without_rate(d);
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

/* --- marking rows --- */

static int choose_rows(struct join *j, const struct hist_diff_options *o)
{
	int err = 0;

	for (size_t i = 0; i < j->rows.n && !err; i++) {
		struct diff_row *row = j->rows.v[i];
		bool after = false, selected = !o->n_only;

		row->few = row_hits(j, row, 0) < o->min_count;
		for (size_t side = 1; side < j->n_sides; side++) {
			u64 hits = row_hits(j, row, side);

			after |= hits > 0;
			row->few &= hits < o->min_count;
		}
		for (size_t k = 0; k < o->n_only && !selected && !err; k++)
			err = row_matches(j, row, o->only[k], &selected);
		row->left_out = !selected || (o->ignore_new && !row_hits(j, row, 0)) ||
				(o->ignore_gone && !after);
	}
	return err;
}

int diff_prepare(struct hist_diff *d, struct diags *diags)
{
	int err = choose(d, diags);

	err = err ?: check_drop_keys(d, diags);
	err = err ?: set_units(d, diags);
	err = err ?: choose_mode(d, diags);
	for (size_t i = 0; i < d->joins.n && !err; i++) {
		err = choose_rows(d->joins.v[i], &d->options);
		err = err ?: join_finish(d->joins.v[i]);
	}
	return err;
}

/* Find the metric of --metric in each histogram; in those of sketches rather than of keys. */
static int select_metric(struct hist_diff *d, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	bool any = false, several = false, of_rows = false;

	array_each_while(struct comparison, c, &d->all, d->metric) {
		bool ambiguous;

		c->one_metric = true;
		c->has_metric = metric_find(c->join, d->metric, &c->metric, &ambiguous);
		any |= c->has_metric;
		several |= ambiguous;
		of_rows |= c->has_metric && metric_is_of_rows(c->join, &c->metric);
	}
	for (size_t i = 0; i < d->all.n && of_rows; i++)
		d->all.v[i].has_metric &= metric_is_of_rows(d->all.v[i].join, &d->all.v[i].metric);
	if (d->sorted && strcmp(d->sorted, d->metric) != 0)
		return diags_error(diags, -HIST_EINVAL, "--metric %s shows no %s for --sort",
				   d->metric, d->sorted);
	if (any || !d->metric)
		return 0;
	metrics_add(&d->all, &names);
	diags_error(diags, 0,
		    several ? "%s %s needs the name of a value: %s"
			    : "%s %s: there is no such number, only %s%s; save results with "
			      "--stats for quantiles of values and variables",
		    d->sorted ? "--sort" : "--metric", d->metric, names.s,
		    d->sorted ? ", or delta, percent, before, after, key" : "");
	return -HIST_EINVAL;
}

/* Compare each side of each histogram with the first one. */
static int compare_all(struct hist_diff *d, struct diags *diags)
{
	int err = 0;

	for (size_t after = 1; after < d->n_sides; after++)
		for (size_t i = 0; i < d->joins.n && !err; i++) {
			struct comparison *c;

			err = array_push(&d->all, ((struct comparison){ .join = d->joins.v[i] }));
			if (err)
				return err;
			c = &d->all.v[d->all.n - 1];
			err = meter_init(&c->meter, c->join, d->options.mode, after);
		}
	err = err ?: select_metric(d, diags);
	for (size_t after = 1; after < d->n_sides && !err; after++)
		err = evidence_test(d, after);
	for (size_t i = 0; i < d->all.n && !err; i++)
		err = comparison_judge(&d->all.v[i], &d->options, &d->arena);
	return err;
}

/* --- the verdict --- */

static bool is_empty(const struct hist_diff *d)
{
	return all_of(i, d->joins.n, !d->joins.v[i]->rows.n);
}

/* Whether a row of any histogram gets a verdict. */
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
	return any_of(i, d->verdict.checks.n, d->verdict.checks.v[i].outcome == outcome);
}

static bool any_row_differs(const struct hist_diff *d)
{
	return any_of(i, d->all.n, comparison_differs(&d->all.v[i]));
}

static enum hist_diff_verdict decide(const struct hist_diff *d)
{
	if (first_doubt(d))
		return HIST_DIFF_INCONCLUSIVE;
	if (!d->options.n_fail_on)
		return any_row_differs(d) ? HIST_DIFF_DIFFERENT : HIST_DIFF_SAME;
	if (any_outcome(d, OUTCOME_HOLDS))
		return HIST_DIFF_DIFFERENT;
	return any_outcome(d, OUTCOME_UNSURE) ? HIST_DIFF_INCONCLUSIVE : HIST_DIFF_SAME;
}

/* --- notes --- */

/* The kernel's release in "Linux host 6.12.0 x86_64". */
static struct span release_of(const char *uname)
{
	struct span rest = span_of(uname);

	span_sep(&rest, " ");
	if (rest.s)
		span_sep(&rest, " ");
	return rest.s ? span_sep(&rest, " ") : span_of("");
}

/* The first run of a side that has this histogram; NULL: none. */
static const struct diff_run *first_run(const struct join *j, size_t side)
{
	for (size_t i = 0; i < j->n_runs; i++)
		if (j->runs[i].side == side)
			return j->runs[i].added ? &j->runs[i] : NULL;
	return NULL;
}

static void note_runs(const struct hist_diff *d, const struct comparison *c, struct diags *diags)
{
	const struct diff_run *a = first_run(c->join, 0), *b = first_run(c->join, c->meter.after);
	const char *before = d->labels[0], *after = d->labels[c->meter.after];
	struct span from, to;
	struct strbuf text = STRBUF_INIT;

	if (!a || !b)
		return;
	from = release_of(a->uname);
	to = release_of(b->uname);
	if (from.n && to.n && !span_same(from, to))
		diags_add(diags, DIAG_NOTE, "the kernels differ: %.*s %s, %.*s %s", (int)from.n,
			  from.s, before, (int)to.n, to.s, after);
	if (strcmp(a->clock, b->clock))
		diags_add(diags, DIAG_NOTE, "the trace clocks differ: %s %s, %s %s", a->clock,
			  before, b->clock, after);
	if (strcmp(a->limits, b->limits))
		diags_add(
			diags, DIAG_WARNING,
			"the recordings were made with different filters or pids: record both with "
			"the same ones");
	/* another CPU or window of time; a part and the whole are a doubt */
	if (strcmp(a->selection, b->selection) &&
	    selections_are_alike(a->selection, b->selection)) {
		selections_print(a->name, a->selection, b->name, b->selection, &text);
		diags_add(diags, DIAG_NOTE, "%s", text.s);
		strbuf_release(&text);
	}
	if (a->rules != b->rules)
		diags_add(diags, DIAG_NOTE,
			  a->rules == RESULT_EXACT || b->rules == RESULT_EXACT
				  ? "only %s was counted by the exact rules"
				  : "only %s was counted without the kernel's limits",
			  a->rules > b->rules ? a->name : b->name);
}

/* Whether the key @key of all rows looks like a kernel address. */
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
		const struct result_column *column = &j->keys[i].column;
		const char *name = column->name;
		size_t n = strlen(name);

		if (column->type == RESULT_NUMBER && n >= 3 && !strcmp(name + n - 3, "pid"))
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

/* Why expressions are undecided, each once; the output has their other rows. */
static void note_checks(const struct hist_diff *d, struct diags *diags)
{
	const struct fail_on *last = NULL;

	array_each(const struct fail_on_check, c, &d->verdict.checks) {
		scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

		if (c->outcome != OUTCOME_UNSURE || c->expr == last)
			continue;
		last = c->expr;
		check_add(&text, d, c);
		diags_add(diags, DIAG_WARNING, "--fail-on '%s': %s", c->expr->text, text.s);
	}
}

static void note_all(const struct hist_diff *d, struct diags *diags)
{
	/* all histograms of a recording are alike in this */
	const struct join *j = d->joins.v[0];

	for (size_t run = 0; run < j->n_runs; run++)
		if (j->runs[run].inexact)
			diags_add(diags, DIAG_NOTE,
				  "%s is inexact: its fields were guessed from a text",
				  j->runs[run].name);
	array_each(const struct comparison, c, &d->all) {
		for (size_t k = 0; k < c->doubts.n; k++)
			diags_add(diags, DIAG_WARNING, "%s", c->doubts.v[k]);
		if (c->join == d->joins.v[0])
			note_runs(d, c, diags);
		if (c->meter.after > 1)
			continue; /* already reported for an earlier run */
		note_keys(c->join, diags);
		for (size_t run = 0; run < c->join->n_runs; run++)
			if (c->join->runs[run].added && c->join->n_sketches &&
			    !c->join->runs[run].has_stats)
				diags_add(
					diags, DIAG_WARNING,
					"%s has no statistics, or statistics of other values: save it with --stats",
					c->join->runs[run].name);
	}
	note_checks(d, diags);
}

/* --- printing --- */

static const struct diff_printer *const printers[] = {
	&diff_print_text, &diff_print_json,   &diff_print_markdown, &diff_print_junit,
	&diff_print_html, &diff_print_folded, &diff_print_svg,
};

static const struct diff_printer *find_document(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(printers); i++)
		if (!strcmp(name, printers[i]->name))
			return printers[i];
	return NULL;
}

const struct diff_printer *diff_printer_find(const char *name)
{
	return find_document(name) ?: (row_format_find(name) ? &diff_print_rows : NULL);
}

void diff_printer_names(struct strbuf *out)
{
	const struct row_format *of;

	for (size_t i = 0; i < ARRAY_SIZE(printers); i++)
		strbuf_addf(out, "%s%s", i ? ", " : "", printers[i]->name);
	for (size_t i = 0; (of = row_format_at(i)); i++)
		if (!find_document(of->name))
			strbuf_addf(out, ", %s", of->name);
}

/* A table has one header line: it shows the first histogram. */
void diff_note_others(const struct hist_diff *d, const char *format, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;

	for (size_t i = 1; i < d->joins.n; i++)
		strbuf_addf(&names, ", %zu: %s", i + 1, d->joins.v[i]->event);
	diags_add(diags, DIAG_NOTE,
		  "%s shows the first of %zu histograms; --show N shows another%s", format,
		  d->joins.n, names.s);
}

static int print(const struct hist_diff *d, hist_sink_fn sink, void *arg, struct diags *diags)
{
	const char *name = d->options.format ? d->options.format : "text";
	const struct diff_printer *printer = diff_printer_find(name);
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	int err, end;

	if (d->joins.n > 1 && printer->one_table)
		diff_note_others(d, name, diags);
	if (d->n_sides > 2 && printer->one_pair)
		return diags_error(diags, -HIST_EINVAL,
				   "%s can show only two sides, and there are %zu: use json", name,
				   d->n_sides);
	err = printer->print(d, &p);
	end = printer_end(&p);
	return err ? err : end;
}

int hist_diff_print(struct hist_diff *d, hist_sink_fn sink, void *arg,
		    enum hist_diff_verdict *verdict, struct diags *diags)
{
	int err = diff_prepare(d, diags);

	*verdict = HIST_DIFF_INCONCLUSIVE;
	err = err ?: compare_all(d, diags);
	if (!err) {
		err = checks_make(&d->verdict.checks, &d->all, &d->fail_on, &d->arena, diags);
		err = err ?: checks_judge(&d->verdict, &d->all, d->options.alpha, &d->arena);
		if (!err && is_empty(d))
			err = array_push(
				&d->all.v[0].doubts,
				"no event was counted on either side: nothing was compared; hist list "
				"shows which events a recording has");
		else if (!err && !d->options.n_fail_on && !any_judged(d))
			err = array_push(
				&d->all.v[0].doubts,
				"every row was left out or has too few hits: nothing was compared; change "
				"--only, --min-count, --ignore-new or --ignore-gone");
		if (!err && !first_doubt(d) && !d->options.n_fail_on && !any_row_differs(d))
			err = evidence_doubt(d);
		d->verdict.is = decide(d);
	}
	if (err)
		return err;
	note_all(d, diags);
	d->messages = diags;
	err = print(d, sink, arg, diags);
	if (err)
		return err;
	*verdict = d->verdict.is;
	return 0;
}
