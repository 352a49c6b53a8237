// SPDX-License-Identifier: LGPL-2.1-only
/* A table in memory, and its writers for text, Markdown and html. */
#include "table/table.h"

/* --- cells --- */

void table_end_cell(struct table *t)
{
	struct table_column *c = &t->columns[t->at];

	if (t->at == TABLE_COLUMNS) {
		strbuf_cut(&t->text, t->start);
		return;
	}
	if (!t->at)
		t->failed |= array_push(&t->rows, t->cells.n) != 0;
	if (!t->text.failed && !t->fitted)
		c->width = max_t(size_t, c->width, text_width(span_of(t->text.s + t->start)));
	strbuf_addch(&t->text, '\0');
	t->failed |= t->text.failed || array_push(&t->cells, t->start);
	t->start = t->text.len;
	t->at++;
	t->n_columns = max_t(size_t, t->n_columns, t->at);
}

void table_add(struct table *t, const char *text)
{
	strbuf_addstr(&t->text, text);
	table_end_cell(t);
}

void table_addf(struct table *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&t->text, fmt, ap);
	va_end(ap);
	table_end_cell(t);
}

void table_end_row(struct table *t)
{
	if (!t->at)
		t->failed |= array_push(&t->rows, t->cells.n) != 0;
	t->at = 0;
}

void table_drop_rows(struct table *t)
{
	strbuf_cut(&t->text, 0);
	t->cells.n = t->rows.n = 0;
	t->start = 0;
}

void table_release(struct table *t)
{
	strbuf_release(&t->text);
	strbuf_release(&t->title);
	strbuf_release(&t->verdict);
	strbuf_release(&t->note);
	array_release(&t->cells);
	array_release(&t->rows);
}

static bool is_incomplete(const struct table *t)
{
	return t->failed || t->title.failed || t->verdict.failed || t->note.failed;
}

static size_t n_rows(const struct table *t)
{
	return t->failed ? 0 : t->rows.n;
}

const char *table_text_of(const struct table *t, size_t row, size_t column)
{
	size_t first, end;

	if (row >= n_rows(t))
		return NULL;
	first = t->rows.v[row];
	end = row + 1 < t->rows.n ? t->rows.v[row + 1] : t->cells.n;
	return column < end - first ? t->text.s + t->cells.v[first + column] : NULL;
}

/* --- text --- */

static const char left_out[] = "...";

/* How short texts become before columns of rank HIDDEN_LAST and more are hidden. */
enum { SHORTEST = 8, HIDDEN_LAST = 50 };

static size_t width_of(const struct table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		n += t->columns[i].hidden ? 0 : t->columns[i].width + (i ? 2 : 0);
	return n;
}

/* Shorten the widest texts, to no less than @least, until the table fits. */
static void shorten_texts(struct table *t, size_t least)
{
	struct table_column *widest;

	do {
		widest = NULL;
		array_each_of(struct table_column, c, t->columns, t->n_columns) {
			if (c->shortens && !c->hidden &&
			    c->width > (widest ? widest->width : least))
				widest = c;
		}
		if (widest && width_of(t) > t->room)
			widest->width--;
	} while (widest && width_of(t) > t->room);
}

void table_fit(struct table *t, size_t width)
{
	size_t room = 0; /* what shorter texts leave */

	t->fitted = true;
	t->room = width;
	if (!width)
		return;
	shorten_texts(t, max_t(size_t, SHORTEST, width / 2));
	for (unsigned int hide = 1; hide <= TABLE_COLUMNS; hide++) {
		if (hide == HIDDEN_LAST)
			room = sum_of(i, t->n_columns,
				      t->columns[i].shortens && t->columns[i].width > SHORTEST
					      ? t->columns[i].width - SHORTEST
					      : 0);
		array_each_of_while(struct table_column, c, t->columns, t->n_columns,
				    width_of(t) > width + room)
			c->hidden |= c->hide == hide;
	}
	shorten_texts(t, SHORTEST);
}

/* The middle of a path or command line names less than its ends. */
static void add_shortened(struct strbuf *out, struct span text, size_t most)
{
	const size_t room = most - min_t(size_t, most, strlen(left_out)), width = text_width(text);
	struct span begin = text_fitting(text, room / 2), end;

	end = span_skip(text, text_fitting(text, width - (room - room / 2)).n);
	if (text_width(end) > room - room / 2)
		end = span_skip(end, max_t(size_t, utf8_length(end), 1));
	strbuf_add(out, begin.s, begin.n);
	strbuf_addstr(out, left_out);
	strbuf_add(out, end.s, end.n);
}

void table_text_row(const struct table *t, size_t row, struct strbuf *out)
{
	const char *text;
	size_t last = 0;

	for (size_t i = 0; i < t->n_columns; i++) {
		text = table_text_of(t, row, i);
		if (text && *text && !t->columns[i].hidden)
			last = i;
	}
	for (size_t i = 0, shown = 0; i <= last; i++) {
		const struct table_column *c = &t->columns[i];
		size_t width, at;

		if (c->hidden)
			continue;
		text = table_text_of(t, row, i) ?: "";
		width = text_width(span_of(text));
		strbuf_addstr(out, shown++ ? "  " : "");
		strbuf_fill(out, ' ', c->left ? 0 : c->width - min_t(size_t, c->width, width));
		at = out->len;
		if (c->shortens && width > c->width)
			add_shortened(out, span_of(text), c->width);
		else
			strbuf_addstr(out, text);
		width = out->failed ? 0 : text_width(span_skip(strbuf_span(out), at));
		if (c->left && i < last)
			strbuf_fill(out, ' ', c->width - min_t(size_t, c->width, width));
	}
}

void table_add_hidden(const struct table *t, bool ranked, struct strbuf *out)
{
	enum { MORE = sizeof(", 100 more)") };
	const size_t start = out->len;
	size_t more = 0;

	for (unsigned int hide = 1; hide <= (ranked ? TABLE_COLUMNS : 1) && n_rows(t); hide++)
		for (size_t i = 0; i < t->n_columns; i++) {
			const char *text = table_text_of(t, 0, i) ?: "";

			if (!t->columns[i].hidden || !*text ||
			    (ranked && t->columns[i].hide != hide))
				continue;
			more += more || (out->len > start &&
					 out->len - start + strlen(text) + MORE > t->room);
			if (!more)
				strbuf_addf(out, "%s%s",
					    out->len > start ? ", " : "(too wide: ", text);
		}
	if (more)
		strbuf_addf(out, ", %zu more", more);
	strbuf_addstr(out, out->len > start ? ")\n" : "");
}

void table_text(const struct table *t, struct strbuf *out)
{
	table_add_hidden(t, true, out);
	for (size_t row = 0; row < n_rows(t); row++) {
		table_text_row(t, row, out);
		strbuf_addch(out, '\n');
	}
	out->failed |= is_incomplete(t);
}

/* --- Markdown --- */

void markdown_add(struct strbuf *out, const char *text)
{
	markup_escape(out, span_of(text), "&<>|*_`~[]\\#!@:\n\t");
}

void table_markdown_row(const struct table *t, size_t row, bool header, struct strbuf *out)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		strbuf_addstr(out, i ? " | " : "| ");
		markdown_add(out, table_text_of(t, row, i) ?: "");
	}
	strbuf_addstr(out, " |\n");
	for (size_t i = 0; header && i < t->n_columns; i++)
		strbuf_addstr(out, !i ? "| :-- |" : t->columns[i].left ? " :-- |" : " --: |");
	strbuf_addstr(out, header ? "\n" : "");
}

void table_markdown(const struct table *t, struct strbuf *out)
{
	for (size_t row = 0; row < n_rows(t); row++)
		table_markdown_row(t, row, !row, out);
	strbuf_addch(out, '\n');
	out->failed |= is_incomplete(t);
}

/* --- html --- */

void table_html_begin(const char *label, const char *class, struct strbuf *out)
{
	strbuf_addf(out,
		    "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table",
		    label);
	if (class)
		strbuf_addf(out, " class=\"%s\"", class);
	strbuf_addstr(out, ">\n<thead>");
}

void table_html_end(struct strbuf *out)
{
	strbuf_addstr(out, "</tbody></table></div>\n");
}

void table_html(const struct table *t, const char *label, const char *class, struct strbuf *out)
{
	table_html_begin(label, class, out);
	for (size_t row = 0; row < n_rows(t); row++) {
		strbuf_addstr(out, "<tr>");
		for (size_t i = 0; i < t->n_columns; i++) {
			/* numbers for scripts: of "120 ±3%" and "17..32" the start */
			const char *text = table_text_of(t, row, i) ?: row ? "" : "mark";
			const char *tag = row ? "td" : "th";
			const bool number = !t->columns[i].left;
			char *end;
			double v = strtod(text, &end);

			strbuf_addf(out, "<%s%s", tag, number ? " class=\"n\"" : "");
			if (class && number && end != text && isfinite(v))
				strbuf_addf(out, " data-v=\"%.15g\"", v);
			strbuf_addch(out, '>');
			markup_str(out, text);
			strbuf_addf(out, "</%s>", tag);
		}
		strbuf_addstr(out, row ? "</tr>\n" : "</tr></thead>\n<tbody>\n");
	}
	table_html_end(out);
	out->failed |= is_incomplete(t);
}
