/* SPDX-License-Identifier: LGPL-2.1-only */
/* Parts of the hist file: private to print. */
#ifndef HIST_PRINT_PRINT_HIST_H
#define HIST_PRINT_PRINT_HIST_H

#include "print/print.h"

/* A key as entries show it: "{ pid:          7 }". */
void print_hist_key(struct printer *p, const struct table *table, const u8 *key, const char *comm);

/* Values with .percent and .graph; @label is the column's. */
void print_hist_percent(struct strbuf *out, const char *label, u64 val, u64 total);
void print_hist_graph(struct strbuf *out, const char *label, u64 val, u64 max);

#endif
