/* SPDX-License-Identifier: LGPL-2.1-only */
/* Readers of the parts of a saved result: private to saved. */
#ifndef HIST_SAVED_READ_H
#define HIST_SAVED_READ_H

#include "saved/json_in.h"
#include "saved/saved.h"

/* The members of the objects that are lines: ORDER member_names */
enum member {
	MEMBER_TYPE,
	MEMBER_SCHEMA,
	MEMBER_VERSION,
	MEMBER_EVENT,
	MEMBER_INSTANCE,
	MEMBER_TRIGGER,
	MEMBER_COLUMNS,
	MEMBER_SORT,
	MEMBER_SCRIPT,
	MEMBER_FILTERS,
	MEMBER_PIDS,
	MEMBER_CHILDREN,
	MEMBER_STATE,
	MEMBER_LIMITS,
	MEMBER_LOST,
	MEMBER_LOST_UNKNOWN,
	MEMBER_CLOCK,
	MEMBER_KERNEL,
	MEMBER_SPAN,
	MEMBER_SOURCE,
	MEMBER_SNAPSHOT,
	MEMBER_TOTALS,
	MEMBER_DATA,
	MEMBER_HITS,
	MEMBER_ENTRIES,
	MEMBER_DROPPED,
	MEMBER_INEXACT,
	MEMBER_FEEDING_DROPPED,
	MEMBER_SELECTION,
	MEMBER_CAVEATS,
	N_MEMBERS
};

struct saved_reader {
	struct json_in in;
	int err;                   /* position of the problem described by in.problem */
	const char *at[N_MEMBERS]; /* positions of the values of the current line; NULL: absent */
	struct stored_result *s;   /* the result being read */
	u64 hits;                  /* sum of the hitcount of its rows, as it wraps */
	bool many_hits;            /* it exceeds 64 bits */

	/* the row being read */
	struct result_cell cells[SAVED_COLUMNS_MAX];
	bool given[SAVED_COLUMNS_MAX];
	struct sketch sketches[SAVED_STATS_MAX];
	/* frames of all stacks; a cell's .num is the index of its first one */
	ARRAY(struct result_frame) frames;
	ARRAY(const struct result_frame *) frames_at;
	ARRAY(struct sketch_count) values;
	struct exemplar_row *exemplars; /* with room for as many as announced; NULL: none */
};

/* Both record a problem and return false. */
bool read_fail(struct saved_reader *r, int err, const char *problem);
bool read_nomem(struct saved_reader *r);

/* Move to the value of a member; false if it is absent. */
bool read_goto(struct saved_reader *r, enum member m);

/* A copy that is valid as long as the result; NULL if it is not a string. */
const char *read_string(struct saved_reader *r);
/* The same; null gives NULL without a problem. */
const char *read_string_or_null(struct saved_reader *r);

/* All members except columns, rows and totals. */
bool read_head(struct saved_reader *r);
bool read_columns(struct saved_reader *r);

/* What the exemplars are, and those of a row. */
bool read_exemplars_column(struct saved_reader *r);
bool read_exemplars(struct saved_reader *r);

/* Read a row, which is an object, and add it; and the keys of a snapshot. */
bool read_row(struct saved_reader *r);
bool read_snapshot(struct saved_reader *r);

#endif
