// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Statistics as text, after the kernel's text: a table for each value, variable and numeric key.
 * Its first line is over all rows; then (not for keys) there is one line for each row, in order.
 */
#include <math.h>
#include <stdlib.h>

#include "print/print_hist.h"
#include "print/summary.h"
#include "print/encode.h"
#include "program/samples.h"

enum { COUNT_WIDTH = 10, VALUE_WIDTH = 12 };

/* @text, padded to the width of a column. */
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

static int print_row(struct printer *p, const struct sketch *sketch)
{
	struct stat_summary s;
	int err = stat_summarise(sketch, NULL, &s);

	if (err)
		return err;
	add_summary(&p->buf, &s);
	strbuf_addstr(&p->buf, "  ");
	return 0;
}

static int print_rows(struct printer *p, const struct result *r, size_t stat,
		      const struct hist_printer *hp)
{
	struct result_row row;
	int err = 0;

	for (size_t i = 0; i < r->n_rows && !err && !p->err; i++) {
		r->row(r, i, &row);
		err = print_row(p, row.sketches[stat]);
		print_hist_key(hp, row.cells);
		strbuf_addch(&p->buf, '\n');
		printer_flush(p);
	}
	return err;
}

int print_stats(struct printer *p, const struct result *r, const struct hist_printer *hp)
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
		if (i < r->n_row_stats)
			err = print_rows(p, r, i, hp);
	}
	return err;
}
