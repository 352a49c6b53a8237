// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A heat map: the number of hits by time and bucket.
 *
 * Invariant: the cells add up to the histogram. Numbers without a row of their own share a row with
 * their neighbours; all names without one share a single row.
 */
#include <math.h>
#include <stdlib.h>

#include "picture/gather.h"

struct maker {
	struct heat *h;
	const struct buckets *b;
	u64 start, length; /* of the first slice; slices without hits are omitted */
	size_t slices;     /* number of slices, including those */
};

static size_t column_of(const struct maker *m, size_t slice)
{
	u64 n = (m->b->group->slices.v[slice].from - m->start) / m->length;

	return (size_t)((double)min_t(u64, n, m->slices - 1) * (double)m->h->columns /
			(double)m->slices);
}

static size_t row_of(const struct maker *m, size_t bucket)
{
	if (m->h->numbers)
		return bucket * m->h->rows / m->b->v.n;
	return min_t(size_t, bucket, m->h->rows - 1);
}

static struct span number_of(struct span text, bool upper)
{
	const char *dots = text.n > 2 ? strstr(text.s, "..") : NULL;

	if (!dots)
		return text;
	return upper ? span_between(dots + 2, text.s + text.n) : span_between(text.s, dots);
}

/* The label of a line: the text of one bucket, the range of several, or a name. */
static const char *label_of(const struct maker *m, size_t first, size_t last)
{
	const struct pic_bucket *v = m->b->v.v;
	struct span from = number_of(v[first].key->text, false),
		    to = number_of(v[last].key->text, true);

	if (first == last)
		return arena_strndup(&m->h->arena, v[first].key->text.s, v[first].key->text.n);
	if (!m->h->numbers)
		return arena_printf(&m->h->arena, "(%zu others)", last - first + 1);
	return arena_printf(&m->h->arena, "%.*s..%.*s", (int)from.n, from.s, (int)to.n, to.s);
}

static int make_labels(const struct maker *m)
{
	struct heat *h = m->h;

	for (size_t first = 0, last; first < m->b->v.n; first = last + 1) {
		size_t row = row_of(m, first);

		for (last = first; last + 1 < m->b->v.n && row_of(m, last + 1) == row; last++)
			;
		h->labels[row] = label_of(m, first, last);
		h->whole[row] = first == last;
		if (!h->labels[row])
			return HIST_NOMEM;
	}
	return 0;
}

int heat_init(struct heat *h, const struct buckets *b, size_t max_columns, size_t max_rows)
{
	struct maker m = { .h = h, .b = b };

	const struct pic_group *g = m.b->group;
	const struct pic_slice *first = &g->slices.v[0], *last = &g->slices.v[g->slices.n - 1];
	u64 end = max_t(u64, last->to, last->from + 1);

	m.start = first->from;
	m.length = max_t(u64, first->to - first->from, 1);
	m.slices = (size_t)min_t(u64, (end - m.start - 1) / m.length + 1, 1ull << 52);
	*h = (struct heat){ .slices = m.slices,
			    .columns = min_t(size_t, m.slices, max_columns),
			    .rows = min_t(size_t, b->v.n, max_rows),
			    .numbers = buckets_are_numbers(b) };
	h->labels = arena_alloc(&h->arena, (h->rows + 1) * sizeof(*h->labels));
	h->whole = arena_alloc(&h->arena, (h->rows + 1) * sizeof(*h->whole));
	h->from = arena_alloc(&h->arena, (h->columns + 1) * sizeof(*h->from));
	h->to = arena_alloc(&h->arena, (h->columns + 1) * sizeof(*h->to));
	h->cells = arena_alloc(&h->arena, (h->rows * h->columns + 1) * sizeof(*h->cells));
	if (!h->labels || !h->whole || !h->from || !h->to || !h->cells || make_labels(&m))
		return HIST_NOMEM;
	for (size_t i = 0; i < g->slices.n; i++) {
		size_t column = column_of(&m, i);

		if (!h->to[column])
			h->from[column] = g->slices.v[i].from;
		h->to[column] = g->slices.v[i].to;
	}
	for (size_t i = 0; i < g->rows.n; i++) {
		const struct pic_row *row = &g->rows.v[i];
		double *cell = &h->cells[row_of(&m, b->of_row[i]) * h->columns +
					 column_of(&m, row->slice)];

		*cell += (double)row->cells[g->r->n_keys].num;
		h->most = fmax(h->most, *cell);
	}
	return 0;
}

void heat_release(struct heat *h)
{
	arena_release(&h->arena);
}

unsigned int heat_level(const struct heat *h, double v, unsigned int levels)
{
	double part = h->most > 1 ? log(v) / log(h->most) : 1;

	if (!(v > 0))
		return 0;
	return 1 + (unsigned int)fmin(levels - 1, fmax(0, part * levels));
}
