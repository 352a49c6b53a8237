// SPDX-License-Identifier: LGPL-2.1-only
/* Numbers for people, on pages and as text. */
#include "table/table.h"

/* What pages and plain text write differently. */
struct style {
	const char *minus, *space;
	bool units_of_pages;
};

static const struct style on_pages = { "\u2212", "\u00a0", true }, in_text = { "-", " ", false };

static void add_digits(struct strbuf *out, const char *digits, size_t n, size_t whole)
{
	for (size_t i = 0; i < n; i++) {
		if (i && i < whole && (whole - i) % 3 == 0)
			strbuf_addch(out, ',');
		strbuf_addch(out, digits[i]);
	}
}

void text_add_grouped(struct strbuf *out, u64 v, bool is_signed)
{
	const bool negative = is_signed && (s64)v < 0;
	char digits[32];
	const int n = snprintf(digits, sizeof(digits), "%llu", negative ? 0 - v : v);

	strbuf_addstr(out, negative ? "-" : "");
	add_digits(out, digits, (size_t)n, (size_t)n);
}

/* "1,234,567" or "0.25". */
static void add_grouped(struct strbuf *out, double v, int decimals, const struct style *style)
{
	char digits[64];
	int n = snprintf(digits, sizeof(digits), "%.*f", decimals, fabs(v)), whole = n;

	if (n < 0 || n >= (int)sizeof(digits)) {
		strbuf_addf(out, "%.3g", v);
		return;
	}
	if (decimals)
		whole = n - decimals - 1;
	strbuf_addstr(out, v < 0 ? style->minus : "");
	add_digits(out, digits, (size_t)n, (size_t)whole);
}

/* Three digits, unless the number is an integer or larger. */
static int decimals_of(double v)
{
	v = fabs(v);
	if (v >= 99.95 || (v == floor(v) && v < 1e15))
		return 0;
	return v >= 9.995 ? 1 : v >= 0.0995 ? 2 : 3;
}

static const struct people_unit time_units[] = {
	{ "ns", "ns", 1 }, { "us", "\u00b5s", 1e3 }, { "ms", "ms", 1e6 }, { "s", "s", 1e9 }
};

const struct people_unit *people_unit(const char *unit)
{
	for (size_t i = 0; unit && i < ARRAY_SIZE(time_units); i++)
		if (!strcmp(unit, time_units[i].unit))
			return &time_units[i];
	return NULL;
}

const struct people_unit *people_fitting_unit(double ns, double least)
{
	const struct people_unit *u = time_units + ARRAY_SIZE(time_units) - 1;

	while (u > time_units && fabs(ns) < u->ns * least)
		u--;
	return u;
}

static void add(struct strbuf *out, double v, const char *unit, const struct style *style)
{
	const struct people_unit *from = people_unit(unit), *to;
	double shown;

	if (isnan(v))
		return;
	if (!from) {
		add_grouped(out, v, decimals_of(v), style);
		if (unit)
			strbuf_addf(out, "%s%s", style->space, unit);
		return;
	}
	to = people_fitting_unit(v * from->ns, 0.9995);
	shown = v * from->ns / to->ns;
	/* 5 us are exactly that, but 5000 ns are 5.00 us */
	if (to <= from && v == floor(v))
		add_grouped(out, shown, 0, style);
	else
		add_grouped(out, shown,
			    fabs(shown) >= 99.95   ? 0
			    : fabs(shown) >= 9.995 ? 1
						   : 2,
			    style);
	strbuf_addf(out, "%s%s", style->space, style->units_of_pages ? to->name : to->unit);
}

void people_add(struct strbuf *out, double v, const char *unit)
{
	add(out, v, unit, &on_pages);
}

void people_text(struct strbuf *out, double v, const char *unit)
{
	add(out, v, unit, &in_text);
}

void tick_add(struct strbuf *out, double v, const char *unit)
{
	const struct people_unit *from = people_unit(unit), *to;

	if (from) {
		to = people_fitting_unit(v * from->ns, 1);
		strbuf_addf(out, "%.6g\u00a0%s", v * from->ns / to->ns,
			    v != 0 ? to->name : from->name);
	} else {
		people_add(out, v, unit);
	}
}

size_t text_wrap(struct strbuf *out, size_t start, size_t at, size_t width, size_t indent)
{
	scoped(strbuf_release) struct strbuf copy = STRBUF_INIT;
	struct span text;
	size_t n = 1;

	if (!out->failed && out->len > start)
		strbuf_add(&copy, out->s + start, out->len - start);
	strbuf_cut(out, start);
	for (text = strbuf_span(&copy); text.n;) {
		const struct span word = span_sep(&text, " ");

		if (width && at + text_width(word) > width && at > indent) {
			while (out->len && out->s[out->len - 1] == ' ')
				strbuf_cut(out, out->len - 1);
			strbuf_addch(out, '\n');
			strbuf_fill(out, ' ', indent);
			at = indent;
			n++;
		}
		strbuf_add(out, word.s, word.n);
		strbuf_addstr(out, text.n ? " " : "");
		at += text_width(word) + 1;
	}
	strbuf_addch(out, '\n');
	out->failed |= copy.failed;
	return n;
}
