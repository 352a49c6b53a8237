/* SPDX-License-Identifier: LGPL-2.1-only */
/* Printers of parts of the hist file: private to print. */
#ifndef HIST_PRINT_PRINT_HIST_H
#define HIST_PRINT_PRINT_HIST_H

#include "print/print.h"

/* Values with .percent and .graph; @label is that of the column. */
void print_hist_percent(struct strbuf *out, const char *label, u64 val, u64 total);
void print_hist_graph(struct strbuf *out, const char *label, u64 val, u64 max);

/* Statistics, after the kernel's text. 0, -HIST_ENOMEM */
int print_stats(struct printer *p, const struct result *r, const struct format_options *options);

/* Exemplars: those of a row after it, those of all rows after the totals. */
void print_exemplars(struct strbuf *out, const struct result *r, const struct exemplar_row *of);
void print_all_exemplars(struct strbuf *out, const struct result *r);

#endif
