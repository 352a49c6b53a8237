// SPDX-License-Identifier: LGPL-2.1-only
/*
 * csv (RFC 4180, lines end with LF) and tsv: a line with the names of the columns, then one for
 * each row.
 *
 * An absent value is empty; in csv an empty text is "". csv-safe and tsv-safe, which --csv-safe
 * selects, are for spreadsheets: these run a cell that begins as a formula.
 */
#include "json/json.h"
#include "table/rows.h"

struct csv_dialect {
	char separator;
	bool quotes; /* texts; otherwise tabs and ends of lines are escaped */
	bool safe;   /* for a spreadsheet, which runs a text that begins as a formula */
};

static const struct csv_dialect commas = { ',', true, false }, tabs = { '\t', false, false },
				safe_commas = { ',', true, true },
				safe_tabs = { '\t', false, true };

/* Whether a spreadsheet would run a cell with this text: it begins with = + - @ or white space. */
static bool text_is_formula(struct span text)
{
	size_t digits = 1;

	while (digits < text.n && (is_digit(text.s[digits]) || text.s[digits] == '.'))
		digits++;
	/* a number with a sign is only a number */
	return text.n && strchr("=+-@\t\r\n", text.s[0]) && text.s[0] &&
	       (text.s[0] == '=' || text.s[0] == '@' || digits < text.n || digits == 1);
}

static bool needs_quotes(const struct csv_dialect *d, struct span text, bool escapes)
{
	if (!d->quotes)
		return false;
	return (!text.n && escapes) || (text.n && d->safe) || memchr(text.s, ',', text.n) ||
	       memchr(text.s, '"', text.n) || memchr(text.s, '\n', text.n) ||
	       memchr(text.s, '\r', text.n);
}

/* @escapes: backslashes and bytes that are not UTF-8; and "" is an empty text */
static void add_text(struct strbuf *out, const struct csv_dialect *d, struct span text,
		     bool escapes)
{
	const bool quote = needs_quotes(d, text, escapes);

	strbuf_addstr(out, quote ? "\"" : "");
	if (d->safe && text_is_formula(text))
		strbuf_addch(out, '\'');
	while (text.n) {
		const size_t plain = text_plain_length(text);
		const size_t n = plain ? plain : escapes ? utf8_length(text) : 1;

		if (plain) {
			strbuf_add(out, text.s, plain);
		} else if (!n) {
			strbuf_addf(out, "\\x%02x", (unsigned char)text.s[0]);
		} else if (n > 1) {
			strbuf_add(out, text.s, n);
		} else {
			const char c = text.s[0];
			const char letter = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : 0;

			if ((c == '\\' && escapes) || (c == '"' && quote))
				strbuf_add(out, (const char[]){ c, c }, 2);
			else if (letter && !d->quotes)
				strbuf_addf(out, "\\%c", letter);
			else
				strbuf_addch(out, c);
		}
		text = span_skip(text, n ? n : 1);
	}
	strbuf_addstr(out, quote ? "\"" : "");
}

static void add_double(struct strbuf *out, double v)
{
	if (isinf(v))
		strbuf_addstr(out, v > 0 ? "inf" : "-inf");
	else
		text_add_double(out, v + 0.0);
}

static void add_cell(const struct row_writer *w, const struct csv_dialect *d,
		     const struct row_cell *c, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	switch (c->kind) {
	case CELL_TEXT:
	case CELL_JSON: /* UTF-8 already; and a reader of json must find its backslashes */
		add_text(out, d, c->text, c->kind == CELL_TEXT && !w->encoded);
		break;
	case CELL_DOUBLE:
		add_double(out, c->real);
		break;
	case CELL_ADDRESS: /* a text */
		strbuf_addstr(out, d->safe && d->quotes ? "\"" : "");
		strbuf_addhex(out, c->number);
		strbuf_addstr(out, d->safe && d->quotes ? "\"" : "");
		break;
	case CELL_BYTES:
	case CELL_NUMBERS:
	case CELL_TEXTS:
		row_cell_add(w, c, &text);
		if (c->kind != CELL_TEXTS || c->list.n)
			add_text(out, d, strbuf_span(&text), true);
		out->failed |= text.failed;
		strbuf_release(&text);
		break;
	default:
		row_cell_add(w, c, out);
	}
}

void row_cell_add_plain(const struct row_writer *w, const struct row_cell *c, struct strbuf *out)
{
	add_cell(w, &tabs, c, out);
}

static void begin(struct row_writer *w)
{
	const struct csv_dialect *d = w->format->arg;

	if (w->continued)
		strbuf_addch(w->out, '\n');
	for (size_t i = 0; i < w->n_columns; i++) {
		const char *name = w->columns[i].name;

		if (i)
			strbuf_addch(w->out, d->separator);
		if (w->columns[i].bare)
			strbuf_addstr(w->out, name);
		else
			add_text(w->out, d, span_of(name), !w->encoded);
	}
	strbuf_addch(w->out, '\n');
}

static void cell(struct row_writer *w, const struct row_cell *c)
{
	const struct csv_dialect *d = w->format->arg;

	if (w->at)
		strbuf_addch(w->out, d->separator);
	add_cell(w, d, c, w->out);
}

static void end_row(struct row_writer *w)
{
	strbuf_addch(w->out, '\n');
}

#define FORMAT(name_, dialect)                                                     \
	{                                                                          \
		.name = (name_), .begin = begin, .cell = cell, .end_row = end_row, \
		.arg = (dialect)                                                   \
	}

const struct row_format row_csv = FORMAT("csv", &commas);
const struct row_format row_tsv = FORMAT("tsv", &tabs);
const struct row_format row_csv_safe = FORMAT("csv-safe", &safe_commas);
const struct row_format row_tsv_safe = FORMAT("tsv-safe", &safe_tabs);
