// SPDX-License-Identifier: LGPL-2.1-only
/* csv (RFC 4180) and tsv. */
#include <math.h>

#include "table/csv.h"
#include "table/encode.h"

const struct csv_dialect csv_commas = { ',', true, true, false };
const struct csv_dialect csv_tabs = { '\t', false, true, false };
const struct csv_dialect csv_safe_commas = { ',', true, true, true };
const struct csv_dialect csv_safe_tabs = { '\t', false, true, true };

void csv_absent(struct csv *t)
{
	if (t->begun)
		strbuf_addch(t->out, t->dialect->separator);
	t->begun = true;
}

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

static bool needs_quotes(const struct csv_dialect *d, struct span text)
{
	if (!d->quotes)
		return false;
	return (!text.n && d->escapes) || (text.n && d->safe) || memchr(text.s, ',', text.n) ||
	       memchr(text.s, '"', text.n) || memchr(text.s, '\n', text.n) ||
	       memchr(text.s, '\r', text.n);
}

void csv_text(struct csv *t, struct span text)
{
	const bool quote = needs_quotes(t->dialect, text);

	csv_absent(t);
	strbuf_addstr(t->out, quote ? "\"" : "");
	if (t->dialect->safe && text_is_formula(text))
		strbuf_addch(t->out, '\'');
	while (text.n) {
		const size_t plain = text_plain_length(text);
		const size_t n = plain ? plain : t->dialect->escapes ? utf8_length(text) : 1;

		if (plain) {
			strbuf_add(t->out, text.s, plain);
		} else if (!n) {
			strbuf_addf(t->out, "\\x%02x", (unsigned char)text.s[0]);
		} else if (n > 1) {
			strbuf_add(t->out, text.s, n);
		} else {
			const char c = text.s[0];
			const char letter = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : 0;

			if ((c == '\\' && t->dialect->escapes) || (c == '"' && quote))
				strbuf_add(t->out, (const char[]){ c, c }, 2);
			else if (letter && !t->dialect->quotes)
				strbuf_addf(t->out, "\\%c", letter);
			else
				strbuf_addch(t->out, c);
		}
		text = span_skip(text, n ? n : 1);
	}
	strbuf_addstr(t->out, quote ? "\"" : "");
}

void csv_name(struct csv *t, const char *name)
{
	csv_absent(t);
	strbuf_addstr(t->out, name);
}

void csv_number(struct csv *t, u64 v, bool is_signed)
{
	csv_absent(t);
	text_add_number(t->out, v, is_signed);
}

void csv_double(struct csv *t, double v)
{
	csv_absent(t);
	if (isinf(v))
		strbuf_addstr(t->out, v > 0 ? "inf" : "-inf");
	else
		text_add_double(t->out, v + 0.0);
}

void csv_time(struct csv *t, u64 ts, bool clock_counts)
{
	csv_absent(t);
	text_add_time(t->out, ts, clock_counts);
}

void csv_end_line(struct csv *t)
{
	strbuf_addch(t->out, '\n');
	t->begun = false;
}
