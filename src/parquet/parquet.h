/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * parquet: writes tables as Parquet files, in groups of rows that threads can encode.
 *
 *	parquet_group_init(&g, columns, n);
 *	parquet_add_number(&g, 0, ts);		a value for each column, ...
 *	parquet_add_text(&g, 1, comm);
 *	g.n_rows++;				... in each row
 *	parquet_group_encode(&g);		on any thread
 *	parquet_file_add(&f, &g);		in the order of the file
 *
 * The same rows give the same bytes. There is one page for each column of a group: texts and
 * numbers with few values have a dictionary, other numbers are differences; all is compressed with
 * zstd. No library is used, because no packaged one writes this format for C.
 */
#pragma once
#include "base/base.h"

enum parquet_kind {
	PARQUET_SIGNED,
	PARQUET_UNSIGNED,
	PARQUET_DOUBLE, /* a number is its bits */
	PARQUET_TEXT,   /* any bytes, encoded as UTF-8 as in csv and json */
	PARQUET_BYTES,
	PARQUET_TIME, /* ns since 1970, UTC */
};

struct parquet_column {
	const char *name;
	enum parquet_kind kind;
	u32 size;  /* bytes of a number: 1, 2, 4 or 8 */
	bool list; /* of numbers */
};

struct column_values;
struct column_chunk;

struct parquet_group {
	const struct parquet_column *columns; /* borrowed */
	size_t n_columns;
	u64 n_rows;
	struct column_values *values; /* of each column */
	struct column_chunk *chunks;  /* where each is in ->bytes */
	struct strbuf bytes;          /* encoded */
	void *encoder;
	bool failed; /* out of memory */
};

/* Return: 0, -HIST_ENOMEM: it is to be released, too */
int parquet_group_init(struct parquet_group *g, const struct parquet_column *columns, size_t n);
void parquet_group_release(struct parquet_group *g);

/* The value of a row, for a column that is not a list. */
void parquet_add_number(struct parquet_group *g, size_t column, u64 v);
/* The same for @n rows. */
void parquet_add_numbers(struct parquet_group *g, size_t column, const u64 *v, size_t n);
void parquet_add_text(struct parquet_group *g, size_t column, struct span text);
void parquet_add_null(struct parquet_group *g, size_t column);

/* A list of @n elements, which follow. */
void parquet_add_list(struct parquet_group *g, size_t column, size_t n);
void parquet_add_element(struct parquet_group *g, size_t column, u64 v);

/* Return: 0, -HIST_ENOMEM */
int parquet_group_encode(struct parquet_group *g);

/* Receives the bytes of a file: 0 to continue, any other value is returned. */
typedef int (*parquet_sink_fn)(void *arg, const void *data, size_t len);

/* A file goes to a sink, or has a name in a directory, which it gets when it is complete. */
struct parquet_file {
	const struct parquet_column *columns; /* borrowed */
	size_t n_columns;
	parquet_sink_fn sink;
	void *arg;
	int dir;          /* -1: the sink */
	const char *name; /* borrowed */
	int fd;
	u64 offset, n_rows;
	struct strbuf groups; /* their metadata */
	size_t n_groups;
};

#define PARQUET_FILE_INIT                                  \
	{                                                  \
		.dir = -1, .fd = -1, .groups = STRBUF_INIT \
	}

/* Return: 0, what the sink returned, -HIST_EIO with errno, -HIST_ENOMEM */
int parquet_file_begin(struct parquet_file *f);
int parquet_file_add(struct parquet_file *f, const struct parquet_group *g);
/* @creator: the program that wrote it. */
int parquet_file_end(struct parquet_file *f, const char *creator);
void parquet_file_release(struct parquet_file *f);
