/* SPDX-License-Identifier: LGPL-2.1-only */
/* State of freezing a histogram: private to result. */
#pragma once
#include "code/code.h"
#include "count/count.h"
#include "program/exemplars.h"
#include "result/store.h"
#include "tracing/trigger.h"

/* Where the cells of a column come from. */
struct cell_source {
	const struct hist_field *field; /* a key or value, or the saved field */
	u32 idx;                        /* of the sum, or of the variable that contains it */
};

struct freezer {
	struct stored_result *s;
	const struct trigger *trigger;
	const struct hist_data *hd;
	const struct tracing_map *map;
	const struct machine *machine;
	const struct replay_options *options;
	struct cell_source *sources; /* of the columns */
	struct unique_names names;   /* of the columns of a role, then of the statistics */
	struct strbuf text;          /* of a label or symbol that is being made */
};

/* The entries of a histogram in output order; @rows is to be freed. 0, -HIST_ENOMEM */
int rows_in_order(const struct hist_count *hc, struct tracing_map_elt ***rows, size_t *n);

/* Set columns, sort keys, statistics. 0, -HIST_ENOMEM */
int freeze_columns(struct freezer *f);
