// SPDX-License-Identifier: LGPL-2.1-only
/* JSON, RFC 8259: escapes in strings, and commas. */
#include <math.h>

#include "print/json.h"
#include "print/encode.h"

static void begin_value(struct json *j)
{
	if (j->comma)
		strbuf_addch(j->out, ',');
	j->comma = true;
}

void json_open(struct json *j, char bracket)
{
	begin_value(j);
	strbuf_addch(j->out, bracket);
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	strbuf_addch(j->out, bracket);
	j->comma = true;
}

static void add_quoted(struct strbuf *out, struct span text)
{
	strbuf_addch(out, '"');
	while (text.n) {
		unsigned char c = (unsigned char)text.s[0];
		size_t n = utf8_length(text);

		if (!n)
			strbuf_addf(out, "\\\\x%02x", c);
		else if (c == '\\')
			strbuf_addstr(out, "\\\\\\\\");
		else if (c == '"')
			strbuf_addstr(out, "\\\"");
		else if (c < 0x20 || c == 0x7f)
			strbuf_addf(out, "\\u%04x", c);
		else
			strbuf_add(out, text.s, n);
		text = span_skip(text, n ? n : 1);
	}
	strbuf_addch(out, '"');
}

void json_end_line(struct json *j)
{
	strbuf_addch(j->out, '\n');
	j->comma = false;
}

void json_name(struct json *j, const char *name)
{
	json_name_span(j, span_of(name));
}

void json_name_span(struct json *j, struct span name)
{
	begin_value(j);
	add_quoted(j->out, name);
	strbuf_addch(j->out, ':');
	j->comma = false;
}

void json_null(struct json *j)
{
	begin_value(j);
	strbuf_addstr(j->out, "null");
}

void json_bool(struct json *j, bool v)
{
	begin_value(j);
	strbuf_addstr(j->out, v ? "true" : "false");
}

void json_u64(struct json *j, u64 v)
{
	begin_value(j);
	text_add_u64(j->out, v);
}

void json_s64(struct json *j, s64 v)
{
	begin_value(j);
	text_add_number(j->out, (u64)v, true);
}

void json_number(struct json *j, u64 v, bool is_signed)
{
	begin_value(j);
	if (j->u64_as_string)
		strbuf_addch(j->out, '"');
	text_add_number(j->out, v, is_signed);
	if (j->u64_as_string)
		strbuf_addch(j->out, '"');
}

void json_double(struct json *j, double v)
{
	if (!isfinite(v)) {
		json_null(j);
		return;
	}
	begin_value(j);
	text_add_double(j->out, v);
}

void json_time(struct json *j, u64 ts, bool clock_counts)
{
	begin_value(j);
	text_add_time(j->out, ts, clock_counts);
}

void json_text(struct json *j, struct span text)
{
	begin_value(j);
	add_quoted(j->out, text);
}

void json_str(struct json *j, const char *s)
{
	if (s)
		json_text(j, span_of(s));
	else
		json_null(j);
}

void json_member_str(struct json *j, const char *name, const char *s)
{
	json_name(j, name);
	json_str(j, s);
}

void json_member_u64(struct json *j, const char *name, u64 v)
{
	json_name(j, name);
	json_u64(j, v);
}

void json_member_bool(struct json *j, const char *name, bool v)
{
	json_name(j, name);
	json_bool(j, v);
}

void json_member_caveats(struct json *j, const char *text)
{
	struct span rest = span_of(text ? text : "");
	struct strbuf sentence = STRBUF_INIT;
	struct caveat c;

	if (!rest.n)
		return;
	json_name(j, "caveats");
	json_open(j, '[');
	while (caveat_next(&rest, &c)) {
		strbuf_reset(&sentence);
		caveat_print(&c, &sentence);
		json_open(j, '{');
		json_name(j, "kind");
		json_text(j, c.name);
		json_member_u64(j, "n", c.n);
		if (c.of.n) {
			json_name(j, "of");
			json_text(j, c.of);
		}
		json_member_str(j, "text", sentence.s);
		json_close(j, '}');
	}
	json_close(j, ']');
	j->out->failed |= sentence.failed;
	strbuf_release(&sentence);
}
