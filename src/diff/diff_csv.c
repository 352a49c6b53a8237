// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The comparison as one table (RFC 4180): a line for each metric of each row. "(all)" in the
 * columns of the keys is the sum. The last columns are the upper ends of ranges, otherwise empty.
 */
#include <inttypes.h>
#include <math.h>

#include "diff/diff.h"

/* The output; @safe: for a spreadsheet. */
struct diff_table {
	struct strbuf *out;
	bool safe;
};

static void add_field(const struct diff_table *t, const char *text)
{
	bool quote = (t->safe && *text) || strpbrk(text, "\",\r\n") != NULL;
	struct strbuf *out = t->out;

	if (out->len && out->s[out->len - 1] != '\n')
		strbuf_addch(out, ',');
	if (!quote) {
		strbuf_addstr(out, text);
		return;
	}
	strbuf_addstr(out, t->safe && text_is_formula(span_of(text)) ? "\"'" : "\"");
	for (; *text; text++) {
		if (*text == '"')
			strbuf_addch(out, '"');
		strbuf_addch(out, *text);
	}
	strbuf_addch(out, '"');
}

/* Empty for a missing value; otherwise the shortest text that reads back as the number. */
static void add_double(struct strbuf *out, double v)
{
	strbuf_addch(out, ',');
	if (isfinite(v))
		text_add_double(out, v + 0.0);
	else if (isinf(v))
		strbuf_addstr(out, v > 0 ? "inf" : "-inf");
}

static void add_count(struct strbuf *out, u64 v, bool is_signed)
{
	if (is_signed)
		strbuf_addf(out, ",%" PRId64, (s64)v);
	else
		strbuf_addf(out, ",%" PRIu64, v);
}

static void add_keys(const struct diff_table *t, const struct join *j, const struct diff_row *row)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < max_t(size_t, j->n_keys, 1); i++) {
		strbuf_reset(&text);
		if (row->keys && j->n_keys)
			key_print(&j->keys[i], &row->keys[i], &text);
		else
			strbuf_addstr(&text, "(all)");
		add_field(t, text.s);
		t->out->failed |= text.failed;
	}
	strbuf_release(&text);
}

/* The side whose fields were guessed from a text; NULL: neither. */
static const char *inexact_side(const struct comparison *c)
{
	bool before = join_is_inexact(c->join, 0), after = join_is_inexact(c->join, c->meter.after);

	return before && after ? "both" : before ? "before" : after ? "after" : NULL;
}

/* The end of a line: the spreads of several runs, their test, the exemplars of a row. */
static void add_extras(const struct diff_table *t, const struct comparison *c,
		       const struct measure *m, const struct diff_row *row)
{
	const struct diff_exemplars *e = row_exemplars(row, c->meter.after);
	struct strbuf text = STRBUF_INIT;

	for (int side = 0; side < 2; side++) {
		add_double(t->out, m->spread[side].min);
		add_double(t->out, m->spread[side].max);
	}
	add_double(t->out, m->p);
	if (e)
		exemplars_print(c->join, c->meter.after, e, &text);
	add_field(t, text.s);
	t->out->failed |= text.failed;
	strbuf_release(&text);
	if (inexact_side(c))
		add_field(t, inexact_side(c));
	strbuf_addch(t->out, '\n');
}

static void add_measure(const struct diff_table *t, const struct measure *m, bool is_signed,
			const char *verdict)
{
	const struct interval v[] = { m->side[0], m->side[1], m->delta, m->percent };

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		add_double(t->out, v[i].min);
	add_count(t->out, m->count[0], is_signed);
	add_count(t->out, m->count[1], is_signed);
	add_field(t, verdict);
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		add_double(t->out, v[i].max != v[i].min ? v[i].max : (double)NAN);
}

static void print_names(const struct diff_table *t, const struct comparison *c)
{
	const struct join *j = c->join;

	for (size_t i = 0; i < j->n_keys; i++)
		add_field(t, j->keys[i].column.name);
	if (!j->n_keys)
		add_field(t, "key");
	strbuf_addstr(t->out,
		      ",metric,before,after,delta,percent,count_before,count_after,verdict,"
		      "before_max,after_max,delta_max,percent_max,"
		      "before_spread_min,before_spread_max,after_spread_min,after_spread_max,"
		      "p,exemplars");
	strbuf_addstr(t->out, inexact_side(c) ? ",inexact\n" : "\n");
}

static void print_row(const struct diff_table *t, const struct comparison *c,
		      const struct view_row *row, size_t v)
{
	const struct join *j = c->join;

	add_keys(t, j, row->row);
	add_field(t, j->values[v].name);
	add_measure(t, &row->measure, j->values[v].is_signed, mark_name(row->mark));
	add_extras(t, c, &row->measure, row->row);
}

static bool is_safe(const struct hist_diff *d)
{
	return !strcmp(d->options.format, diff_print_csv_safe.name);
}

static int print_value(const struct hist_diff *d, const struct comparison *c, size_t v,
		       struct printer *p)
{
	const struct diff_table t = { &p->buf, is_safe(d) };
	const struct metric metric = { MEASURE_VALUE, v, NULL };
	struct view view;
	int err = view_init(&view, c, &metric, &d->options);

	if (!err) {
		print_row(&t, c, &view.all, v);
		for (size_t i = 0; i < view.n; i++) {
			print_row(&t, c, &view.rows[i], v);
			printer_flush(p);
		}
	}
	view_release(&view);
	return err;
}

static int print_dists(const struct hist_diff *d, const struct comparison *c, size_t stat,
		       const struct diff_row *row, struct printer *p)
{
	const struct diff_table t = { &p->buf, is_safe(d) };
	const struct join *j = c->join;
	const struct subject subject = { .row = row };
	struct strbuf name = STRBUF_INIT;
	struct dists of;
	int err = dists_init(&of, &c->meter, stat, &subject);

	for (enum measure_what what = MEASURE_N; what < MEASURE_OF_STAT && !err; what++) {
		struct measure m = measure_stat(&c->meter, &of, what);
		const struct diff_row *shown = row ? row : &j->all;

		err = measure_test(&c->meter, &m);
		strbuf_reset(&name);
		strbuf_addf(&name, "%s.%s", j->stats[stat].name, measure_name(what));
		add_keys(&t, j, shown);
		add_field(&t, name.s);
		p->buf.failed |= name.failed;
		add_measure(&t, &m, false,
			    m.unsure && measure_permille(what)
				    ? "inconclusive"
				    : mark_name(mark_of(&c->meter, shown, &m, 0)));
		add_extras(&t, c, &m, shown);
	}
	strbuf_release(&name);
	dists_release(&of);
	printer_flush(p);
	return err;
}

static int print_stat(const struct hist_diff *d, const struct comparison *c, size_t stat,
		      struct printer *p)
{
	const struct metric metric = { MEASURE_MEAN, stat, NULL };
	struct view view = { .n = 0 };
	int err = print_dists(d, c, stat, NULL, p);

	if (!err && !c->join->stats[stat].of_key)
		err = view_init(&view, c, &metric, &d->options);
	for (size_t i = 0; i < view.n && !err; i++)
		err = print_dists(d, c, stat, view.rows[i].row, p);
	view_release(&view);
	return err;
}

static int print_csv(const struct hist_diff *d, struct printer *p)
{
	const struct diff_table t = { &p->buf, is_safe(d) };
	const struct comparison *c = &d->all.v[0];
	int err = 0;

	print_names(&t, c);
	for (size_t v = 0; v < c->join->n_values && !err; v++)
		err = print_value(d, c, v, p);
	for (size_t s = 0; s < c->join->n_stats && !err; s++)
		err = print_stat(d, c, s, p);
	return err ? err : p->err;
}

const struct diff_printer diff_print_csv = { .name = "csv", .one_pair = true, .print = print_csv };
const struct diff_printer diff_print_csv_safe = { .name = "csv-safe",
						  .one_pair = true,
						  .print = print_csv };
