// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Rows as a page: a table in one file, without scripts, in the colours that the reader chose. What
 * HTML permits to leave out at the end is left out, so that more tables can follow.
 */
#include "json/json.h"
#include "table/rows.h"

static const char style[] =
	"body { margin: 1rem; font: 15px/1.45 system-ui, sans-serif; }\n"
	"h1 { font-size: 1.4rem; }\n"
	"table { border-collapse: collapse; margin: 0 0 2rem; font-variant-numeric: tabular-nums; }\n"
	"th, td { padding: .15rem 1rem .15rem 0; text-align: left; vertical-align: top; "
	"border-bottom: 1px solid GrayText; }\n"
	"th { position: sticky; top: 0; background: Canvas; }\n"
	".n { text-align: right; white-space: nowrap; }\n";

static const char *class_of(const struct row_writer *w, size_t column)
{
	const struct row_column *c = &w->columns[column];

	return cell_is_text(c->kind) || c->kind == CELL_BYTES || c->kind == CELL_NUMBERS
		       ? ""
		       : " class=\"n\"";
}

static void begin(struct row_writer *w)
{
	if (!w->continued) {
		strbuf_addstr(
			w->out,
			"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
			"'none'; style-src 'unsafe-inline'\">\n"
			"<meta name=\"viewport\" content=\"width=device-width, "
			"initial-scale=1\">\n"
			"<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
		markup_str(w->out, w->title ?: "hist");
		strbuf_addf(w->out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
		markup_str(w->out, w->title ?: "hist");
		strbuf_addstr(w->out, "</h1>\n");
	}
	strbuf_addstr(w->out, "<table>\n<thead><tr>");
	for (size_t i = 0; i < w->n_columns; i++) {
		strbuf_addf(w->out, "<th scope=\"col\"%s>", class_of(w, i));
		markup_str(w->out, w->columns[i].name);
		strbuf_addstr(w->out, "</th>");
	}
	strbuf_addstr(w->out, "</tr></thead>\n<tbody>\n");
}

static void cell(struct row_writer *w, const struct row_cell *c)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	row_cell_add_plain(w, c, &text);
	strbuf_addf(w->out, "%s<td%s>", w->at ? "" : "<tr>", class_of(w, w->at));
	markup_add(w->out, strbuf_span(&text));
	strbuf_addstr(w->out, "</td>");
	w->out->failed |= text.failed;
}

static void end_row(struct row_writer *w)
{
	strbuf_addstr(w->out, "</tr>\n");
}

static void end(struct row_writer *w, bool complete)
{
	strbuf_addstr(w->out, complete ? "</tbody>\n</table>\n"
				       : "</tbody>\n</table>\n<p>Rows are missing.</p>\n");
}

const struct row_format row_html = {
	.name = "html", .begin = begin, .cell = cell, .end_row = end_row, .end = end
};
