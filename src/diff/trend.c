// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Trend: each metric of all rows over the sequence of runs, with the runs at which it changed; with
 * --all also the values of each row.
 */
#include <math.h>
#include <stdlib.h>

#include "diff/order_stats.h"
#include "diff/tables.h"

struct series {
	const char *name; /* name, such as "hitcount" or "lat.p99" */
	const char *unit;
	double *v; /* NAN: the run has no value */
	change_array changes;
};

struct trend_lines {
	const struct hist_diff *d;
	const struct join *join;
	struct meter meter;
	struct arena arena;
	ARRAY(struct series) series;
	size_t left_out; /* rows that --top leaves out */
};

/* --- collecting --- */

/* Add the last measured values as a series; for ranges, the middle. */
static int add_series(struct trend_lines *t, const char *name, const char *unit)
{
	size_t n = t->join->n_runs;
	struct series s = { .name = name, .unit = unit };
	int err;

	s.v = arena_alloc(&t->arena, (n + 1) * sizeof(*s.v));
	if (!s.v || !name)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		s.v[i] = interval_known(t->meter.runs[i]) ? interval_middle(t->meter.runs[i])
							  : (double)NAN;
	err = array_push(&t->series, s);
	return err;
}

/* Find change points; runs without a value are not part of the test. */
static int find_changes(const struct trend_lines *t, struct series *s)
{
	size_t n = 0, *at = calloc(t->join->n_runs + 1, sizeof(*at));
	double *v = calloc(t->join->n_runs + 1, sizeof(*v));
	int err = at && v ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < t->join->n_runs && !err; i++) {
		if (isnan(s->v[i]))
			continue;
		at[n] = i;
		v[n++] = s->v[i];
	}
	err = err ?: changes_find(v, n, t->d->options.alpha, &s->changes);
	for (size_t i = 0; i < s->changes.n && !err; i++)
		s->changes.v[i].at = at[s->changes.v[i].at];
	free(at);
	free(v);
	return err;
}

static int add_values(struct trend_lines *t, const struct diff_row *row)
{
	const struct join *j = t->join;
	struct strbuf keys = STRBUF_INIT;
	int err = 0;

	row_print_keys(j, row, ", ", &keys);
	for (size_t v = 0; v < j->n_values && !err; v++) {
		const char *name =
			row->keys ? arena_printf(&t->arena, "%s of %s", j->values[v].name, keys.s)
				  : j->values[v].name;

		measure_value(&t->meter, v, row);
		err = add_series(t, name, j->values[v].unit);
	}
	strbuf_release(&keys);
	return err;
}

static int add_stats(struct trend_lines *t)
{
	const struct subject all = { .row = NULL };
	const struct join *j = t->join;
	int err = 0;

	for (size_t s = 0; s < j->n_stats && !err; s++) {
		struct dists dists;

		err = dists_init(&dists, &t->meter, s, &all);
		for (enum measure_what what = MEASURE_N; what < MEASURE_OF_STAT && !err; what++) {
			measure_stat(&t->meter, &dists, what);
			err = add_series(t,
					 arena_printf(&t->arena, "%s.%s", j->stats[s].name,
						      measure_name(what)),
					 what == MEASURE_N ? NULL : j->stats[s].unit);
		}
		dists_release(&dists);
	}
	return err;
}

/* The values of rows: those with the largest first value, over all runs. */
static int add_rows(struct trend_lines *t, size_t top)
{
	const struct join *j = t->join;
	struct rank *ranks = calloc(j->rows.n + 1, sizeof(*ranks));
	size_t n = 0;
	int err = ranks ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < j->rows.n && !err; i++) {
		const struct diff_row *row = j->rows.v[i];
		struct rank *rank = &ranks[n];

		if (row->few || row->left_out)
			continue;
		*rank = (struct rank){ 0, i };
		measure_value(&t->meter, 0, row);
		for (size_t run = 0; run < j->n_runs; run++)
			rank->by += interval_known(t->meter.runs[run])
					    ? interval_middle(t->meter.runs[run])
					    : 0;
		n++;
	}
	if (!err && top < n)
		rank_sort(ranks, n);
	for (size_t i = 0; i < n && i < top && !err; i++)
		err = add_values(t, j->rows.v[ranks[i].at]);
	t->left_out = n > top ? n - top : 0;
	free(ranks);
	return err;
}

/* --- text --- */

static void add_double(struct table *t, double v)
{
	if (isnan(v))
		strbuf_addch(table_cell(t), '.');
	else
		number_add(table_cell(t), v, false);
	table_end_cell(t);
}

static void add_row(struct table *t, const struct series *s, size_t n)
{
	double least = HUGE_VAL, most = -HUGE_VAL;

	for (size_t i = 0; i < n; i++) {
		least = fmin(least, s->v[i]);
		most = fmax(most, s->v[i]);
	}
	name_add(table_cell(t), s->name, s->unit);
	table_end_cell(t);
	add_double(t, s->v[0]);
	add_double(t, s->v[n - 1]);
	add_double(t, least <= most ? least : (double)NAN);
	add_double(t, least <= most ? most : (double)NAN);
	for (size_t i = 0; i < n; i++)
		if (isnan(s->v[i]))
			strbuf_addch(table_cell(t), ' ');
		else
			text_add_spark(table_cell(t),
				       most > least ? (s->v[i] - least) / (most - least) : 0);
	table_end_cell(t);
	table_end_row(t);
}

static int print_text(const struct trend_lines *t, struct printer *p)
{
	static const char *const titles[] = { "metric", "first", "last", "min", "max", "" };
	const struct join *j = t->join;
	struct table table = TABLE_INIT;
	struct strbuf *out;

	strbuf_addf(&p->buf, "# %s %s\n# %zu result%s, %s to %s; values%s\n\n", j->event,
		    j->trigger, j->n_runs, plural(j->n_runs), j->runs[0].name,
		    j->runs[j->n_runs - 1].name, mode_suffixes[t->meter.mode]);
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table_add(&table, titles[i]);
	table_end_row(&table);
	for (size_t i = 0; i < t->series.n; i++)
		add_row(&table, &t->series.v[i], j->n_runs);
	table_text(&table, &p->buf);
	table_release(&table);
	if (t->left_out)
		strbuf_addf(&p->buf, "(%zu more: --top 0)\n", t->left_out);
	strbuf_addch(&p->buf, '\n');
	out = &p->buf;
	for (size_t i = 0; i < t->series.n; i++) {
		const struct series *s = &t->series.v[i];

		for (size_t k = 0; k < s->changes.n; k++) {
			const struct change *c = &s->changes.v[k];
			const struct interval before = interval_of(c->before),
					      after = interval_of(c->after);

			strbuf_addf(out, "%s: changed at %s: ", s->name, t->join->runs[c->at].name);
			number_add(out, c->before, false);
			strbuf_addstr(out, " -> ");
			number_add(out, c->after, false);
			strbuf_addstr(out, " (");
			percent_add(out, interval_percent(after, before));
			strbuf_addf(out, "), p=%.2g\n", c->p);
		}
	}
	return p->err;
}

/* --- json --- */

static void print_series(struct json *j, const struct series *s, size_t n)
{
	json_object(j, NULL);
	json_str(j, "metric", s->name);
	json_str_if(j, "unit", s->unit);
	json_array(j, "values");
	for (size_t i = 0; i < n; i++)
		json_double(j, NULL, s->v[i]);
	json_close(j, ']');
	json_array(j, "changes");
	for (size_t i = 0; i < s->changes.n; i++) {
		json_object(j, NULL);
		json_u64(j, "at", s->changes.v[i].at);
		json_double(j, "before", s->changes.v[i].before);
		json_double(j, "after", s->changes.v[i].after);
		json_double(j, "p", s->changes.v[i].p);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static int print_json(const struct trend_lines *t, struct printer *p)
{
	struct json j = { .out = &p->buf };

	json_object(&j, NULL);
	json_str(&j, "type", "hist_trend");
	json_u64(&j, "schema", 1);
	json_str(&j, "event", t->join->event);
	json_str(&j, "trigger", t->join->trigger);
	json_str(&j, "mode", mode_names[t->meter.mode]);
	json_array(&j, "files");
	for (size_t i = 0; i < t->join->n_runs; i++)
		json_str(&j, NULL, t->join->runs[i].name);
	json_close(&j, ']');
	json_u64_if(&j, "rows_not_shown", t->left_out);
	json_array(&j, "series");
	for (size_t i = 0; i < t->series.n; i++)
		print_series(&j, &t->series.v[i], t->join->n_runs);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
	return p->err;
}

/* --- all histograms --- */

static int print_one(const struct hist_diff *d, const struct join *join, struct printer *p,
		     size_t *n_changes)
{
	const char *format = d->options.format;
	struct trend_lines t = { .d = d, .join = join };
	int err = meter_init(&t.meter, join, d->options.mode, 1);

	err = err ?: add_values(&t, &join->all);
	err = err ?: add_stats(&t);
	if (!err && (d->options.top || d->options.all))
		err = add_rows(&t, d->options.top ?: SIZE_MAX);
	for (size_t i = 0; i < t.series.n && !err; i++)
		err = find_changes(&t, &t.series.v[i]);
	for (size_t i = 0; i < t.series.n; i++)
		*n_changes += t.series.v[i].changes.n;
	if (!err)
		err = format && !strcmp(format, "json") ? print_json(&t, p) : print_text(&t, p);
	for (size_t i = 0; i < t.series.n; i++)
		array_release(&t.series.v[i].changes);
	array_release(&t.series);
	meter_release(&t.meter);
	arena_release(&t.arena);
	return err;
}

/* Report the first run that counted another part of its recording than the first one. */
static void warn_selection(const struct join *j, struct diags *diags)
{
	const struct diff_run *first = &j->runs[0], *run;
	struct strbuf text = STRBUF_INIT;
	size_t i = 1;

	while (i < j->n_runs && (!first->added || !j->runs[i].added ||
				 !strcmp(first->selection, j->runs[i].selection)))
		i++;
	if (i == j->n_runs)
		return;
	run = &j->runs[i];
	selections_print(first->name, first->selection, run->name, run->selection, &text);
	diags_add(diags, DIAG_WARNING, "%s", text.s);
	strbuf_release(&text);
}

/* Whether a run cannot be compared with the others. */
static bool warn(const struct join *j, struct diags *diags)
{
	struct strbuf text = STRBUF_INIT;
	bool doubtful = false;

	for (size_t i = 0; i < j->n_runs; i++) {
		strbuf_reset(&text);
		if (!j->runs[i].added) {
			diags_add(diags, DIAG_WARNING, "%s has no histogram of %s for '%s'",
				  j->runs[i].name, j->event, j->trigger);
			continue;
		}
		caveats_diagnose(span_of(j->runs[i].caveats), j->runs[i].name, diags);
		doubtful |= j->runs[i].caveats[0];
		if (!diff_lost_too_many(&j->runs[i], 0, &text))
			continue;
		diags_add(diags, DIAG_WARNING, "%s", text.s);
		doubtful = true;
	}
	strbuf_release(&text);
	warn_selection(j, diags);
	return doubtful;
}

int hist_diff_print_trend(struct hist_diff *d, hist_sink_fn sink, void *arg,
			  enum hist_diff_verdict *verdict, struct diags *diags)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	bool text = !d->options.format || !strcmp(d->options.format, "text");
	int err = diff_prepare(d, diags), end;
	size_t n_changes = 0;
	bool doubtful = false;

	*verdict = HIST_DIFF_INCONCLUSIVE;
	if (!err && !text && strcmp(d->options.format, "json"))
		err = diags_error(diags, -HIST_EINVAL, "a trend is printed as text or json");
	for (size_t i = 0; i < d->joins.n && !err; i++) {
		doubtful |= warn(d->joins.v[i], diags);
		if (join_is_complete(d->joins.v[i]))
			err = print_one(d, d->joins.v[i], &p, &n_changes);
	}
	if (!err && text)
		strbuf_addf(&p.buf,
			    "%zu change point%s (Pettitt's test, level %g, p over %d shuffles)%s\n",
			    n_changes, plural(n_changes), d->options.alpha, CHANGE_SHUFFLES,
			    d->n_runs < 8 ? "; fewer than 8 results cannot show any" : "");
	end = printer_end(&p);
	if (!err && !end && !doubtful)
		*verdict = n_changes ? HIST_DIFF_DIFFERENT : HIST_DIFF_SAME;
	return err ? err : end;
}
