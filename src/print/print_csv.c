// SPDX-License-Identifier: LGPL-2.1-only
/*
 * csv (RFC 4180, lines end with LF) and tsv: a table with a header line, for one histogram.
 *
 * An absent value is empty; in csv an empty string is "". csv-safe and tsv-safe, which --csv-safe
 * selects, are for spreadsheets: these run a cell that begins as a formula.
 */
#include "print/cells.h"
#include "print/print.h"

struct csv_cells {
	struct cell_sink sink;
	struct csv csv;
};

static struct csv *csv_of(struct cell_sink *to)
{
	return &((struct csv_cells *)(void *)to)->csv;
}

static void add_column(struct cell_sink *to, const char *name, enum cell_kind kind)
{
	(void)kind;
	csv_text(csv_of(to), span_of(name));
}

static void add_absent(struct cell_sink *to)
{
	csv_absent(csv_of(to));
}

static void add_text(struct cell_sink *to, struct span text)
{
	csv_text(csv_of(to), text);
}

static void add_number(struct cell_sink *to, u64 v, enum cell_kind kind)
{
	if (kind == CELL_TIME)
		csv_time(csv_of(to), v, to->clock_counts);
	else
		csv_number(csv_of(to), v, kind == CELL_SIGNED);
}

static void add_fraction(struct cell_sink *to, double v)
{
	csv_double(csv_of(to), v);
}

static void print_table(const struct format *format, const struct result *r,
			const struct format_options *options, struct printer *p)
{
	struct csv_cells t = {
		.sink = { add_column, add_absent, add_text, add_number, add_fraction,
			  r->info->clock_counts, options->sliced },
		.csv = { .dialect = format->arg, .out = &p->buf },
	};
	struct result_row row;

	if (!options->continued) {
		p->err = cells_add_columns(&t.sink, r);
		csv_end_line(&t.csv);
	}
	for (size_t i = 0; i < r->n_rows && !p->err; i++) {
		r->row(r, i, &row);
		p->err = cells_add_row(&t.sink, r, &row);
		csv_end_line(&t.csv);
		printer_flush(p);
	}
}

const struct format format_csv = {
	.name = "csv", .one_table = true, .print = print_table, .arg = &csv_commas
};
const struct format format_tsv = {
	.name = "tsv", .one_table = true, .print = print_table, .arg = &csv_tabs
};
const struct format format_csv_safe = {
	.name = "csv-safe", .one_table = true, .print = print_table, .arg = &csv_safe_commas
};
const struct format format_tsv_safe = {
	.name = "tsv-safe", .one_table = true, .print = print_table, .arg = &csv_safe_tabs
};
