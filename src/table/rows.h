/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * An answer is rows: columns, then one row after the other. All that prints tables passes rows on;
 * each format is written in one file of table, and is one line of the list at the end.
 *
 *	struct row_writer w = { .format = row_format_find("csv"), .out = &buf };
 *
 *	rows_begin(&w, columns, 2);
 *	rows_text(&w, span_of("bash"));
 *	rows_number(&w, CELL_UNSIGNED, 7);
 *	rows_end_row(&w);		between rows, the caller may pass on the text
 *	err = rows_end(&w, true);
 *
 * Documents that have more than rows, such as saved results, are not written this way.
 */
#pragma once
#include "json/json.h"

enum cell_kind {
	CELL_ABSENT,
	CELL_TEXT,
	CELL_UNSIGNED, /* a number of the recording, which may need 64 bits */
	CELL_SIGNED,
	CELL_SMALL,  /* a signed number that any reader has room for: a CPU, a pid */
	CELL_TIME,   /* of the trace clock */
	CELL_DATE,   /* the same, as ns since 1970; only a column */
	CELL_DOUBLE, /* NAN: absent */
	CELL_ADDRESS,
	CELL_BYTES,
	CELL_NUMBERS, /* a list of numbers */
	CELL_TEXTS,   /* a list of texts: a stack, the outermost frame last */
	CELL_JSON,    /* an object */
};

struct row_column {
	const char *name;
	enum cell_kind kind;    /* of its cells; other cells are converted, or absent */
	enum cell_kind element; /* of a list of numbers */
	u32 size;               /* bytes of a number in binary formats: 1, 2, 4; 0: 8 */
	bool bare;              /* no format quotes its name */
};

struct row_cell {
	enum cell_kind kind;
	union {
		u64 number;
		double real;
		struct span text; /* of a text, of bytes, of an object */
		struct {
			size_t n;
			const char *const *texts;
			u64 (*number)(const void *of, size_t i);
			const void *of;
			enum cell_kind kind; /* of the numbers */
		} list;
	};
};

struct row_writer;

struct row_format {
	const char *name;
	/* cells may be lists and objects, so that a row of any event has the same columns */
	bool nested;
	bool binary; /* not for a terminal; each table is a file */
	void (*begin)(struct row_writer *w);
	void (*cell)(struct row_writer *w, const struct row_cell *c);
	void (*end_row)(struct row_writer *w);
	/* @complete: no error ended the rows. Also releases ->state; NULL: nothing */
	void (*end)(struct row_writer *w, bool complete);
	const void *arg;
};

/* The members up to ->dir are set by the caller. */
struct row_writer {
	const struct row_format *format;
	struct strbuf *out;
	bool u64_as_string; /* json: quote numbers of the recording */
	bool clock_counts;
	bool encoded;        /* texts are UTF-8, in which bytes that were not are \xNN */
	bool continued;      /* the output has other rows before */
	size_t width;        /* of the terminal; 0: unlimited */
	const char *creator; /* of a file */
	const char *title;   /* of a page: what the rows are */
	int dir;             /* of a binary format: where ->file is made; 0: ->out gets it */
	const char *file;

	const struct row_column *columns; /* borrowed */
	size_t n_columns, at;
	u64 n; /* rows so far */
	struct json json;
	void *state; /* of the format */
	int err;
};

/*
 * The format with that name, or NULL; the @i-th one, NULL: no more; an error that names all, and
 * @others: ", NAME" of those that one verb has besides.
 */
const struct row_format *row_format_find(const char *name);
const struct row_format *row_format_at(size_t i);
int row_format_unknown(const char *name, const char *others, struct diags *diags);

void rows_begin(struct row_writer *w, const struct row_column *columns, size_t n);

/* Rows that another writer began, from row @row on, which may not be 0: formats without ->state. */
void rows_continue(struct row_writer *w, const struct row_column *columns, size_t n, u64 row);

/* The next cell; more than there are columns are dropped. */
void rows_cell(struct row_writer *w, const struct row_cell *c);
/* Cells that are missing are absent. */
void rows_end_row(struct row_writer *w);

/* To be called in any case. Return: 0, -HIST_ENOMEM, -HIST_EIO with errno, what a sink returned */
int rows_end(struct row_writer *w, bool complete);

static inline void rows_absent(struct row_writer *w)
{
	rows_cell(w, &(struct row_cell){ .kind = CELL_ABSENT });
}

static inline void rows_number(struct row_writer *w, enum cell_kind kind, u64 v)
{
	rows_cell(w, &(struct row_cell){ .kind = kind, .number = v });
}

static inline void rows_double(struct row_writer *w, double v)
{
	rows_cell(w, &(struct row_cell){ .kind = CELL_DOUBLE, .real = v });
}

static inline void rows_text(struct row_writer *w, struct span text)
{
	rows_cell(w, &(struct row_cell){ .kind = CELL_TEXT, .text = text });
}

/* NULL: absent */
static inline void rows_str(struct row_writer *w, const char *s)
{
	if (s)
		rows_text(w, span_of(s));
	else
		rows_absent(w);
}

/* --- for formats --- */

/*
 * A cell as text without quotes and escapes: numbers separated by blanks, bytes as hexadecimal
 * digits, texts of a list separated by semicolons.
 */
void row_cell_add(const struct row_writer *w, const struct row_cell *c, struct strbuf *out);

/* The same as in tsv: with escapes. */
void row_cell_add_plain(const struct row_writer *w, const struct row_cell *c, struct strbuf *out);

/* As a member of an open object. */
void row_cell_json(const struct row_cell *c, const char *name, struct json *j, bool clock_counts);

static inline bool cell_is_text(enum cell_kind kind)
{
	return kind == CELL_TEXT || kind == CELL_TEXTS || kind == CELL_JSON;
}

/* --- parquet_rows.c: columns and cells in Parquet --- */

struct parquet_group;

struct parquet_column parquet_column_of(const struct row_column *c);
/* One that the column cannot contain is absent. */
void parquet_add_cell(struct parquet_group *g, size_t column, const struct row_cell *c);

/* The list of all formats: a line for each. */
#define ROW_FORMATS(X)  \
	X(row_text)     \
	X(row_csv)      \
	X(row_tsv)      \
	X(row_json)     \
	X(row_ndjson)   \
	X(row_markdown) \
	X(row_html)     \
	X(row_sql)      \
	X(row_csv_safe) \
	X(row_tsv_safe) \
	X(row_parquet)

#define ROW_FORMAT_DECLARED(format) extern const struct row_format format;
ROW_FORMATS(ROW_FORMAT_DECLARED)
