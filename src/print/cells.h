/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The columns and cells of a result as rows for programs: csv, tsv, Parquet.
 *
 * A column of the histogram becomes one column of the table, a bucket two (_min, _max), and a value
 * with a name gets an additional one (_text). With slices, the first two columns identify the
 * slice.
 */
#pragma once
#include "result/result.h"
#include "table/table.h"

typedef ARRAY(struct row_column) row_columns;

/*
 * Append the columns of the rows; @sliced: of slices of time. @arena: of their names. Return: 0,
 * -HIST_ENOMEM
 */
int cells_columns(const struct result *r, bool sliced, struct arena *arena, row_columns *columns);

/* A row of a writer that has these columns. Return: 0, -HIST_ENOMEM */
int cells_add_row(struct row_writer *w, const struct result *r, const struct result_row *row,
		  bool sliced);

/*
 * The same of a slice as one row: the statistics of all of its rows. @stats: which have columns,
 * for all slices. @people: with units
 */
int cells_total_columns(const struct result *r, struct arena *arena, row_columns *columns,
			const bool **stats);
int cells_add_total(struct row_writer *w, const struct result *r, const bool *stats, bool people);
