/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * table: rows of cells with a title and notes, and a writer for each format.
 *
 *	struct table t = { .columns[0].left = true };
 *
 *	table_add(&t, "comm");			the first row has the names of the columns
 *	table_add(&t, "hits");
 *	table_end_row(&t);
 *	table_add(&t, "bash");
 *	strbuf_addf(table_cell(&t), "%u", 7);	a cell is composed in place, ...
 *	table_end_cell(&t);			... and ended
 *	table_end_row(&t);
 *	table_text(&t, out);
 *
 * This is a table for people, whose cells are texts; diff, print and picture compute them and know
 * no format. Rows for programs, of any number, are written without a table in memory: see rows.h.
 */
#pragma once
#include "json/json.h"
#include "table/people.h"
#include "table/rows.h"

enum { TABLE_COLUMNS = 256 }; /* cells after the last one are dropped */

struct table_column {
	bool left;         /* left-aligned; numbers are right-aligned */
	unsigned int hide; /* hidden as the N-th if the table is too wide; 0: never */
	bool hidden;
	bool shortens; /* texts that are wider than the column are shortened in the middle */
	size_t width;  /* of the widest cell, in columns of a terminal */
};

struct table {
	struct table_column columns[TABLE_COLUMNS];
	size_t n_columns, at;  /* .at: the column of the next cell */
	struct strbuf text;    /* all cells, each ends in NUL */
	ARRAY(size_t) cells;   /* offsets */
	ARRAY(size_t) rows;    /* the first cell of each */
	size_t start;          /* of the cell that is being composed */
	bool failed;           /* out of memory */
	bool fitted;           /* the columns have their width */
	size_t room;           /* how wide the table may be */
	size_t more;           /* number of rows that are left out */
	struct strbuf title;   /* what the rows show, with its unit */
	struct strbuf verdict; /* the rows in a sentence; "": none */
	struct strbuf note;    /* about some of the rows; "": none */
};

#define TABLE_INIT                                                                  \
	{                                                                           \
		.columns[0].left = true, .text = STRBUF_INIT, .title = STRBUF_INIT, \
		.verdict = STRBUF_INIT, .note = STRBUF_INIT                         \
	}

/* Where the text of the next cell is appended. */
static inline struct strbuf *table_cell(struct table *t)
{
	return &t->text;
}

void table_end_cell(struct table *t);
void table_add(struct table *t, const char *text);
void table_addf(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void table_end_row(struct table *t);

/* A cell; NULL: the row has no such one. */
const char *table_text_of(const struct table *t, size_t row, size_t column);

/* Name the hidden columns in a line that is not wider than the table; @ranked: in order of .hide.
 */
void table_add_hidden(const struct table *t, bool ranked, struct strbuf *out);

/* Forget all rows, but not how wide they were: for tables that are not kept in memory. */
void table_drop_rows(struct table *t);

/* Hide columns and shorten texts until the rest fits in @width; 0: unlimited. Further rows do not
 * widen columns. */
void table_fit(struct table *t, size_t width);

void table_release(struct table *t);

/* --- writers; out->failed if @t is incomplete --- */

/* Two spaces between columns, after a line that names hidden ones; a row alone has no newline. */
void table_text(const struct table *t, struct strbuf *out);
void table_text_row(const struct table *t, size_t row, struct strbuf *out);

/* GitHub's Markdown, and its escapes, for text of recordings. */
void table_markdown(const struct table *t, struct strbuf *out);
void table_markdown_row(const struct table *t, size_t row, bool header, struct strbuf *out);
void markdown_add(struct strbuf *out, const char *text);

/*
 * <table>, also for screen readers. @class: its class, whose columns scripts can sort by numbers;
 * NULL: none. table_html_begin() ends in <thead>; columns that have no name are called "mark".
 */
void table_html(const struct table *t, const char *label, const char *class, struct strbuf *out);
void table_html_begin(const char *label, const char *class, struct strbuf *out);
void table_html_end(struct strbuf *out);
