/* SPDX-License-Identifier: LGPL-2.1-only */
/* Output formats: each converts a result to text for programs. */
#pragma once
#include "result/result.h"
#include "table/table.h"

struct printer;

/* Columns that the caller adds to the table of an answer, after the values. */
struct answer_extra {
	const struct answer_extra_column {
		const char *title;
		bool left;
		unsigned int hide; /* as in struct table_column */
	} * columns;
	size_t n;
	size_t *widths; /* TABLE_COLUMNS: the largest so far, so that the same columns are hidden */
	/* the text of column @i; @row: NULL: all rows together */
	void (*add)(void *arg, const struct result_row *row, size_t i, struct strbuf *out);
	void *arg;
};

struct format_options {
	bool u64_as_string; /* quote every number that may need 64 bits */
	bool sliced;        /* one of several slices of time */
	bool continued;     /* not the first slice: a table continues */
	bool over_time;     /* a slice of a histogram that was already printed as a whole */
	bool totals;        /* a slice is one row, with the statistics of all of its rows */
	bool colour;        /* for a terminal: use colours and more than ASCII */
	size_t top;         /* of each histogram, only the largest rows; 0: all */
	size_t number;    /* text: of the histogram, in the order of the output; 0: the only one */
	const char *sort; /* rows are sorted by this; NULL: as the histogram */
	unsigned int width;     /* width of the terminal; 0: unknown */
	struct diags *messages; /* so far, for pages; NULL: none */
	const char *title;      /* for pages: what they answer; NULL: the event and its keys */
	const char *command;    /* what repeats the run in a shell; NULL: unknown */
	void **state;           /* state of a format with finish(); NULL at first */
	const char *directory;  /* of files, for a format that writes some; NULL: none */
	int directory_fd;       /* -1: none */
	const struct answer_extra *extra; /* NULL: none */
};

/* One output format, built in or a plugin's. */
struct format {
	const char *name;
	bool for_people;      /* few rows, after the title of the question */
	bool one_table;       /* the output can contain only one histogram */
	bool counts_left_out; /* it contains the number of rows that are left out */
	bool joins_slices;    /* of time, to one table: rows are chosen in each slice */
	bool whole_ranges;    /* --top does not cut a distribution, whose rows it may add up */
	/* Append to p->buf, and call printer_flush() regularly; errors are stored in p->err. */
	void (*print)(const struct format *format, const struct result *result,
		      const struct format_options *options, struct printer *p);
	/*
	 * For formats that combine all histograms: called once at the end, to append the output
	 * unless !@keep, and to free the state of print(). NULL: not needed.
	 */
	void (*finish)(const struct format *format, const struct format_options *options, bool keep,
		       struct printer *p);
	const void *arg; /* argument of print() */
};

extern const struct format format_json, format_ndjson, format_markdown;

/*
 * The built-in format with that name, or NULL: a document, or any format of rows, which is
 * described in @room. "text" is not one: see print_hist().
 */
const struct format *format_find(const char *name, struct format *room);

/* Append ", json, csv": all of them. */
void format_names(struct strbuf *out);

/* --- print_as_rows.c --- */

/* A format of rows, for results. */
struct format format_of_rows(const struct row_format *of);
