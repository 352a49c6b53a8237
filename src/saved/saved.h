/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * saved: results that were written as json or ndjson, back in memory.
 *
 * What comes out is the same struct result that a replay makes, so that formats, merge and
 * diff need not know where a result came from.
 */
#ifndef HIST_SAVED_H
#define HIST_SAVED_H

#include "base/base.h"
#include "result/store.h"

/* More than any trigger has. */
enum { SAVED_COLUMNS_MAX = 256, SAVED_STATS_MAX = 128 };

/* Rows have the order in which they were saved. */
typedef ARRAY(struct stored_result *) saved_array;

/**
 * saved_read() - the histograms in a text of json or ndjson, one behind the other
 * @name: what messages call the text
 * @text: need not outlive the call
 * @list: gets them appended; to be freed with saved_array_release() in any case
 *
 * Return: 0 (also for none), -HIST_EFORMAT if it is no whole and sound result,
 *         -HIST_EUNSUPPORTED for a schema that is not known, -HIST_ENOMEM
 */
int saved_read(const char *name, struct span text, saved_array *list, struct diags *diags);
void saved_array_release(saved_array *list);

/*
 * --- adding up ---
 *
 * What comes out does not depend on the order in which results were added, nor on which ones
 * were added up before: sums wrap as 64-bit numbers do, of what onmax and onchange keep the
 * greatest value wins and then the earliest, and lists are sorted.
 */
struct merged; /* one histogram, of which many were added up */

struct result_merge {
	struct arena arena; /* names */
	ARRAY(struct merged *) list;
	ARRAY(const struct result *) results; /* after merge_end() */
	const char *first;                    /* the name of what was added first */
	unsigned int n_added;
	bool out_of_order; /* not all had the histograms in the same order */
};

struct merge_label {
	const char *name, *value;
};

/* What is said of the results that are added. */
struct merge_input {
	const char *name;                 /* what messages call them */
	const struct merge_label *labels; /* further keys, with the same value in each row */
	size_t n_labels;
};

/**
 * merge_add() - all histograms of one text
 *
 * Return: 0, -HIST_EINVAL if they are not those that were added before
 */
int merge_add(struct result_merge *m, const struct merge_input *in, const saved_array *results,
	      struct diags *diags);

/* When all are added: the sums, sorted, are in ->results. 0, -HIST_ENOMEM */
int merge_end(struct result_merge *m);

void merge_release(struct result_merge *m);

#endif
