/* SPDX-License-Identifier: LGPL-2.1-only */
/* Printers of parts of the hist file: private to print. */
#pragma once
#include "print/print.h"

/* Statistics, after the kernel's text. 0, -HIST_ENOMEM */
int print_stats(struct printer *p, const struct result *r, const struct format_options *options);

/* --- print_rows.c --- */

/* Append the text of a row. Context: any thread; several at the same time, with different @out */
typedef void add_row_fn(struct strbuf *out, const struct result_row *row, const void *arg);

/* Print the first @n rows in their order, with r->threads threads if they are many. */
void print_rows(struct printer *p, const struct result *r, size_t n, add_row_fn *add,
		const void *arg);
