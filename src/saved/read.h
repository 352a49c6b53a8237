/* SPDX-License-Identifier: LGPL-2.1-only */
/* Readers of the parts of a saved result: private to saved. */
#pragma once
#include "json/json.h"
#include "saved/saved.h"

/* A member of a line, whose value is at ->at. */
struct line_member {
	struct span name;
	const char *at;
};

struct saved_reader {
	struct json_in in;
	int err;                        /* position of the problem described by in.problem */
	ARRAY(struct line_member) line; /* the current one */
	bool at_data;                   /* its last member, data, was not skipped */
	struct stored_result *s;        /* the result being read */
	u64 hits;                       /* sum of the hitcount of its rows, as it wraps */
	bool many_hits;                 /* it exceeds 64 bits */

	/* the row being read */
	struct result_cell cells[SAVED_COLUMNS_MAX];
	bool given[SAVED_COLUMNS_MAX];
	struct sketch sketches[SAVED_STATS_MAX];
	struct sketch_sums sums[SAVED_STATS_MAX]; /* of the sketches */
	/* frames of all stacks; a cell's .num is the index of its first one */
	ARRAY(struct result_frame) frames;
	ARRAY(const struct result_frame *) frames_at;
	ARRAY(struct sketch_count) values;
	const char *snapshot_text;      /* labels of the keys of a snapshot; NULL: none */
	struct exemplar_row *exemplars; /* with room for as many as announced; NULL: none */
};

/* Record that there is no memory, and return false. */
bool read_nomem(struct saved_reader *r);

/* Move to the value of a member; false if it is absent. */
bool read_goto(struct saved_reader *r, const char *name);

/* A copy that is valid as long as the result; NULL if it is not a string. */
const char *read_string(struct saved_reader *r);
/* The same; null gives NULL without a problem. */
const char *read_string_or_null(struct saved_reader *r);

/* The value of a member of @object. */
bool read_value(struct saved_reader *r, const struct json_member *m, void *object);

/*
 * An object: those of its members that are in @members, and others with @other (NULL: skip them),
 * which consumes their values.
 */
bool read_object(struct saved_reader *r, const struct json_member *members, size_t n, void *object,
		 bool (*other)(struct saved_reader *r, struct span name, void *object));

/* The column of a role with the name @name, most likely @next; n_columns if there is none. */
size_t read_find_column(const struct result *result, enum result_role role, struct span name,
			size_t next);

/* All members except columns, rows and totals. */
bool read_head(struct saved_reader *r);
bool read_columns(struct saved_reader *r);

/* What the exemplars are, and those of a row. */
bool read_exemplars_column(struct saved_reader *r);
bool read_exemplars(struct saved_reader *r);

/* Read a row, which is an object, and add it; and the keys of a snapshot. */
bool read_row(struct saved_reader *r);
bool read_snapshot(struct saved_reader *r);
