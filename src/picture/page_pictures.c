// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The pictures of a histogram on a page: flame graph, distribution, and heat maps.
 *
 * Values are drawn from statistics if there are any, otherwise from keys that are numbers. The size
 * of a picture is limited.
 */
#include "picture/gather.h"

enum {
	MAX_FRAMES = 1500,
	MAX_HEAT_COLUMNS = 120,
	MAX_HEAT_ROWS = 24,
	MAX_BARS = 120,
	HEAT_ROW = 15,
	HEAT_THIN_ROW = 9,
	HEAT_LEVELS = 8,
	MAX_LABEL = 24, /* characters */
	CHAR = 7,
	TIME_TICKS = 9,
};

/* --- heat maps --- */

/* How a heat map is drawn. */
struct heat_look {
	const struct pic_group *g;
	const struct heat *h;
	const struct scale *scale; /* only round edges have labels; NULL: all rows */
	const char *unit;          /* of the labels of @scale */
	const char *sum_unit;      /* of the cells; NULL: hits */
	size_t row;                /* height */
};

static size_t from_top(const struct heat *h, size_t row)
{
	return h->numbers ? h->rows - 1 - row : row;
}

/* The start of a label that is too long. */
static void add_short(struct strbuf *out, struct span text)
{
	struct span rest = text;

	for (size_t n = 0; rest.n && n < MAX_LABEL; n++)
		rest = span_skip(rest, utf8_length(rest) ?: 1);
	markup_add(out, span_between(text.s, rest.s));
	strbuf_addstr(out, rest.n ? "\u2026" : "");
}

static void draw_labels(const struct heat_look *l, struct strbuf *out)
{
	const struct heat *h = l->h;
	size_t longest = l->scale ? 7 : 1, width;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;

	for (size_t row = 0; row < h->rows && !l->scale; row++)
		longest = max_t(size_t, longest, text_width(span_of(h->labels[row])));
	width = min_t(size_t, longest, MAX_LABEL) * CHAR + 10;
	strbuf_addf(out,
		    "<div class=\"heatbox\"><svg class=\"heat labels\" width=\"%zu\" "
		    "height=\"%zu\" aria-hidden=\"true\">\n",
		    width, h->rows * l->row + (l->scale ? 5 : 0));
	for (size_t row = 0; row < h->rows; row++) {
		size_t y = from_top(h, row) * l->row + (l->scale ? l->row + 3 : l->row - 4);

		if (l->scale && !l->scale->round[row])
			continue;
		strbuf_addf(out, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"end\">", width - 6, y);
		if (l->scale)
			tick_add(out, l->scale->edges[row], l->unit);
		else
			add_short(out, span_of(h->labels[row]));
		if (!l->scale && longest > MAX_LABEL) {
			strbuf_addstr(out, "<title>");
			markup_str(out, h->labels[row]);
			strbuf_addstr(out, "</title>");
		}
		strbuf_addstr(out, "</text>\n");
	}
	out->failed |= sb.failed;
}

static void draw_cell(const struct heat_look *l, size_t row, size_t column, struct strbuf *out)
{
	const struct heat *h = l->h;
	double v = h->cells[row * h->columns + column];

	if (!(v > 0))
		return;
	strbuf_addf(out,
		    "<rect class=\"h%u\" x=\"%.3f%%\" y=\"%zu\" width=\"%.3f%%\" height=\"%zu\"",
		    heat_level(h, row, column, HEAT_LEVELS),
		    (double)column / (double)h->columns * 100, from_top(h, row) * l->row,
		    100 / (double)h->columns, l->row - 1);
	if (h->whole[row]) {
		strbuf_addstr(out, " data-key=\"");
		markup_str(out, h->labels[row]);
		strbuf_addch(out, '"');
	}
	strbuf_addstr(out, "><title>");
	markup_str(out, h->labels[row]);
	strbuf_addstr(out, ", ");
	time_since(out, l->g, h->from[column]);
	strbuf_addstr(out, " to ");
	time_since(out, l->g, h->to[column]);
	strbuf_addstr(out, ": ");
	people_add(out, v, l->sum_unit);
	strbuf_addstr(out, "</title></rect>\n");
}

/* What the colours mean: the least value of each. */
static void draw_legend(const struct heat_look *l, const char *of, struct strbuf *out)
{
	const struct heat *h = l->h;

	strbuf_addstr(out, "<p class=\"legend\">");
	markup_str(out, of);
	strbuf_addstr(out, h->columns < h->slices ? " in a slice, on average: " : " in a cell: ");
	people_add(out, h->least, l->sum_unit);
	strbuf_addstr(out, " <span class=\"scale\" aria-hidden=\"true\">");
	for (unsigned int level = 1; level <= HEAT_LEVELS; level++) {
		strbuf_addf(out, "<span class=\"h%u\" title=\"from ", level);
		people_add(out,
			   h->least * pow(h->most / h->least, (level - 1) / (double)HEAT_LEVELS),
			   l->sum_unit);
		strbuf_addstr(out, "\">\u2003</span>");
	}
	strbuf_addstr(out, "</span> ");
	people_add(out, h->most, l->sum_unit);
	if (h->columns < h->slices)
		strbuf_addf(out, "; a column covers up to %zu slices",
			    (h->slices + h->columns - 1) / h->columns);
	strbuf_addstr(out, "</p>\n");
}

static void draw_heat(const struct heat_look *l, struct strbuf *out)
{
	const struct heat *h = l->h;

	draw_labels(l, out);
	strbuf_addf(out,
		    "</svg><svg class=\"heat cells\" width=\"100%%\" height=\"%zu\" role=\"img\" "
		    "aria-label=\"heat map: %zu by %zu cells, at most %.15g\">\n"
		    "<rect width=\"100%%\" height=\"%zu\"/>\n",
		    h->rows * l->row + (l->scale ? 5 : 0), h->columns, h->rows, h->most,
		    h->rows * l->row);
	for (size_t row = 0; row < h->rows; row++)
		for (size_t column = 0; column < h->columns; column++)
			draw_cell(l, row, column, out);
	strbuf_addstr(out, "</svg><span></span><svg class=\"chart times\" width=\"100%\" "
			   "height=\"18\" aria-hidden=\"true\">\n");
	axis_draw(out, (double)(h->to[h->columns - 1] - h->from[0]),
		  l->g->r->info->clock_counts ? NULL : "ns", TIME_TICKS);
	strbuf_addstr(out, "</svg></div>\n");
}

static void add_heading(struct strbuf *out, const char *before, const char *name, const char *after)
{
	strbuf_addf(out, "<h3>%s", before);
	markup_str(out, name);
	strbuf_addf(out, "%s</h3>\n", after);
}

/* "Distribution", and of what unless the unit already is its name. */
static void add_distribution_heading(struct strbuf *out, const char *name)
{
	if (name)
		add_heading(out, "Distribution of ", name, "");
	else
		strbuf_addstr(out, "<h3>Distribution</h3>\n");
}

/* Buckets over time; nothing without slices. */
static int draw_buckets(const struct buckets *b, const char *level, const char *title,
			struct strbuf *out)
{
	const struct pic_group *g = b->group;
	const struct result_column *value = &g->r->columns[b->value];
	bool hits = b->value == g->r->n_keys;
	scoped(heat_release) struct heat h = { .rows = 0 };
	const struct heat_look look = {
		.g = g, .h = &h, .row = HEAT_ROW, .sum_unit = hits ? NULL : value->unit
	};
	int err = g->sliced ? heat_init(&h, b, MAX_HEAT_COLUMNS, MAX_HEAT_ROWS) : 0;

	if (!err && h.rows && h.most > 0) {
		strbuf_addf(out, "<%s>Over time", level);
		strbuf_addstr(out, title ? ": " : "");
		markup_str(out, title ?: "");
		strbuf_addf(out, "</%s>\n", level);
		draw_heat(&look, out);
		draw_legend(&look, hits ? "hits" : value_name(value->name, value->unit) ?: "total",
			    out);
	}
	return err;
}

/* With a second key of few values, a heat map for each of them. */
static int draw_over_time(struct buckets *b, const char *level, const char *title,
			  struct strbuf *out)
{
	enum { MAX_SPLIT = 8 };
	const struct pic_group *g = b->group;
	const struct pic_cell *values[MAX_SPLIT];
	size_t n = 0;
	int err = 0;

	b->split = g->r->n_keys == 2 ? 1 - b->key : b->key;
	for (size_t i = 0; i < g->rows.n && b->split != b->key && n <= MAX_SPLIT; i++) {
		const struct pic_cell *cell = &g->rows.v[i].cells[b->split];
		size_t at = 0;

		while (at < n && !span_same(values[at]->text, cell->text))
			at++;
		if (at < n || n++ == MAX_SPLIT)
			continue;
		for (; at && values[at - 1]->num > cell->num; at--)
			values[at] = values[at - 1];
		values[at] = cell;
	}
	if (n < 2 || n > MAX_SPLIT)
		return draw_buckets(b, level, title, out);
	for (size_t i = 0; i < n && !err; i++) {
		scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

		strbuf_addf(&name, "%s%s%s %.*s", title ?: "", title ? ", " : "",
			    g->r->columns[b->split].name, (int)values[i]->text.n,
			    values[i]->text.s);
		b->only = values[i];
		err = name.failed ? HIST_NOMEM : draw_buckets(b, level, name.s, out);
	}
	b->only = NULL;
	return err;
}

int page_heat_of_names(const struct pic_group *g, struct strbuf *out)
{
	scoped(buckets_release) struct buckets b = { .group = NULL };
	int err = 0;

	if (g->sliced && g->r->n_keys)
		err = buckets_init(&b, g, g->sort_value);
	if (!err && b.group && !buckets_have_quantiles(&b))
		err = draw_over_time(&b, "h4", g->r->columns[b.key].name, out);
	return err;
}

/* --- distributions --- */

int page_values(const struct pic_group *g, size_t stat, struct strbuf *out)
{
	const struct pic_group *over = g->over_time ?: g;
	const struct pic_stat *from = &g->stats.v[stat];
	const struct result_stat *of = &g->r->stats[stat];
	const char *name = value_name(of->name, of->unit);
	struct chart_bar bars[SCALE_MAX] = { { .min = 0 } };
	struct chart_mark marks[STAT_QUANTILES];
	scoped(arena_release) struct arena texts = ARENA_INIT;
	scoped(free_scoped) struct sketch_count *values = NULL;
	struct stat_summary s;
	struct scale scale;
	size_t n = 0;
	int err = pic_stat_summarise(from, &s) ?: sketch_values(&from->all, &values, &n);

	if (!err) {
		scale_init(&scale, stat_number(&s, s.min.min), stat_number(&s, s.max.min));
		for (size_t i = 0; i < scale.n; i++) {
			struct strbuf sb = STRBUF_INIT;
			const char *label;

			scale_label(&scale, i, of->unit, &sb);
			label = arena_take(&texts, &sb);
			bars[i] = (struct chart_bar){ .label = span_of(label ? label : ""),
						      .min = scale.edges[i],
						      .max = scale.edges[i + 1] - 1,
						      .tick = scale.round[i] };
		}
		for (size_t i = 0; i < n; i++)
			bars[scale_bin(&scale, stat_number(&s, values[i].value))].n[0] +=
				(double)values[i].n;
		for (size_t i = 0; i < STAT_QUANTILES; i++)
			marks[i] = (struct chart_mark){ stat_quantiles[i].name,
							{ stat_number(&s, s.quantiles[i].min),
							  (double)NAN } };
		add_distribution_heading(out, name);
		chart_draw(out, &(struct chart){ bars, scale.n, marks, STAT_QUANTILES,
						 .unit = of->unit, .y = "hits", .what = name });
		err = texts.failed ? HIST_NOMEM : 0;
	}
	if (!err && over->sliced && over->slices.n > 1) {
		struct heat h;
		struct heat_look look = {
			over,     &h,   &scale,
			of->unit, NULL, scale.n > MAX_HEAT_ROWS ? HEAT_THIN_ROW : HEAT_ROW
		};

		err = heat_init_values(&h, over, stat, &scale, MAX_HEAT_COLUMNS);
		if (!err) {
			if (name)
				add_heading(out, "", name, " over time");
			else
				strbuf_addstr(out, "<h3>Over time</h3>\n");
			draw_heat(&look, out);
			draw_legend(&look, "hits", out);
		}
		heat_release(&h);
	}
	return err;
}

/* A bar for each range; numbers are put into bins. */
static size_t make_bars(const struct buckets *b, struct chart_bar *bars, struct arena *arena)
{
	const struct result_column *key = &b->group->r->columns[b->key];
	const struct pic_bucket *v = b->v.v;
	bool ranges = key->type == RESULT_RANGE && b->v.n <= MAX_BARS;
	struct scale scale;

	scale_init(&scale, cell_number(key, v[0].key), cell_number(key, v[b->v.n - 1].key));
	for (size_t i = 0; i < (ranges ? b->v.n : scale.n); i++) {
		struct strbuf sb = STRBUF_INIT;
		const char *label;

		if (ranges) {
			bars[i] = (struct chart_bar){ .min = cell_number(key, v[i].key) };
			bars[i].max = key->is_signed ? (double)(s64)v[i].key->max
						     : (double)v[i].key->max;
			range_add(&sb, key, v[i].key, people_add);
		} else {
			bars[i] = (struct chart_bar){ .min = scale.edges[i],
						      .max = scale.edges[i + 1] - 1 };
			scale_label(&scale, i, key->unit, &sb);
		}
		bars[i].tick = ranges || scale.round[i];
		label = arena_take(arena, &sb);
		bars[i].label = span_of(label ? label : "");
	}
	for (size_t i = 0; i < b->v.n; i++)
		bars[ranges ? i : scale_bin(&scale, cell_number(key, v[i].key))].n[0] += v[i].n;
	return ranges ? b->v.n : scale.n;
}

int page_distribution_of_keys(const struct pic_group *g, struct strbuf *out)
{
	scoped(free_scoped) struct chart_bar *bars = calloc(MAX_BARS + 1, sizeof(*bars));
	struct chart_mark marks[STAT_QUANTILES];
	scoped(arena_release) struct arena arena = ARENA_INIT;
	scoped(buckets_release) struct buckets b = { .group = NULL };
	int err = bars ? 0 : HIST_NOMEM;

	if (!err && g->r->n_keys)
		err = buckets_init(&b, g, g->r->n_keys);
	if (!err && b.v.n > 1 && buckets_have_quantiles(&b)) {
		const struct result_column *key = &g->r->columns[b.key];

		for (size_t i = 0; i < STAT_QUANTILES; i++)
			marks[i] = (struct chart_mark){
				stat_quantiles[i].name,
				{ buckets_quantile(&b, stat_quantiles[i].permille), (double)NAN }
			};
		add_distribution_heading(out, value_name(key->name, key->unit));
		chart_draw(out, &(struct chart){ bars, make_bars(&b, bars, &arena), marks,
						 STAT_QUANTILES, .unit = key->unit, .y = "hits",
						 .what = value_name(key->name, key->unit) });
		err = arena.failed ? HIST_NOMEM : 0;
		err = err ?: draw_over_time(&b, "h3", value_name(key->name, key->unit), out);
	}
	return err;
}

/* --- stacks --- */

int page_flame(const struct pic_group *g, struct strbuf *out)
{
	struct flame f;
	int err = group_flame(g, false, &f);

	if (!err && f.stacks.n) {
		strbuf_addstr(out, "<h3>Flame graph</h3>\n<div class=\"stacks\">");
		err = flame_draw(&f, MAX_FRAMES, out);
		strbuf_addstr(out, "</div>\n");
		if (f.hidden)
			strbuf_addf(
				out,
				"<p class=\"note\">%zu frames are too narrow to be drawn.</p>\n",
				f.hidden);
	}
	flame_release(&f);
	return err;
}
