// SPDX-License-Identifier: LGPL-2.1-only
/*
 * openmetrics: a histogram as an OpenMetrics exposition, version 1.0.0; prometheus: the same in the
 * older text format, version 0.0.4, which node_exporter's textfile collector reads.
 *
 * Rows become metrics named hist_SYSTEM_EVENT_VALUE with the keys as labels. hitcount is a
 * counter. If one of the keys is a range (.log2, .buckets), hitcount becomes a histogram in the
 * sense of OpenMetrics, and a value with the name of this key is its sum. Other values and saved
 * fields are gauges. With --stats, each quantity is a summary with quantiles, and a gauge of the
 * largest one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exposition.h"

/* --- names --- */

/* Letters, digits and '_', with a letter first; reserved names get a letter as prefix. */
static void make_name(char *to, const char *from)
{
	size_t n = 0;

	if (*from == '_' || (*from >= '0' && *from <= '9') || !*from)
		to[n++] = 'k';
	for (; *from && n + 1 < NAME_SIZE; from++) {
		char c = *from;
		int good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			   (c >= '0' && c <= '9');

		to[n++] = good ? c : '_';
	}
	to[n] = '\0';
}

static int ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* Times in the older format are seconds, as its rules want: how many units these are; 0: no time.
 */
static uint64_t per_second(const struct exporter *e, const struct hist_plugin_column *column)
{
	if (!e->older || !column->unit)
		return 0;
	return !strcmp(column->unit, "ns") ? 1000000000 : !strcmp(column->unit, "us") ? 1000000 : 0;
}

/* @v of @per in a unit, all digits. */
static void add_quotient(struct exporter *e, uint64_t v, int is_signed, uint64_t per)
{
	const char *minus = is_signed && (int64_t)v < 0 ? "-" : "";
	char digits[24];
	int n;

	v = *minus ? -v : v;
	n = snprintf(digits, sizeof(digits), "%0*" PRIu64, per == 1000000 ? 6 : 9, v % per);
	while (n > 1 && digits[n - 1] == '0')
		n--;
	addf(e, "%s%" PRIu64 ".%.*s", minus, v / per, n, digits);
}

static void add_amount(struct exporter *e, const struct hist_plugin_column *column, uint64_t v)
{
	const uint64_t per = per_second(e, column);

	if (per)
		add_quotient(e, v, column->is_signed, per);
	else
		add_number(e, column, v);
}

/* "ns" becomes "seconds", "waiting_us" "waiting_seconds". */
static void unit_name(const struct exporter *e, const struct hist_plugin_column *column, char *to)
{
	size_t n = strlen(column->name), unit;

	make_name(to, column->name);
	if (!per_second(e, column))
		return;
	unit = strlen(column->unit);
	if (n == unit && !strcmp(to, column->unit))
		n = 0;
	else if (n > unit && to[n - unit - 1] == '_' && !strcmp(to + n - unit, column->unit))
		n -= unit + 1;
	snprintf(to + n, NAME_SIZE - n, "%sseconds", n ? "_" : "");
}

/* The name of the family of a value; no sample of another family may have this name. */
static void family_name(const struct exporter *e, const char *infix,
			const struct hist_plugin_column *column, char *to)
{
	static const char *const reserved[] = { "_total",  "_count",   "_sum",
						"_bucket", "_created", "_info" };
	char own[NAME_SIZE];

	unit_name(e, column, own);
	snprintf(to, NAME_SIZE, "%.120s%s_%.100s", e->prefix, infix, own);
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (ends_with(to, reserved[i])) {
			strncat(to, "_value", NAME_SIZE - strlen(to) - 1);
			break;
		}
}

/* Two keys may differ only in characters that labels cannot contain. */
static int label_taken(const struct exporter *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(e->labels[i], e->labels[n]))
			return 1;
	return !strcmp(e->labels[n], "le");
}

static void name_labels(struct exporter *e)
{
	for (size_t i = 0; i < e->h->n_keys; i++) {
		char *name = e->labels[i];
		size_t len;

		make_name(name, e->h->columns[i].name);
		name[NAME_SIZE - 32] = '\0';
		len = strlen(name);
		for (size_t k = 2; label_taken(e, i); k++)
			snprintf(name + len, 24, "_%zu", k);
	}
}

/* --- labels of a row --- */

static void add_stack(struct exporter *e, const struct hist_plugin_cell *cell)
{
	for (size_t i = 0; i < cell->n_frames; i++) {
		if (i)
			add(e, ";", 1);
		add_escaped(e, cell->frames[i].symbol.s, cell->frames[i].symbol.n);
	}
}

static void add_key(struct exporter *e, int *n, size_t i, const struct hist_plugin_cell *cell)
{
	const struct hist_plugin_column *column = &e->h->columns[i];
	const char *name = e->labels[i];

	begin_label(e, n, name, "");
	if (column->type == HIST_PLUGIN_TEXT) {
		add_escaped(e, cell->text.s, cell->text.n);
	} else if (column->type == HIST_PLUGIN_STACK) {
		add_stack(e, cell);
	} else {
		add_number(e, column, cell->num);
		if (column->type == HIST_PLUGIN_RANGE) {
			add(e, "-", 1);
			add_number(e, column, cell->max);
		}
	}
	add(e, "\"", 1);
	/* several numbers may have the same name, so the name is a separate label */
	if (column->type != HIST_PLUGIN_TEXT && cell->text.n) {
		begin_label(e, n, name, "_text");
		add_escaped(e, cell->text.s, cell->text.n);
		add(e, "\"", 1);
	}
}

/* All keys except the column @without; returns the number of labels. */
static int add_keys(struct exporter *e, const struct hist_plugin_cell *cells, int without)
{
	int n = 0;

	for (size_t i = 0; i < e->h->n_keys; i++)
		if ((int)i != without)
			add_key(e, &n, i, &cells[i]);
	return n;
}

/* --- families --- */

static void begin_family(struct exporter *e, const char *name, const char *type, const char *help)
{
	addf(e, "# TYPE %s %s\n# HELP %s ", name, type, name);
	add_escaped(e, help, strlen(help));
	add(e, "\n", 1);
}

/* In the older format, the name of the family of a counter is that of its samples. */
static void begin_counter(struct exporter *e, const char *name, const char *help)
{
	char own[NAME_SIZE + 8];

	snprintf(own, sizeof(own), "%s%s", name, e->older ? "_total" : "");
	begin_family(e, own, "counter", help);
}

/* A sample for each row, of column @i. */
static int add_column(struct exporter *e, size_t i, const char *name, const char *suffix)
{
	const struct hist_plugin_column *column = &e->h->columns[i];

	for (size_t r = 0; r < e->h->n_rows; r++) {
		const struct hist_plugin_cell *cells = e->h->row(e->h, r);

		if (!cells)
			return -1;
		if (cells[i].absent)
			continue;
		addf(e, "%s%s{", name, suffix);
		add_keys(e, cells, NO_COLUMN);
		add(e, "} ", 2);
		add_amount(e, column, cells[i].num);
		add(e, "\n", 1);
		if (flush(e))
			return -1;
	}
	return 0;
}

/* --- a key that is a range --- */

struct bucket {
	size_t labels; /* their offset in a separate buffer */
	uint64_t max, hits, sum;
};

struct buckets {
	struct bucket *list;
	const char *labels;
	int is_signed;
};

static int cmp_bucket(const void *a, const void *b, void *arg)
{
	const struct bucket *x = a, *y = b;
	const struct buckets *all = arg;
	int ret = strcmp(all->labels + x->labels, all->labels + y->labels);

	if (ret)
		return ret;
	if (all->is_signed)
		return ((int64_t)x->max > (int64_t)y->max) - ((int64_t)x->max < (int64_t)y->max);
	return (x->max > y->max) - (x->max < y->max);
}

/* Canonical form of numbers: 2.0, 1.048576e+06 */
static void add_le(struct exporter *e, uint64_t max, int is_signed)
{
	uint64_t v = is_signed && (int64_t)max < 0 ? -max : max;
	const char *minus = v == max ? "" : "-";
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v), last = n - 1;

	if (v < 1000000) {
		addf(e, "%s%" PRIu64 ".0", minus, v);
		return;
	}
	while (last > 1 && digits[last] == '0')
		last--;
	addf(e, "%s%c.%.*se+%02d", minus, digits[0], last, digits + 1, n - 1);
}

static void add_bucket(struct exporter *e, const char *name, const char *labels)
{
	addf(e, "%s_bucket{", name);
	add(e, labels, strlen(labels));
	addf(e, "%sle=\"", *labels ? "," : "");
}

/* The cumulative buckets of one set of labels; returns their number. */
static size_t add_group(struct exporter *e, const char *name, const struct buckets *all,
			size_t first, int has_sum)
{
	const char *labels = all->labels + all->list[first].labels;
	const uint64_t per = per_second(e, &e->h->columns[e->range]);
	uint64_t hits = 0, sum = 0;
	int negative = 0;
	size_t i = first;

	for (; i < e->h->n_rows && !strcmp(all->labels + all->list[i].labels, labels); i++) {
		const struct bucket *b = &all->list[i];

		hits += b->hits;
		sum += b->sum;
		negative |= all->is_signed && (int64_t)b->max < 0;
		add_bucket(e, name, labels);
		if (per)
			add_quotient(e, b->max, all->is_signed, per);
		else
			add_le(e, b->max, all->is_signed);
		addf(e, "\"} %" PRIu64 "\n", hits);
	}
	add_bucket(e, name, labels);
	addf(e, "+Inf\"} %" PRIu64 "\n", hits);
	if (has_sum && !negative) {
		addf(e, "%s_count{", name);
		add(e, labels, strlen(labels));
		addf(e, "} %" PRIu64 "\n%s_sum{", hits, name);
		add(e, labels, strlen(labels));
		add(e, "} ", 2);
		add_amount(e, &e->h->columns[e->range], sum);
		add(e, "\n", 1);
	}
	return i - first;
}

/* The value with the name of the range key, which cannot be negative. */
static int sum_column(const struct exporter *e)
{
	for (size_t i = e->h->n_keys + 1; i < e->h->n_keys + e->h->n_values; i++)
		if (!strcmp(e->h->columns[i].name, e->h->columns[e->range].name) &&
		    !e->h->columns[i].is_signed)
			return (int)i;
	return NO_COLUMN;
}

/* The rows as buckets, their labels appended to e->out. */
static int collect(struct exporter *e, struct bucket *list, int sum)
{
	for (size_t r = 0; r < e->h->n_rows; r++) {
		const struct hist_plugin_cell *cells = e->h->row(e->h, r);

		if (!cells)
			return -1;
		list[r] = (struct bucket){ .labels = e->out.n,
					   .max = cells[e->range].max,
					   .hits = cells[e->h->n_keys].num,
					   .sum = sum == NO_COLUMN ? 0 : cells[sum].num };
		add_keys(e, cells, e->range);
		add(e, "", 1);
	}
	return 0;
}

static int add_histogram(struct exporter *e)
{
	int sum = sum_column(e), err;
	struct text out = e->out, labels;
	struct buckets all = { .list = calloc(e->h->n_rows + 1, sizeof(*all.list)),
			       .is_signed = e->h->columns[e->range].is_signed };
	char name[NAME_SIZE];

	if (!all.list)
		return -1;
	e->out = (struct text){ NULL, 0, 0 };
	err = collect(e, all.list, sum);
	labels = e->out;
	e->out = out;
	all.labels = labels.s;
	if (!err && !e->failed) {
		qsort_r(all.list, e->h->n_rows, sizeof(*all.list), cmp_bucket, &all);
		family_name(e, "", &e->h->columns[e->range], name);
		begin_family(e, name, "histogram", "hits by range");
		for (size_t i = 0; i < e->h->n_rows && !flush(e);)
			i += add_group(e, name, &all, i, sum != NO_COLUMN);
	}
	free(all.list);
	free(labels.s);
	return err;
}

/* --- the whole --- */

static void add_total(struct exporter *e, const char *name, const char *help, uint64_t v)
{
	begin_counter(e, name, help);
	addf(e, "%s_total %" PRIu64 "\n", name, v);
}

static void add_totals(struct exporter *e)
{
	const struct hist_plugin_histogram *h = e->h;
	int n = 0;

	/* not of the type info, so that readers of the older format accept this one, too */
	begin_family(e, "hist_trigger_info", "gauge", "the trigger and its recording");
	add(e, "hist_trigger_info{", strlen("hist_trigger_info{"));
	add_label(e, &n, "event", h->event);
	if (h->instance)
		add_label(e, &n, "instance", h->instance);
	add_label(e, &n, "trigger", h->trigger);
	add_label(e, &n, "kernel", h->kernel);
	add_label(e, &n, "clock", h->clock);
	add(e, "} 1\n", 4);
	add_total(e, "hist_hits", "events that were counted", h->hits);
	add_total(e, "hist_dropped", "events without an entry, because the histogram was full",
		  h->drops);
	add_total(e, "hist_lost_events", "events that the recording lost", h->lost_events);
	begin_family(e, "hist_entries", "gauge", "rows of the histogram");
	addf(e, "hist_entries %zu\n", h->n_rows + h->left_out);
}

/* "ns#2" is a form of ns, which has the same number. */
static int is_form(const struct hist_plugin_column *column)
{
	return strchr(column->name, '#') != NULL;
}

static int add_value(struct exporter *e, size_t i)
{
	const struct hist_plugin_column *column = &e->h->columns[i];
	int saved = column->role == HIST_PLUGIN_SAVED;
	char name[NAME_SIZE];

	if (i == e->h->n_keys && e->range != NO_COLUMN)
		return add_histogram(e);
	if (column->type != HIST_PLUGIN_NUMBER || (!saved && is_form(column)) ||
	    (e->range != NO_COLUMN && (int)i == sum_column(e)))
		return 0;
	family_name(e, saved ? "_saved" : "", column, name);
	/* the key with this name is already a histogram */
	if (!saved && e->range != NO_COLUMN && !strcmp(column->name, e->h->columns[e->range].name))
		strncat(name, "_value", NAME_SIZE - strlen(name) - 1);
	if (i == e->h->n_keys) {
		begin_counter(e, name, "hits");
		return add_column(e, i, name, "_total");
	}
	begin_family(e, name, "gauge",
		     saved ? "saved at the last new extreme" : "sum over the hits");
	return add_column(e, i, name, "");
}

/* --- statistics --- */

/* NAME{KEYS,quantile="Q"} V; without a quantile if @quantile is NULL. */
static void add_sample(struct exporter *e, const char *name, const struct hist_plugin_cell *cells,
		       const char *quantile)
{
	int n;

	addf(e, "%s{", name);
	n = add_keys(e, cells, NO_COLUMN);
	if (quantile)
		add_label(e, &n, "quantile", quantile);
	add(e, "} ", 2);
}

/* Of each row the quantiles, or the largest value. */
static int add_numbers(struct exporter *e, const struct hist_plugin_column *column, size_t stat,
		       const char *name, int largest)
{
	static const char *const quantiles[] = { "0.5", "0.9", "0.99", "0.999" };

	for (size_t r = 0; r < e->h->n_rows && !flush(e); r++) {
		const struct hist_plugin_cell *cells = e->h->row(e->h, r);
		struct hist_plugin_numbers v = { .n = 0 };
		uint64_t values[4];

		if (!cells || e->h->numbers(e->h, r, stat, &v))
			return -1;
		memcpy(values, (uint64_t[]){ v.p50, v.p90, v.p99, v.p999 }, sizeof(values));
		for (int q = 0; q < (largest ? 1 : 4) && v.n; q++) {
			add_sample(e, name, cells, largest ? NULL : quantiles[q]);
			add_amount(e, column, largest ? v.max : values[q]);
			add(e, "\n", 1);
		}
	}
	return 0;
}

/* A summary has no negative numbers, so those that may be are gauges. */
static int add_statistic(struct exporter *e, size_t stat)
{
	const struct hist_plugin_column *column = &e->h->stats[stat];
	char name[NAME_SIZE];
	int err;

	if (is_form(column))
		return 0;
	family_name(e, "_each", column, name);
	begin_family(e, name, column->is_signed ? "gauge" : "summary", "quantiles of single hits");
	err = add_numbers(e, column, stat, name, 0);
	family_name(e, "_largest", column, name);
	begin_family(e, name, "gauge", "the largest of single hits");
	return err ? err : add_numbers(e, column, stat, name, 1);
}

static int find_range(const struct hist_plugin_histogram *h)
{
	int range = NO_COLUMN;

	for (size_t i = 0; i < h->n_keys; i++)
		if (h->columns[i].type == HIST_PLUGIN_RANGE) {
			if (range != NO_COLUMN)
				return NO_COLUMN;
			range = (int)i;
		}
	return range;
}

static int export(struct exporter *e)
{
	int err = 0;

	name_labels(e);
	add_totals(e);
	for (size_t i = e->h->n_keys; i < e->h->n_columns && !err; i++)
		err = add_value(e, i);
	for (size_t i = 0; i < e->h->n_stats && !err; i++)
		err = add_statistic(e, i);
	if (!e->older)
		add(e, "# EOF\n", 6);
	return err || e->failed ? -1 : 0;
}

static int print(const struct hist_plugin_histogram *h, const struct hist_plugin_out *out,
		 int older)
{
	struct exporter e = { .h = h, .to = out, .range = find_range(h), .older = older };
	char event[NAME_SIZE];
	int err;

	if (h->sliced)
		return out->fail(out, "the format cannot express slices of time");
	make_name(event, h->event);
	snprintf(e.prefix, sizeof(e.prefix), "hist_%.200s", event);
	e.labels = calloc(h->n_keys + 1, sizeof(*e.labels));
	err = e.labels ? export(&e) : -1;
	/* an earlier error of write() has priority */
	err = err ? out->fail(out, "no memory") : out->write(out, e.out.s, e.out.n);
	free(e.labels);
	free(e.out.s);
	return err;
}

static int print_openmetrics(const struct hist_plugin_histogram *h,
			     const struct hist_plugin_out *out)
{
	return print(h, out, 0);
}

static int print_prometheus(const struct hist_plugin_histogram *h,
			    const struct hist_plugin_out *out)
{
	return print(h, out, 1);
}

static const struct hist_plugin_format formats[] = {
	{ .name = "openmetrics",
	  .summary = "the OpenMetrics text format",
	  .one_histogram = 1,
	  .print = print_openmetrics },
	{ .name = "prometheus",
	  .summary = "the text format of Prometheus",
	  .one_histogram = 1,
	  .print = print_prometheus },
};

const struct hist_plugin hist_plugin = {
	.abi = HIST_PLUGIN_ABI,
	.name = "openmetrics",
	.formats = formats,
	.n_formats = 2,
};
