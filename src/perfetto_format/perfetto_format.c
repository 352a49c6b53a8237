// SPDX-License-Identifier: LGPL-2.1-only
/* The table of Perfetto's messages; see perfetto_format.h. */
#include "perfetto_format/perfetto_format.h"

const struct perfetto_known perfetto_known[] = {
#define PERFETTO_EVENT(number, system, name, fields) { number, system, name, fields },
#include "perfetto_format/perfetto_events.def"
	{ 0, NULL, NULL, NULL },
};

struct perfetto_known_field perfetto_known_next(struct span *fields)
{
	struct span kind = span_sep(fields, " ");
	struct perfetto_known_field f = { .number = 0 };

	if (!kind.n)
		return f;
	for (; kind.n && is_digit(*kind.s); kind = span_skip(kind, 1))
		f.number = f.number * 10 + (u32)(*kind.s - '0');
	f.type = *kind.s;
	f.optional = kind.n > 1;
	f.name = span_sep(fields, " ");
	return f;
}

void perfetto_put_varint(struct strbuf *sb, u64 v)
{
	char bytes[10];
	size_t n = 0;

	for (; v > 0x7f; v >>= 7)
		bytes[n++] = (char)(v | 0x80);
	bytes[n++] = (char)v;
	strbuf_add(sb, bytes, n);
}

void perfetto_put_number(struct strbuf *sb, u32 field, u64 v)
{
	perfetto_put_varint(sb, (u64)field << 3);
	perfetto_put_varint(sb, v);
}

void perfetto_put_bytes(struct strbuf *sb, u32 field, const void *p, size_t n)
{
	perfetto_put_varint(sb, (u64)field << 3 | 2);
	perfetto_put_varint(sb, n);
	strbuf_add(sb, p, n);
}

void perfetto_put_text(struct strbuf *sb, u32 field, const char *text)
{
	perfetto_put_bytes(sb, field, text, strlen(text));
}

void perfetto_put_message(struct strbuf *sb, u32 field, const struct strbuf *message)
{
	perfetto_put_bytes(sb, field, message->s, message->len);
	sb->failed |= message->failed;
}
