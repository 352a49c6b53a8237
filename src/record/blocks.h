/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Named blocks of bytes in one file: "KEY [ARG...] SIZE\n", SIZE bytes, "\n".
 *
 * The format of all files that `hist record` must be able to read after it was killed: the
 * manifest of a recording and the journal of changes. Blocks are only appended; an incomplete last
 * block is ignored.
 */
#pragma once
#include "base/base.h"

struct manifest_block {
	struct span key; /* KEY with its arguments: "format sched" */
	struct span data;
};

/* Append a block; @key is one line without the size, as for printf(). */
void block_add(struct strbuf *sb, struct span data, const char *key, ...) PRINTF_LIKE(3, 4);
void block_vadd(struct strbuf *sb, struct span data, const char *key, va_list ap);

/* Take the next block from @rest; false at the end, or before an incomplete block. */
bool block_next(struct span *rest, struct manifest_block *block);

/*
 * The text after "@word " in the key; absent if the key has another word. "" if the key is "@word".
 */
struct span block_arg(const struct manifest_block *block, const char *word);

/* The data of the last block whose key is @key; absent if there is none. */
struct span block_find(struct span blocks, const char *key);

/* As block_find(), converted to a number; @otherwise if it is missing or not a number. */
u64 block_number(struct span blocks, const char *key, u64 otherwise);
