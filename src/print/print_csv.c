// SPDX-License-Identifier: LGPL-2.1-only
/*
 * csv (RFC 4180, lines end with LF) and tsv: a table with a header line, for one histogram.
 *
 * A column of the histogram becomes one column of the table, a bucket two (_min, _max), and a value
 * with a name gets an additional one (_text). With slices, the first two columns identify the
 * slice. An absent value is empty; in csv an empty string is "". csv-safe and tsv-safe, which
 * --csv-safe selects, are for spreadsheets: these run a cell that begins as a formula.
 */
#include "print/print.h"

/* Suffixes of the columns of an exemplar; the last one is for results of several recordings. */
enum { EXEMPLAR_COLUMNS = 6 };

static const char *const exemplar_columns[EXEMPLAR_COLUMNS] = {
	"", "_at", "_cpu", "_pid", "_comm", "_file",
};

/* --- rows --- */

/* Frames, joined: addresses, or their names in the form of flame graphs. */
static void add_stack(struct csv *t, const struct result_cell *cell)
{
	struct strbuf addresses = STRBUF_INIT, names = STRBUF_INIT;

	for (size_t i = 0; i < cell->n_frames; i++)
		strbuf_addf(&addresses, "%s0x%llx", i ? " " : "",
			    (unsigned long long)cell->frames[i]->addr);
	cell_add_frames(&names, cell, ";");
	csv_text(t, (struct span){ addresses.s, addresses.len });
	csv_text(t, (struct span){ names.s, names.len });
	t->out->failed |= addresses.failed | names.failed;
	strbuf_release(&addresses);
	strbuf_release(&names);
}

static void add_cell(struct csv *t, const struct result_column *column,
		     const struct result_cell *cell)
{
	if (cell->absent) {
		csv_absent(t);
		if (column->type == RESULT_STACK)
			csv_absent(t);
		return;
	}
	switch (column->type) {
	case RESULT_STACK:
		add_stack(t, cell);
		return;
	case RESULT_TEXT:
		csv_text(t, cell->text);
		return;
	case RESULT_RANGE:
		csv_number(t, cell->num, column->is_signed);
		csv_number(t, cell->max, column->is_signed);
		return;
	default:
		csv_number(t, cell->num, column->is_signed);
	}
	if (column->has_label)
		csv_text(t, cell->label);
}

static size_t exemplar_width(const struct result *r)
{
	return EXEMPLAR_COLUMNS - (r->info->n_files < 2);
}

static int add_row(struct csv *t, const struct result *r, const struct result_row *row, bool sliced)
{
	int err = 0;

	if (sliced) {
		csv_time(t, r->from, r->info->clock_counts);
		csv_time(t, r->to, r->info->clock_counts);
	}
	for (size_t i = 0; i < r->n_columns; i++)
		add_cell(t, &r->columns[i], &row->cells[i]);
	if (result_has_saved(r) && row->saved)
		csv_time(t, row->saved_at, r->info->clock_counts);
	else if (result_has_saved(r))
		csv_absent(t);
	for (size_t i = 0; i < r->n_row_stats && !err; i++) {
		struct stat_summary s;

		err = stat_summarise(row->sketches[i], NULL, &s);
		csv_number(t, s.n, false);
		csv_number(t, s.min.min, s.is_signed);
		csv_number(t, s.max.min, s.is_signed);
		csv_double(t, s.mean);
		csv_double(t, s.stddev);
		for (size_t q = 0; q < STAT_QUANTILES; q++)
			csv_number(t, s.quantiles[q].min, s.is_signed);
	}
	/* as many columns for each row */
	for (u32 i = 0; r->exemplars && i < r->exemplars->max; i++) {
		const struct exemplar *e =
			row->exemplars && i < row->exemplars->n ? &row->exemplars->v[i] : NULL;

		if (!e) {
			for (size_t k = 0; k < exemplar_width(r); k++)
				csv_absent(t);
			continue;
		}
		csv_number(t, e->value, r->exemplars->is_signed);
		csv_time(t, e->at, r->info->clock_counts);
		csv_number(t, e->cpu, false);
		csv_number(t, (u64)(s64)e->pid, true);
		csv_text(t, (struct span){ e->comm, strnlen(e->comm, sizeof(e->comm)) });
		if (r->info->n_files > 1 && e->file)
			csv_text(t, span_of(e->file));
		else if (r->info->n_files > 1)
			csv_absent(t);
	}
	if (r->info->inexact)
		csv_text(t, span_of("true"));
	csv_end_line(t);
	return err;
}

/* --- the header line --- */

struct header {
	struct csv *t;
	struct arena arena;
	struct unique_names names;
	int err;
};

static void add_name(struct header *h, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void add_name(struct header *h, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	const char *name;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	name = arena_take(&h->arena, &text);
	name = name ? unique_names_add(&h->names, name) : NULL;
	if (name)
		csv_text(h->t, span_of(name));
	else
		h->err = HIST_NOMEM;
}

static int add_names(struct csv *t, const struct result *r, bool sliced)
{
	static const char *const moments[] = { "n", "min", "max", "mean", "stddev" };
	struct header h = { .t = t, .arena = ARENA_INIT, .names = { .arena = &h.arena } };

	if (sliced) {
		add_name(&h, "from");
		add_name(&h, "to");
	}
	for (size_t i = 0; i < r->n_columns; i++) {
		const struct result_column *column = &r->columns[i];

		add_name(&h, column->type == RESULT_RANGE ? "%s_min" : "%s", column->name);
		if (column->type == RESULT_RANGE)
			add_name(&h, "%s_max", column->name);
		if (column->has_label || column->type == RESULT_STACK)
			add_name(&h, "%s_text", column->name);
	}
	if (result_has_saved(r))
		add_name(&h, "saved_at");
	for (size_t i = 0; i < r->n_row_stats; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(moments); k++)
			add_name(&h, "%s_%s", r->stats[i].name, moments[k]);
		for (size_t k = 0; k < STAT_QUANTILES; k++)
			add_name(&h, "%s_%s", r->stats[i].name, stat_quantiles[k].name);
	}
	for (u32 i = 0; r->exemplars && i < r->exemplars->max; i++)
		for (size_t k = 0; k < exemplar_width(r); k++)
			add_name(&h, "%s_largest%u%s", r->exemplars->name, i + 1,
				 exemplar_columns[k]);
	if (r->info->inexact)
		add_name(&h, "inexact");
	csv_end_line(t);
	unique_names_release(&h.names);
	arena_release(&h.arena);
	return h.err;
}

static void print_table(const struct format *format, const struct result *r,
			const struct format_options *options, struct printer *p)
{
	struct csv t = { .dialect = format->arg, .out = &p->buf };
	struct result_row row;

	if (!options->continued)
		p->err = add_names(&t, r, options->sliced);
	for (size_t i = 0; i < r->n_rows && !p->err; i++) {
		r->row(r, i, &row);
		p->err = add_row(&t, r, &row, options->sliced);
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
