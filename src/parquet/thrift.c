// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The compact protocol: only what Parquet needs, and only writing.
 *
 * Source: thrift-compact-protocol.md of Apache Thrift
 */
#include "parquet/parquet_pack.h"
#include "parquet/thrift.h"

enum { IS_TRUE = 1, IS_FALSE = 2, IS_BYTE = 3, IS_I16 = 4, IS_I64 = 6, IS_LIST = 9 };

static void add_field(struct thrift *t, int field, int type)
{
	int *last = &t->last[t->depth - 1];
	const int step = field - *last;

	if (step >= 1 && step <= 15) {
		strbuf_addch(t->out, (char)(step << 4 | type));
	} else {
		strbuf_addch(t->out, (char)type);
		pack_zigzag(t->out, field);
	}
	*last = field;
}

static void add_binary(struct thrift *t, struct span v)
{
	pack_varint(t->out, v.n);
	strbuf_add(t->out, v.s, v.n);
}

void thrift_bool(struct thrift *t, int field, bool v)
{
	add_field(t, field, v ? IS_TRUE : IS_FALSE);
}

void thrift_byte(struct thrift *t, int field, int v)
{
	add_field(t, field, IS_BYTE);
	strbuf_addch(t->out, (char)v);
}

void thrift_i16(struct thrift *t, int field, int v)
{
	add_field(t, field, IS_I16);
	pack_zigzag(t->out, v);
}

void thrift_i32(struct thrift *t, int field, s64 v)
{
	add_field(t, field, THRIFT_I32);
	pack_zigzag(t->out, v);
}

void thrift_i64(struct thrift *t, int field, u64 v)
{
	add_field(t, field, IS_I64);
	pack_zigzag(t->out, (s64)v);
}

void thrift_binary(struct thrift *t, int field, struct span v)
{
	add_field(t, field, THRIFT_BINARY);
	add_binary(t, v);
}

void thrift_begin(struct thrift *t, int field)
{
	if (field)
		add_field(t, field, THRIFT_STRUCT);
	t->last[t->depth++] = 0;
}

void thrift_end(struct thrift *t)
{
	strbuf_addch(t->out, 0);
	t->depth--;
}

void thrift_list(struct thrift *t, int field, enum thrift_type type, size_t n)
{
	add_field(t, field, IS_LIST);
	if (n < 15) {
		strbuf_addch(t->out, (char)(n << 4 | type));
	} else {
		strbuf_addch(t->out, (char)(0xf0 | type));
		pack_varint(t->out, n);
	}
}

void thrift_element_i32(struct thrift *t, s64 v)
{
	pack_zigzag(t->out, v);
}

void thrift_element_binary(struct thrift *t, struct span v)
{
	add_binary(t, v);
}
