// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Statistics in JSON. A row has the statistics and the exact data from which they are computed,
 * so that rows of several results can be added up; the total is the sum of the rows.
 */
#include <stdlib.h>

#include "print/summary.h"

static void print_value(struct json *j, const struct stat_summary *s, struct sketch_range v)
{
	if (!s->n) {
		json_null(j);
	} else if (!s->is_range) {
		json_number(j, v.min, s->is_signed);
	} else {
		json_open(j, '{');
		json_name(j, "min");
		json_number(j, v.min, s->is_signed);
		json_name(j, "max");
		json_number(j, v.max, s->is_signed);
		json_close(j, '}');
	}
}

static void print_mean(struct json *j, const struct stat_summary *s)
{
	if (!s->is_range) {
		json_double(j, s->mean);
		return;
	}
	json_open(j, '{');
	json_name(j, "min");
	json_double(j, s->mean);
	json_name(j, "max");
	json_double(j, s->mean_max);
	json_close(j, '}');
}

static void print_summary(struct json *j, const struct stat_summary *s)
{
	json_name(j, "n");
	json_number(j, s->n, false);
	json_name(j, "min");
	print_value(j, s, s->min);
	json_name(j, "max");
	print_value(j, s, s->max);
	json_name(j, "mean");
	print_mean(j, s);
	json_name(j, "stddev");
	json_double(j, s->stddev);
	for (size_t i = 0; i < STAT_QUANTILES; i++) {
		json_name(j, stat_quantiles[i].name);
		print_value(j, s, s->quantiles[i]);
	}
	json_member_bool(j, "exact", !s->rounded);
}

/* Sums may exceed 64 bits: written as decimal text. */
static void print_wide(struct json *j, const char *name, const struct wide *sum, bool is_signed)
{
	struct strbuf text = STRBUF_INIT;

	wide_print(sum, is_signed, &text);
	json_member_str(j, name, text.s);
	strbuf_release(&text);
}

static int print_parts(struct json *j, const struct sketch *s)
{
	struct sketch_count *values;
	size_t n;
	int err = sketch_values(s, &values, &n);

	print_wide(j, "sum", &s->sum, s->is_signed);
	print_wide(j, "sum2", &s->sum2, false);
	json_name(j, "values");
	json_open(j, '[');
	for (size_t i = 0; i < n && !err; i++) {
		json_open(j, '[');
		json_number(j, values[i].value, s->is_signed);
		json_number(j, values[i].n, false);
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
	json_name(j, "stats");
	json_open(j, '{');
	for (size_t i = 0; i < r->n_row_stats && !err; i++) {
		struct stat_summary s;

		err = stat_summarise(row->sketches[i], NULL, &s);
		json_name(j, r->stats[i].name);
		json_open(j, '{');
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
	json_name(j, "stats");
	json_open(j, '{');
	json_member_u64(j, "exact_values", SKETCH_EXACT);
	json_name(j, "relative_error");
	json_double(j, SKETCH_ERROR);
	json_name(j, "all");
	json_open(j, '{');
	for (size_t i = 0; i < r->n_stats && !err; i++) {
		struct stat_summary s;

		err = stat_summarise(r->stats[i].all, r->stats[i].all_max, &s);
		json_name(j, r->stats[i].name);
		json_open(j, '{');
		json_member_str(j, "of", i < r->n_row_stats ? "val" : "key");
		json_member_bool(j, "signed", r->stats[i].is_signed);
		if (r->stats[i].unit)
			json_member_str(j, "unit", r->stats[i].unit);
		print_summary(j, &s);
		json_close(j, '}');
	}
	json_close(j, '}');
	json_close(j, '}');
	return err;
}
