// SPDX-License-Identifier: LGPL-2.1-only
/* The columns and cells of a result, for each table format; the only place that knows them. */
#include "print/cells.h"
#include "print/print_hist.h"

/* Suffixes of the columns of an exemplar; the last one is for results of several recordings. */
enum { EXEMPLAR_COLUMNS = 6 };

static const char *const exemplar_columns[EXEMPLAR_COLUMNS] = {
	"", "_at", "_cpu", "_pid", "_comm", "_file",
};

/* The table columns of a column: two ends, addresses and names, a number and its name. */
static size_t column_width(const struct result_column *c)
{
	return c->type == RESULT_RANGE || c->type == RESULT_STACK || c->has_label ? 2 : 1;
}

/* Whether text shows this value as a part of a whole, beside itself: ns.cpu after ns. */
static bool is_repeated(const struct result *r, size_t i)
{
	const size_t first = result_first(r, RESULT_VALUE);

	return result_is_part(&r->columns[i]) &&
	       any_of(k, i - first, !strcmp(r->columns[first + k].label, r->columns[i].label));
}

static enum cell_kind number_kind(bool is_signed)
{
	return is_signed ? CELL_SIGNED : CELL_UNSIGNED;
}

/* --- rows --- */

/* Frames, joined: addresses, or their names in the form of flame graphs. */
static int add_stack(struct row_writer *w, const struct result_cell *cell)
{
	scoped(strbuf_release) struct strbuf addresses = STRBUF_INIT, names = STRBUF_INIT;
	bool failed;

	for (size_t i = 0; i < cell->n_frames; i++)
		strbuf_addf(&addresses, "%s0x%llx", i ? " " : "", cell->frames[i]->addr);
	cell_add_frames(&names, cell, ";");
	rows_text(w, (struct span){ addresses.s, addresses.len });
	rows_text(w, (struct span){ names.s, names.len });
	failed = addresses.failed || names.failed;
	return failed ? HIST_NOMEM : 0;
}

static int add_cell(struct row_writer *w, const struct result_column *column,
		    const struct result_cell *cell)
{
	if (cell->absent) {
		for (size_t i = 0; i < column_width(column); i++)
			rows_absent(w);
		return 0;
	}
	switch (column->type) {
	case RESULT_STACK:
		return add_stack(w, cell);
	case RESULT_TEXT:
		rows_text(w, cell->text);
		return 0;
	case RESULT_RANGE:
		rows_number(w, number_kind(column->is_signed), cell->num);
		rows_number(w, number_kind(column->is_signed), cell->max);
		return 0;
	default:
		rows_number(w, number_kind(column->is_signed), cell->num);
	}
	if (column->has_label)
		rows_text(w, cell->label);
	return 0;
}

static size_t exemplar_width(const struct result *r)
{
	return EXEMPLAR_COLUMNS - (r->info->n_files < 2);
}

int cells_add_row(struct row_writer *w, const struct result *r, const struct result_row *row,
		  bool sliced)
{
	int err = 0;

	if (sliced) {
		rows_number(w, CELL_TIME, r->from);
		rows_number(w, CELL_TIME, r->to);
	}
	for (size_t i = 0; i < r->n_columns && !err; i++)
		err = is_repeated(r, i) ? 0 : add_cell(w, &r->columns[i], &row->cells[i]);
	if (result_has_saved(r) && row->saved)
		rows_number(w, CELL_TIME, row->saved_at);
	else if (result_has_saved(r))
		rows_absent(w);
	for (size_t i = 0; i < r->n_row_stats && !err; i++) {
		struct stat_summary s;

		if (stat_find_same(r, i) != i)
			continue;
		err = stat_summarise(row->sketches[i], NULL, &s);
		rows_number(w, CELL_UNSIGNED, s.n);
		rows_number(w, number_kind(s.is_signed), s.min.min);
		rows_number(w, number_kind(s.is_signed), s.max.min);
		rows_double(w, s.mean);
		rows_double(w, s.stddev);
		for (size_t q = 0; q < STAT_QUANTILES; q++)
			rows_number(w, number_kind(s.is_signed), s.quantiles[q].min);
	}
	/* as many columns for each row */
	for (u32 i = 0; r->exemplars && i < r->exemplars->max; i++) {
		const struct exemplar *e =
			row->exemplars && i < row->exemplars->n ? &row->exemplars->v[i] : NULL;

		if (!e) {
			for (size_t k = 0; k < exemplar_width(r); k++)
				rows_absent(w);
			continue;
		}
		rows_number(w, number_kind(r->exemplars->is_signed), e->value);
		rows_number(w, CELL_TIME, e->at);
		rows_number(w, CELL_UNSIGNED, e->cpu);
		rows_number(w, CELL_SIGNED, (u64)(s64)e->pid);
		rows_text(w, (struct span){ e->comm, strnlen(e->comm, sizeof(e->comm)) });
		if (r->info->n_files > 1 && e->file)
			rows_text(w, span_of(e->file));
		else if (r->info->n_files > 1)
			rows_absent(w);
	}
	if (r->info->inexact)
		rows_text(w, span_of("true"));
	return err;
}

/* --- columns --- */

struct header {
	row_columns *columns;
	struct arena *arena;
	struct unique_names names;
	int err;
};

static void add_column(struct header *h, enum cell_kind kind, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static void add_column(struct header *h, enum cell_kind kind, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	const char *name;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	name = arena_take(h->arena, &text);
	name = name ? unique_names_add(&h->names, name) : NULL;
	if (!name || array_push(h->columns, ((struct row_column){ .name = name, .kind = kind })))
		h->err = HIST_NOMEM;
}

static void add_result_column(struct header *h, const struct result_column *c)
{
	const bool range = c->type == RESULT_RANGE;
	const enum cell_kind kind = c->type == RESULT_STACK || c->type == RESULT_TEXT
					    ? CELL_TEXT
					    : number_kind(c->is_signed);

	add_column(h, kind, range ? "%s_min" : "%s", c->name);
	if (range)
		add_column(h, kind, "%s_max", c->name);
	else if (column_width(c) > 1)
		add_column(h, CELL_TEXT, "%s_text", c->name);
}

static void add_exemplar_columns(struct header *h, const struct result *r)
{
	const struct result_exemplars *e = r->exemplars;
	const enum cell_kind kinds[] = { number_kind(e->is_signed),
					 CELL_TIME,
					 CELL_UNSIGNED,
					 CELL_SIGNED,
					 CELL_TEXT,
					 CELL_TEXT };

	for (u32 i = 0; i < e->max; i++)
		for (size_t k = 0; k < exemplar_width(r); k++)
			add_column(h, kinds[k], "%s_largest%u%s", e->name, i + 1,
				   exemplar_columns[k]);
}

int cells_columns(const struct result *r, bool sliced, struct arena *arena, row_columns *columns)
{
	struct header h = { .columns = columns, .arena = arena, .names = { .arena = arena } };

	if (sliced) {
		add_column(&h, CELL_TIME, "from");
		add_column(&h, CELL_TIME, "to");
	}
	for (size_t i = 0; i < r->n_columns; i++)
		if (!is_repeated(r, i))
			add_result_column(&h, &r->columns[i]);
	if (result_has_saved(r))
		add_column(&h, CELL_TIME, "saved_at");
	for (size_t i = 0; i < r->n_row_stats; i++)
		for (size_t k = 0; k < STAT_NUMBERS && stat_find_same(r, i) == i; k++)
			add_column(&h,
				   k == STAT_N ? CELL_UNSIGNED
				   : k == STAT_MEAN || k == STAT_STDDEV
					   ? CELL_DOUBLE
					   : number_kind(r->stats[i].is_signed),
				   "%s_%s", r->stats[i].name, stat_number_name(k));
	if (r->exemplars)
		add_exemplar_columns(&h, r);
	if (r->info->inexact)
		add_column(&h, CELL_TEXT, "inexact");
	unique_names_release(&h.names);
	return h.err;
}

/* --- slices as rows --- */

/* Not STAT_N: each hit has a value, and the hits have a column. */
static const size_t total_numbers[] = { STAT_FIRST_QUANTILE, STAT_FIRST_QUANTILE + 1,
					STAT_FIRST_QUANTILE + 2, STAT_MAX };

/* Whether slices have these statistics: of rows, or of numeric keys if there are none. */
static bool in_total(const struct result *r, size_t i)
{
	return (!r->n_row_stats || i < r->n_row_stats) && !number_is_id(r->stats[i].name) &&
	       stat_find_same(r, i) == i;
}

int cells_total_columns(const struct result *r, struct arena *arena, row_columns *columns,
			const bool **stats)
{
	struct header h = { .columns = columns, .arena = arena, .names = { .arena = arena } };
	bool *in = arena_alloc(arena, r->n_stats + 1);

	if (!in)
		return HIST_NOMEM;
	for (size_t i = 0; i < r->n_stats; i++)
		in[i] = in_total(r, i);
	*stats = in;
	add_column(&h, CELL_TIME, "from");
	add_column(&h, CELL_TIME, "to");
	add_column(&h, CELL_UNSIGNED, "hits");
	for (size_t i = 0; i < r->n_stats; i++)
		for (size_t k = 0; k < ARRAY_SIZE(total_numbers) && in[i]; k++)
			add_column(&h, number_kind(r->stats[i].is_signed), "%s_%s",
				   r->stats[i].name, stat_number_name(total_numbers[k]));
	unique_names_release(&h.names);
	return h.err;
}

int cells_add_total(struct row_writer *w, const struct result *r, const bool *stats, bool people)
{
	int err = 0;

	rows_number(w, CELL_TIME, r->from);
	rows_number(w, CELL_TIME, r->to);
	rows_number(w, CELL_UNSIGNED, r->hits);
	for (size_t i = 0; i < r->n_stats && !err; i++) {
		const struct result_stat *stat = &r->stats[i];
		scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
		struct stat_summary s;

		if (!stats[i])
			continue;
		err = stat_summarise(stat->all, stat->all_max, &s);
		for (size_t k = 0; k < ARRAY_SIZE(total_numbers) && !err; k++) {
			const u64 v = stat_range(&s, total_numbers[k]).min;

			strbuf_reset(&text);
			if (people && stat->unit && s.n)
				people_text(&text, stat->is_signed ? (double)(s64)v : (double)v,
					    stat->unit);
			if (!s.n) /* of no samples */
				rows_absent(w);
			else if (text.len)
				rows_text(w, strbuf_span(&text));
			else
				rows_number(w, number_kind(stat->is_signed), v);
		}
		err = text.failed ? HIST_NOMEM : err;
	}
	return err;
}
