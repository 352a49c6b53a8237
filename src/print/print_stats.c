// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Statistics as text, after the kernel's text: a table for each value, variable and numeric key.
 * Its first line is for all rows together; for values and variables a line for each row follows.
 *
 * The numbers of rows are computed twice, first to measure the columns, so that a table of any
 * length needs no memory. A column is as wide as its largest and smallest numbers.
 */
#include "print/print_hist.h"
#include "program/hist_data.h"

enum { MIN_KEY_WIDTH = 16 };

struct stats_table {
	const struct result *r;
	const struct result_stat *stat;
	size_t at; /* of the statistic */
	const struct format_options *options;
	size_t n; /* lines after the first one */
	struct table table;
};

/* Of the rows that are rounded, or of the others: those with the most extreme numbers. */
struct extremes {
	bool any;
	struct stat_summary least[STAT_NUMBERS], most[STAT_NUMBERS];
};

/* --- cells --- */

static void add_double(struct strbuf *out, double v, double max)
{
	if (isnan(v))
		strbuf_addch(out, '-');
	else
		strbuf_addf(out, "%.2f", v);
	if (!isnan(v) && max != v)
		strbuf_addf(out, "..%.2f", max);
}

static void add_cell(struct strbuf *out, const struct stat_summary *s, size_t column)
{
	if (column == STAT_N) {
		text_add_u64(out, s->n);
	} else if (column == STAT_MEAN) {
		add_double(out, s->mean, s->mean_max);
	} else if (column == STAT_STDDEV) {
		add_double(out, s->stddev, s->stddev);
	} else if (!s->n) {
		strbuf_addch(out, '-');
	} else {
		struct sketch_range v;

		if (column >= STAT_FIRST_QUANTILE && s->rounded && !s->is_range)
			strbuf_addch(out, '~');
		v = stat_range(s, column);
		text_add_number(out, v.min, s->is_signed);
		if (s->is_range && v.max != v.min) {
			strbuf_addstr(out, "..");
			text_add_number(out, v.max, s->is_signed);
		}
	}
}

/* --- the width of columns --- */

static void extremes_add(struct extremes *e, const struct stat_summary *s)
{
	for (size_t i = 0; i < STAT_NUMBERS; i++) {
		const u64 v = stat_order(s, i);

		if (!e->any || v < stat_order(&e->least[i], i))
			e->least[i] = *s;
		if (!e->any || v > stat_order(&e->most[i], i))
			e->most[i] = *s;
	}
	e->any = true;
}

/* @s: NULL: the titles */
static void measure_row(struct stats_table *t, const struct stat_summary *s)
{
	for (size_t i = 0; i < STAT_NUMBERS; i++) {
		if (s)
			add_cell(table_cell(&t->table), s, i);
		table_add(&t->table, s ? "" : stat_number_name(i));
	}
	table_end_row(&t->table);
	table_drop_rows(&t->table);
}

static int measure_rows(struct stats_table *t)
{
	scoped(free_scoped) struct extremes *e = calloc(2, sizeof(*e));
	int err = e ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < t->n && !err; i++) {
		struct stat_summary s;
		struct result_row row;

		t->r->row(t->r, i, &row);
		err = stat_summarise(row.sketches[t->at], NULL, &s);
		if (!err && s.n)
			extremes_add(&e[s.rounded], &s);
	}
	for (size_t k = 0; k < 2 && !err; k++)
		for (size_t i = 0; i < STAT_NUMBERS && e[k].any; i++) {
			measure_row(t, &e[k].least[i]);
			measure_row(t, &e[k].most[i]);
		}
	return err;
}

static int measure(struct stats_table *t, const struct stat_summary *all)
{
	/* those that a terminal has no room for: the least important ones first */
	static const u8 hide[] = { STAT_STDDEV, STAT_MIN, STAT_FIRST_QUANTILE + 3, STAT_MEAN,
				   STAT_FIRST_QUANTILE };
	size_t width = t->options->width;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(hide); i++)
		if (!t->options->sort || hide[i] != stat_number_find(t->options->sort))
			t->table.columns[hide[i]].hide = (unsigned int)i + 1;
	measure_row(t, NULL);
	measure_row(t, all);
	err = measure_rows(t);
	/* room for "  ", and before a short key, too */
	table_fit(&t->table,
		  !width ? 0 : max_t(size_t, width, 5 + MIN_KEY_WIDTH) - 4 - MIN_KEY_WIDTH);
	return err;
}

/* --- lines --- */

/* Move the text from @start on to the right end of @width columns; it is ASCII. */
static void align_right(struct strbuf *out, size_t start, size_t width)
{
	const size_t n = out->len - start;

	if (n >= width || !strbuf_grow(out, width - n))
		return;
	strbuf_fill(out, ' ', width - n);
	memmove(out->s + start + width - n, out->s + start, n);
	memset(out->s + start, ' ', width - n);
}

/* @s: NULL: the titles. Context: any thread */
static void add_line(struct strbuf *out, const struct stats_table *t, const char *before,
		     const struct stat_summary *s)
{
	strbuf_addstr(out, before);
	for (size_t i = 0, shown = 0; i < STAT_NUMBERS; i++) {
		const struct table_column *c = &t->table.columns[i];
		const size_t start = out->len + (shown ? 2 : 0);

		if (c->hidden)
			continue;
		/* the text, then moved to the right */
		strbuf_addstr(out, shown++ ? "  " : "");
		if (s)
			add_cell(out, s, i);
		else
			strbuf_addstr(out, stat_number_name(i));
		align_right(out, start, c->width);
	}
}

static void add_row(struct strbuf *out, const struct result_row *row, const void *arg)
{
	const struct stats_table *t = arg;
	struct stat_summary s;

	if (stat_summarise(row->sketches[t->at], NULL, &s)) {
		out->failed = true;
		return;
	}
	add_line(out, t, "  ", &s);
	strbuf_addstr(out, "  ");
	for (size_t k = 0; k < t->r->n_keys; k++) {
		const struct result_column *c = &t->r->columns[k];

		strbuf_addstr(out, k ? ", " : "");
		if (c->type == RESULT_STACK)
			cell_add_frames(out, &row->cells[k], " < ");
		else
			cell_add_text(out, c, &row->cells[k]);
	}
	strbuf_addch(out, '\n');
}

/* --- the whole --- */

static int print_table(struct stats_table *t, struct printer *p)
{
	struct stat_summary all;
	int err = stat_summarise(t->stat->all, t->stat->all_max, &all);
	struct strbuf *out;
	const char *between;

	err = err ?: measure(t, &all);
	if (err)
		return err;
	out = &p->buf;
	between = "; too wide: ";
	strbuf_addf(out, "\n# statistics of %s", t->stat->name);
	if (t->stat->unit)
		strbuf_addf(out, " in %s", t->stat->unit);
	if (all.rounded)
		strbuf_addf(out, "; ~: within %.1f %%", SKETCH_ERROR * 100);
	for (size_t i = 0; i < STAT_NUMBERS; i++)
		if (t->table.columns[i].hidden) {
			strbuf_addf(out, "%s%s", between, stat_number_name(i));
			between = ", ";
		}
	add_line(out, t, "\n# ", NULL);
	for (size_t i = 0; i < t->r->n_keys && t->n; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "  ", t->r->columns[i].name);
	strbuf_addch(out, '\n');
	add_line(out, t, "  ", &all);
	strbuf_addstr(out, "  (all)\n");
	print_rows(p, t->r, t->n, add_row, t);
	if (t->n && t->r->left_out && !p->err)
		strbuf_addf(out, "# %zu more (--top)\n", t->r->left_out);
	return t->table.failed ? HIST_NOMEM : 0;
}

int print_stats(struct printer *p, const struct result *r, const struct format_options *options)
{
	int err = 0;

	for (size_t i = 0; i < r->n_stats && !err && !p->err; i++) {
		struct stats_table t = {
			.r = r,
			.stat = &r->stats[i],
			.at = i,
			.options = options,
			.table.text = STRBUF_INIT,
		};
		size_t same;

		if (number_is_id(r->stats[i].name))
			continue;
		same = stat_find_same(r, i);
		if (same < i) {
			strbuf_addf(&p->buf, "\n# statistics of %s: the same as those of %s\n",
				    r->stats[i].name, r->stats[same].name);
			continue;
		}
		t.n = i < r->n_row_stats ? r->n_rows : 0;
		err = print_table(&t, p);
		table_release(&t.table);
	}
	return err;
}
