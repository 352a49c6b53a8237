/* SPDX-License-Identifier: LGPL-2.1-only */
/* Structures in the compact protocol of Thrift, in which Parquet has its metadata. */
#pragma once
#include "base/base.h"

enum { THRIFT_DEPTH = 8 };

struct thrift {
	struct strbuf *out;
	int last[THRIFT_DEPTH]; /* the number of the last field, of each open structure */
	size_t depth;
};

enum thrift_type {
	THRIFT_I32 = 5,
	THRIFT_BINARY = 8,
	THRIFT_STRUCT = 12,
};

/* Fields, by their numbers, which ascend. */
void thrift_bool(struct thrift *t, int field, bool v);
void thrift_byte(struct thrift *t, int field, int v);
void thrift_i16(struct thrift *t, int field, int v);
void thrift_i32(struct thrift *t, int field, s64 v);
void thrift_i64(struct thrift *t, int field, u64 v);
void thrift_binary(struct thrift *t, int field, struct span v);

/* A field that is a structure; 0: an element of a list, or the outermost one. */
void thrift_begin(struct thrift *t, int field);
void thrift_end(struct thrift *t);

/* A field that is a list of @n elements, which follow: of numbers, texts, or structures. */
void thrift_list(struct thrift *t, int field, enum thrift_type type, size_t n);
void thrift_element_i32(struct thrift *t, s64 v);
void thrift_element_binary(struct thrift *t, struct span v);
