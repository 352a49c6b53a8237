// SPDX-License-Identifier: LGPL-2.1-only
/*
 * JSON, RFC 8259, with numbers only in the forms that hist writes. The text is not trusted: it
 * is never read past its end, and nesting is limited.
 */
#include "json/json.h"

enum { DEPTH_MAX = 32 };

bool json_in_fail(struct json_in *in, const char *problem)
{
	if (!in->problem)
		in->problem = problem;
	return false;
}

static bool is_white(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool json_in_at_end(struct json_in *in)
{
	while (in->p < in->end && is_white(*in->p))
		in->p++;
	return in->p == in->end;
}

unsigned int json_in_line(const struct json_in *in)
{
	unsigned int line = 1;

	for (const char *p = in->start; p < in->p; p++)
		line += *p == '\n';
	return line;
}

/* The next character that is not white space, without consuming it; 0: none. */
static char peek(struct json_in *in)
{
	if (in->problem)
		return 0;
	return json_in_at_end(in) ? 0 : *in->p;
}

static bool take(struct json_in *in, char c)
{
	if (peek(in) != c)
		return false;
	in->p++;
	return true;
}

static bool take_word(struct json_in *in, const char *word)
{
	size_t n = strlen(word);

	if (!peek(in) || (size_t)(in->end - in->p) < n || memcmp(in->p, word, n) != 0)
		return false;
	in->p += n;
	return true;
}

/* --- objects and arrays --- */

bool json_in_open(struct json_in *in, char bracket)
{
	in->first = true;
	if (take(in, bracket))
		return true;
	return json_in_fail(in, in->p == in->end ? "it ends early"
				: bracket == '{' ? "an object is expected"
						 : "an array is expected");
}

/* Whether another element follows before @bracket. */
static bool more(struct json_in *in, char bracket)
{
	bool first = in->first;

	in->first = false;
	if (take(in, bracket))
		return false;
	if (first || take(in, ','))
		return !in->problem;
	return json_in_fail(in, in->p == in->end ? "it ends early" : "a comma is missing");
}

bool json_in_element(struct json_in *in)
{
	return more(in, ']');
}

bool json_in_member(struct json_in *in, struct span *name)
{
	if (!more(in, '}') || !json_in_text(in, name))
		return false;
	return take(in, ':') || json_in_fail(in, "a colon is missing");
}

/* --- strings --- */

/* The value of @n hexadecimal digits at @p, before @end; -1 if there are fewer. */
static s32 hex_number(const char *p, const char *end, int n)
{
	s32 v = 0;

	if (end - p < n)
		return -1;
	for (int i = 0; i < n; i++) {
		int digit = p[i] >= '0' && p[i] <= '9'                 ? p[i] - '0'
			    : (p[i] | 32) >= 'a' && (p[i] | 32) <= 'f' ? (p[i] | 32) - 'a' + 10
								       : -1;

		if (digit < 0)
			return -1;
		v = v << 4 | digit;
	}
	return v;
}

static void add_utf8(struct strbuf *sb, u32 c)
{
	if (c < 0x80) {
		strbuf_addch(sb, (char)c);
		return;
	}
	if (c < 0x800) {
		strbuf_addch(sb, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			strbuf_addch(sb, (char)(0xe0 | c >> 12));
		} else {
			strbuf_addch(sb, (char)(0xf0 | c >> 18));
			strbuf_addch(sb, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		strbuf_addch(sb, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	strbuf_addch(sb, (char)(0x80 | (c & 0x3f)));
}

/* After \u; characters above 16 bits need two of them. */
static bool decode_unicode(struct json_in *in, const char *end)
{
	s32 c = hex_number(in->p, end, 4), low;

	if (c <= 0 || (c >= 0xdc00 && c < 0xe000))
		return json_in_fail(in, "a control character that hist never writes");
	in->p += 4;
	if (c >= 0xd800 && c < 0xdc00) {
		low = end - in->p > 2 && in->p[0] == '\\' && in->p[1] == 'u'
			      ? hex_number(in->p + 2, end, 4)
			      : -1;
		if (low < 0xdc00 || low >= 0xe000)
			return json_in_fail(in, "an incomplete character");
		in->p += 6;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	add_utf8(&in->decoded, (u32)c);
	return true;
}

static bool decode_escape(struct json_in *in, const char *end)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = in->p < end ? *in->p++ : 0;
	const char *which = c ? strchr(from, c) : NULL;

	if (c == 'u')
		return decode_unicode(in, end);
	if (!which)
		return json_in_fail(in, "an unknown escape");
	strbuf_addch(&in->decoded, to[which - from]);
	return true;
}

/*
 * Undo the escapes of table/encode.c for backslashes and bytes, in place, because the result is
 * never longer.
 */
static void undo_bytes(struct strbuf *sb)
{
	const char *p = sb->s, *end = p + sb->len;
	size_t n = 0;

	if (!memchr(sb->s, '\\', sb->len))
		return;
	while (p < end) {
		s32 byte = end - p >= 4 && p[0] == '\\' && p[1] == 'x' ? hex_number(p + 2, end, 2)
								       : -1;

		if (byte > 0) {
			sb->s[n++] = (char)byte;
			p += 4;
			continue;
		}
		if (end - p >= 2 && p[0] == '\\' && p[1] == '\\')
			p++;
		sb->s[n++] = *p++;
	}
	strbuf_cut(sb, n);
}

/* Text with escapes, up to the quote at @end. */
static bool decode(struct json_in *in, const char *end, struct span *text)
{
	strbuf_reset(&in->decoded);
	while (in->p < end) {
		const char *escape = memchr(in->p, '\\', (size_t)(end - in->p));
		const char *plain = escape ? escape : end;

		strbuf_add(&in->decoded, in->p, (size_t)(plain - in->p));
		in->p = plain + (escape != NULL);
		if (escape && !decode_escape(in, end))
			return false;
	}
	if (in->decoded.failed)
		return json_in_fail(in, "out of memory");
	if (!in->plain)
		undo_bytes(&in->decoded);
	in->p = end + 1;
	*text = (struct span){ in->decoded.s, in->decoded.len };
	return true;
}

bool json_in_text(struct json_in *in, struct span *text)
{
	const char *p;
	bool escapes = false;

	if (!take(in, '"'))
		return json_in_fail(in,
				    in->p == in->end ? "it ends early" : "a string is expected");
	for (p = in->p; p < in->end && *p != '"'; p++) {
		if ((unsigned char)*p < 0x20)
			break;
		if (*p == '\\' && p + 1 < in->end) {
			escapes = true;
			p++;
		}
	}
	if (p >= in->end || *p != '"')
		return json_in_fail(in, "a string has no end");
	if (escapes)
		return decode(in, p, text);
	*text = span_between(in->p, p);
	in->p = p + 1;
	return true;
}

/* --- numbers and words --- */

static bool ends_value(char c)
{
	switch (c) {
	case ',':
	case ']':
	case '}':
	case ':':
	case '[':
	case '{':
	case '"':
	case 0:
		return true;
	default:
		return is_white(c);
	}
}

/* The text up to the next character that ends a value, without quotes around it. */
static bool take_plain(struct json_in *in, struct span *out)
{
	const char *p;

	if (peek(in) == '"')
		return json_in_text(in, out);
	for (p = in->p; p < in->end && !ends_value(*p); p++)
		;
	*out = span_between(in->p, p);
	in->p = p;
	return !in->problem;
}

static bool take_digits(struct span *text, u64 *v)
{
	size_t n = 0;

	*v = 0;
	if (text->n > 1 && text->s[0] == '0' && is_digit(text->s[1]))
		return false;
	for (; n < text->n && is_digit(text->s[n]); n++)
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (u64)(text->s[n] - '0'), v))
			return false;
	*text = span_skip(*text, n);
	return n > 0;
}

bool json_in_number(struct json_in *in, bool is_signed, u64 *v)
{
	struct span text;
	bool minus;

	if (!take_plain(in, &text))
		return false;
	minus = is_signed && text.n && text.s[0] == '-';
	if (minus)
		text = span_skip(text, 1);
	if (!take_digits(&text, v) || text.n || (is_signed && *v > (u64)INT64_MAX + minus))
		return json_in_fail(in, is_signed ? "a 64-bit integer is expected"
						  : "an unsigned 64-bit integer is expected");
	if (minus)
		*v = 0 - *v;
	return true;
}

bool json_in_time(struct json_in *in, bool clock_counts, u64 *ts)
{
	struct span text;
	u64 scale = 100000000;

	if (clock_counts)
		return json_in_number(in, false, ts);
	if (!take_plain(in, &text))
		return false;
	if (!take_digits(&text, ts) || __builtin_mul_overflow(*ts, 1000000000, ts))
		return json_in_fail(in, "a time in seconds is expected");
	if (text.n && text.s[0] == '.')
		text = span_skip(text, 1);
	for (; text.n && is_digit(text.s[0]); text = span_skip(text, 1), scale /= 10)
		if (__builtin_add_overflow(*ts, scale * (u64)(text.s[0] - '0'), ts))
			return json_in_fail(in, "a time in seconds is expected");
	return !text.n || json_in_fail(in, "a time in seconds is expected");
}

bool json_in_null(struct json_in *in)
{
	return take_word(in, "null");
}

bool json_in_bool(struct json_in *in, bool *v)
{
	*v = take_word(in, "true");
	return *v || take_word(in, "false") || json_in_fail(in, "true or false is expected");
}

/* --- skipping --- */

bool json_in_skip(struct json_in *in)
{
	struct span name;
	char c = peek(in);

	if (c == '"')
		return json_in_text(in, &name);
	if (c != '{' && c != '[') {
		struct span text = { NULL, 0 };

		if (json_in_null(in) || take_word(in, "true") || take_word(in, "false"))
			return true;
		if (!take_plain(in, &text))
			return false;
		for (size_t i = 0; i < text.n; i++)
			if (!is_digit(text.s[i]) && !strchr("+-.eE", text.s[i]))
				return json_in_fail(in, "a value is expected");
		return text.n ||
		       json_in_fail(in, in->p == in->end ? "it ends early" : "a value is expected");
	}
	if (++in->depth > DEPTH_MAX)
		return json_in_fail(in, "it is nested too deeply");
	json_in_open(in, c);
	while (c == '{' ? json_in_member(in, &name) : json_in_element(in))
		json_in_skip(in);
	in->depth--;
	return !in->problem;
}
