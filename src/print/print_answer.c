// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The answer to a question as text: a title, a table with the numbers of --stats, and the totals.
 * Numbers are for people: grouped, and with a unit that fits; the other formats have them as they
 * are.
 *
 * Rows are formatted twice, first to measure the columns, so that a table of any length needs no
 * memory for its text.
 */
#include "print/answer.h"

enum { MAX_WIDTH = 64, STACK_INDENT = 6 };

static int measure(struct answer *a)
{
	const struct result *r = a->r;
	struct result_row row;
	int err;

	answer_header(a);
	err = r->n_row_stats ? answer_row(a, NULL) : 0;
	for (size_t i = 0; i < r->n_rows && !err; i++) {
		r->row(r, i, &row);
		err = answer_row(a, &row);
	}
	table_drop_rows(&a->table);
	for (size_t i = 0; a->options->extra && a->options->width && i < a->columns.n; i++) {
		size_t *most = &a->options->extra->widths[i], *width = &a->table.columns[i].width;

		*width = *most = max_t(size_t, *most, *width);
	}
	/* a long text takes place in its own row only, if there is no screen */
	array_each_of(struct table_column, c, a->table.columns, a->columns.n) {
		c->shortens = c->left && a->options->width;
		c->width = min_t(size_t, c->width, c->left && !c->shortens ? MAX_WIDTH : c->width);
	}
	table_fit(&a->table, a->options->width);
	return err;
}

static void print_made(struct answer *a, bool header, struct strbuf *out)
{
	if (a->text) {
		table_text_row(&a->table, 0, out);
		strbuf_addch(out, '\n');
	} else {
		table_markdown_row(&a->table, 0, header, out);
	}
	table_drop_rows(&a->table);
}

/* Below a row the callers of the function that is in it. */
static void print_stacks(const struct answer *a, const struct result_row *row, struct strbuf *out)
{
	for (size_t i = 0; i < a->r->n_columns; i++) {
		const struct result_cell *cell = &row->cells[i];

		if (a->r->columns[i].type != RESULT_STACK || cell->absent)
			continue;
		for (size_t k = 1; k < cell->n_frames; k++) {
			strbuf_fill(out, ' ', STACK_INDENT);
			answer_add_visible(out, cell->frames[k]->symbol);
			strbuf_addch(out, '\n');
		}
	}
}

static void print_exemplars(const struct answer *a, const struct exemplar_row *of,
			    struct strbuf *out)
{
	for (u32 i = 0; of && i < of->n; i++) {
		strbuf_addstr(out, "    ");
		answer_add_exemplar(a, &of->v[i], out);
		strbuf_addch(out, '\n');
	}
}

int answer_print_rows(struct answer *a, struct printer *p)
{
	const struct result *r = a->r;
	int err = 0;

	answer_header(a);
	table_add_hidden(&a->table, false, &p->buf);
	print_made(a, true, &p->buf);
	if (r->n_row_stats) {
		err = answer_row(a, NULL);
		print_made(a, false, &p->buf);
	}
	for (size_t i = 0; i < r->n_rows && !err && !p->err; i++) {
		struct result_row row;

		r->row(r, i, &row);
		err = answer_row(a, &row);
		print_made(a, false, &p->buf);
		if (a->text) {
			print_stacks(a, &row, &p->buf);
			print_exemplars(a, row.exemplars, &p->buf);
		}
		printer_flush(p);
	}
	return err;
}

static void print_totals(const struct answer *a, struct strbuf *out)
{
	const struct result *r = a->r;

	if (r->left_out)
		strbuf_addf(out, "(%zu more: --top 0)\n", r->left_out);
	if (r->exemplars && r->exemplars->all && r->exemplars->all->n) {
		strbuf_addf(out, "\nThe largest %s, at TIME,CPU (for --around):\n",
			    r->exemplars->name);
		print_exemplars(a, r->exemplars->all, out);
	}
	if (r->snapshot)
		strbuf_addf(out, "\nA snapshot was taken when %s of %s was %llu: cat snapshot\n",
			    r->snapshot->handler, r->snapshot->variable, r->snapshot->value);
	strbuf_addch(out, '\n');
	answer_add_totals(r, out);
}

/* @whole: with title and totals */
static void print_parts(struct printer *p, const struct result *r,
			const struct format_options *options, bool whole)
{
	scoped(answer_release) struct answer a = {
		.r = r, .options = options, .text = true, .table.text = STRBUF_INIT
	};
	int err = answer_begin(&a);

	if (whole) {
		const size_t start = p->buf.len;

		print_answer_title(r, options, &p->buf);
		text_wrap(&p->buf, start, 0, options->width, 3);
		strbuf_addch(&p->buf, '\n');
	}
	err = err ?: measure(&a);
	err = err ?: answer_print_rows(&a, p);
	if (whole && !err && !p->err) {
		print_totals(&a, &p->buf);
		err = answer_add_key_stats(r, options->width, &p->buf);
	}
	if (a.table.failed || a.table.text.failed)
		err = HIST_NOMEM;
	p->err = p->err ?: err;
}

void print_answer_name(struct printer *p, const struct result *r, const struct format *format,
		       const struct format_options *options)
{
	const size_t rows = r->n_rows + r->left_out, start = p->buf.len;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	print_answer_title(r, options, &text);
	strbuf_addf(&text, ": %zu row%s (--show %zu)", rows, plural(rows), options->number);
	strbuf_addstr(&p->buf, format ? "- " : "");
	if (format)
		markdown_add(&p->buf, text.s ?: "");
	else
		strbuf_addstr(&p->buf, text.s ?: "");
	text_wrap(&p->buf, start, 0, format ? 0 : options->width, 3);
	p->buf.failed |= text.failed;
}

void print_answer(struct printer *p, const struct result *r, const struct format_options *options)
{
	print_parts(p, r, options, true);
}

void print_answer_table(struct printer *p, const struct result *r,
			const struct format_options *options)
{
	print_parts(p, r, options, false);
}
