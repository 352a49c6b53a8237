// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Trend: each metric of all rows over the sequence of runs, with the runs at which it changed; with
 * --all also the values of each row.
 */
#include "diff/order_stats.h"
#include "diff/tables.h"
#include "picture/picture.h"

struct series {
	const char *name; /* name, such as "hitcount" or "lat.p99" */
	const char *unit;
	bool tested;
	struct change_series of;
};

struct trend_lines {
	const struct join *join;
	struct meter meter;
	struct arena arena;
	ARRAY(struct series) series;
	size_t left_out; /* rows that --top leaves out */
};

/* Of all histograms. */
struct trends {
	struct trend_lines *v;
	size_t n, n_tested, n_changes;
};

/* --- collecting --- */

/* Add the last measured values as a series; for ranges, the middle. */
static int add_series(struct trend_lines *t, const char *name, const char *unit, bool tested)
{
	size_t n = t->join->n_runs;
	double *v = arena_alloc(&t->arena, (n + 1) * sizeof(*v));

	if (!v || !name)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		v[i] = interval_known(t->meter.runs[i]) ? interval_middle(t->meter.runs[i])
							: (double)NAN;
	return array_push(&t->series, ((struct series){ name, unit, tested, { .v = v } }));
}

static int add_values(struct trend_lines *t, const struct diff_row *row)
{
	const struct join *j = t->join;
	scoped(strbuf_release) struct strbuf keys = STRBUF_INIT;
	int err = 0;

	row_print_keys(j, row, ", ", false, &keys);
	for (size_t v = 0; v < j->n_values && !err; v++) {
		const char *name =
			row->keys ? arena_printf(&t->arena, "%s of %s", j->values[v].name, keys.s)
				  : j->values[v].name;

		measure_value(&t->meter, v, row);
		err = add_series(t, name, j->values[v].unit, true);
	}
	return err;
}

static int add_stats(struct trend_lines *t)
{
	const struct subject all = { .row = NULL };
	const struct join *j = t->join;
	int err = 0;

	for (size_t s = 0; s < j->n_stats && !err; s++) {
		struct dists dists;

		if (j->stats[s].repeats)
			continue;
		err = dists_init(&dists, &t->meter, s, &all);
		for (enum measure_what what = MEASURE_N; what < MEASURE_OF_STAT && !err; what++) {
			measure_stat(&t->meter, &dists, what);
			err = add_series(t,
					 arena_printf(&t->arena, "%s.%s", j->stats[s].name,
						      measure_name(what)),
					 what == MEASURE_N ? NULL : j->stats[s].unit,
					 measure_is_tested(what));
		}
		dists_release(&dists);
	}
	return err;
}

/* The values of rows: those with the largest first value, over all runs. */
static int add_rows(struct trend_lines *t, size_t top)
{
	const struct join *j = t->join;
	scoped(free_scoped) struct rank *ranks = calloc(j->rows.n + 1, sizeof(*ranks));
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
	return err;
}

/* --- text --- */

static void add_double(struct table *t, double v, const char *unit)
{
	if (isnan(v))
		strbuf_addch(table_cell(t), '.');
	else
		number_add(table_cell(t), v, false, unit);
	table_end_cell(t);
}

/* The limits of the values; the least is the larger one if none is known. */
static struct interval limits_of(const struct series *s, size_t n)
{
	struct interval limits = { HUGE_VAL, -HUGE_VAL };

	for (size_t i = 0; i < n; i++) {
		limits.min = fmin(limits.min, s->of.v[i]);
		limits.max = fmax(limits.max, s->of.v[i]);
	}
	return limits;
}

static void add_row(struct table *t, const struct series *s, size_t n)
{
	const struct interval limits = limits_of(s, n);
	const double least = limits.min, most = limits.max;

	name_add(table_cell(t), s->name, s->unit);
	table_end_cell(t);
	add_double(t, s->of.v[0], s->unit);
	add_double(t, s->of.v[n - 1], s->unit);
	add_double(t, least <= most ? least : (double)NAN, s->unit);
	add_double(t, least <= most ? most : (double)NAN, s->unit);
	for (size_t i = 0; i < n; i++)
		if (isnan(s->of.v[i]))
			strbuf_addch(table_cell(t), ' ');
		else
			text_add_spark(table_cell(t),
				       most > least ? (s->of.v[i] - least) / (most - least) : 0);
	table_end_cell(t);
	table_end_row(t);
}

/* "hitcount: changed at FILE: 3,075 -> 8,380 (+172.5%), p=0.005" */
static void add_change(const struct trend_lines *t, const struct series *s, size_t k,
		       struct strbuf *out)
{
	const struct change *c = &s->of.changes.v[k];
	const struct interval before = interval_of(c->before), after = interval_of(c->after);

	strbuf_addf(out, "%s: changed at %s: ", s->name, t->join->runs[c->at].name);
	number_add(out, c->before, false, s->unit);
	strbuf_addstr(out, " -> ");
	number_add(out, c->after, false, s->unit);
	strbuf_addstr(out, " (");
	percent_add(out, interval_percent(after, before));
	strbuf_addf(out, "), p=%.2g", c->p);
}

static int print_text(const struct trend_lines *t, struct printer *p)
{
	static const char *const titles[] = { "metric", "first", "last", "min", "max", "" };
	const struct join *j = t->join;
	struct table table = TABLE_INIT;

	strbuf_addstr(&p->buf, "# ");
	join_add_name(j, true, &p->buf);
	strbuf_addf(&p->buf, "\n# %zu result%s, %s to %s; values%s\n\n", j->n_runs,
		    plural(j->n_runs), j->runs[0].name, j->runs[j->n_runs - 1].name,
		    mode_suffixes[t->meter.mode]);
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
	for (size_t i = 0; i < t->series.n; i++)
		for (size_t k = 0; k < t->series.v[i].of.changes.n; k++) {
			add_change(t, &t->series.v[i], k, &p->buf);
			strbuf_addch(&p->buf, '\n');
		}
	return p->err;
}

/* --- a page --- */

/* A mark for each run, the largest value on top; after a change in another colour. */
static void draw_series(const struct series *s, const struct join *j, struct strbuf *out)
{
	enum { HEIGHT = 110, FIRST = 12 }; /* FIRST: percentage of the width for texts */
	const double step = (100.0 - FIRST) / (double)j->n_runs;
	const struct interval limits = limits_of(s, j->n_runs);
	const double least = limits.min, most = limits.max;
	bool changed = false;

	strbuf_addf(out, "<svg class=\"chart\" width=\"100%%\" height=\"%d\">", HEIGHT + 24);
	for (int end = 0; end < 2 && j->n_runs > 1; end++) {
		strbuf_addf(out, "<text x=\"%d%%\" y=\"%d\"%s>", end ? 100 : FIRST, HEIGHT + 20,
			    end ? " text-anchor=\"end\"" : "");
		markup_str(out, path_base(j->runs[end ? j->n_runs - 1 : 0].name));
		strbuf_addstr(out, "</text>");
	}
	for (int end = 0; end < 2 && least <= most; end++) {
		strbuf_addf(out,
			    "<line class=\"grid\" x1=\"%d%%\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>",
			    FIRST, end ? 4 : HEIGHT, end ? 4 : HEIGHT);
		strbuf_addf(out, "<text x=\"0\" y=\"%d\">", end ? 11 : HEIGHT);
		number_add(out, end ? most : least, false, s->unit);
		strbuf_addstr(out, "</text>");
	}
	for (size_t i = 0, next = 0; i < j->n_runs; i++) {
		const double v = s->of.v[i];

		if (next < s->of.changes.n && s->of.changes.v[next].at == i) {
			changed = !changed;
			next++;
		}
		if (isnan(v))
			continue;
		strbuf_addf(
			out,
			"<rect class=\"%c\" x=\"%.4g%%\" y=\"%.4g\" width=\"%.4g%%\" height=\"6\"><title>",
			changed ? 'b' : 'a', FIRST + (double)i * step,
			most > least ? 1 + (most - v) / (most - least) * (HEIGHT - 4) : HEIGHT / 2,
			step * 0.8);
		markup_str(out, j->runs[i].name);
		strbuf_addstr(out, ": ");
		number_add(out, v, false, s->unit);
		strbuf_addstr(out, "</title></rect>");
	}
	strbuf_addstr(out, "</svg>\n");
}

/* Series that changed are first, with what changed and since when. */
static void print_page(const struct trend_lines *t, struct printer *p)
{
	const struct join *j = t->join;
	struct strbuf text = STRBUF_INIT, *out = &p->buf;

	join_add_name(j, false, &text);
	strbuf_addstr(out, "<h2>");
	markup_str(out, text.s ?: "");
	strbuf_addf(out, "</h2>\n<p class=\"sub\">%zu results, ", j->n_runs);
	markup_str(out, j->runs[0].name);
	strbuf_addstr(out, " to ");
	markup_str(out, j->runs[j->n_runs - 1].name);
	strbuf_addf(out, "; values%s</p>\n", mode_suffixes[t->meter.mode]);
	for (int same = 0; same < 2; same++)
		array_each(const struct series, s, &t->series) {
			if ((s->of.changes.n ? 0 : 1) != same)
				continue;
			strbuf_addstr(out, "<h3>");
			markup_str(out, s->name);
			strbuf_addstr(out, "</h3>\n");
			for (size_t k = 0; k < s->of.changes.n; k++) {
				strbuf_reset(&text);
				add_change(t, s, k, &text);
				strbuf_addstr(out, "<p class=\"warn\">");
				markup_str(out, text.s ?: "");
				strbuf_addstr(out, "</p>\n");
			}
			draw_series(s, j, out);
			printer_flush(p);
		}
	out->failed |= text.failed;
	strbuf_release(&text);
}

/* --- json --- */

static void print_series(struct json *j, const struct series *s, size_t n)
{
	json_object(j, NULL);
	json_str(j, "metric", s->name);
	json_str_if(j, "unit", s->unit);
	json_array(j, "values");
	for (size_t i = 0; i < n; i++)
		json_double(j, NULL, s->of.v[i]);
	json_close(j, ']');
	json_array(j, "changes");
	for (size_t i = 0; i < s->of.changes.n; i++) {
		json_object(j, NULL);
		json_u64(j, "at", s->of.changes.v[i].at);
		json_double(j, "before", s->of.changes.v[i].before);
		json_double(j, "after", s->of.changes.v[i].after);
		json_double(j, "p", s->of.changes.v[i].p);
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

/* --- rows: a line for each value --- */

static int print_as_rows(const struct trend_lines *t, const struct row_format *format,
			 struct printer *p)
{
	static const struct row_column columns[] = {
		{ .name = "metric", .kind = CELL_TEXT },   { .name = "unit", .kind = CELL_TEXT },
		{ .name = "file", .kind = CELL_TEXT },     { .name = "value", .kind = CELL_DOUBLE },
		{ .name = "before", .kind = CELL_DOUBLE }, { .name = "after", .kind = CELL_DOUBLE },
		{ .name = "p", .kind = CELL_DOUBLE },
	};
	struct row_writer w = { .format = format, .out = &p->buf, .encoded = true };

	rows_begin(&w, columns, ARRAY_SIZE(columns));
	array_each(const struct series, s, &t->series) {
		for (size_t run = 0, next = 0; run < t->join->n_runs; run++) {
			const struct change *c = next < s->of.changes.n ? &s->of.changes.v[next]
									: NULL;

			rows_str(&w, s->name);
			rows_str(&w, s->unit);
			rows_str(&w, t->join->runs[run].name);
			rows_double(&w, s->of.v[run]);
			/* the run at which it changed */
			if (c && c->at == run) {
				rows_double(&w, c->before);
				rows_double(&w, c->after);
				rows_double(&w, c->p);
				next++;
			}
			rows_end_row(&w);
			printer_flush(p);
		}
	}
	return rows_end(&w, true) ?: p->err;
}

static int print_trend(const struct trends *all, const struct hist_diff *d, struct printer *p,
		       struct diags *diags)
{
	const char *name = d->options.format ?: "text";
	const struct row_format *rows = row_format_find(name);
	const bool text = !strcmp(name, "text"), page = !strcmp(name, "html");
	const char *question = d->joins.v[0]->question;
	scoped(strbuf_release) struct strbuf title = STRBUF_INIT;
	struct page_head head = { .command = d->options.command, .messages = diags };
	int err = 0;

	strbuf_addf(&title, "%s%s: %s", question ? question : "",
		    question ? " Trend" : "hist trend",
		    all->n_changes ? "something changed" : "no change");
	head.title = title.s;
	if (page)
		page_begin(&p->buf, &head);
	if (!text && !page && strcmp(name, "json") != 0) {
		if (all->n > 1)
			diff_note_others(d, name, diags);
		return all->n ? print_as_rows(&all->v[0], rows, p) : 0;
	}
	for (size_t i = 0; i < all->n && !err; i++)
		if (page)
			print_page(&all->v[i], p);
		else
			err = text ? print_text(&all->v[i], p) : print_json(&all->v[i], p);
	if (!err && (text || page))
		strbuf_addf(&p->buf,
			    "%s%zu change point%s (p: of %d orders of the runs, the share in which "
			    "any of %zu metrics changes as much; level %g)%s\n",
			    page ? "<p class=\"note\">" : "", all->n_changes,
			    plural(all->n_changes), CHANGE_SHUFFLES + 1, all->n_tested,
			    d->options.alpha,
			    d->n_runs < 8 ? "; fewer than 8 results cannot show any" : "");
	if (page)
		page_end(&head, &p->buf);
	return err ?: p->err;
}

/* --- all histograms --- */

static int collect(struct trend_lines *t, const struct hist_diff *d, const struct join *join)
{
	int err = meter_init(&t->meter, join, d->options.mode, 1);

	t->join = join;
	err = err ?: add_values(t, &join->all);
	err = err ?: add_stats(t);
	if (!err && (d->options.top || d->options.all))
		err = add_rows(t, d->options.top ?: SIZE_MAX);
	return err;
}

/* Report the first run that counted another part of its recording than the first one. */
static void warn_selection(const struct join *j, struct diags *diags)
{
	const struct diff_run *first = &j->runs[0], *run;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	size_t i = 1;

	while (i < j->n_runs && (!first->added || !j->runs[i].added ||
				 !strcmp(first->selection, j->runs[i].selection)))
		i++;
	if (i == j->n_runs)
		return;
	run = &j->runs[i];
	selections_print(first->name, first->selection, run->name, run->selection, &text);
	diags_add_once(diags, DIAG_WARNING, text.s);
}

/* Report why a run cannot be compared with the others; false: it can. */
static bool doubt_run(const struct diff_run *run, double allowed, struct diags *diags)
{
	struct span rest = span_of(run->caveats);
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct caveat caveat;
	bool doubtful = diff_lost_too_many(run, allowed, &text);

	if (doubtful)
		diags_add_once(diags, DIAG_WARNING, text.s);
	while (caveat_next(&rest, &caveat)) {
		strbuf_reset(&text);
		if (!diff_caveat_doubts(run, &caveat, allowed, &text))
			continue;
		diags_add_once(diags, DIAG_WARNING, text.s);
		doubtful = true;
	}
	return doubtful;
}

static bool warn(const struct join *j, double allowed, struct diags *diags)
{
	bool doubtful = false;

	for (size_t i = 0; i < j->n_runs; i++) {
		if (j->runs[i].added)
			doubtful |= doubt_run(&j->runs[i], allowed, diags);
		else
			diags_add(diags, DIAG_WARNING, "%s has no histogram of %s for '%s'",
				  j->runs[i].name, j->event, j->trigger);
	}
	warn_selection(j, diags);
	return doubtful;
}

int hist_diff_print_trend(struct hist_diff *d, hist_sink_fn sink, void *arg,
			  enum hist_diff_verdict *verdict, struct diags *diags)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	int err = diff_prepare(d, diags), end;
	struct trends all = { .v = calloc(d->joins.n + 1, sizeof(*all.v)) };
	bool doubtful = false;

	*verdict = HIST_DIFF_INCONCLUSIVE;
	err = all.v ? err : HIST_NOMEM;
	if (!err && d->options.format && !row_format_find(d->options.format))
		err = row_format_unknown(d->options.format, "", diags);
	for (size_t i = 0; i < d->joins.n && !err; i++) {
		doubtful |= warn(d->joins.v[i], d->options.allow_lost, diags);
		if (join_is_complete(d->joins.v[i]))
			err = collect(&all.v[all.n++], d, d->joins.v[i]);
	}
	/* Test the series of all histograms together. */
	if (!err) {
		scoped(free_scoped) ARRAY(struct change_series *) tested = ARRAY_INIT;

		for (size_t j = 0; j < all.n; j++)
			for (size_t k = 0; k < all.v[j].series.n && !err; k++)
				if (all.v[j].series.v[k].tested)
					err = array_push(&tested, &all.v[j].series.v[k].of);
		err = err ?: changes_find(tested.v, tested.n, d->n_runs, d->options.alpha);
		for (size_t j = 0; j < tested.n; j++)
			all.n_changes += tested.v[j]->changes.n;
		all.n_tested = tested.n;
	}
	err = err ?: print_trend(&all, d, &p, diags);
	end = printer_end(&p);
	if (!err && !end && !doubtful)
		*verdict = all.n_changes ? HIST_DIFF_DIFFERENT : HIST_DIFF_SAME;
	array_each(struct trend_lines, t, &all) {
		for (size_t k = 0; k < t->series.n; k++)
			array_release(&t->series.v[k].of.changes);
		array_release(&t->series);
		meter_release(&t->meter);
		arena_release(&t->arena);
	}
	free(all.v);
	return err ? err : end;
}
