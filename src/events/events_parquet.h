/* SPDX-License-Identifier: LGPL-2.1-only */
/* Events as Parquet: what its two files share. */
#pragma once
#include "events/events_print.h"
#include "parquet/parquet.h"

/* Where a column comes from. */
struct parquet_source {
	struct events_column of;
	const char *label; /* its value; NULL: it is not a label */
};

/* The file of a type. */
struct type_file {
	const struct events_type *type;
	ARRAY(struct parquet_column) columns;
	ARRAY(struct parquet_source) sources;
	struct events_rows kept;
	struct parquet_file file;
	bool begun, needed; /* needed: also without events */
};

struct parquet_writing {
	const struct events_printer *printer;
	struct hist_events *ev;
	struct diags *diags;
	struct type_file *files; /* of each type */
	size_t n_files, next;    /* next: the file that is ended next */
	size_t bytes;            /* of all incomplete groups */
	int dir;                 /* -1: the sink */
	u64 n;                   /* events so far */
	int err;                 /* of hist_events_next(): <= 0 at the end */
	bool at_end;
	bool has_date;
	u64 wall; /* added to times for the time of day */
};

struct parquet_slot {
	struct parquet_writing *w;
	size_t file;
	struct events_rows kept;
	struct parquet_group group;
	struct strbuf cell; /* scratch */
	bool used, last;
	int err;
};

/* Choose the columns of a file. Return: 0, -HIST_EINVAL, -HIST_ENOMEM */
int parquet_choose_columns(struct parquet_writing *w, struct type_file *f);

/* Make a group of what a slot has kept. Context: any thread */
void parquet_make_group(void *slot, size_t i);
