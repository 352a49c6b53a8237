/* SPDX-License-Identifier: LGPL-2.1-only */
/* Output formats: each turns a result into text for programs. */
#ifndef HIST_PRINT_FORMATS_H
#define HIST_PRINT_FORMATS_H

#include "result/result.h"

struct printer;

struct format_options {
	bool u64_as_string; /* quote every number that may need 64 bits */
	bool sliced;        /* one of several slices of time */
	bool continued;     /* not the first slice: a table goes on */
	bool colour;        /* for a terminal: colours, and more than ASCII */
	unsigned int width; /* its columns; 0: unknown */
	void **state;       /* of a format with finish(): where it keeps things, NULL at first */
};

/* One output format, built in or a plugin's. */
struct format {
	const char *name;
	bool one_table; /* the output has room for one histogram only */
	/* Add to p->buf, call printer_flush() now and then; errors go to p->err. */
	void (*print)(const struct format *format, const struct result *result,
		      const struct format_options *options, struct printer *p);
	/*
	 * Of formats that show all histograms as one: called once at the end, to add it unless
	 * !@keep, and to free what print() left in the state. NULL: there is nothing to do.
	 */
	void (*finish)(const struct format *format, const struct format_options *options, bool keep,
		       struct printer *p);
	const void *arg; /* print()'s */
};

extern const struct format format_json, format_ndjson, format_csv, format_tsv;

/* The built-in format of that name; NULL: none. "text" is none: that is print_hist(). */
const struct format *format_find(const char *name);

/* The @i-th built-in format; NULL: no more. */
const struct format *format_at(size_t i);

#endif
