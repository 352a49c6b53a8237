// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Adds up the hits, or another value, of a histogram by one key, in total and for each slice of
 * time; all other keys are summed over.
 *
 * The key is the last range, such as a latency in buckets; otherwise the last number, rather a
 * quantity than a CPU or a pid; otherwise the first key.
 */
#include "picture/gather.h"

static bool is_number(const struct result_column *column)
{
	return column->type == RESULT_RANGE || column->type == RESULT_NUMBER;
}

/* How well a column shows a distribution. */
static int rank_of(const struct result_column *column)
{
	if (!is_number(column))
		return 0;
	if (number_is_id(column->name))
		return 1;
	return column->type == RESULT_RANGE ? 3 : 2;
}

size_t buckets_key(const struct pic_group *group)
{
	size_t best = 0;

	for (size_t i = 1; i < group->r->n_keys; i++)
		if (rank_of(&group->r->columns[i]) >= rank_of(&group->r->columns[best]) &&
		    rank_of(&group->r->columns[i]))
			best = i;
	return best;
}

bool buckets_have_quantiles(const struct buckets *b)
{
	return buckets_are_numbers(b) && !number_is_id(b->group->r->columns[b->key].name);
}

bool buckets_are_numbers(const struct buckets *b)
{
	const struct result_column *column = &b->group->r->columns[b->key];

	if (!b->group->r->n_keys || !is_number(column))
		return false;
	/* a named number is a category, not a quantity */
	return all_of(i, b->v.n,
		      !b->v.v[i].key->text.n || is_digit(b->v.v[i].key->text.s[0]) ||
			      b->v.v[i].key->text.s[0] == '-');
}

/* --- collecting --- */

struct keyed_row {
	const struct pic_cell *cell;
	bool by_text, is_signed;
	size_t row;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed_row *x = a, *y = b;
	u64 flip = x->is_signed ? 1ull << 63 : 0, m = x->cell->num ^ flip, n = y->cell->num ^ flip;

	return !x->by_text && m != n ? (m > n) - (m < n) : span_cmp(x->cell->text, y->cell->text);
}

static int add_up(struct buckets *b, const struct keyed_row *keyed, size_t n)
{
	const struct pic_group *group = b->group;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const struct pic_row *row = &group->rows.v[keyed[i].row];
		const struct pic_bucket next = { .key = keyed[i].cell,
						 .at = b->v.n,
						 .first = keyed[i].row };

		if (!i || compare_keyed(&keyed[i - 1], &keyed[i]))
			err = array_push(&b->v, next);
		if (err)
			break;
		b->v.v[b->v.n - 1].n +=
			cell_number(&group->r->columns[b->value], &row->cells[b->value]);
		b->v.v[b->v.n - 1].first = min_t(size_t, b->v.v[b->v.n - 1].first, keyed[i].row);
		b->of_row[keyed[i].row] = b->v.n - 1;
	}
	return err;
}

DEFINE_ORDER(compare_sizes, struct pic_bucket,
	     x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->at > y->at) - (x->at < y->at))

DEFINE_ORDER(compare_firsts, struct pic_bucket, cmp_int(x->first, y->first))

/* Sort names by their hits, the largest first, or as --sort does by their first rows. */
static int sort_names(struct buckets *b)
{
	scoped(free_scoped) size_t *index_at = calloc(b->v.n + 1, sizeof(*index_at));

	if (!index_at)
		return HIST_NOMEM;
	qsort(b->v.v, b->v.n, sizeof(*b->v.v), b->group->sorted ? compare_firsts : compare_sizes);
	for (size_t i = 0; i < b->v.n; i++)
		index_at[b->v.v[i].at] = i;
	for (size_t i = 0; i < b->group->rows.n; i++)
		b->of_row[i] = index_at[b->of_row[i]];
	return 0;
}

int buckets_init(struct buckets *b, const struct pic_group *group, size_t value)
{
	size_t n = group->rows.n;
	struct keyed_row *keyed = calloc(n + 1, sizeof(*keyed));
	int err;

	*b = (struct buckets){ .group = group, .key = buckets_key(group), .value = value };
	b->of_row = calloc(n + 1, sizeof(*b->of_row));
	if (!keyed || !b->of_row) {
		free(keyed);
		return HIST_NOMEM;
	}
	for (size_t i = 0; i < n; i++)
		keyed[i] = (struct keyed_row){ &group->rows.v[i].cells[b->key],
					       !is_number(&group->r->columns[b->key]),
					       group->r->columns[b->key].is_signed, i };
	if (n)
		qsort(keyed, n, sizeof(*keyed), compare_keyed);
	err = add_up(b, keyed, n);
	free(keyed);
	if (!err && b->v.n && !buckets_are_numbers(b))
		err = sort_names(b);
	return err;
}

void buckets_release(struct buckets *b)
{
	array_release(&b->v);
	free(b->of_row);
}

/* --- queries --- */

double buckets_quantile(const struct buckets *b, unsigned int permille)
{
	double all = 0, rank, sum = 0;

	for (size_t i = 0; i < b->v.n; i++)
		all += b->v.v[i].n;
	rank = ceil(all * permille / 1000);
	for (size_t i = 0; i < b->v.n; i++) {
		const struct pic_cell *key = b->v.v[i].key;

		sum += b->v.v[i].n;
		if (sum >= rank && all > 0)
			return b->group->r->columns[b->key].is_signed ? (double)(s64)key->max
								      : (double)key->max;
	}
	return (double)NAN;
}

/* --- stacks --- */

/* Whether a key is a stack, and one was recorded. */
static bool has_stack(const struct pic_group *group)
{
	return any_of(r, group->rows.n,
		      sum_of(i, group->r->n_keys, group->rows.v[r].cells[i].n_frames));
}

/*
 * The frames of a row as in --format folded: first the keys that are not stacks, then the stacks.
 */
static size_t frames_of(const struct pic_group *group, const struct pic_row *row,
			struct span *frames)
{
	size_t n = 0;

	for (size_t i = 0; i < group->r->n_keys; i++)
		if (group->r->columns[i].type != RESULT_STACK)
			frames[n++] = row->cells[i].text;
	for (size_t i = 0; i < group->r->n_keys; i++) {
		const struct pic_cell *cell = &row->cells[i];

		if (group->r->columns[i].type != RESULT_STACK)
			continue;
		for (size_t k = 0; k < cell->n_frames; k++)
			frames[n++] = cell->frames[k];
		if (!cell->n_frames)
			frames[n++] = span_of("[no stack]");
	}
	return n;
}

static double value_of(const struct pic_group *group, const struct pic_row *row)
{
	return cell_number(&group->r->columns[group->sort_value], &row->cells[group->sort_value]);
}

/* The ->top largest rows over all slices; the others together are one frame. */
static int add_largest(const struct pic_group *group, struct span *frames, struct flame *f)
{
	struct pic_totals totals = { .arena = ARENA_INIT };
	scoped(free_scoped) struct rank *ranks = NULL;
	double others = 0;
	int err = totals_init(&totals, group);

	if (!err)
		ranks = calloc(totals.n + 1, sizeof(*ranks));
	if (!err && !ranks)
		err = HIST_NOMEM;
	for (size_t i = 0; i < totals.n && !err; i++)
		ranks[i] = (struct rank){ value_of(group, &totals.rows[i]), i };
	if (!err && !group->sorted)
		rank_sort(ranks, totals.n);
	for (size_t i = 0; i < totals.n && !err; i++) {
		const struct pic_row *row = &totals.rows[ranks[i].at];

		if (i < group->top)
			err = flame_add(f, frames, frames_of(group, row, frames), ranks[i].by, 0);
		else
			others += ranks[i].by;
	}
	if (totals.n > group->top && !err) {
		char name[48];

		snprintf(name, sizeof(name), "(%zu others: --top 0)", totals.n - group->top);
		frames[0] = span_of(name);
		err = flame_add(f, frames, 1, others, 0);
	}
	arena_release(&totals.arena);
	return err;
}

int group_flame(const struct pic_group *group, bool always, struct flame *f)
{
	scoped(free_scoped) struct span *frames = NULL;
	size_t most = 0;
	int err;

	for (size_t r = 0; r < group->rows.n; r++) {
		size_t n = sum_of(i, group->r->n_keys, group->rows.v[r].cells[i].n_frames + 1);

		most = max_t(size_t, most, n);
	}
	frames = calloc(most + 1, sizeof(*frames));
	err = frames ? 0 : HIST_NOMEM;
	*f = (struct flame){ .what = group->r->columns[group->sort_value].name,
			     .inexact = group->r->info->inexact,
			     .left_out = group->left_out };
	if (always && group->top && !err)
		err = add_largest(group, frames, f);
	else
		for (size_t i = 0; i < group->rows.n && (always || has_stack(group)) && !err; i++)
			err = flame_add(f, frames, frames_of(group, &group->rows.v[i], frames),
					value_of(group, &group->rows.v[i]), 0);
	return err;
}
