// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Adds up rows, which are found by a hash of their keys.
 *
 * Invariant: the sum of a set of rows does not depend on their order: sums wrap, what they carry is
 * counted, and only the whole saturates; the greatest of several candidates by a total order is
 * used.
 */
#include "saved/merged.h"

/* --- rows by key --- */

static bool has_keys(const struct stored_result *s, size_t row, const struct result_cell *cells)
{
	struct result_cell own;

	for (size_t i = 0; i < s->result.n_keys; i++) {
		stored_get_cell(s, row, i, &own);
		if (cell_cmp(&s->columns[i], &own, &cells[i]) != 0)
			return false;
	}
	return true;
}

/* --- data of onmax and onchange --- */

/*
 * Whether the saved data of @row has priority over that of row @i: a greater value, then the
 * earlier time.
 */
static bool saves_better(const struct merged *g, size_t i, const struct result_row *row)
{
	const struct stored_result *s = g->s;
	const u64 *save = stored_saved(s, stored_row(s, i));
	size_t first = result_first(&s->result, RESULT_SAVED), track = first + g->save_track;
	struct result_cell own;
	int ret = 0;

	/* kernel: compared as unsigned numbers */
	if (g->save_track < g->n_tracks) {
		stored_get_cell(s, i, track, &own);
		ret = cmp_u64(row->cells[track].num, own.num);
	}
	if (!ret)
		ret = (int)row->saved - (int)save[0];
	if (!ret)
		ret = cmp_u64(save[1], row->saved_at);
	for (size_t c = first + g->n_tracks; c < s->result.n_columns && !ret; c++) {
		stored_get_cell(s, i, c, &own);
		ret = -cell_cmp(&s->columns[c], &row->cells[c], &own);
	}
	return ret > 0;
}

static int combine_saved(struct merged *g, size_t i, const struct result_row *row)
{
	struct stored_result *s = g->s;
	size_t first = result_first(&s->result, RESULT_SAVED);
	bool better = saves_better(g, i, row);
	struct result_cell own;
	int err = 0;

	for (size_t t = 0; t < g->n_tracks && !err; t++) {
		stored_get_cell(s, i, first + t, &own);
		if (row->cells[first + t].num > own.num)
			err = stored_set_cell(s, i, first + t, &row->cells[first + t]);
	}
	for (size_t c = first + g->n_tracks; c < s->result.n_columns && better && !err; c++)
		err = stored_set_cell(s, i, c, &row->cells[c]);
	if (better) {
		stored_saved(s, stored_row(s, i))[0] = row->saved;
		stored_saved(s, stored_row(s, i))[1] = row->saved_at;
	}
	return err;
}

/* --- adding --- */

static int carry(struct merged *g, size_t row, size_t column, int times)
{
	const u32 hash = hash_number((u64)row * SAVED_COLUMNS_MAX + column);
	struct merged_carry *c =
		indexed_find(&g->carries, hash, e, e->row == row && e->column == column);

	c = c ?: indexed_add(&g->carries, hash, ((struct merged_carry){ row, column, 0 }));
	if (c)
		c->times += times;
	return c ? 0 : HIST_NOMEM;
}

static int combine(struct merged *g, size_t i, const struct result_row *row)
{
	struct stored_result *s = g->s;
	const struct result *r = &s->result;
	u64 *words = stored_row(s, i);
	int err = 0;

	for (size_t c = r->n_keys; c < r->n_keys + r->n_values && !err; c++) {
		int times = add_wrapping(stored_words(s, words, c), row->cells[c].num,
					 r->columns[c].is_signed);

		if (unlikely(times))
			err = carry(g, i, c, times);
	}
	if (!err && result_has_saved(r))
		err = combine_saved(g, i, row);
	for (size_t k = 0; k < r->n_row_stats && !err; k++)
		err = samples_add_sketch(&stored_samples(s, words)[k], row->sketches[k]);
	return err ? err : stored_merge_exemplars(s, stored_row(s, i), row->exemplars);
}

static int add_row(struct merged *g, const struct result_row *row)
{
	const struct result *r = &g->s->result;
	u64 hash = 0;

	for (size_t i = 0; i < r->n_keys; i++)
		hash = cell_hash(&r->columns[i], &row->cells[i], hash);
	hash_each(known, &g->by_keys, (u32)(hash >> 32))
		if (has_keys(g->s, known, row->cells))
			return combine(g, known, row);
	return stored_add_row(g->s, row) ?: hash_add(&g->by_keys, (u32)(hash >> 32), r->n_rows - 1);
}

int merged_add(struct merged *g, const struct result *r)
{
	struct result_row row;
	int err = merged_add_info(g, r);

	for (size_t i = 0; i < r->n_rows && !err; i++) {
		r->row(r, i, &row);
		if (row.exemplars && g->exemplars)
			err = exemplar_copy(&g->copier, row.exemplars, g->exemplars);
		if (row.exemplars)
			row.exemplars = g->exemplars;
		err = err ?: add_row(g, &row);
	}
	return err;
}

/* --- sorting --- */

static int cmp_rows(const void *a, const void *b, void *arg)
{
	const struct stored_result *s = arg;
	const struct result *r = &s->result;
	size_t ra = *(const u32 *)a, rb = *(const u32 *)b;
	struct result_cell ca, cb;
	int ret = 0;

	for (size_t i = 0; i < r->n_sort && !ret; i++) {
		size_t c = r->sort[i].column;

		stored_get_cell(s, ra, c, &ca);
		stored_get_cell(s, rb, c, &cb);
		ret = cell_cmp_sort(&r->columns[c], r->rules == RESULT_EXACT, &ca, &cb);
		ret = r->sort[i].descending ? -ret : ret;
	}
	for (size_t c = 0; c < r->n_keys && !ret; c++) {
		stored_get_cell(s, ra, c, &ca);
		stored_get_cell(s, rb, c, &cb);
		ret = cell_cmp(&r->columns[c], &ca, &cb);
	}
	return ret;
}

int merged_end(struct merged *g)
{
	struct stored_result *s = g->s;
	size_t n = s->result.n_rows;
	const struct result *r;

	/* saturate the sums that left 64 bits */
	array_each(const struct merged_carry, c, &g->carries) {
		u64 *word = stored_words(s, stored_row(s, c->row), c->column);

		*word = saturated(*word, c->times, s->columns[c->column].is_signed);
		g->saturated[c->column] |= c->times != 0;
	}
	/* count those of this and of earlier merges */
	r = &s->result;
	for (size_t k = r->n_keys; k < r->n_keys + r->n_values; k++) {
		struct caveat caveat = { .kind = CAVEAT_SATURATED,
					 .of = span_of(r->columns[k].name) };

		for (size_t i = 0; i < r->n_rows && g->saturated[k]; i++) {
			const u64 v = *stored_words(s, stored_row(s, i), k);

			caveat.n += r->columns[k].is_signed
					    ? v == (u64)INT64_MAX || v == (u64)INT64_MIN
					    : v == UINT64_MAX;
		}
		if (caveat.n)
			caveat_add(&g->caveats, &caveat);
	}
	if (g->totals_saturated)
		caveat_add(&g->caveats, &(struct caveat){ .kind = CAVEAT_SATURATED,
							  .n = 1,
							  .of = span_of("totals") });
	s->order = calloc(n + 1, sizeof(*s->order));
	if (!s->order)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		s->order[i] = (u32)i;
	qsort_r(s->order, n, sizeof(*s->order), cmp_rows, s);
	stored_trim_exemplars(s);
	return merged_end_info(g) || stored_end_rows(s) ? HIST_NOMEM : 0;
}
