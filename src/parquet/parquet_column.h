/* SPDX-License-Identifier: LGPL-2.1-only */
/* The values of a column of a group, and their encoding. */
#pragma once
#include "parquet/parquet.h"

/* ORDER of the format */
enum parquet_encoding {
	ENCODING_PLAIN = 0,
	ENCODING_RLE = 3,
	ENCODING_DELTA = 5,
	ENCODING_DICTIONARY = 8,
};

struct column_values {
	const struct parquet_column *of;
	bool plain;          /* there are too many values for a dictionary */
	ARRAY(u64) numbers;  /* all, or those of the dictionary */
	struct strbuf texts; /* the same, each with its length */
	ARRAY(u32) starts;   /* of the texts of the dictionary */
	ARRAY(u32) indices;  /* of each value; unless ->plain */
	struct hash_table index;
	ARRAY(u32)
	levels;       /* of each value: LEVEL_...; empty: none is absent, and it is not a list */
	u64 n_values; /* that are not absent */
	u64 n_nulls;
	bool begun; /* the list that is being added has an element */
};

/* How a value of ->levels is defined; of a list, NEXT is an element after the first. */
enum { LEVEL_NULL, LEVEL_VALUE, LEVEL_ELEMENT, LEVEL_NEXT, LEVEL_EMPTY = LEVEL_VALUE };

/* Where a column is, and what it contains. */
struct column_chunk {
	u64 start;      /* in the bytes of the group */
	u64 dictionary; /* length of its page; 0: there is none */
	u64 len, plain_len;
	u64 n_levels, n_nulls;
	enum parquet_encoding encoding;
	struct strbuf min, max; /* as the format stores them; empty: unknown */
};

void column_release(struct column_values *v);

static inline bool column_is_text(const struct parquet_column *c)
{
	return c->kind == PARQUET_TEXT || c->kind == PARQUET_BYTES;
}

/* Whether its numbers are stored in 8 bytes. */
static inline bool column_is_wide(const struct parquet_column *c)
{
	return c->size == 8;
}

/* Return: 0, -HIST_ENOMEM */
int column_add_numbers(struct column_values *v, const u64 *numbers, size_t n);
int column_add_text(struct column_values *v, struct span text);

/* Append its pages to @out. Return: 0, -HIST_ENOMEM */
int column_encode(struct column_values *v, void *encoder, struct strbuf *out,
		  struct column_chunk *chunk);
