/* SPDX-License-Identifier: LGPL-2.1-only */
/* The statistics of a table, for results: private to print. */
#ifndef HIST_PRINT_RESULT_STATS_H
#define HIST_PRINT_RESULT_STATS_H

#include "print/result.h"

struct result_stats {
	struct result_stat *v; /* those of values and variables first */
	size_t n, n_row;
	struct sketch *sketches; /* behind ->all and ->all_max */
	struct sketch none;
	const struct sketch **row; /* of the row that was last asked for */
};

/* Everything but the samples is in @arena. 0, -HIST_ENOMEM; release in any case */
int result_stats_init(struct result_stats *stats, const struct table *table, struct arena *arena);
void result_stats_release(struct result_stats *stats);

/* The sketches of a row; good until the next one is asked for. */
const struct sketch *const *result_stats_row(struct result_stats *stats, const struct hist_data *hd,
					     struct tracing_map_elt *elt);

#endif
