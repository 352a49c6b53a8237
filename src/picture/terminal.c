// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Heat maps and distributions as text, in the width of the terminal.
 *
 * They use Unicode blocks with colours, or only ASCII. Names of a recording cannot move the cursor.
 */
#include "picture/gather.h"

enum { MAX_LABEL = 28, MIN_PLOT = 10, MAX_ROWS = 60, MAX_SCALE = 4, LEVELS = 8 };

/* From low to high, in a palette of 256 colours and without colours. */
static const unsigned int colours[LEVELS] = { 17, 19, 25, 31, 37, 71, 178, 220 };
static const char ascii[] = ".:-=+*%@";

static size_t width_of(const struct format_options *o)
{
	return o->width ? o->width : 80;
}

/* --- strings --- */

/* At most @width columns of a string, in a visible form; returns the columns. */
static size_t add_text(struct strbuf *out, struct span text, size_t width)
{
	size_t used = 0, columns;

	for (; text.n && used < width; used += columns) {
		char room[UTF8_ROOM];
		struct span shown;

		text = span_skip(text, utf8_visible(text, room, &shown));
		columns = text_width(shown);
		if (used + columns > width)
			break;
		strbuf_add(out, shown.s, shown.n);
	}
	return used;
}

static void add_padded(struct strbuf *out, struct span text, size_t width)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t used = add_text(&sb, text, width);

	strbuf_fill(out, ' ', width - used);
	strbuf_add(out, sb.s, sb.len);
	out->failed |= sb.failed;
}

static size_t label_width(const struct heat *h, const struct format_options *o)
{
	size_t most = 1;

	for (size_t i = 0; i < h->rows; i++) {
		scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;

		most = max_t(size_t, most, add_text(&sb, span_of(h->labels[i]), MAX_LABEL));
	}
	return min_t(size_t, most, max_t(size_t, width_of(o) / 3, 4));
}

/* --top N: names, and a row for the others; a distribution has all of its rows. */
static size_t rows_of(const struct buckets *b, const struct format_options *o, size_t most)
{
	return o->top && !buckets_are_numbers(b) && o->top < most ? o->top + 1 : most;
}

static void add_title(struct strbuf *out, const struct pic_group *g)
{
	struct strbuf keys = STRBUF_INIT;

	strbuf_addstr(out, "# ");
	if (g->r->instance) {
		add_text(out, span_of(g->r->instance), SIZE_MAX);
		strbuf_addch(out, ':');
	}
	add_text(out, span_of(g->r->event), SIZE_MAX);
	/* the question of an answer is not a trigger */
	if (g->r->rules == RESULT_EXACT) {
		strbuf_addstr(out, " by ");
		keys_add(&keys, g);
		add_text(out, strbuf_span(&keys), SIZE_MAX);
		out->failed |= keys.failed;
		strbuf_release(&keys);
	} else {
		strbuf_addch(out, ' ');
		add_text(out, span_of(g->r->trigger), SIZE_MAX);
	}
	strbuf_addch(out, '\n');
}

static void add_key_name(struct strbuf *out, const struct buckets *b)
{
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

	column_title_add(&name, &b->group->r->columns[b->key]);
	add_text(out, strbuf_span(&name), MAX_LABEL);
	out->failed |= name.failed;
}

/* A sentence, in lines of the terminal's width. */
static void add_wrapped(struct strbuf *out, const struct strbuf *text,
			const struct format_options *o)
{
	struct span rest = { text->s, text->len };
	size_t used = 0;

	while (rest.n) {
		struct span word = span_sep(&rest, " ");
		size_t width = text_width(word);

		if (used && used + 1 + width > width_of(o)) {
			strbuf_addstr(out, "\n  ");
			used = 2;
		} else if (used) {
			strbuf_addch(out, ' ');
			used++;
		}
		strbuf_add(out, word.s, word.n);
		used += width;
	}
	strbuf_addch(out, '\n');
	out->failed |= text->failed;
}

static void add_losses(struct strbuf *out, const struct pic_group *g)
{
	const struct pic_slice t = group_whole(g);
	struct span rest = span_of(g->r->info->caveats ?: "");
	struct caveat c;

	if (t.lost || t.drops)
		strbuf_addf(out, "# %llu events lost, %llu hits dropped\n", t.lost, t.drops);
	if (g->r->info->inexact)
		strbuf_addstr(out, "# inexact: fields were guessed from a text\n");
	while (caveat_next(&rest, &c)) {
		strbuf_addstr(out, "# ");
		caveat_print(&c, out);
		strbuf_addch(out, '\n');
	}
	if (g->left_out)
		strbuf_addf(out, "# %zu more rows are left out\n", g->left_out);
}

/* --- heat maps --- */

static double row_sum(const struct heat *h, size_t row)
{
	double sum = 0;

	for (size_t i = 0; i < h->columns; i++)
		sum += h->cells[row * h->columns + i];
	return sum;
}

static void add_cell(struct strbuf *out, unsigned int level, bool rich)
{
	if (!level)
		strbuf_addch(out, ' ');
	else if (rich)
		strbuf_addf(out, "\033[38;5;%um\u2588\033[0m", colours[level - 1]);
	else
		strbuf_addch(out, ascii[level - 1]);
}

/* The number of columns that fit next to labels and sums. */
static size_t room(const struct pic_group *g, const struct format_options *o, size_t labels)
{
	char sum[32];
	size_t used = labels + 4;
	u64 hits = 0;

	for (size_t i = 0; i < g->slices.n; i++)
		hits = add_saturated(hits, g->slices.v[i].hits);
	used += (size_t)snprintf(sum, sizeof(sum), "%llu", hits);
	return width_of(o) > used + MIN_PLOT ? width_of(o) - used : MIN_PLOT;
}

static int make_heat(struct heat *h, const struct buckets *b, const struct format_options *o,
		     size_t *labels)
{
	const size_t max_rows = rows_of(b, o, MAX_ROWS / 2);
	int err = heat_init(h, b, 1, max_rows);
	size_t columns;

	if (err)
		return err;
	*labels = label_width(h, o);
	columns = room(b->group, o, *labels);
	heat_release(h);
	err = heat_init(h, b, columns, max_rows);
	h->scale = h->columns ? min_t(size_t, columns / h->columns, MAX_SCALE) : 1;
	return err;
}

/* The column of the colours: how long a number such as the depth of a run queue lasted, if the
 * answer is sorted by that, or how often it occurred. */
static size_t heat_value(const struct pic_group *g)
{
	const struct result_column *key = &g->r->columns[buckets_key(g)];
	const struct result_column *value = &g->r->columns[g->sort_value];

	return key->type == RESULT_NUMBER && !key->unit && value->role == RESULT_VALUE &&
			       value->unit
		       ? g->sort_value
		       : g->r->n_keys;
}

int print_heat(const struct pic_group *g, const struct format_options *o, struct strbuf *out)
{
	scoped(strbuf_release) struct strbuf line = STRBUF_INIT;
	scoped(buckets_release) struct buckets b;
	scoped(heat_release) struct heat h = { .rows = 0 };
	size_t labels = 0;
	const size_t value = heat_value(g);
	const char *unit = value == g->r->n_keys ? NULL : g->r->columns[value].unit;
	int err = buckets_init(&b, g, value);

	b.plain = true;
	add_title(out, g);
	add_losses(out, g);
	err = err ?: make_heat(&h, &b, o, &labels);
	if (!err && !h.rows) {
		strbuf_addstr(out, "no event was counted\n");
	} else if (!err) {
		const char *of;
		scoped(strbuf_release) struct strbuf least = STRBUF_INIT, most = STRBUF_INIT;
		size_t length, room;

		add_key_name(&line, &b);
		strbuf_addstr(&line, " over ");
		time_add(&line, g, g->slices.v[0].from);
		strbuf_addstr(&line, " to ");
		time_add(&line, g, g->slices.v[g->slices.n - 1].to);
		strbuf_addf(&line, ", %zu slices in %zu columns", h.slices, h.columns);
		add_wrapped(out, &line, o);
		for (size_t i = 0; i < h.rows; i++) {
			const size_t row = h.numbers ? h.rows - 1 - i : i;

			add_padded(out, span_of(h.labels[row]), labels);
			strbuf_addstr(out, o->colour ? " \u2502" : " |");
			for (size_t k = 0; k < h.columns * h.scale; k++)
				add_cell(out, heat_level(&h, row, k / h.scale, LEVELS), o->colour);
			strbuf_addstr(out, o->colour ? "\u2502 " : "| ");
			if (unit)
				people_add(out, row_sum(&h, row), unit);
			else
				strbuf_addf(out, "%.15g", row_sum(&h, row));
			strbuf_addch(out, '\n');
		}
		strbuf_reset(&line);
		strbuf_addf(&line, "%s in a %s", unit ? "" : " hits",
			    h.columns < h.slices ? "slice" : "cell");
		/* What the colours mean, below the columns, unless it would not fit there. */
		of = line.s ? line.s : "";
		people_add(&least, h.least, unit);
		people_add(&most, h.most, unit);
		length = LEVELS + least.len + most.len + strlen(of) + 2;
		room = width_of(o) > length ? width_of(o) - length : 0;
		strbuf_fill(out, ' ', min_t(size_t, labels + 2, room));
		strbuf_addf(out, "%s ", least.s ? least.s : "");
		for (unsigned int level = 1; level <= LEVELS; level++)
			add_cell(out, level, o->colour);
		strbuf_addf(out, " %s%s\n", most.s ? most.s : "", of);
		out->failed |= least.failed || most.failed;
	}
	return err;
}

/* --- distributions --- */

/* Append a bar in eighths of a column, or in whole columns. */
static void add_bar(struct strbuf *out, double part, size_t width, bool rich)
{
	static const char *const eighths[] = { "",       "\u258f", "\u258e", "\u258d",
					       "\u258c", "\u258b", "\u258a", "\u2589" };
	double length = part * (double)width;
	size_t whole = (size_t)length, rest = (size_t)((length - (double)whole) * 8), used = whole;

	if (!rich) {
		whole += length - (double)whole > 0.5 || (part > 0 && !whole);
		whole = min_t(size_t, whole, width);
		strbuf_fill(out, '#', whole);
		strbuf_fill(out, ' ', width - whole);
		return;
	}
	rest += part > 0 && !whole && !rest;
	strbuf_addstr(out, "\033[38;5;31m");
	for (size_t i = 0; i < whole; i++)
		strbuf_addstr(out, "\u2588");
	strbuf_addstr(out, eighths[rest]);
	strbuf_addstr(out, "\033[0m");
	used += rest > 0;
	strbuf_fill(out, ' ', used < width ? width - used : 0);
}

/* Append the names of the quantiles that are reached in this row. */
static void add_marks(struct strbuf *out, double below, double upto, double all)
{
	for (size_t i = 0; i < STAT_QUANTILES; i++) {
		double rank = ceil(all * stat_quantiles[i].permille / 1000);

		if (rank > below && rank <= upto)
			strbuf_addf(out, " %s", stat_quantiles[i].name);
	}
}

static void add_rows(struct strbuf *out, const struct heat *h, const struct format_options *o,
		     double all, bool marks)
{
	enum { BESIDE = 19, MARKS = 15, LEAST = 4 }; /* number and share; names of quantiles */
	size_t labels = label_width(h, o), used = labels + BESIDE, bar = LEAST;
	double sum = 0, most = 0;

	for (size_t i = 0; i < h->rows; i++)
		most = fmax(most, h->cells[i]);
	if (width_of(o) > used + MARKS + MIN_PLOT)
		bar = width_of(o) - used - MARKS;
	else if (width_of(o) > used + LEAST)
		bar = width_of(o) - used;
	marks &= width_of(o) > used + MARKS + MIN_PLOT;
	for (size_t i = 0; i < h->rows; i++) {
		double n = h->cells[i];

		add_padded(out, span_of(h->labels[i]), labels);
		strbuf_addstr(out, o->colour ? " \u2502" : " |");
		add_bar(out, most > 0 ? n / most : 0, bar, o->colour);
		strbuf_addf(out, " %*.15g %5.1f%%", 9, n, all > 0 ? n / all * 100 : 0);
		if (marks)
			add_marks(out, sum, sum + n, all);
		strbuf_addch(out, '\n');
		sum += n;
	}
}

int print_plot(const struct pic_group *g, const struct format_options *o, struct strbuf *out)
{
	scoped(buckets_release) struct buckets b;
	scoped(strbuf_release) struct strbuf line = STRBUF_INIT;
	scoped(heat_release) struct heat h = { .rows = 0 };
	double all = 0;
	int err = buckets_init(&b, g, g->r->n_keys);

	b.plain = true;
	add_title(out, g);
	add_losses(out, g);
	err = err ?: heat_init(&h, &b, 1, rows_of(&b, o, MAX_ROWS));
	for (size_t i = 0; i < h.rows && !err; i++)
		all += h.cells[i];
	if (!err && !h.rows) {
		strbuf_addstr(out, "no event was counted\n");
	} else if (!err) {
		add_key_name(&line, &b);
		strbuf_addf(&line, ": %.15g hits", all);
		for (size_t k = 0; k < STAT_QUANTILES && buckets_have_quantiles(&b); k++) {
			const struct result_column *key = &g->r->columns[b.key];
			const double v = buckets_quantile(&b, stat_quantiles[k].permille);

			strbuf_addf(&line, ", %s %s", stat_quantiles[k].name,
				    key->type == RESULT_RANGE ? "<= " : "");
			if (key->unit)
				people_text(&line, v, key->unit);
			else
				strbuf_addf(&line, "%.15g", v);
		}
		add_wrapped(out, &line, o);
		if (g->sliced && g->slices.n > 1) {
			strbuf_reset(&line);
			strbuf_addf(&line,
				    "# %zu slices are added up; --format heat shows them over time",
				    g->slices.n);
			add_wrapped(out, &line, o);
		}
		add_rows(out, &h, o, all, buckets_have_quantiles(&b));
	}
	return err;
}
