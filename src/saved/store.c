// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Rows in memory, two words for a cell. Texts and stacks are in the arena.
 *
 * Invariant: all rows have all columns, and a sketch for each statistic of rows.
 */
#include "print/print.h"
#include "saved/store.h"

const char stored_absent[1] = "";

/* --- cells --- */

static const struct stored_text *store_text(struct arena *arena, struct span text)
{
	struct stored_text *t = arena_alloc(arena, sizeof(*t) + text.n);

	if (!t)
		return NULL;
	t->n = text.n;
	if (text.n)
		memcpy(t->s, text.s, text.n);
	return t;
}

static const struct stored_stack *store_stack(struct arena *arena, const struct result_cell *cell)
{
	struct stored_stack *stack =
		arena_alloc(arena, sizeof(*stack) + cell->n_frames * sizeof(*stack->frames));

	if (!stack)
		return NULL;
	stack->n = cell->n_frames;
	for (size_t i = 0; i < stack->n; i++) {
		const struct stored_text *symbol = store_text(arena, cell->frames[i].symbol);

		if (!symbol)
			return NULL;
		stack->frames[i] = (struct result_frame){ .addr = cell->frames[i].addr,
							  .symbol = { symbol->s, symbol->n } };
	}
	return stack;
}

static int store_cell(struct saved *s, size_t column, const struct result_cell *cell,
		      struct stored_cell *out)
{
	const struct result_column *c = &s->columns[column];

	*out = (struct stored_cell){ .num = cell->num };
	if (cell->absent)
		out->rest = stored_absent;
	else if (c->type == RESULT_RANGE)
		out->max = cell->max;
	else if (c->type == RESULT_TEXT)
		out->text = store_text(&s->arena, cell->text);
	else if (c->type == RESULT_STACK)
		out->stack = store_stack(&s->arena, cell);
	else if (c->has_label)
		out->text = store_text(&s->arena, cell->label);
	else
		return 0;
	return out->rest || c->type == RESULT_RANGE ? 0 : HIST_NOMEM;
}

int saved_set_cell(struct saved *s, size_t row, size_t column, const struct result_cell *cell)
{
	return store_cell(s, column, cell, &s->cells.v[row * s->result.n_columns + column]);
}

static void load_cell(const struct result_column *c, const struct stored_cell *stored,
		      struct result_cell *cell)
{
	*cell = (struct result_cell){ .num = stored->num, .max = stored->num };
	if (c->type == RESULT_RANGE) {
		cell->max = stored->max;
	} else if (stored->rest == stored_absent) {
		cell->absent = true;
	} else if (c->type == RESULT_TEXT) {
		cell->text = (struct span){ stored->text->s, stored->text->n };
	} else if (c->type == RESULT_STACK) {
		cell->frames = stored->stack->frames;
		cell->n_frames = stored->stack->n;
	} else if (c->has_label) {
		cell->label = (struct span){ stored->text->s, stored->text->n };
	}
}

void saved_get_cell(const struct saved *s, size_t row, size_t column, struct result_cell *cell)
{
	load_cell(&s->columns[column], &s->cells.v[row * s->result.n_columns + column], cell);
}

int saved_copy_cell(struct saved *s, size_t column, const struct result_cell *cell,
		    struct result_cell *copy)
{
	struct stored_cell stored;
	int err = store_cell(s, column, cell, &stored);

	if (!err)
		load_cell(&s->columns[column], &stored, copy);
	return err;
}

/* --- rows --- */

static int get_row(const struct result *result, size_t i, struct result_row *row)
{
	struct saved *s = result->arg;

	if (s->order)
		i = s->order[i];
	for (size_t c = 0; c < result->n_columns; c++)
		saved_get_cell(s, i, c, &s->row_cells[c]);
	for (size_t k = 0; k < result->n_row_stats; k++)
		s->row_sketches[k] = &s->sketches.v[i * result->n_row_stats + k];
	*row = (struct result_row){ .cells = s->row_cells, .sketches = s->row_sketches };
	if (result_has_saved(result)) {
		row->saved = s->saves.v[i].saved;
		row->saved_at = s->saves.v[i].at;
	}
	return 0;
}

static int add_sketches(struct saved *s, const struct result_row *row)
{
	int err = 0;

	for (size_t i = 0; i < s->result.n_row_stats && !err; i++) {
		struct sketch none = SKETCH_INIT(s->result.stats[i].is_signed);

		err = array_push(&s->sketches, none);
		if (!err)
			err = sketch_merge(&s->sketches.v[s->sketches.n - 1], row->sketches[i]);
	}
	return err;
}

int saved_add_row(struct saved *s, const struct result_row *row)
{
	const struct stored_save save = { row->saved, row->saved_at };
	struct stored_cell cell;
	int err = 0;

	for (size_t i = 0; i < s->result.n_columns && !err; i++) {
		err = store_cell(s, i, &row->cells[i], &cell);
		if (!err)
			err = array_push(&s->cells, cell);
	}
	if (!err && result_has_saved(&s->result))
		err = array_push(&s->saves, save);
	if (!err)
		err = add_sketches(s, row);
	if (!err)
		s->result.n_rows++;
	return err;
}

/* --- the whole --- */

struct saved *saved_new(void)
{
	struct saved *s = calloc(1, sizeof(*s));

	if (s) {
		s->result.info = &s->info;
		s->result.row = get_row;
		s->result.arg = s;
	}
	return s;
}

int saved_begin_rows(struct saved *s)
{
	const struct result *r = &s->result;

	s->row_cells = arena_alloc(&s->arena, r->n_columns * sizeof(*s->row_cells));
	s->row_sketches = arena_alloc(&s->arena, r->n_row_stats * sizeof(const struct sketch *));
	s->all_sketches = arena_alloc(&s->arena, 2 * r->n_stats * sizeof(*s->all_sketches));
	return s->row_cells && s->row_sketches && s->all_sketches ? 0 : HIST_NOMEM;
}

/* Every hit has the key of its row. */
static int add_key(struct saved *s, size_t column, struct sketch *all)
{
	bool is_range = s->columns[column].type == RESULT_RANGE;
	struct result_cell key, hits;
	int err = 0;

	for (size_t i = 0; i < s->result.n_rows && !err; i++) {
		saved_get_cell(s, i, column, &key);
		saved_get_cell(s, i, s->result.n_keys, &hits);
		err = sketch_add(all, key.num, hits.num);
		if (!err && is_range)
			err = sketch_add(all + 1, key.max, hits.num);
	}
	return err;
}

static int add_all(struct saved *s, size_t k, struct result_stat *stat, struct sketch *all)
{
	size_t n = s->result.n_row_stats;
	int err = 0;

	sketch_release(&all[0]);
	sketch_release(&all[1]);
	all[0].is_signed = all[1].is_signed = stat->is_signed;
	stat->all = all;
	if (k >= n) {
		stat->all_max = s->columns[stat->column].type == RESULT_RANGE ? all + 1 : NULL;
		return add_key(s, stat->column, all);
	}
	for (size_t i = 0; i < s->result.n_rows && !err; i++)
		err = sketch_merge(all, &s->sketches.v[i * n + k]);
	return err;
}

int saved_end_rows(struct saved *s)
{
	int err = 0;

	for (size_t i = 0; i < s->result.n_stats && !err; i++)
		err = add_all(s, i, &s->stats[i], &s->all_sketches[2 * i]);
	return err;
}

void saved_free(struct saved *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->sketches.n; i++)
		sketch_release(&s->sketches.v[i]);
	for (size_t i = 0; s->all_sketches && i < 2 * s->result.n_stats; i++)
		sketch_release(&s->all_sketches[i]);
	array_release(&s->sketches);
	array_release(&s->cells);
	array_release(&s->saves);
	free(s->order);
	arena_release(&s->arena);
	free(s);
}

void saved_array_release(saved_array *list)
{
	for (size_t i = 0; i < list->n; i++)
		saved_free(list->v[i]);
	array_release(list);
}
