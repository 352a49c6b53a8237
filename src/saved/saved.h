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
#include "print/print.h"

/* One histogram. Rows have the order in which they were saved. */
struct saved {
	struct result result; /* ->info is the one below */
	struct result_info info;

	/* private to saved: see store.h */
	struct arena arena;
	struct result_column *columns;
	struct result_stat *stats;
	ARRAY(struct stored_cell) cells;
	ARRAY(struct stored_save) saves;
	ARRAY(struct sketch) sketches;
	struct result_cell *row_cells;
	const struct sketch **row_sketches;
	struct sketch *all_sketches;
	struct result_snapshot snapshot;
};

typedef ARRAY(struct saved *) saved_array;

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
void saved_free(struct saved *s);

#endif
