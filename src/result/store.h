/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Makers of results. Rows of a result in memory: frozen from a replay's map, read from a saved
 * file, or summed from several results.
 *
 * A row consists of words of 64 bits. A number and samples are one word, a range two, a string or
 * stack a pointer into the arena; a number with a label, or that may be absent, has a second word.
 */
#pragma once
#include "result/result.h"
#include "table/table.h"

enum { STORED_TEXTS = 256, STORED_FRAMES = 1024 };

struct stored_text {
	size_t n;
	char s[];
};

struct stored_result {
	struct result result;
	struct result_info info; /* ->result.info, unless the result is a replay's */

	struct arena arena; /* for all data to which ->result refers */
	struct result_column *columns;
	struct result_stat *stats;
	struct result_snapshot snapshot;
	struct result_exemplars exemplars;
	u32 *order; /* order of the rows; NULL: as added */

	/* private to store.c */
	u32 *at;                                          /* first word of each column in a row */
	u32 saved_at, samples_at, exemplars_at, row_size; /* size of a row in words */
	u64 *words;
	size_t max_rows;
	struct row_space space; /* of row() */
	struct sketch *all_sketches;
	struct exemplar_row *all_exemplars;
	const struct stored_text **texts; /* recently stored frames, by hash */
	const struct result_frame **frames;
};

struct stored_result *stored_new(void);

/*
 * A copy of the head of a result: trigger, columns, sort keys, statistics, exemplars, and the
 * metadata except losses, limits, selection and caveats; no rows. NULL if out of memory.
 */
struct stored_result *stored_like(const struct result *like);
void stored_free(struct stored_result *s);

/* After setting columns and statistics: prepares for @n_rows, or more. 0, -HIST_ENOMEM */
int stored_begin_rows(struct stored_result *s, size_t n_rows);

/* Append a copy of @row, whose cells match the columns; the sketches are copied too. */
int stored_add_row(struct stored_result *s, const struct result_row *row);

/* After the last row: computes the statistics over all rows. 0, -HIST_ENOMEM */
int stored_end_rows(struct stored_result *s);

/* Replace a cell of a row by a copy of another one. */
int stored_set_cell(struct stored_result *s, size_t row, size_t column,
		    const struct result_cell *cell);

/* One cell of a row; its strings are valid as long as @s. */
void stored_get_cell(const struct stored_result *s, size_t row, size_t column,
		     struct result_cell *cell);

/* A copy of a cell of that column, valid as long as @s. */
int stored_copy_cell(struct stored_result *s, size_t column, const struct result_cell *cell,
		     struct result_cell *copy);

/* --- rows as words --- */

/* The words of a new row, all zero, to be filled in; NULL if out of memory. */
u64 *stored_new_row(struct stored_result *s);

/* The first @n rows, all words of which were set; at most as many as were prepared for. */
static inline void stored_set_rows(struct stored_result *s, size_t n)
{
	s->result.n_rows = n;
}

static inline u64 *stored_row(const struct stored_result *s, size_t row)
{
	return s->words + row * s->row_size;
}

/* The words of a column: a number, the ends of a range, a string, or a stack. */
static inline u64 *stored_words(const struct stored_result *s, u64 *row, size_t column)
{
	return row + s->at[column];
}

/* For a row with saved columns: whether anything was saved, and when. */
static inline u64 *stored_saved(const struct stored_result *s, u64 *row)
{
	return row + s->saved_at;
}

/* The samples of a row: a word for each of its statistics. */
u64 *stored_samples(const struct stored_result *s, u64 *row);

/* Convert the words of a row, or those up to its @n-th column, to cells. */
void stored_load_cells(const struct stored_result *s, const u64 *row, size_t n,
		       struct result_cell *cells);
/* Words for a string, and for a stack; 0 if out of memory. */
u64 stored_text(struct stored_result *s, struct span text);
u64 stored_stack(struct stored_result *s, const struct result_frame *const *frames, size_t n);

/* A recently stored frame, or NULL; a new one, with its symbol or as a name; NULL: no memory */
const struct result_frame *stored_known_frame(const struct stored_result *s, u64 addr);
const struct result_frame *stored_frame(struct stored_result *s, u64 addr, struct span symbol);
const struct result_frame *stored_named_frame(struct stored_result *s, struct span symbol);

/* Set a copy of the exemplars of a row; NULL: none. 0, -HIST_ENOMEM */
int stored_copy_exemplars(struct stored_result *s, u64 *row, const struct exemplar_row *exemplars);
/* Add those of another row of the same key; and, at the end, keep at most .exemplars.max. */
int stored_merge_exemplars(struct stored_result *s, u64 *row, const struct exemplar_row *from);
void stored_trim_exemplars(struct stored_result *s);

/* --- from a trigger --- */

struct trigger;

/**
 * result_freeze() - copy the current state of a trigger's histogram
 * @info: borrowed by the result; NULL if its reader does not need it
 *
 * Later changes of the trigger or its map do not change the result.
 *
 * Owns:   free @out with stored_free()
 * Return: 0, -HIST_ENOMEM
 */
int result_freeze(const struct trigger *trigger, const struct result_info *info,
		  struct stored_result **out);

/* The hits that histograms which feed that of @trigger dropped. 0, -HIST_ENOMEM */
int trigger_feeding_drops(const struct trigger *trigger, u64 *drops);

/* The line of the file trigger, with its newline. */
void trigger_text(struct strbuf *out, const struct trigger *trigger);

/* --- copies that outlive their result --- */

/* NULL if out of memory. */
struct result_column *columns_copy(struct arena *arena, const struct result_column *from, size_t n);
const char *const *texts_copy(struct arena *arena, const char *const *from, size_t n);

/* Everything but ->all is copied to the arena. 0, -HIST_ENOMEM */
int exemplars_describe(struct arena *arena, const struct result_exemplars *from,
		       struct result_exemplars *to);

/* Copies rows of one result. */
struct exemplar_copier {
	struct arena *arena;
	const char *file; /* for exemplars that do not name theirs, or NULL */
	const char *last; /* the copied name of the exemplar before */
};

/* A copier whose exemplars name the only file of @info, if there is only one. 0, -HIST_ENOMEM */
int exemplar_copier_init(struct exemplar_copier *c, struct arena *arena,
			 const struct result_info *info);

/* Replace the content of @to by as many of @from as it has room for. 0, -HIST_ENOMEM */
int exemplar_copy(struct exemplar_copier *c, const struct exemplar_row *from,
		  struct exemplar_row *to);

/* --- unique names of columns: the second of two equal names gets #2 --- */

struct unique_names {
	struct arena *arena; /* for names with a number */
	ARRAY(const char *) given;
};

/* @name, or NAME#N if it is the N-th with that name; NULL if out of memory. */
const char *unique_names_add(struct unique_names *names, const char *name);

static inline void unique_names_release(struct unique_names *names)
{
	array_release(&names->given);
}

/* --- members.c: the members of objects of a saved result, those that are simple --- */

enum {
	COLUMN_MEMBERS = 8,
	STAT_MEMBERS = 3,
	EXEMPLARS_MEMBERS = 4, /* the last one describes rows */
	SNAPSHOT_MEMBERS = 3,
	INFO_MEMBERS = 3,
};

extern const struct json_member column_members[], stat_members[], exemplars_members[],
	snapshot_members[], info_members[];
