// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The section of a page for a histogram: trigger and metadata, a flame graph, a heat map, a
 * distribution, statistics, and the rows as a table, which contains the numbers of all pictures.
 *
 * The size of a section is limited; omitted parts are counted in it.
 */
#include <math.h>
#include <stdlib.h>

#include "picture/gather.h"

enum {
	MAX_FRAMES = 1500,
	MAX_HEAT_COLUMNS = 120,
	MAX_HEAT_ROWS = 40,
	MAX_BARS = 120,
	HEAT_ROW = 15,
	HEAT_LEVELS = 8,
};

/* --- trigger and metadata --- */

static void add_term(struct strbuf *out, const char *term)
{
	strbuf_addf(out, "<dt>%s</dt><dd>", term);
}

static void add_description(struct strbuf *out, const char *term, const char *text)
{
	add_term(out, term);
	markup_str(out, text);
	strbuf_addstr(out, "</dd>\n");
}

static void print_facts(const struct pic_group *g, const struct pic_slice *t, struct strbuf *out)
{
	strbuf_addstr(out, "<dl>\n");
	for (size_t i = 0; i < g->r->info->n_files; i++)
		add_description(out, "recording", g->r->info->files[i]);
	if (g->r->info->uname)
		add_description(out, "machine", g->r->info->uname);
	add_description(out, "kernel", g->r->info->kernel);
	add_description(out, "clock", g->r->info->clock);
	add_term(out, "time");
	time_add(out, g, t->from);
	strbuf_addstr(out, " to ");
	time_add(out, g, t->to);
	if (g->sliced)
		strbuf_addf(out, ", in %zu slices", g->slices.n);
	strbuf_addstr(out, "</dd>\n");
	strbuf_addf(out, "<dt>hits</dt><dd class=\"hits\">%llu</dd>\n",
		    (unsigned long long)t->hits);
	strbuf_addf(out, "<dt>%s</dt><dd>%zu</dd>\n</dl>\n",
		    g->sliced ? "entries of all slices" : "entries", g->rows.n + g->left_out);
}

/* Whether a message at the start of the page reports this, of a recording. */
static bool is_reported(const struct diags *messages, const char *text)
{
	for (size_t i = 0; messages && i < messages->list.n; i++) {
		const char *found = strstr(messages->list.v[i].text, text);

		if (found && !found[strlen(text)])
			return true;
	}
	return false;
}

static void print_warnings(const struct pic_group *g, const struct pic_slice *t,
			   const struct diags *messages, struct strbuf *out)
{
	struct span rest;
	struct strbuf text = STRBUF_INIT;
	struct caveat c;

	if (t->lost || t->lost_unknown)
		strbuf_addf(out,
			    "<p class=\"warn\">%s%llu events were lost while recording: their "
			    "hits are missing.</p>\n",
			    t->lost_unknown ? "More than " : "", (unsigned long long)t->lost);
	if (g->r->info->inexact)
		strbuf_addstr(out, "<p class=\"warn\">Inexact: the fields of events were guessed "
				   "from a text.</p>\n");
	rest = span_of(g->r->info->caveats ?: "");
	while (caveat_next(&rest, &c)) {
		strbuf_reset(&text);
		caveat_print(&c, &text);
		if (is_reported(messages, text.s))
			continue;
		strbuf_addstr(out, "<p class=\"warn\">");
		markup_str(out, text.s);
		strbuf_addstr(out, ".</p>\n");
	}
	strbuf_release(&text);
	if (t->drops)
		strbuf_addf(out,
			    "<p class=\"warn\">%llu hits were dropped because a histogram was "
			    "full.</p>\n",
			    (unsigned long long)t->drops);
	if (g->r->rules == RESULT_UNLIMITED)
		strbuf_addstr(out, "<p class=\"note\">Counted without the kernel's limits.</p>\n");
}

/* --- pictures --- */

static void print_heat_cell(const struct pic_group *g, const struct heat *h, size_t row,
			    size_t column, struct strbuf *out)
{
	double v = h->cells[row * h->columns + column];
	size_t from_top = h->numbers ? h->rows - 1 - row : row;

	if (!(v > 0))
		return;
	strbuf_addf(out,
		    "<rect class=\"h%u\" x=\"%.3f%%\" y=\"%zu\" width=\"%.3f%%\" height=\"%d\"",
		    heat_level(h, v, HEAT_LEVELS), (double)column / (double)h->columns * 100,
		    from_top * HEAT_ROW, 100 / (double)h->columns, HEAT_ROW - 1);
	if (h->whole[row]) {
		strbuf_addstr(out, " data-key=\"");
		markup_str(out, h->labels[row]);
		strbuf_addch(out, '"');
	}
	strbuf_addstr(out, "><title>");
	markup_str(out, h->labels[row]);
	strbuf_addstr(out, ", ");
	time_add(out, g, h->from[column]);
	strbuf_addstr(out, " to ");
	time_add(out, g, h->to[column]);
	strbuf_addf(out, ": %.15g</title></rect>\n", v);
}

static void draw_heat(const struct pic_group *g, const struct heat *h, struct strbuf *out)
{
	u64 from = g->slices.v[0].from, to = g->slices.v[g->slices.n - 1].to;

	strbuf_addf(
		out,
		"<div class=\"heatbox\"><svg class=\"heat labels\" width=\"110\" height=\"%zu\" "
		"aria-hidden=\"true\">\n",
		h->rows * HEAT_ROW);
	for (size_t row = 0; row < h->rows; row++) {
		size_t from_top = h->numbers ? h->rows - 1 - row : row;

		strbuf_addf(out, "<text x=\"104\" y=\"%zu\" text-anchor=\"end\">",
			    from_top * HEAT_ROW + 11);
		markup_str(out, h->labels[row]);
		strbuf_addstr(out, "</text>\n");
	}
	strbuf_addf(
		out,
		"</svg><svg class=\"heat cells\" width=\"100%%\" height=\"%zu\" role=\"img\" "
		"aria-label=\"heat map: %zu by %zu cells, at most %.15g; the table below has the numbers\">\n<rect width=\"100%%\" height=\"100%%\"/>\n",
		h->rows * HEAT_ROW, h->columns, h->rows, h->most);
	for (size_t row = 0; row < h->rows; row++)
		for (size_t column = 0; column < h->columns; column++)
			print_heat_cell(g, h, row, column, out);
	strbuf_addstr(out, "</svg><span></span><span class=\"times\"><span>");
	time_add(out, g, from);
	strbuf_addstr(out, "</span><span>");
	time_add(out, g, from + (to - from) / 2);
	strbuf_addstr(out, "</span><span>");
	time_add(out, g, to);
	strbuf_addstr(out, "</span></span></div>\n");
}

static int print_heat_map(const struct pic_group *g, const struct buckets *b, struct strbuf *out)
{
	struct heat h;
	int err = heat_init(&h, b, MAX_HEAT_COLUMNS, MAX_HEAT_ROWS);

	if (!err && h.rows) {
		strbuf_addstr(out, "<h3>Heat map of ");
		markup_str(out, g->r->columns[b->key].name);
		strbuf_addf(out,
			    " over time</h3>\n"
			    "<p class=\"note\">Time runs from left to right; the colour shows the "
			    "logarithm of the hits, at most %.15g in a cell.",
			    h.most);
		if (h.columns < h.slices)
			strbuf_addf(out, " A cell covers up to %zu slices.",
				    (h.slices + h.columns - 1) / h.columns);
		strbuf_addstr(out, "</p>\n");
		draw_heat(g, &h, out);
		/* what the colours mean: the least number of hits of each */
		strbuf_addstr(out, "<p class=\"legend\" aria-hidden=\"true\">hits: 1 ");
		for (unsigned int level = 1; level <= HEAT_LEVELS; level++)
			strbuf_addf(out, "<span class=\"h%u\" title=\"from %.0f\">\u2003</span>",
				    level, ceil(pow(h.most, (level - 1) / (double)HEAT_LEVELS)));
		strbuf_addf(out, " %.15g in a cell</p>\n", h.most);
	}
	heat_release(&h);
	return err;
}

/* Merge neighbours to fewer bars if there are too many. */
static size_t make_bars(const struct buckets *b, struct chart_bar *bars, struct arena *arena)
{
	size_t n = min_t(size_t, b->v.n, MAX_BARS);
	bool is_signed = b->group->r->columns[b->key].is_signed;

	for (size_t i = 0; i < b->v.n; i++) {
		const struct pic_cell *key = b->v.v[i].key;
		struct chart_bar *bar = &bars[i * n / b->v.n];
		double min = is_signed ? (double)(s64)key->num : (double)key->num,
		       max = is_signed ? (double)(s64)key->max : (double)key->max;

		if (!bar->label.s) {
			bar->min = min;
			bar->label = key->text;
		} else {
			const char *label = arena_printf(arena, "%.15g..%.15g", bar->min, max);

			bar->label = label ? span_of(label) : bar->label;
		}
		bar->max = max;
		bar->n[0] += b->v.v[i].n;
	}
	return n;
}

static int print_chart(const struct pic_group *g, const struct buckets *b, struct strbuf *out)
{
	struct chart_bar *bars = calloc(MAX_BARS, sizeof(*bars));
	struct chart_mark marks[STAT_QUANTILES];
	size_t n_marks = buckets_have_quantiles(b) ? STAT_QUANTILES : 0;
	struct arena arena = ARENA_INIT;
	int err;

	if (!bars)
		return HIST_NOMEM;
	for (size_t i = 0; i < STAT_QUANTILES; i++)
		marks[i] = (struct chart_mark){ stat_quantiles[i].name,
						{ buckets_quantile(b, stat_quantiles[i].permille),
						  (double)NAN } };
	strbuf_addstr(out, "<h3>Distribution of ");
	markup_str(out, g->r->columns[b->key].name);
	strbuf_addstr(out, "</h3>\n");
	if (n_marks) {
		const struct result_column *key = &b->group->r->columns[b->key];

		strbuf_addstr(out, "<p>");
		for (size_t k = 0; k < STAT_QUANTILES; k++)
			strbuf_addf(out, "%s%s = %s%.15g%s%s", k ? ", " : "", marks[k].name,
				    key->type == RESULT_RANGE ? "at most " : "", marks[k].at[0],
				    key->unit ? " " : "", key->unit ? key->unit : "");
		strbuf_addstr(out, "</p>\n");
	}
	chart_draw(out, &(struct chart){ bars, make_bars(b, bars, &arena), marks, n_marks, false });
	err = arena.failed ? HIST_NOMEM : 0;
	arena_release(&arena);
	free(bars);
	return err;
}

static int print_pictures(const struct pic_group *g, struct strbuf *out)
{
	struct buckets b = { .group = NULL };
	struct flame f;
	int err = group_flame(g, false, &f);

	if (!err && f.stacks.n) {
		strbuf_addstr(out, "<h3>Flame graph</h3>\n<div>");
		err = flame_draw(&f, MAX_FRAMES, out);
		strbuf_addstr(out, "</div>\n");
		if (f.hidden)
			strbuf_addf(
				out,
				"<p class=\"note\">%zu frames are too narrow to be drawn.</p>\n",
				f.hidden);
	}
	flame_release(&f);

	if (!err && g->r->n_keys)
		err = buckets_init(&b, g);
	if (!err && b.v.n && g->sliced)
		err = print_heat_map(g, &b, out);
	if (!err && b.v.n > 1 && buckets_are_numbers(&b))
		err = print_chart(g, &b, out);
	buckets_release(&b);
	return err;
}

/* --- statistics --- */

static void add_number(struct table *t, double v)
{
	if (isfinite(v))
		table_addf(t, "%.6g", v);
	else
		table_add(t, "");
}

static void add_value(struct table *t, const struct stat_summary *s, u64 v)
{
	add_number(t, !s->n ? (double)NAN : s->is_signed ? (double)(s64)v : (double)v);
}

static void print_stats(const struct pic_group *g, struct strbuf *out)
{
	static const char *const titles[] = { "of", "n", "min", "max", "mean", "stddev" };
	struct table t = TABLE_INIT;

	if (!g->stats.n)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table_add(&t, titles[i]);
	for (size_t q = 0; q < STAT_QUANTILES; q++)
		table_add(&t, stat_quantiles[q].name);
	table_end_row(&t);
	for (size_t i = 0; i < g->stats.n; i++) {
		const struct result_stat *stat = &g->r->stats[i];
		const struct stat_summary *s = &g->stats.v[i];

		table_addf(&t, stat->unit ? "%s (%s)" : "%s", stat->name, stat->unit);
		table_addf(&t, "%llu", (unsigned long long)s->n);
		add_value(&t, s, s->min.min);
		add_value(&t, s, s->max.min);
		add_number(&t, s->mean);
		add_number(&t, s->stddev);
		for (size_t q = 0; q < STAT_QUANTILES; q++)
			add_value(&t, s, s->quantiles[q].min);
		table_end_row(&t);
	}
	strbuf_addstr(out, "<h3>Statistics</h3>\n");
	table_html(&t, "statistics", NULL, out);
	table_release(&t);
}

/* --- the section --- */

int page_group(const struct pic_group *g, const struct diags *messages, struct printer *p)
{
	const struct pic_slice t = group_whole(g);
	struct strbuf *out = &p->buf;
	int err;

	strbuf_addstr(out, "<section>\n<h2>");
	if (g->r->instance) {
		markup_str(out, g->r->instance);
		strbuf_addstr(out, ": ");
	}
	markup_str(out, g->r->event);
	strbuf_addstr(out, "</h2>\n<pre class=\"trigger\">");
	markup_str(out, g->r->trigger);
	strbuf_addstr(out, "</pre>\n");
	print_facts(g, &t, out);
	print_warnings(g, &t, messages, out);
	/* the lines of the script, which may have come from a file */
	if (g->r->info->n_script) {
		strbuf_addstr(out, "<details><summary>Script</summary>\n<pre>");
		for (size_t i = 0; i < g->r->info->n_script; i++) {
			markup_str(out, g->r->info->script[i]);
			strbuf_addch(out, '\n');
		}
		strbuf_addstr(out, "</pre></details>\n");
	}
	err = print_pictures(g, out);
	if (err)
		return err;
	print_stats(g, out);
	page_exemplars(g, out);
	if (g->rows.n)
		err = page_rows(g, out);
	else
		strbuf_addstr(out, "<p>No event was counted.</p>\n");
	strbuf_addstr(out, "</section>\n");
	printer_flush(p);
	return err ? err : p->err;
}
