/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * saved: reading results that were written as json or ndjson.
 *
 * The output is the same struct result that a replay produces, so that formats, merge and diff are
 * independent of its origin.
 */
#pragma once
#include "result/store.h"

/* More than any trigger has. */
enum { SAVED_COLUMNS_MAX = 256, SAVED_STATS_MAX = 128, SAVED_EXEMPLARS_MAX = 1000 };

/* Rows have their saved order. */
typedef ARRAY(struct stored_result *) saved_array;

/**
 * saved_read() - read the histograms in a text of json or ndjson, in order
 * @name: name of the text in messages
 * @text: need not outlive the call
 * @list: they are appended; free with saved_array_release() in any case
 *
 * Return: 0 (also for none), -HIST_EFORMAT if it is not a complete, valid result,
 *         -HIST_EUNSUPPORTED for a schema that is not known, -HIST_ENOMEM
 */
int saved_read(const char *name, struct span text, saved_array *list, struct diags *diags);
void saved_array_release(saved_array *list);

/*
 * --- adding up ---
 *
 * The sum does not depend on the order of the results, nor on earlier partial sums: sums beyond 64
 * bits saturate, with a caveat, of the data of onmax and onchange the greatest value wins and then
 * the earliest, and lists are sorted.
 */
struct merged; /* one histogram, the sum of many */

struct result_merge {
	struct arena arena; /* names */
	ARRAY(struct merged *) list;
	ARRAY(const struct result *) results; /* after merge_end() */
	const char *first;                    /* name of the first result */
	unsigned int n_added;
	bool out_of_order; /* the order of histograms differed */
};

struct merge_label {
	const char *name, *value;
};

/* Metadata for the results that are added. */
struct merge_input {
	const char *name;                 /* name in messages */
	const struct merge_label *labels; /* additional keys, with the same value in each row */
	size_t n_labels;
};

/**
 * merge_add() - add all histograms of one text
 *
 * Return: 0, -HIST_EINVAL if they differ from those added before
 */
int merge_add(struct result_merge *m, const struct merge_input *in, const saved_array *results,
	      struct diags *diags);

/* After the last text: puts the sums, sorted, in ->results. 0, -HIST_ENOMEM */
int merge_end(struct result_merge *m);

void merge_release(struct result_merge *m);
