// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Statistics as text, below the kernel's bytes: for each value, variable and numeric key a
 * table, its first line over all rows, then (not for keys) one for each row in their order.
 */
#include <math.h>
#include <stdlib.h>

#include "print/print_hist.h"
#include "print/result_stats.h"
#include "print/stats.h"
#include "print/text.h"

enum { COUNT_WIDTH = 10, VALUE_WIDTH = 12 };

/* @text to the right of a column. */
static void add_right(struct strbuf *out, struct strbuf *text, size_t width)
{
	strbuf_addch(out, ' ');
	if (text->len < width)
		strbuf_fill(out, ' ', width - text->len);
	strbuf_add(out, text->s, text->len);
	out->failed |= text->failed;
	strbuf_release(text);
}

static void add_number(struct strbuf *out, const struct stat_summary *s, struct sketch_range v,
		       bool rounded)
{
	struct strbuf text = STRBUF_INIT;

	if (rounded)
		strbuf_addch(&text, '~');
	text_add_number(&text, v.min, s->is_signed);
	if (s->is_range && v.max != v.min) {
		strbuf_addstr(&text, "..");
		text_add_number(&text, v.max, s->is_signed);
	}
	if (!s->n) {
		strbuf_reset(&text);
		strbuf_addch(&text, '-');
	}
	add_right(out, &text, VALUE_WIDTH);
}

static void add_double(struct strbuf *out, double v, double max)
{
	struct strbuf text = STRBUF_INIT;

	if (isnan(v))
		strbuf_addch(&text, '-');
	else
		strbuf_addf(&text, "%.2f", v);
	if (!isnan(v) && max != v)
		strbuf_addf(&text, "..%.2f", max);
	add_right(out, &text, VALUE_WIDTH);
}

static void add_summary(struct strbuf *out, const struct stat_summary *s)
{
	struct strbuf n = STRBUF_INIT;

	text_add_u64(&n, s->n);
	add_right(out, &n, COUNT_WIDTH);
	add_number(out, s, s->min, false);
	add_number(out, s, s->max, false);
	add_double(out, s->mean, s->mean_max);
	add_double(out, s->stddev, s->stddev);
	for (size_t i = 0; i < STAT_QUANTILES; i++)
		add_number(out, s, s->quantiles[i], s->rounded && !s->is_range);
}

static void add_title(struct strbuf *out, const struct result_stat *stat,
		      const struct stat_summary *all)
{
	static const char *const names[] = { "min", "max", "mean", "stddev" };

	strbuf_addf(out, "\n# statistics of %s", stat->name);
	if (stat->unit)
		strbuf_addf(out, " in %s", stat->unit);
	if (all->rounded)
		strbuf_addf(out, "; ~: within %.1f %%", SKETCH_ERROR * 100);
	strbuf_addf(out, "\n#%*s", COUNT_WIDTH, "n");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		strbuf_addf(out, " %*s", VALUE_WIDTH, names[i]);
	for (size_t i = 0; i < STAT_QUANTILES; i++)
		strbuf_addf(out, " %*s", VALUE_WIDTH, stat_quantiles[i].name);
	strbuf_addch(out, '\n');
}

static int print_row(struct printer *p, const struct table *table, struct tracing_map_elt *elt,
		     size_t i)
{
	const struct sketch *row = hist_stats_of(table->hist, elt);
	struct stat_summary s;
	int err;

	if (!row)
		return 0;
	err = stat_summarise(&row[i], NULL, &s);
	add_summary(&p->buf, &s);
	strbuf_addstr(&p->buf, "  ");
	print_hist_key(p, table, tracing_map_key(table->hist->map, elt),
		       elt_comm(table->hist, elt));
	strbuf_addch(&p->buf, '\n');
	printer_flush(p);
	return err;
}

static int print_stat(struct printer *p, const struct table *table,
		      const struct result_stats *stats, size_t i)
{
	const struct result_stat *stat = &stats->v[i];
	struct stat_summary all;
	int err = stat_summarise(stat->all, stat->all_max, &all);

	if (err)
		return err;
	add_title(&p->buf, stat, &all);
	add_summary(&p->buf, &all);
	strbuf_addstr(&p->buf, "  (all)\n");
	for (size_t r = 0; r < table->n_rows && i < stats->n_row && !err && !p->err; r++)
		err = print_row(p, table, table->rows[r], i);
	return err;
}

static int print_result_row(struct printer *p, const struct result *r, size_t row_index, size_t i)
{
	struct result_row row;
	struct stat_summary s;
	int err = r->row(r, row_index, &row);

	if (!err)
		err = stat_summarise(row.sketches[i], NULL, &s);
	if (err)
		return err;
	add_summary(&p->buf, &s);
	strbuf_addstr(&p->buf, "  ");
	print_result_key(p, r, row.cells);
	strbuf_addch(&p->buf, '\n');
	printer_flush(p);
	return 0;
}

int print_result_stats(struct printer *p, const struct result *r)
{
	int err = 0;

	for (size_t i = 0; i < r->n_stats && !err && !p->err; i++) {
		struct stat_summary all;

		err = stat_summarise(r->stats[i].all, r->stats[i].all_max, &all);
		if (err)
			return err;
		add_title(&p->buf, &r->stats[i], &all);
		add_summary(&p->buf, &all);
		strbuf_addstr(&p->buf, "  (all)\n");
		for (size_t k = 0; k < r->n_rows && i < r->n_row_stats && !err && !p->err; k++)
			err = print_result_row(p, r, k, i);
	}
	return err;
}

int print_stats(struct printer *p, const struct table *table)
{
	struct result_stats stats = { .n = 0 };
	struct arena arena = ARENA_INIT;
	int err;

	if (!table->trigger->file->tr->tracing->machine.stats)
		return 0;
	err = result_stats_init(&stats, table, &arena);
	for (size_t i = 0; i < stats.n && !err && !p->err; i++)
		err = print_stat(p, table, &stats, i);
	result_stats_release(&stats);
	arena_release(&arena);
	return err;
}
