// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Statistics in JSON. A row has the statistics and the exact data from which they are computed,
 * so that rows of several results can be added up; the total is the sum of the rows.
 */
#include <stdlib.h>

#include "print/summary.h"

static void print_value(struct json *j, const char *name, const struct stat_summary *s,
			struct sketch_range v)
{
	if (!s->n)
		json_null(j, name);
	else if (s->is_range)
		json_range(j, name, v.min, v.max, s->is_signed);
	else
		json_number(j, name, v.min, s->is_signed);
}

static void print_summary(struct json *j, const struct stat_summary *s)
{
	json_number(j, "n", s->n, false);
	print_value(j, "min", s, s->min);
	print_value(j, "max", s, s->max);
	if (s->is_range)
		json_double_range(j, "mean", s->mean, s->mean_max);
	else
		json_double(j, "mean", s->mean);
	json_double(j, "stddev", s->stddev);
	for (size_t i = 0; i < STAT_QUANTILES; i++)
		print_value(j, stat_quantiles[i].name, s, s->quantiles[i]);
	json_bool(j, "exact", !s->rounded);
}

/* Sums may exceed 64 bits: written as decimal text. */
static void print_wide(struct json *j, const char *name, const struct wide *sum, bool is_signed)
{
	struct strbuf text = STRBUF_INIT;

	wide_print(sum, is_signed, &text);
	json_str(j, name, text.s);
	strbuf_release(&text);
}

static int print_parts(struct json *j, const struct sketch *s)
{
	struct sketch_count *values;
	size_t n;
	int err = sketch_values(s, &values, &n);

	print_wide(j, "sum", &s->sum, s->is_signed);
	print_wide(j, "sum2", &s->sum2, false);
	json_array(j, "values");
	for (size_t i = 0; i < n && !err; i++) {
		json_array(j, NULL);
		json_number(j, NULL, values[i].value, s->is_signed);
		json_number(j, NULL, values[i].n, false);
		json_close(j, ']');
	}
	json_close(j, ']');
	free(values);
	return err;
}

int json_stats_row(struct json *j, const struct result *r, const struct result_row *row)
{
	int err = 0;

	if (!r->n_row_stats)
		return 0;
	json_object(j, "stats");
	for (size_t i = 0; i < r->n_row_stats && !err; i++) {
		struct stat_summary s;

		err = stat_summarise(row->sketches[i], NULL, &s);
		json_object(j, r->stats[i].name);
		print_summary(j, &s);
		if (!err)
			err = print_parts(j, row->sketches[i]);
		json_close(j, '}');
	}
	json_close(j, '}');
	return err;
}

int json_stats_all(struct json *j, const struct result *r)
{
	int err = 0;

	if (!r->n_stats)
		return 0;
	json_object(j, "stats");
	json_u64(j, "exact_values", SKETCH_EXACT);
	json_double(j, "relative_error", SKETCH_ERROR);
	json_object(j, "all");
	for (size_t i = 0; i < r->n_stats && !err; i++) {
		struct stat_summary s;

		err = stat_summarise(r->stats[i].all, r->stats[i].all_max, &s);
		json_object(j, r->stats[i].name);
		json_str(j, "of", i < r->n_row_stats ? "val" : "key");
		json_members(j, stat_members + 1, STAT_MEMBERS - 1, &r->stats[i]);
		print_summary(j, &s);
		json_close(j, '}');
	}
	json_close(j, '}');
	json_close(j, '}');
	return err;
}
