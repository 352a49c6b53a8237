// SPDX-License-Identifier: LGPL-2.1-only
/* The table of Perfetto's messages; see perfetto_format.h. */
#include "perfetto_format/perfetto_format.h"

const struct perfetto_known perfetto_known[] = {
#define PERFETTO_EVENT(number, system, name, fields) { number, system, name, fields },
#include "perfetto_format/perfetto_events.def"
	{ 0, NULL, NULL, NULL },
};

const struct perfetto_known *perfetto_known_of(u64 number)
{
	size_t low = 0, high = ARRAY_SIZE(perfetto_known) - 1;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (perfetto_known[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return number && perfetto_known[low].number == number ? &perfetto_known[low] : NULL;
}

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

bool perfetto_reads_marker(struct span text)
{
	/* p: a process, t: a text, n: a number, which are not empty; .: nothing may follow */
	static const char *const kinds[] = { "Bp",   "E",    "Ipt",   "Nptt",  "Sptn",
					     "Fptn", "Cptn", "Gpttn", "Hptn.", "Hpttn" };
	struct span kind, rest, word;
	bool fits = false;
	u64 number;

	while (text.n && strchr("\n", text.s[text.n - 1]))
		text.n--;
	kind = span_sep(&text, "|");
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !fits; i++) {
		rest = text;
		fits = kind.n == 1 && *kind.s == *kinds[i];
		for (const char *want = kinds[i] + 1; *want && fits; want++) {
			word = span_sep(&rest, "|");
			if (*want == 'n' && word.n && *word.s == '-')
				word = span_skip(word, 1);
			fits = *want == '.' || *want == 't'
				       ? (*want == 't') == (word.n > 0)
				       : span_digits(word, 10, &number) &&
						 number <= (*want == 'p' ? UINT32_MAX : INT64_MAX);
		}
	}
	return fits;
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
