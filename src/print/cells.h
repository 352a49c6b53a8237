/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The columns and cells of a result as tables for programs have them: csv, tsv, Parquet.
 *
 * A column of the histogram becomes one column of the table, a bucket two (_min, _max), and a value
 * with a name gets an additional one (_text). With slices, the first two columns identify the
 * slice.
 */
#ifndef HIST_PRINT_CELLS_H
#define HIST_PRINT_CELLS_H

#include "result/result.h"

enum cell_kind {
	CELL_TEXT,
	CELL_UNSIGNED,
	CELL_SIGNED,
	CELL_TIME, /* of the trace clock */
	CELL_DOUBLE,
};

/* Receives the columns, then the cells of each row, in this order. */
struct cell_sink {
	void (*column)(struct cell_sink *to, const char *name, enum cell_kind kind);
	void (*absent)(struct cell_sink *to);
	void (*text)(struct cell_sink *to, struct span text);
	void (*number)(struct cell_sink *to, u64 v, enum cell_kind kind);
	void (*fraction)(struct cell_sink *to, double v); /* NAN: absent */
	bool clock_counts;
	bool sliced; /* rows are of a slice of time */
};

/* Return: 0, -HIST_ENOMEM */
int cells_add_columns(struct cell_sink *to, const struct result *r);
int cells_add_row(struct cell_sink *to, const struct result *r, const struct result_row *row);

#endif
