// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Statistics as text, after the kernel's text: a table for each value, variable and numeric key.
 * Its first line is for all rows together; for values and variables a line for each row follows.
 *
 * The lines are formatted twice, first to measure the columns, so that a table of any length needs
 * no memory for its text, only for its numbers.
 */
#include <math.h>
#include <stdlib.h>

#include "print/print_hist.h"
#include "program/hist_data.h"

enum { MIN_KEY_WIDTH = 16 };

struct stats_table {
	const struct result *r;
	const struct result_stat *stat;
	size_t at; /* of the statistic */
	const struct format_options *options;
	struct stat_summary *rows;
	size_t n; /* lines after the first one */
	struct table table;
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

static int summarise_rows(struct stats_table *t)
{
	int err = 0;

	t->rows = calloc(t->n + 1, sizeof(*t->rows));
	if (!t->rows)
		return HIST_NOMEM;
	for (size_t i = 0; i < t->n && !err; i++) {
		struct result_row row;

		t->r->row(t->r, i, &row);
		err = stat_summarise(row.sketches[t->at], NULL, &t->rows[i]);
	}
	return err;
}

/* --- lines --- */

/* The cells of a row; nothing is kept of those before, except the width of columns. */
static void make_row(struct stats_table *t, const struct stat_summary *s)
{
	table_drop_rows(&t->table);
	for (size_t i = 0; i < STAT_NUMBERS; i++) {
		if (s)
			add_cell(table_cell(&t->table), s, i);
		table_add(&t->table, s ? "" : stat_number_name(i));
	}
	table_end_row(&t->table);
}

static void measure(struct stats_table *t, const struct stat_summary *all)
{
	/* those that a terminal has no room for: the least important ones first */
	static const u8 hide[] = { STAT_STDDEV, STAT_MIN, STAT_FIRST_QUANTILE + 3, STAT_MEAN,
				   STAT_FIRST_QUANTILE };
	size_t width = t->options->width;

	for (size_t i = 0; i < ARRAY_SIZE(hide); i++)
		if (!t->options->sort || hide[i] != stat_number_find(t->options->sort))
			t->table.columns[hide[i]].hide = (unsigned int)i + 1;
	make_row(t, NULL);
	make_row(t, all);
	for (size_t i = 0; i < t->n; i++)
		make_row(t, &t->rows[i]);
	/* room for "  ", and before a short key, too */
	table_fit(&t->table,
		  !width ? 0 : max_t(size_t, width, 5 + MIN_KEY_WIDTH) - 4 - MIN_KEY_WIDTH);
}

static void print_row(struct stats_table *t, struct strbuf *out, const char *before,
		      const struct stat_summary *s)
{
	make_row(t, s);
	strbuf_addstr(out, before);
	table_text_row(&t->table, 0, out);
}

static void print_lines(struct stats_table *t, struct printer *p)
{
	for (size_t i = 0; i < t->n && !p->err; i++) {
		struct result_row row;
		struct strbuf *out;

		t->r->row(t->r, i, &row);
		print_row(t, &p->buf, "  ", &t->rows[i]);
		strbuf_addstr(&p->buf, "  ");
		out = &p->buf;
		for (size_t k = 0; k < t->r->n_keys; k++) {
			const struct result_column *c = &t->r->columns[k];

			strbuf_addstr(out, k ? ", " : "");
			if (c->type == RESULT_STACK)
				cell_add_frames(out, &row.cells[k], " < ");
			else
				cell_add_text(out, c, &row.cells[k]);
		}
		strbuf_addch(out, '\n');
		printer_flush(p);
	}
	if (t->n && t->r->left_out)
		strbuf_addf(&p->buf, "# %zu more (--top)\n", t->r->left_out);
}

/* --- the whole --- */

static int print_table(struct stats_table *t, struct printer *p)
{
	struct stat_summary all;
	int err = stat_summarise(t->stat->all, t->stat->all_max, &all);
	struct strbuf *out;
	const char *between;

	err = err ?: summarise_rows(t);
	if (err)
		return err;
	measure(t, &all);
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
	print_row(t, out, "\n# ", NULL);
	for (size_t i = 0; i < t->r->n_keys && t->n; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "  ", t->r->columns[i].name);
	strbuf_addch(out, '\n');
	print_row(t, &p->buf, "  ", &all);
	strbuf_addstr(&p->buf, "  (all)\n");
	print_lines(t, p);
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
		free(t.rows);
		table_release(&t.table);
	}
	return err;
}
