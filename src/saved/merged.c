// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Rows added up. They are found by a hash of their keys, in a table with linear probing that
 * is at most half full.
 *
 * Invariant: what is kept of a set of rows does not depend on their order: sums wrap, of
 * several candidates the greatest by a total order stays.
 */
#include "saved/cell.h"
#include "saved/merged.h"

enum { FIRST_SLOTS = 64 };

/* --- rows by key --- */

static u64 hash_keys(const struct result *r, const struct result_cell *cells)
{
	u64 hash = 0;

	for (size_t i = 0; i < r->n_keys; i++)
		hash = cell_hash(&r->columns[i], &cells[i], hash);
	return hash;
}

static bool has_keys(const struct saved *s, size_t row, const struct result_cell *cells)
{
	struct result_cell own;

	for (size_t i = 0; i < s->result.n_keys; i++) {
		saved_get_cell(s, row, i, &own);
		if (cell_cmp(&s->columns[i], &own, &cells[i]) != 0)
			return false;
	}
	return true;
}

/* The slot of the row with these keys, or the free one where it would be. */
static u32 *find(const struct merged *g, u64 hash, const struct result_cell *cells)
{
	u32 i = (u32)(hash >> 32) & g->mask;

	while (g->slots[i] &&
	       (g->hashes.v[g->slots[i] - 1] != hash || !has_keys(g->s, g->slots[i] - 1, cells)))
		i = (i + 1) & g->mask;
	return &g->slots[i];
}

static int grow(struct merged *g)
{
	u32 size = g->slots ? (g->mask + 1) * 2 : FIRST_SLOTS;
	u32 *slots = size ? calloc(size, sizeof(*slots)) : NULL;

	if (!slots)
		return HIST_NOMEM;
	free(g->slots);
	g->slots = slots;
	g->mask = size - 1;
	for (size_t row = 0; row < g->hashes.n; row++) {
		u32 i = (u32)(g->hashes.v[row] >> 32) & g->mask;

		while (slots[i])
			i = (i + 1) & g->mask;
		slots[i] = (u32)row + 1;
	}
	return 0;
}

/* --- what onmax and onchange keep --- */

/* The first column that is saved. */
static size_t first_saved(const struct result *r)
{
	return r->n_keys + r->n_values;
}

static int cmp_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* Whether what @row saved goes before what row @i has: a greater value, then earlier. */
static bool saves_better(const struct merged *g, size_t i, const struct result_row *row)
{
	const struct saved *s = g->s;
	const struct stored_save *save = &s->saves.v[i];
	size_t first = first_saved(&s->result), track = first + g->save_track;
	struct result_cell own;
	int ret = 0;

	/* kernel: compared as numbers without sign */
	if (g->save_track < g->n_tracks) {
		saved_get_cell(s, i, track, &own);
		ret = cmp_u64(row->cells[track].num, own.num);
	}
	if (!ret)
		ret = (int)row->saved - (int)save->saved;
	if (!ret)
		ret = cmp_u64(save->at, row->saved_at);
	for (size_t c = first + g->n_tracks; c < s->result.n_columns && !ret; c++) {
		saved_get_cell(s, i, c, &own);
		ret = -cell_cmp(&s->columns[c], &row->cells[c], &own);
	}
	return ret > 0;
}

static int combine_saved(struct merged *g, size_t i, const struct result_row *row)
{
	struct saved *s = g->s;
	size_t first = first_saved(&s->result);
	bool better = saves_better(g, i, row);
	struct result_cell own;
	int err = 0;

	for (size_t t = 0; t < g->n_tracks && !err; t++) {
		saved_get_cell(s, i, first + t, &own);
		if (row->cells[first + t].num > own.num)
			err = saved_set_cell(s, i, first + t, &row->cells[first + t]);
	}
	for (size_t c = first + g->n_tracks; c < s->result.n_columns && better && !err; c++)
		err = saved_set_cell(s, i, c, &row->cells[c]);
	if (better)
		s->saves.v[i] = (struct stored_save){ row->saved, row->saved_at };
	return err;
}

/* --- adding --- */

static int combine(struct merged *g, size_t i, const struct result_row *row)
{
	struct saved *s = g->s;
	const struct result *r = &s->result;
	int err = 0;

	for (size_t c = r->n_keys; c < r->n_keys + r->n_values; c++)
		s->cells.v[i * r->n_columns + c].num += row->cells[c].num;
	if (result_has_saved(r))
		err = combine_saved(g, i, row);
	for (size_t k = 0; k < r->n_row_stats && !err; k++)
		err = sketch_merge(&s->sketches.v[i * r->n_row_stats + k], row->sketches[k]);
	return err;
}

static int add_row(struct merged *g, const struct result_row *row)
{
	u64 hash = hash_keys(&g->s->result, row->cells);
	u32 *slot;
	int err = 0;

	if (g->hashes.n >= g->mask / 2)
		err = grow(g);
	if (err)
		return err;
	slot = find(g, hash, row->cells);
	if (*slot)
		return combine(g, *slot - 1, row);
	err = saved_add_row(g->s, row);
	if (!err)
		err = array_push(&g->hashes, hash);
	if (!err)
		*slot = (u32)g->hashes.n;
	return err;
}

int merged_add(struct merged *g, const struct result *r)
{
	struct result_row row;
	int err = merged_add_info(g, r);

	for (size_t i = 0; i < r->n_rows && !err; i++) {
		err = r->row(r, i, &row);
		if (!err)
			err = add_row(g, &row);
	}
	return err;
}

/* --- the end: sorted --- */

static int cmp_rows(const void *a, const void *b, void *arg)
{
	const struct saved *s = arg;
	const struct result *r = &s->result;
	size_t ra = *(const u32 *)a, rb = *(const u32 *)b;
	struct result_cell ca, cb;
	int ret = 0;

	for (size_t i = 0; i < r->n_sort && !ret; i++) {
		size_t c = r->sort[i].column;

		saved_get_cell(s, ra, c, &ca);
		saved_get_cell(s, rb, c, &cb);
		ret = cell_cmp_sort(&r->columns[c], &ca, &cb);
		ret = r->sort[i].descending ? -ret : ret;
	}
	for (size_t c = 0; c < r->n_keys && !ret; c++) {
		saved_get_cell(s, ra, c, &ca);
		saved_get_cell(s, rb, c, &cb);
		ret = cell_cmp(&r->columns[c], &ca, &cb);
	}
	return ret;
}

int merged_end(struct merged *g)
{
	struct saved *s = g->s;
	size_t n = s->result.n_rows;

	s->order = calloc(n + 1, sizeof(*s->order));
	if (!s->order)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		s->order[i] = (u32)i;
	qsort_r(s->order, n, sizeof(*s->order), cmp_rows, s);
	return merged_end_info(g) || saved_end_rows(s) ? HIST_NOMEM : 0;
}
