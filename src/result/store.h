/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Rows of a result in memory: what a replay's map is frozen to, what is read from a saved file,
 * and what several results are added up in.
 *
 * A row is a few words of 64 bits. A number is one word, a range two, a text or stack a pointer
 * into the arena; a number with a label, and one that may be absent, has a second word.
 */
#ifndef HIST_RESULT_STORE_H
#define HIST_RESULT_STORE_H

#include "result/result.h"

enum { STORED_TEXTS = 256, STORED_FRAMES = 1024 };

struct stored_text {
	size_t n;
	char s[];
};

struct stored_result {
	struct result result;
	struct result_info info; /* ->result.info, if the result is not a replay's */

	struct arena arena; /* of all that ->result points to */
	struct result_column *columns;
	struct result_stat *stats;
	struct result_snapshot snapshot;
	struct result_exemplars exemplars;
	u32 *order; /* of the rows; NULL: as they were added */

	/* private to store.c */
	u32 *at; /* of each column: its first word in a row */
	u32 saved_at, sketches_at, exemplars_at, row_size; /* in words */
	u64 *words;
	size_t max_rows;
	struct result_cell *row_cells;
	const struct sketch **row_sketches;
	struct sketch *all_sketches;
	struct exemplar_row *all_exemplars;
	const struct stored_text **texts; /* lately stored ones, by their hash */
	const struct result_frame **frames;
};

struct stored_result *stored_new(void);
void stored_free(struct stored_result *s);

/* When columns and statistics are known: makes ready for @n_rows, or more. 0, -HIST_ENOMEM */
int stored_begin_rows(struct stored_result *s, size_t n_rows);

/* Append a copy of @row, whose cells fit the columns; the sketches are copied too. */
int stored_add_row(struct stored_result *s, const struct result_row *row);

/* When all rows are there: statistics over all of them. 0, -HIST_ENOMEM */
int stored_end_rows(struct stored_result *s);

/* Put another cell, a copy, into a row. */
int stored_set_cell(struct stored_result *s, size_t row, size_t column,
		    const struct result_cell *cell);

/* One cell of a row; its texts are good as long as @s is. */
void stored_get_cell(const struct stored_result *s, size_t row, size_t column,
		     struct result_cell *cell);

/* A copy of a cell of that column that lasts as long as @s. */
int stored_copy_cell(struct stored_result *s, size_t column, const struct result_cell *cell,
		     struct result_cell *copy);

/* --- rows as words --- */

/* The words of another row, all zero, which are to be filled in; NULL without memory. */
u64 *stored_new_row(struct stored_result *s);

static inline u64 *stored_row(const struct stored_result *s, size_t row)
{
	return s->words + row * s->row_size;
}

/* The words of a column: a number; or the ends of a range; or a text; or a stack. */
static inline u64 *stored_words(const struct stored_result *s, u64 *row, size_t column)
{
	return row + s->at[column];
}

/* Of a row with saved columns: whether anything was saved, and when. */
static inline u64 *stored_saved(const struct stored_result *s, u64 *row)
{
	return row + s->saved_at;
}

/* Turn the words of a row, or those up to its @n-th column, into cells. */
void stored_load_cells(const struct stored_result *s, const u64 *row, size_t n,
		       struct result_cell *cells);

/* Words for a text, and for a stack; 0 without memory. */
u64 stored_text(struct stored_result *s, struct span text);
u64 stored_stack(struct stored_result *s, const struct result_frame *const *frames, size_t n);

/* A frame that was stored lately; NULL: none. And one with its symbol; NULL without memory. */
const struct result_frame *stored_known_frame(const struct stored_result *s, u64 addr);
const struct result_frame *stored_frame(struct stored_result *s, u64 addr, struct span symbol);

/* Give a row its sketches, of which it gets a reference; NULL: without samples. 0, -HIST_ENOMEM */
int stored_share_sketches(struct stored_result *s, u64 *row, struct sketch_row *sketches);
/* Give a row a copy of its exemplars; NULL: none. 0, -HIST_ENOMEM */
int stored_copy_exemplars(struct stored_result *s, u64 *row, const struct exemplar_row *exemplars);
struct sketch_row *stored_sketches(const struct stored_result *s, const u64 *row);

#endif
