// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Named blocks of bytes, parsed from a file that a killed process left; the text is not trusted.
 * The results are spans of the text.
 */
#include "record/blocks.h"

void block_vadd(struct strbuf *sb, struct span data, const char *key, va_list ap)
{
	strbuf_vaddf(sb, key, ap);
	strbuf_addf(sb, " %zu\n", data.n);
	strbuf_add(sb, data.s, data.n);
	strbuf_addch(sb, '\n');
}

void block_add(struct strbuf *sb, struct span data, const char *key, ...)
{
	va_list ap;

	va_start(ap, key);
	block_vadd(sb, data, key, ap);
	va_end(ap);
}

bool block_next(struct span *rest, struct manifest_block *block)
{
	struct span left = *rest;
	const char *end = left.n ? span_chr(left, '\n') : NULL;
	const char *cut;
	u64 size;

	if (!end)
		return false;
	block->key = span_between(left.s, end);
	cut = span_rchr(block->key, ' ');
	if (!cut || !span_u64(span_between(cut + 1, end), &size))
		return false;
	block->key.n = (size_t)(cut - left.s);
	left = span_skip(left, (size_t)(end + 1 - left.s));
	if (!left.n || size > left.n - 1 || left.s[size] != '\n')
		return false;
	block->data = (struct span){ left.s, size };
	*rest = span_skip(left, size + 1);
	return true;
}

struct span block_arg(const struct manifest_block *block, const char *word)
{
	size_t n = strlen(word);

	if (!span_starts(block->key, word) || (block->key.n > n && block->key.s[n] != ' '))
		return (struct span){ NULL, 0 };
	return span_skip(block->key, block->key.n > n ? n + 1 : n);
}

struct span block_find(struct span blocks, const char *key)
{
	struct span found = { NULL, 0 };
	struct manifest_block block;

	while (block_next(&blocks, &block))
		if (span_eq(block.key, key))
			found = block.data;
	return found;
}

u64 block_number(struct span blocks, const char *key, u64 otherwise)
{
	struct span data = block_find(blocks, key);
	u64 value;

	return data.s && span_u64(data, &value) ? value : otherwise;
}
