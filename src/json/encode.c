// SPDX-License-Identifier: LGPL-2.1-only
/* Encoding of bytes and numbers, shared by all formats for programs. */
#include <time.h>

#include "json/json.h"

void text_add_encoded(struct strbuf *out, struct span text)
{
	while (text.n) {
		const size_t plain = text_plain_length(text), n = plain ? plain : utf8_length(text);

		if (!n)
			strbuf_addf(out, "\\x%02x", (unsigned char)text.s[0]);
		else
			strbuf_add(out, text.s, n);
		if (n == 1 && text.s[0] == '\\')
			strbuf_addch(out, '\\');
		text = span_skip(text, n ? n : 1);
	}
}

void text_add_u64(struct strbuf *out, u64 v)
{
	char digits[DIGITS_MAX], *end = digits + sizeof(digits), *start = digits_put(end, v);

	strbuf_add(out, start, (size_t)(end - start));
}

void text_add_padded(struct strbuf *out, u64 v)
{
	char digits[DIGITS_MAX], *end = digits + sizeof(digits), *start;

	memset(end - 10, ' ', 10);
	start = digits_put(end, v);
	start = start < end - 10 ? start : end - 10;
	strbuf_add(out, start, (size_t)(end - start));
}

void text_add_number(struct strbuf *out, u64 v, bool is_signed)
{
	if (is_signed && v >> 63) {
		strbuf_addch(out, '-');
		v = 0 - v;
	}
	text_add_u64(out, v);
}

void text_add_double(struct strbuf *out, double v)
{
	char text[40];

	if (!isfinite(v))
		return;
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(text, sizeof(text), "%.*g", precision, v);
		if (strtod(text, NULL) == v)
			break;
	}
	for (char *p = text; *p; p++)
		if (!is_digit(*p) && !strchr("+-e", *p))
			*p = '.'; /* the locale may use another decimal point */
	strbuf_addstr(out, text);
}

void text_add_time(struct strbuf *out, u64 ts, bool clock_counts)
{
	if (clock_counts)
		text_add_u64(out, ts);
	else
		strbuf_addf(out, "%llu.%09u", ts / 1000000000, (u32)(ts % 1000000000));
}

void text_add_date(struct strbuf *out, u64 unix_ns)
{
	const time_t seconds = (time_t)(unix_ns / 1000000000);
	struct tm tm;
	char date[40];

	if (gmtime_r(&seconds, &tm) && strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm))
		strbuf_addf(out, "%s.%09u", date, (u32)(unix_ns % 1000000000));
}

void text_add_spark(struct strbuf *out, double part)
{
	static const char *const blocks[] = { "\u2581", "\u2582", "\u2583", "\u2584",
					      "\u2585", "\u2586", "\u2587", "\u2588" };
	size_t n = part >= 0 ? (size_t)(part * 8) : 0;

	strbuf_addstr(out, blocks[n < 8 ? n : 7]);
}
