// SPDX-License-Identifier: LGPL-2.1-only
/* JSON, RFC 8259: escapes in strings, and commas. */
#include "json/json.h"

static void add_quoted(struct json *j, struct span text)
{
	struct strbuf *out = j->out;

	strbuf_addch(out, '"');
	while (text.n) {
		unsigned char c = (unsigned char)text.s[0];
		size_t plain = text_plain_length(text), n = plain ? plain : utf8_length(text);

		if (plain)
			strbuf_add(out, text.s, plain);
		else if (!n)
			strbuf_addf(out, "\\\\x%02x", c);
		else if (c == '\\')
			strbuf_addstr(out, j->plain ? "\\\\" : "\\\\\\\\");
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

void json_name(struct json *j, struct span name)
{
	if (j->comma)
		strbuf_addch(j->out, ',');
	add_quoted(j, name);
	strbuf_addch(j->out, ':');
	j->comma = false;
}

static void begin_value(struct json *j, const char *name)
{
	if (name)
		json_name(j, span_of(name));
	else if (j->comma)
		strbuf_addch(j->out, ',');
	j->comma = true;
}

static void open_bracket(struct json *j, const char *name, char bracket)
{
	begin_value(j, name);
	strbuf_addch(j->out, bracket);
	j->comma = false;
}

void json_object(struct json *j, const char *name)
{
	open_bracket(j, name, '{');
}

void json_array(struct json *j, const char *name)
{
	open_bracket(j, name, '[');
}

void json_close(struct json *j, char bracket)
{
	strbuf_addch(j->out, bracket);
	j->comma = true;
}

void json_end_line(struct json *j)
{
	strbuf_addch(j->out, '\n');
	j->comma = false;
}

void json_null(struct json *j, const char *name)
{
	begin_value(j, name);
	strbuf_addstr(j->out, "null");
}

void json_bool(struct json *j, const char *name, bool v)
{
	begin_value(j, name);
	strbuf_addstr(j->out, v ? "true" : "false");
}

void json_u64(struct json *j, const char *name, u64 v)
{
	begin_value(j, name);
	text_add_u64(j->out, v);
}

void json_s64(struct json *j, const char *name, s64 v)
{
	begin_value(j, name);
	text_add_number(j->out, (u64)v, true);
}

void json_number(struct json *j, const char *name, u64 v, bool is_signed)
{
	begin_value(j, name);
	if (j->u64_as_string)
		strbuf_addch(j->out, '"');
	text_add_number(j->out, v, is_signed);
	if (j->u64_as_string)
		strbuf_addch(j->out, '"');
}

void json_range(struct json *j, const char *name, u64 min, u64 max, bool is_signed)
{
	json_object(j, name);
	json_number(j, "min", min, is_signed);
	json_number(j, "max", max, is_signed);
	json_close(j, '}');
}

void json_double(struct json *j, const char *name, double v)
{
	if (!isfinite(v)) {
		json_null(j, name);
		return;
	}
	begin_value(j, name);
	text_add_double(j->out, v + 0.0);
}

void json_double_range(struct json *j, const char *name, double min, double max)
{
	json_object(j, name);
	json_double(j, "min", min);
	json_double(j, "max", max);
	json_close(j, '}');
}

void json_time(struct json *j, const char *name, u64 ts, bool clock_counts)
{
	begin_value(j, name);
	text_add_time(j->out, ts, clock_counts);
}

void json_text(struct json *j, const char *name, struct span text)
{
	begin_value(j, name);
	add_quoted(j, text);
}

void json_str(struct json *j, const char *name, const char *s)
{
	if (s)
		json_text(j, name, span_of(s));
	else
		json_null(j, name);
}

void json_str_if(struct json *j, const char *name, const char *s)
{
	if (s)
		json_str(j, name, s);
}

void json_flag(struct json *j, const char *name, bool v)
{
	if (v)
		json_bool(j, name, true);
}

void json_u64_if(struct json *j, const char *name, u64 v)
{
	if (v)
		json_u64(j, name, v);
}

void json_strings(struct json *j, const char *name, const char *const *v, size_t n)
{
	json_array(j, name);
	for (size_t i = 0; i < n; i++)
		json_str(j, NULL, v[i]);
	json_close(j, ']');
}

void json_members(struct json *j, const struct json_member *m, size_t n, const void *object)
{
	for (; n; n--, m++) {
		const char *at = (const char *)object + m->offset;

		switch (m->type) {
		case JSON_STR:
			json_str_if(j, m->name, *(const char *const *)at);
			break;
		case JSON_WORD:
			json_str(j, m->name, m->words[*(const unsigned int *)at]);
			break;
		case JSON_BOOL:
			json_bool(j, m->name, *(const bool *)at);
			break;
		case JSON_FLAG:
			json_flag(j, m->name, *(const bool *)at);
			break;
		case JSON_U32:
			json_u64(j, m->name, *(const u32 *)at);
			break;
		case JSON_U64:
			json_u64(j, m->name, *(const u64 *)at);
			break;
		case JSON_U64_IF:
			json_u64_if(j, m->name, *(const u64 *)at);
			break;
		case JSON_NUMBER:
			json_number(j, m->name, *(const u64 *)at, false);
			break;
		}
	}
}

void json_caveats(struct json *j, const char *text)
{
	struct span rest = span_of(text ? text : "");
	scoped(strbuf_release) struct strbuf sentence = STRBUF_INIT;
	struct caveat c;

	if (!rest.n)
		return;
	json_array(j, "caveats");
	while (caveat_next(&rest, &c)) {
		strbuf_reset(&sentence);
		caveat_print(&c, &sentence);
		json_object(j, NULL);
		json_text(j, "kind", c.name);
		json_u64(j, "n", c.n);
		if (c.of.n)
			json_text(j, "of", c.of);
		json_str(j, "text", sentence.s);
		json_close(j, '}');
	}
	json_close(j, ']');
	j->out->failed |= sentence.failed;
}

void json_limits(struct json *j, const char *text)
{
	struct span lines = text ? span_of(text) : (struct span){ NULL, 0 }, rest = lines, what;
	s64 pid;

	json_object(j, "filters");
	while ((what = limits_next(&rest, "filter")).s) {
		json_name(j, span_sep(&what, " "));
		json_text(j, NULL, what.s ? what : span_of(""));
	}
	json_close(j, '}');
	rest = lines;
	what = limits_next(&rest, "pids");
	if (!what.s)
		return;
	json_array(j, "pids");
	while (what.s)
		if (span_s64(span_sep(&what, " "), &pid))
			json_s64(j, NULL, pid);
	json_close(j, ']');
	json_bool(j, "children", limits_next(&lines, "children").s != NULL);
}
