/* SPDX-License-Identifier: LGPL-2.1-only */
/* A table as a result, for output formats. */
#ifndef HIST_PRINT_RESULT_H
#define HIST_PRINT_RESULT_H

#include "engine/engine.h"
#include "print/format.h"

/**
 * result_new() - how formats see a table
 * @table, @info: borrowed until result_free()
 *
 * Return: 0, -HIST_ENOMEM
 */
int result_new(const struct table *table, const struct result_info *info, struct result **result);
void result_free(struct result *result);

/* --- parts of it, private to print --- */

/* What a key is; .name is NULL without memory. */
struct result_column result_key_column(const struct hist_field *f, const struct machine *machine,
				       struct arena *arena);

/* The number at @key, or all numbers that were rounded to it. */
struct sketch_range result_key_range(const struct hist_field *f, const struct machine *machine,
				     const u8 *key);

/* "us" or "ns" of what is a time; else NULL. */
const char *result_unit(const struct hist_field *f, const struct machine *machine);

#endif
