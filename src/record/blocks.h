/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Named blocks of bytes in one file: "KEY [ARG...] SIZE\n", SIZE bytes, "\n".
 *
 * The form of everything that `hist record` must be able to read again after it was
 * killed: the manifest of a recording and the journal of changes. Blocks are only ever
 * appended; a file that ends in the middle of a block ends before it.
 */
#ifndef HIST_RECORD_BLOCKS_H
#define HIST_RECORD_BLOCKS_H

#include "base/base.h"

struct manifest_block {
	struct span key; /* KEY with its arguments: "format sched" */
	struct span data;
};

/* Append a block; @key is one line without the size. */
void block_add(struct strbuf *sb, const char *key, struct span data);

/* Cut the next block off @rest; false at the end, or before a block that is not whole. */
bool block_next(struct span *rest, struct manifest_block *block);

/* What follows "@word " in the key; absent if the key is another. "@word" alone gives "". */
struct span block_arg(const struct manifest_block *block, const char *word);

/* The data of the last block whose key is @key; absent without one. */
struct span block_find(struct span blocks, const char *key);

/* The same as a number; @otherwise if it is missing or none. */
u64 block_number(struct span blocks, const char *key, u64 otherwise);

#endif
