/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * csv (RFC 4180, lines end with LF) and tsv, field by field: each function adds one to the current
 *line.
 *
 *	struct csv t = { .dialect = &csv_strict, .out = &buf };
 *
 *	csv_text(&t, span_of("bash"));
 *	csv_number(&t, 7, false);
 *	csv_end_line(&t);
 */
#ifndef HIST_TABLE_CSV_H
#define HIST_TABLE_CSV_H

#include "base/base.h"

struct csv_dialect {
	char separator;
	bool quotes;  /* texts; otherwise tabs and ends of lines are escaped */
	bool escapes; /* backslashes and bytes that are not UTF-8; "" is an empty text */
	bool safe;    /* for a spreadsheet, which runs a text that begins as a formula */
};

/* csv, tsv, and both for a spreadsheet */
extern const struct csv_dialect csv_commas, csv_tabs, csv_safe_commas, csv_safe_tabs;

struct csv {
	const struct csv_dialect *dialect;
	struct strbuf *out;
	bool begun; /* the current line has a field */
};

void csv_absent(struct csv *t);
void csv_text(struct csv *t, struct span text);
void csv_name(struct csv *t, const char *name); /* never quoted */
void csv_number(struct csv *t, u64 v, bool is_signed);
/* The shortest text that reads back as the number; nothing for NaN; inf. */
void csv_double(struct csv *t, double v);
void csv_time(struct csv *t, u64 ts, bool clock_counts);
void csv_end_line(struct csv *t);

#endif
