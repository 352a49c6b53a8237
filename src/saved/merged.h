/* SPDX-License-Identifier: LGPL-2.1-only */
/* One histogram, the sum of many: private to saved. */
#pragma once
#include "saved/saved.h"

typedef ARRAY(struct span) span_array;

/* The results with the same labels, whose rows are added up. */
struct merged_part {
	const char *labels;    /* lines NAME=VALUE; "": none */
	const char *first;     /* name of the first result */
	const char *selection; /* of their sum; NULL: nothing was added yet */
};

/* A sum that left 64 bits, upwards more often than downwards by @times. */
struct merged_carry {
	size_t row, column;
	s64 times;
};

struct merged {
	struct stored_result *s;
	const char *first;  /* name of the first result */
	unsigned int added; /* number of results when it was last added to */

	struct hash_table by_keys; /* index of rows by key */

	/* sums of values that left 64 bits: they wrap until the end, so that the order is free */
	INDEXED(struct merged_carry) carries; /* by cell */
	bool *saturated;                      /* for each column: an added result has such a sum */
	bool totals_saturated;

	/* the columns tracked by onmax and onchange come first among the saved ones */
	size_t n_tracks;
	size_t save_track; /* the one that decides what save() stores; n_tracks: none */

	/* of all recordings */
	ARRAY(const char *) files;
	span_array versions, unames, kernels, limits;
	const char *selection; /* of the sum; NULL: nothing was added yet */
	struct strbuf caveats; /* of the sum */

	INDEXED(struct merged_part) parts;      /* by labels */
	bool noted_selection, warned_selection; /* that others differ was reported so */

	/* of the result being added: room for the exemplars of a row */
	struct exemplar_row *exemplars;
	struct exemplar_copier copier;
	bool lost_exemplars; /* reported */
};

/* --- merge_info.c: texts that consist of pieces --- */

/* Append the pieces of @text, which are borrowed. 0, -HIST_ENOMEM */
int pieces_cut(span_array *pieces, struct span text, const char *sep);

/* Append them to a text, sorted, each once. */
void pieces_join(span_array *pieces, const char *sep, struct strbuf *out);

/* --- merge_selection.c --- */

/**
 * merged_check_selection() - check that what a result selected can be added
 *
 * It is compared with the results that have the same labels. Other parts of the same tasks are
 * reported.
 *
 * Return: 0, -HIST_EINVAL for other tasks, -HIST_ENOMEM
 */
int merged_check_selection(struct merged *g, const struct merge_input *in, const struct result *r,
			   struct diags *diags);

/* Add the selection of a result. 0, -HIST_ENOMEM */
int merged_add_selection(struct merged *g, const struct result *r);

/* 0, -HIST_ENOMEM, -HIST_ELIMIT */
int merged_add(struct merged *g, const struct result *r);
int merged_end(struct merged *g);

/* Add the metadata of the recordings. */
int merged_add_info(struct merged *g, const struct result *r);
int merged_end_info(struct merged *g);

/* @inner with additional keys that are the same in each row; it is borrowed. */
int labelled_new(const struct result *inner, const struct merge_label *labels, size_t n,
		 struct result **out);
void labelled_free(struct result *result);

/* --- cell.c: comparing cells --- */

/* A total order; 0 if all parts are equal. */
int cell_cmp(const struct result_column *column, const struct result_cell *a,
	     const struct result_cell *b);

/*
 * The kernel's order of a key or value; values that it cannot sort compare equal. By the @exact
 * rules ranges have signs.
 */
int cell_cmp_sort(const struct result_column *column, bool exact, const struct result_cell *a,
		  const struct result_cell *b);

u64 cell_hash(const struct result_column *column, const struct result_cell *cell, u64 seed);

static inline int cmp_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}
