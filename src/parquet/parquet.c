// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Files: groups of rows one after the other, then the metadata of all.
 *
 * Source: parquet.thrift of the specification of Parquet, 2.10
 */
#include "parquet/parquet_column.h"
#include "parquet/thrift.h"
#include "parquet/parquet_pack.h"
#include "codec/codec.h"

static const char magic[] = "PAR1";

/* --- groups --- */

int parquet_group_init(struct parquet_group *g, const struct parquet_column *columns, size_t n)
{
	*g = (struct parquet_group){ .columns = columns, .n_columns = n, .bytes = STRBUF_INIT };
	g->values = calloc(n + 1, sizeof(*g->values));
	g->chunks = calloc(n + 1, sizeof(*g->chunks));
	g->encoder = codec_zstd.encoder_new();
	for (size_t i = 0; i < n && g->values && g->chunks; i++) {
		g->values[i] = (struct column_values){ .of = &columns[i], .texts = STRBUF_INIT };
		g->chunks[i] = (struct column_chunk){ .min = STRBUF_INIT, .max = STRBUF_INIT };
	}
	return g->values && g->chunks && g->encoder ? 0 : HIST_NOMEM;
}

void parquet_group_release(struct parquet_group *g)
{
	for (size_t i = 0; i < g->n_columns && g->values && g->chunks; i++) {
		column_release(&g->values[i]);
		strbuf_release(&g->chunks[i].min);
		strbuf_release(&g->chunks[i].max);
	}
	free(g->values);
	free(g->chunks);
	if (g->encoder)
		codec_zstd.encoder_free(g->encoder);
	strbuf_release(&g->bytes);
}

/* Levels are stored from the first value on that has no value, or is in a list. */
static inline void add_level(struct parquet_group *g, struct column_values *v, u32 level)
{
	const bool needed = v->of->list || level != LEVEL_VALUE || v->levels.n;

	if (likely(!needed))
		return;
	for (u64 i = v->levels.n; !v->of->list && i < v->n_values; i++)
		if (array_push(&v->levels, LEVEL_VALUE))
			g->failed = true;
	if (array_push(&v->levels, level))
		g->failed = true;
}

void parquet_add_number(struct parquet_group *g, size_t column, u64 number)
{
	struct column_values *v = &g->values[column];

	add_level(g, v, LEVEL_VALUE);
	v->n_values++;
	if (column_add_numbers(v, &number, 1))
		g->failed = true;
}

void parquet_add_numbers(struct parquet_group *g, size_t column, const u64 *numbers, size_t n)
{
	struct column_values *v = &g->values[column];

	if (v->levels.n) {
		for (size_t i = 0; i < n; i++)
			parquet_add_number(g, column, numbers[i]);
		return;
	}
	v->n_values += n;
	if (column_add_numbers(v, numbers, n))
		g->failed = true;
}

void parquet_add_text(struct parquet_group *g, size_t column, struct span text)
{
	struct column_values *v = &g->values[column];

	add_level(g, v, LEVEL_VALUE);
	v->n_values++;
	if (column_add_text(v, text))
		g->failed = true;
}

void parquet_add_null(struct parquet_group *g, size_t column)
{
	struct column_values *v = &g->values[column];

	add_level(g, v, LEVEL_NULL);
	v->n_nulls++;
}

void parquet_add_list(struct parquet_group *g, size_t column, size_t n)
{
	g->values[column].begun = false;
	if (!n)
		add_level(g, &g->values[column], LEVEL_EMPTY);
}

void parquet_add_element(struct parquet_group *g, size_t column, u64 number)
{
	struct column_values *v = &g->values[column];

	add_level(g, v, v->begun ? LEVEL_NEXT : LEVEL_ELEMENT);
	v->begun = true;
	v->n_values++;
	if (column_add_numbers(v, &number, 1))
		g->failed = true;
}

int parquet_group_encode(struct parquet_group *g)
{
	int err = g->failed ? HIST_NOMEM : 0;

	for (size_t i = 0; i < g->n_columns && !err; i++)
		err = column_encode(&g->values[i], g->encoder, &g->bytes, &g->chunks[i]);
	return err;
}

/* --- metadata --- */

/* Physical types. */
enum { TYPE_INT32 = 1, TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTE_ARRAY = 6 };
enum { REQUIRED, OPTIONAL, REPEATED };
enum { PARQUET_ZSTD = 6 };

static int physical_type(const struct parquet_column *c)
{
	if (column_is_text(c))
		return TYPE_BYTE_ARRAY;
	if (c->kind == PARQUET_DOUBLE)
		return TYPE_DOUBLE;
	return column_is_wide(c) ? TYPE_INT64 : TYPE_INT32;
}

/* The older form of a type, and the present one. */
static void add_meaning(struct thrift *t, const struct parquet_column *c)
{
	enum { UTF8 = 0, UINT_8 = 11, INT_8 = 15 };
	const bool is_signed = c->kind == PARQUET_SIGNED;

	switch (c->kind) {
	case PARQUET_TEXT:
		thrift_i32(t, 6, UTF8);
		thrift_begin(t, 10);
		thrift_begin(t, 1);
		break;
	case PARQUET_TIME:
		thrift_begin(t, 10);
		thrift_begin(t, 8);
		thrift_bool(t, 1, true);
		thrift_begin(t, 2);
		thrift_begin(t, 3); /* ns */
		thrift_end(t);
		thrift_end(t);
		break;
	case PARQUET_SIGNED:
	case PARQUET_UNSIGNED:
		thrift_i32(t, 6, (is_signed ? INT_8 : UINT_8) + __builtin_ctz(c->size));
		thrift_begin(t, 10);
		thrift_begin(t, 10);
		thrift_byte(t, 1, (int)c->size * 8);
		thrift_bool(t, 2, is_signed);
		break;
	default:
		return;
	}
	thrift_end(t);
	thrift_end(t);
}

static void add_leaf(struct thrift *t, const struct parquet_column *c, const char *name,
		     int repetition)
{
	thrift_begin(t, 0);
	thrift_i32(t, 1, physical_type(c));
	thrift_i32(t, 3, repetition);
	thrift_binary(t, 4, span_of(name));
	add_meaning(t, c);
	thrift_end(t);
}

static void add_inner(struct thrift *t, const char *name, int repetition, size_t children)
{
	thrift_begin(t, 0);
	if (repetition >= 0)
		thrift_i32(t, 3, repetition);
	thrift_binary(t, 4, span_of(name));
	thrift_i32(t, 5, (s64)children);
}

static void add_schema(struct thrift *t, const struct parquet_file *f)
{
	enum { LIST = 3, LOGICAL_LIST = 3 };
	size_t n = 1;

	for (size_t i = 0; i < f->n_columns; i++)
		n += f->columns[i].list ? 3 : 1;
	thrift_list(t, 2, THRIFT_STRUCT, n);
	add_inner(t, "schema", -1, f->n_columns);
	thrift_end(t);
	array_each_of(const struct parquet_column, c, f->columns, f->n_columns) {
		if (!c->list) {
			add_leaf(t, c, c->name, OPTIONAL);
			continue;
		}
		add_inner(t, c->name, OPTIONAL, 1);
		thrift_i32(t, 6, LIST);
		thrift_begin(t, 10);
		thrift_begin(t, LOGICAL_LIST);
		thrift_end(t);
		thrift_end(t);
		thrift_end(t);
		add_inner(t, "list", REPEATED, 1);
		thrift_end(t);
		add_leaf(t, c, "element", REQUIRED);
	}
}

static void add_path(struct thrift *t, const struct parquet_column *c)
{
	thrift_list(t, 3, THRIFT_BINARY, c->list ? 3 : 1);
	thrift_element_binary(t, span_of(c->name));
	if (!c->list)
		return;
	thrift_element_binary(t, span_of("list"));
	thrift_element_binary(t, span_of("element"));
}

static void add_chunk(struct thrift *t, const struct parquet_column *c,
		      const struct column_chunk *chunk, u64 offset)
{
	const u64 start = offset + chunk->start;

	thrift_begin(t, 0);
	thrift_i64(t, 2, start);
	thrift_begin(t, 3);
	thrift_i32(t, 1, physical_type(c));
	thrift_list(t, 2, THRIFT_I32, 3);
	thrift_element_i32(t, ENCODING_PLAIN);
	thrift_element_i32(t, ENCODING_RLE);
	thrift_element_i32(t, chunk->encoding);
	add_path(t, c);
	thrift_i32(t, 4, PARQUET_ZSTD);
	thrift_i64(t, 5, chunk->n_levels);
	thrift_i64(t, 6, chunk->plain_len);
	thrift_i64(t, 7, chunk->len);
	thrift_i64(t, 9, start + chunk->dictionary);
	if (chunk->dictionary)
		thrift_i64(t, 11, start);
	thrift_begin(t, 12);
	thrift_i64(t, 3, chunk->n_nulls);
	if (chunk->max.len || chunk->min.len) {
		thrift_binary(t, 5, strbuf_span(&chunk->max));
		thrift_binary(t, 6, strbuf_span(&chunk->min));
	}
	thrift_end(t);
	thrift_end(t);
	thrift_end(t);
}

static void add_group(struct parquet_file *f, const struct parquet_group *g)
{
	struct thrift t = { .out = &f->groups };
	u64 plain = sum_of(i, g->n_columns, g->chunks[i].plain_len);

	thrift_begin(&t, 0);
	thrift_list(&t, 1, THRIFT_STRUCT, g->n_columns);
	for (size_t i = 0; i < g->n_columns; i++)
		add_chunk(&t, &g->columns[i], &g->chunks[i], f->offset);
	thrift_i64(&t, 2, plain);
	thrift_i64(&t, 3, g->n_rows);
	thrift_i64(&t, 5, f->offset);
	thrift_i64(&t, 6, g->bytes.len);
	if (f->n_groups <= INT16_MAX)
		thrift_i16(&t, 7, (int)f->n_groups);
	thrift_end(&t);
	f->n_groups++;
}

/* --- files --- */

static int write_bytes(struct parquet_file *f, struct span bytes)
{
	f->offset += bytes.n;
	if (f->dir < 0)
		return f->sink(f->arg, bytes.s, bytes.n);
	return fd_write(f->fd, bytes.s, bytes.n) ? 0 : -HIST_EIO;
}

static const char *part_name(const struct parquet_file *f, char buf[static NAME_MAX + 1])
{
	snprintf(buf, NAME_MAX + 1, "%s.part", f->name);
	return buf;
}

int parquet_file_begin(struct parquet_file *f)
{
	char part[NAME_MAX + 1];

	if (f->dir >= 0)
		f->fd = own_file_create(f->dir, part_name(f, part));
	return f->dir >= 0 && f->fd < 0 ? -HIST_EIO : write_bytes(f, span_of(magic));
}

/* The complete file gets its name. */
static int close_file(struct parquet_file *f)
{
	char part[NAME_MAX + 1];
	int failed = f->fd < 0 ? 0
			       : close(f->fd) || own_rename(f->dir, part_name(f, part), f->name);

	f->fd = -1;
	return failed ? -HIST_EIO : 0;
}

int parquet_file_add(struct parquet_file *f, const struct parquet_group *g)
{
	add_group(f, g);
	f->n_rows += g->n_rows;
	return f->groups.failed ? HIST_NOMEM : write_bytes(f, strbuf_span(&g->bytes));
}

int parquet_file_end(struct parquet_file *f, const char *creator)
{
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct thrift t = { .out = &out };
	int err;

	thrift_begin(&t, 0);
	thrift_i32(&t, 1, 2);
	add_schema(&t, f);
	thrift_i64(&t, 3, f->n_rows);
	thrift_list(&t, 4, THRIFT_STRUCT, f->n_groups);
	strbuf_add(&out, f->groups.s, f->groups.len);
	thrift_binary(&t, 6, span_of(creator));
	/* values are compared by their types, so the limits above can be used */
	thrift_list(&t, 7, THRIFT_STRUCT, f->n_columns);
	for (size_t i = 0; i < f->n_columns; i++) {
		thrift_begin(&t, 0);
		thrift_begin(&t, 1);
		thrift_end(&t);
		thrift_end(&t);
	}
	thrift_end(&t);
	pack_bytes(&out, out.len, 4);
	strbuf_addstr(&out, magic);
	err = out.failed ? HIST_NOMEM : write_bytes(f, strbuf_span(&out));
	return err ? err : close_file(f);
}

void parquet_file_release(struct parquet_file *f)
{
	char part[NAME_MAX + 1];

	if (f->fd >= 0) {
		close(f->fd);
		unlinkat(f->dir, part_name(f, part), 0);
	}
	strbuf_release(&f->groups);
}
