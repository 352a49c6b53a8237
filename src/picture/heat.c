// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A heat map: how often a bucket or a value occurred, or the sum of a value, over time.
 *
 * Invariant: the cells add up to the histogram. Numbers without a row of their own share a row with
 * their neighbours; all names without one share a single row. Columns can have different numbers of
 * slices, so colours compare means of slices.
 */
#include "picture/gather.h"

/* --- time --- */

struct timeline {
	u64 start, length; /* of the first slice; slices without hits are omitted */
	u64 end;
	size_t slices; /* number of slices, including those */
};

static struct timeline timeline_of(const struct pic_group *g)
{
	const struct pic_slice *first = &g->slices.v[0], *last = &g->slices.v[g->slices.n - 1];
	struct timeline t = { .start = first->from,
			      .length = max_t(u64, first->to - first->from, 1) };

	t.end = max_t(u64, last->to, last->from + 1);
	/* a page shows its whole span, also before the first hit */
	if (g->from < t.start && g->to)
		t.start -= (t.start - g->from) / t.length * t.length;
	t.end = max_t(u64, t.end, g->to);
	t.slices = (size_t)min_t(u64, (t.end - t.start - 1) / t.length + 1, 1ull << 52);
	return t;
}

static size_t column_at(const struct heat *h, size_t slice)
{
	return (size_t)((double)slice * (double)h->columns / (double)h->slices);
}

static size_t column_of(const struct heat *h, const struct timeline *t, const struct pic_group *g,
			size_t slice)
{
	u64 n = (g->slices.v[slice].from - t->start) / t->length;

	return column_at(h, (size_t)min_t(u64, n, h->slices - 1));
}

static size_t first_of(const struct heat *h, size_t column)
{
	size_t slice = (size_t)((double)column * (double)h->slices / (double)h->columns);

	while (slice && column_at(h, slice - 1) >= column)
		slice--;
	while (slice < h->slices && column_at(h, slice) < column)
		slice++;
	return slice;
}

/* A map without hits. 0, -HIST_ENOMEM */
static int begin(struct heat *h, const struct pic_group *g, size_t max_columns, size_t rows)
{
	const struct timeline t = timeline_of(g);

	*h = (struct heat){ .slices = t.slices,
			    .columns = min_t(size_t, t.slices, max_columns),
			    .rows = rows };
	h->labels = arena_alloc(&h->arena, (h->rows + 1) * sizeof(*h->labels));
	h->whole = arena_alloc(&h->arena, (h->rows + 1) * sizeof(*h->whole));
	h->from = arena_alloc(&h->arena, (h->columns + 1) * sizeof(*h->from));
	h->to = arena_alloc(&h->arena, (h->columns + 1) * sizeof(*h->to));
	h->covers = arena_alloc(&h->arena, (h->columns + 1) * sizeof(*h->covers));
	h->cells = arena_alloc(&h->arena, (h->rows * h->columns + 1) * sizeof(*h->cells));
	if (!h->labels || !h->whole || !h->from || !h->to || !h->covers || !h->cells)
		return HIST_NOMEM;
	for (size_t i = 0; i < h->columns; i++) {
		size_t first = first_of(h, i),
		       next = i + 1 < h->columns ? first_of(h, i + 1) : h->slices;

		h->covers[i] = max_t(size_t, next - first, 1);
		h->from[i] = t.start + first * t.length;
		h->to[i] = i + 1 < h->columns ? t.start + next * t.length : t.end;
	}
	return 0;
}

/* The range of the colours. */
static int finish(struct heat *h, int err)
{
	h->least = INFINITY;
	for (size_t i = 0; i < h->rows * h->columns && !err; i++) {
		double v = h->cells[i] / (double)h->covers[i % h->columns];

		h->most = fmax(h->most, v);
		if (v > 0)
			h->least = fmin(h->least, v);
	}
	return err;
}

/* --- buckets --- */

static size_t row_of(const struct heat *h, const struct buckets *b, size_t bucket)
{
	return h->numbers ? bucket * h->rows / b->v.n : min_t(size_t, bucket, h->rows - 1);
}

/* The label of a line: the text of one bucket, the range of several, or a name. */
static const char *label_of(struct heat *h, const struct buckets *b, size_t first, size_t last)
{
	const struct pic_cell *from = b->v.v[first].key, *to = b->v.v[last].key;
	const struct result_column *key = &b->group->r->columns[b->key];
	const struct pic_cell range = { .num = from->num, .max = to->max };
	struct strbuf sb = STRBUF_INIT;

	if (!h->numbers && first != last)
		return arena_printf(&h->arena, "(%zu others)", last - first + 1);
	if (first == last && (!h->numbers || !key->unit))
		return arena_strndup(&h->arena, from->text.s, from->text.n);
	if (key->unit) {
		range_add(&sb, key, &range, b->plain ? people_text : people_add);
	} else {
		text_add_number(&sb, range.num, key->is_signed);
		strbuf_addstr(&sb, "..");
		text_add_number(&sb, range.max, key->is_signed);
	}
	return arena_take(&h->arena, &sb);
}

static int make_labels(struct heat *h, const struct buckets *b)
{
	for (size_t first = 0, last; first < b->v.n; first = last + 1) {
		size_t row = row_of(h, b, first);

		for (last = first; last + 1 < b->v.n && row_of(h, b, last + 1) == row; last++)
			;
		h->labels[row] = label_of(h, b, first, last);
		h->whole[row] = first == last;
		if (!h->labels[row])
			return HIST_NOMEM;
	}
	return 0;
}

int heat_init(struct heat *h, const struct buckets *b, size_t max_columns, size_t max_rows)
{
	const struct pic_group *g = b->group;
	const struct timeline t = timeline_of(g);
	int err = begin(h, g, max_columns, min_t(size_t, b->v.n, max_rows));

	h->numbers = buckets_are_numbers(b);
	err = err ?: make_labels(h, b);
	for (size_t i = 0; i < g->rows.n && !err; i++) {
		const struct pic_row *row = &g->rows.v[i];

		if (b->only && !span_same(row->cells[b->split].text, b->only->text))
			continue;
		h->cells[row_of(h, b, b->of_row[i]) * h->columns +
			 column_of(h, &t, g, row->slice)] +=
			cell_number(&g->r->columns[b->value], &row->cells[b->value]);
	}
	return finish(h, err);
}

/* --- values --- */

int heat_init_values(struct heat *h, const struct pic_group *g, size_t stat,
		     const struct scale *scale, size_t max_columns)
{
	const struct pic_stat *s = &g->stats.v[stat];
	const struct timeline t = timeline_of(g);
	int err = begin(h, g, max_columns, scale->n);

	h->numbers = true;
	for (size_t row = 0; row < h->rows && !err; row++) {
		struct strbuf sb = STRBUF_INIT;

		scale_label(scale, row, g->r->stats[stat].unit, &sb);
		h->labels[row] = arena_take(&h->arena, &sb);
		if (!h->labels[row])
			err = HIST_NOMEM;
	}
	array_each_while(const struct pic_dot, dot, &s->dots, !err) {
		size_t row = scale_bin(scale, s->all.is_signed ? (double)(s64)dot->value
							       : (double)dot->value);

		h->cells[row * h->columns + column_of(h, &t, g, dot->slice)] += (double)dot->n;
	}
	return finish(h, err);
}

void heat_release(struct heat *h)
{
	arena_release(&h->arena);
}

unsigned int heat_level(const struct heat *h, size_t row, size_t column, unsigned int levels)
{
	double v = h->cells[row * h->columns + column] / (double)h->covers[column],
	       part = h->most > h->least ? log(v / h->least) / log(h->most / h->least) : 1;

	return !(v > 0) ? 0 : 1 + (unsigned int)fmin(levels - 1, fmax(0, part * levels));
}
