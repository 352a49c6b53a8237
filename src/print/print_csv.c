// SPDX-License-Identifier: LGPL-2.1-only
/*
 * csv (RFC 4180) and tsv: a table with a header line, for one histogram.
 *
 * A column of the histogram becomes one column of the table, a bucket two (_min, _max), and a value
 * with a name gets an additional one (_text). With slices, the first two columns identify the
 * slice. An absent value is empty; in csv an empty string is "". csv-safe and tsv-safe, which
 * --csv-safe selects, are for spreadsheets: these run a cell that begins as a formula.
 */
#include "print/print.h"
#include "print/summary.h"
#include "print/encode.h"

struct dialect {
	char separator;
	const char *end_of_line;
	bool quotes;
	bool safe; /* for a spreadsheet */
};

static const struct dialect csv = { ',', "\r\n", true, false };
static const struct dialect tsv = { '\t', "\n", false, false };
static const struct dialect csv_safe = { ',', "\r\n", true, true };
static const struct dialect tsv_safe = { '\t', "\n", false, true };

/* Suffixes of the columns of an exemplar; the last one is for results of several recordings. */
enum { EXEMPLAR_COLUMNS = 6 };

static const char *const exemplar_columns[EXEMPLAR_COLUMNS] = {
	"", "_at", "_cpu", "_pid", "_comm", "_file",
};

struct table_printer {
	const struct dialect *dialect;
	struct strbuf *out;
	struct strbuf field; /* the current field */
	bool first;          /* of the current line */
};

/* --- fields --- */

static void begin_field(struct table_printer *t)
{
	if (!t->first)
		strbuf_addch(t->out, t->dialect->separator);
	t->first = false;
}

static void end_line(struct table_printer *t)
{
	strbuf_addstr(t->out, t->dialect->end_of_line);
	t->first = true;
}

static void add_u64(struct table_printer *t, u64 v, bool is_signed)
{
	begin_field(t);
	text_add_number(t->out, v, is_signed);
}

/* The letter after the backslash in tsv; 0: not escaped. */
static char escaped(const struct dialect *d, char c)
{
	if (d->quotes)
		return 0;
	return c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : 0;
}

static void add_text(struct table_printer *t, struct span text)
{
	bool quote = t->dialect->quotes &&
		     (!text.n || t->dialect->safe || memchr(text.s, ',', text.n) ||
		      memchr(text.s, '"', text.n) || memchr(text.s, '\n', text.n) ||
		      memchr(text.s, '\r', text.n));

	begin_field(t);
	if (quote)
		strbuf_addch(t->out, '"');
	if (t->dialect->safe && text_is_formula(text))
		strbuf_addch(t->out, '\'');
	while (text.n) {
		size_t n = utf8_length(text);
		char c = text.s[0];

		if (!n)
			strbuf_addf(t->out, "\\x%02x", (unsigned char)c);
		else if (c == '\\' || (c == '"' && quote))
			strbuf_addf(t->out, "%c%c", c, c);
		else if (escaped(t->dialect, c))
			strbuf_addf(t->out, "\\%c", escaped(t->dialect, c));
		else
			strbuf_add(t->out, text.s, n);
		text = span_skip(text, n ? n : 1);
	}
	if (quote)
		strbuf_addch(t->out, '"');
}

bool text_is_formula(struct span text)
{
	size_t digits = 1;

	while (digits < text.n && (is_digit(text.s[digits]) || text.s[digits] == '.'))
		digits++;
	/* a number with a sign is only a number */
	return text.n && strchr("=+-@\t\r\n", text.s[0]) && text.s[0] &&
	       (text.s[0] == '=' || text.s[0] == '@' || digits < text.n || digits == 1);
}

/* --- rows --- */

/* Frames, joined: addresses, or their names in the form of flame graphs. */
static void add_stack(struct table_printer *t, const struct result_cell *cell)
{
	strbuf_reset(&t->field);
	for (size_t i = 0; i < cell->n_frames; i++)
		strbuf_addf(&t->field, "%s0x%llx", i ? " " : "",
			    (unsigned long long)cell->frames[i]->addr);
	add_text(t, (struct span){ t->field.s, t->field.len });
	strbuf_reset(&t->field);
	for (size_t i = 0; i < cell->n_frames; i++) {
		if (i)
			strbuf_addch(&t->field, ';');
		strbuf_add(&t->field, cell->frames[i]->symbol.s, cell->frames[i]->symbol.n);
	}
	add_text(t, (struct span){ t->field.s, t->field.len });
}

static void add_cell(struct table_printer *t, const struct result_column *column,
		     const struct result_cell *cell)
{
	if (cell->absent) {
		begin_field(t);
		if (column->type == RESULT_STACK)
			begin_field(t);
		return;
	}
	switch (column->type) {
	case RESULT_STACK:
		add_stack(t, cell);
		return;
	case RESULT_TEXT:
		add_text(t, cell->text);
		return;
	case RESULT_RANGE:
		add_u64(t, cell->num, column->is_signed);
		add_u64(t, cell->max, column->is_signed);
		return;
	default:
		add_u64(t, cell->num, column->is_signed);
	}
	if (column->has_label)
		add_text(t, cell->label);
}

static void add_time(struct table_printer *t, const struct result *r, u64 ts)
{
	begin_field(t);
	text_add_time(t->out, ts, r->info->clock_counts);
}

static void add_double(struct table_printer *t, double v)
{
	begin_field(t);
	text_add_double(t->out, v);
}

static int add_stats(struct table_printer *t, const struct result *r, const struct result_row *row)
{
	int err = 0;

	for (size_t i = 0; i < r->n_row_stats && !err; i++) {
		struct stat_summary s;

		err = stat_summarise(row->sketches[i], NULL, &s);
		add_u64(t, s.n, false);
		add_u64(t, s.min.min, s.is_signed);
		add_u64(t, s.max.min, s.is_signed);
		add_double(t, s.mean);
		add_double(t, s.stddev);
		for (size_t q = 0; q < STAT_QUANTILES; q++)
			add_u64(t, s.quantiles[q].min, s.is_signed);
	}
	return err;
}

static size_t exemplar_width(const struct result *r)
{
	return EXEMPLAR_COLUMNS - (r->info->n_files < 2);
}

/* As many columns for each row. */
static void add_exemplars(struct table_printer *t, const struct result *r,
			  const struct exemplar_row *of)
{
	for (u32 i = 0; r->exemplars && i < r->exemplars->max; i++) {
		const struct exemplar *e = of && i < of->n ? &of->v[i] : NULL;

		if (!e) {
			for (size_t k = 0; k < exemplar_width(r); k++)
				begin_field(t);
			continue;
		}
		add_u64(t, e->value, r->exemplars->is_signed);
		add_time(t, r, e->at);
		add_u64(t, e->cpu, false);
		add_u64(t, (u64)(s64)e->pid, true);
		add_text(t, (struct span){ e->comm, strnlen(e->comm, sizeof(e->comm)) });
		if (r->info->n_files > 1 && e->file)
			add_text(t, span_of(e->file));
		else if (r->info->n_files > 1)
			begin_field(t);
	}
}

static int add_row(struct table_printer *t, const struct result *r, const struct result_row *row,
		   bool sliced)
{
	int err;

	if (sliced) {
		add_time(t, r, r->from);
		add_time(t, r, r->to);
	}
	for (size_t i = 0; i < r->n_columns; i++)
		add_cell(t, &r->columns[i], &row->cells[i]);
	if (result_has_saved(r) && row->saved)
		add_time(t, r, row->saved_at);
	else if (result_has_saved(r))
		begin_field(t);
	err = add_stats(t, r, row);
	add_exemplars(t, r, row->exemplars);
	if (r->info->inexact)
		add_text(t, span_of("true"));
	end_line(t);
	return err;
}

/* --- the header line --- */

struct header {
	struct table_printer *t;
	struct arena arena;
	struct unique_names names;
	int err;
};

static void add_name(struct header *h, const char *name, const char *suffix)
{
	const char *whole = arena_printf(&h->arena, "%s%s", name, suffix);

	if (whole)
		whole = unique_names_add(&h->names, whole);
	if (whole)
		add_text(h->t, span_of(whole));
	else
		h->err = HIST_NOMEM;
}

static void add_stat_names(struct header *h, const char *name)
{
	static const char *const suffixes[] = { "_n", "_min", "_max", "_mean", "_stddev" };

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		add_name(h, name, suffixes[i]);
	for (size_t i = 0; i < STAT_QUANTILES; i++) {
		const char *suffix = arena_printf(&h->arena, "_%s", stat_quantiles[i].name);

		add_name(h, name, suffix ? suffix : "");
	}
}

static void add_exemplar_names(struct header *h, const struct result *r)
{
	for (u32 i = 0; r->exemplars && i < r->exemplars->max; i++)
		for (size_t k = 0; k < exemplar_width(r); k++) {
			const char *suffix =
				arena_printf(&h->arena, "_largest%u%s", i + 1, exemplar_columns[k]);

			add_name(h, r->exemplars->name, suffix ? suffix : "");
		}
}

static int add_names(struct table_printer *t, const struct result *r, bool sliced)
{
	struct header h = { .t = t, .arena = ARENA_INIT, .names = { .arena = &h.arena } };

	if (sliced) {
		add_name(&h, "from", "");
		add_name(&h, "to", "");
	}
	for (size_t i = 0; i < r->n_columns; i++) {
		const struct result_column *column = &r->columns[i];

		add_name(&h, column->name, column->type == RESULT_RANGE ? "_min" : "");
		if (column->type == RESULT_RANGE)
			add_name(&h, column->name, "_max");
		if (column->has_label || column->type == RESULT_STACK)
			add_name(&h, column->name, "_text");
	}
	if (result_has_saved(r))
		add_name(&h, "saved_at", "");
	for (size_t i = 0; i < r->n_row_stats; i++)
		add_stat_names(&h, r->stats[i].name);
	add_exemplar_names(&h, r);
	if (r->info->inexact)
		add_name(&h, "inexact", "");
	end_line(t);
	unique_names_release(&h.names);
	arena_release(&h.arena);
	return h.err;
}

static void print_table(const struct format *format, const struct result *r,
			const struct format_options *options, struct printer *p)
{
	struct table_printer t = {
		.dialect = format->arg, .out = &p->buf, .field = STRBUF_INIT, .first = true
	};
	struct result_row row;

	if (!options->continued)
		p->err = add_names(&t, r, options->sliced);
	for (size_t i = 0; i < r->n_rows && !p->err; i++) {
		r->row(r, i, &row);
		p->err = add_row(&t, r, &row, options->sliced);
		if (t.field.failed)
			p->err = HIST_NOMEM;
		printer_flush(p);
	}
	strbuf_release(&t.field);
}

const struct format format_csv = {
	.name = "csv", .one_table = true, .print = print_table, .arg = &csv
};
const struct format format_tsv = {
	.name = "tsv", .one_table = true, .print = print_table, .arg = &tsv
};
const struct format format_csv_safe = {
	.name = "csv-safe", .one_table = true, .print = print_table, .arg = &csv_safe
};
const struct format format_tsv_safe = {
	.name = "tsv-safe", .one_table = true, .print = print_table, .arg = &tsv_safe
};
