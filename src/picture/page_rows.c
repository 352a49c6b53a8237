// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The rows of a histogram as a table of a page, with their exemplars; and the exemplars of all
 * rows.
 *
 * The size of the table is limited; omitted rows are counted.
 */
#include <math.h>
#include <stdlib.h>

#include "picture/gather.h"

enum { MAX_ROWS = 1000, MAX_TABLE = 400 * 1024 };

/* --- exemplars --- */

static void add_exemplar_name(struct strbuf *out, const struct result_exemplars *of)
{
	markup_str(out, of->name);
	if (of->unit)
		strbuf_addf(out, " (%s)", of->unit);
}

static void add_task(struct strbuf *out, const struct exemplar *e)
{
	markup_add(out, (struct span){ e->comm, strnlen(e->comm, sizeof(e->comm)) });
	strbuf_addf(out, "-%d", e->pid);
}

/* In the form that hist report --around accepts. */
static void add_place(struct strbuf *out, const struct pic_group *g, const struct exemplar *e)
{
	text_add_time(out, e->at, g->r->info->clock_counts);
	strbuf_addf(out, ",%u", e->cpu);
}

/* The cell of a row: a line for each, sorted by the first. */
static void print_row_exemplars(const struct pic_group *g, const struct exemplar_row *row,
				struct strbuf *out)
{
	strbuf_addstr(out, "<td class=\"e\"");
	if (row && row->n) {
		strbuf_addstr(out, " data-v=\"");
		text_add_number(out, row->v[0].value, g->r->exemplars->is_signed);
		strbuf_addch(out, '"');
	}
	strbuf_addch(out, '>');
	for (u32 i = 0; row && i < row->n; i++) {
		strbuf_addstr(out, i ? "<br>" : "");
		text_add_number(out, row->v[i].value, g->r->exemplars->is_signed);
		strbuf_addstr(out, " at ");
		add_place(out, g, &row->v[i]);
		strbuf_addch(out, ' ');
		add_task(out, &row->v[i]);
	}
	strbuf_addstr(out, "</td>");
}

void page_exemplars(const struct pic_group *g, struct strbuf *out)
{
	const struct exemplar_row *all = g->exemplars;

	if (!all || !all->n)
		return;
	strbuf_addstr(out, "<h3>Largest ");
	markup_str(out, g->r->exemplars->name);
	strbuf_addstr(out, "</h3>\n<p class=\"note\">hist report --around TIME,CPU shows the trace "
			   "there.</p>\n");
	table_html_begin("exemplars", "exemplars", out);
	strbuf_addstr(out, "<tr><th class=\"n\">");
	add_exemplar_name(out, g->r->exemplars);
	strbuf_addf(out, "</th><th>time,CPU</th><th>task</th>%s</tr></thead>\n<tbody>\n",
		    g->r->info->n_files > 1 ? "<th>recording</th>" : "");
	for (u32 i = 0; i < all->n; i++) {
		strbuf_addstr(out, "<tr><td class=\"n\">");
		text_add_number(out, all->v[i].value, g->r->exemplars->is_signed);
		strbuf_addstr(out, "</td><td>");
		add_place(out, g, &all->v[i]);
		strbuf_addstr(out, "</td><td>");
		add_task(out, &all->v[i]);
		strbuf_addstr(out, g->r->info->n_files > 1 ? "</td><td>" : "");
		if (g->r->info->n_files > 1 && all->v[i].file)
			markup_str(out, all->v[i].file);
		strbuf_addstr(out, "</td></tr>\n");
	}
	table_html_end(out);
}

/* --- the rows --- */

static bool is_numeric(const struct result_column *c)
{
	return c->type == RESULT_NUMBER || c->type == RESULT_RANGE;
}

static void print_head(const struct pic_group *g, struct strbuf *out)
{
	strbuf_addstr(out, "<tr>");
	if (g->sliced)
		strbuf_addstr(out, "<th class=\"n\">from</th><th class=\"n\">to</th>");
	for (size_t i = 0; i < g->r->n_columns; i++) {
		const struct result_column *c = &g->r->columns[i];

		strbuf_addf(out, "<th%s>",
			    c->role != RESULT_KEY && is_numeric(c) ? " class=\"n\"" : "");
		markup_str(out, c->name);
		if (c->unit)
			strbuf_addf(out, " (%s)", c->unit);
		strbuf_addstr(out, "</th>");
	}
	if (g->r->exemplars) {
		strbuf_addstr(out, "<th>largest ");
		add_exemplar_name(out, g->r->exemplars);
		strbuf_addstr(out, "</th>");
	}
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
}

static void print_cell(const struct pic_group *g, size_t i, const struct pic_cell *cell,
		       double most, struct strbuf *out)
{
	const struct result_column *c = &g->r->columns[i];

	strbuf_addf(out, "<td%s",
		    c->role == RESULT_KEY ? is_numeric(c) ? " class=\"k\"" : " class=\"k t\""
		    : is_numeric(c)       ? " class=\"n\""
					  : "");
	if (is_numeric(c)) {
		strbuf_addstr(out, " data-v=\"");
		text_add_number(out, cell->num, c->is_signed);
		strbuf_addch(out, '"');
	}
	strbuf_addch(out, '>');
	if (c->type == RESULT_STACK && !cell->n_frames)
		strbuf_addstr(out, "[no stack]");
	else
		markup_add(out, cell->text);
	if (i == g->sort_value)
		chart_bar(out, cell_number(c, cell), most);
	strbuf_addstr(out, "</td>");
}

static void print_row(const struct pic_group *g, const struct pic_row *row, double most,
		      struct strbuf *out)
{
	const struct pic_slice *slice = &g->slices.v[row->slice];

	strbuf_addstr(out, "<tr>");
	if (g->sliced) {
		strbuf_addf(out, "<td class=\"n\" data-v=\"%llu\">",
			    (unsigned long long)slice->from);
		time_add(out, g, slice->from);
		strbuf_addf(out, "</td><td class=\"n\" data-v=\"%llu\">",
			    (unsigned long long)slice->to);
		time_add(out, g, slice->to);
		strbuf_addstr(out, "</td>");
	}
	for (size_t i = 0; i < g->r->n_columns; i++)
		print_cell(g, i, &row->cells[i], most, out);
	if (g->r->exemplars)
		print_row_exemplars(g, row->exemplars, out);
	strbuf_addstr(out, "</tr>\n");
}

int page_rows(const struct pic_group *g, struct strbuf *out)
{
	struct rank *rows = calloc(g->rows.n + 1, sizeof(*rows));
	size_t start = out->len, n = 0;
	double most = 0;

	if (!rows)
		return HIST_NOMEM;
	for (size_t i = 0; i < g->rows.n; i++) {
		rows[i] = (struct rank){ cell_number(&g->r->columns[g->sort_value],
						     &g->rows.v[i].cells[g->sort_value]),
					 i };
		most = fmax(most, rows[i].by);
	}
	/* the largest values first, so that small ones are omitted */
	if (g->by_value && !g->sliced)
		rank_sort(rows, g->rows.n);
	strbuf_addstr(out, "<h3>Rows</h3>\n");
	table_html_begin("rows", "rows", out);
	print_head(g, out);
	for (; n < g->rows.n && n < MAX_ROWS && out->len - start < MAX_TABLE; n++)
		print_row(g, &g->rows.v[rows[n].at], most, out);
	table_html_end(out);
	if (n < g->rows.n || g->left_out)
		strbuf_addf(
			out,
			"<p class=\"note left-out\">%zu more rows are left out here; --format csv has "
			"them all.</p>\n",
			g->rows.n - n + g->left_out);
	free(rows);
	return 0;
}
