// SPDX-License-Identifier: LGPL-2.1-only
/*
 * percentile(Y, P), percentile_cont(Y, P), percentile_disc(Y, P) and median(Y), with DuckDB's names
 * quantile_cont(), quantile_disc() and quantile(), and stddev() and its like: aggregates with the
 * names and rules of those that SQLite has from 3.47 on, if it was built with them, but for
 * percentile_disc(), which is the nearest rank, as in the standard. They keep the numbers of a
 * group, so they are exact.
 *
 * Source: https://www.sqlite.org/percentile.html
 */
#include "sqlite/event_tables.h"

/* Zeroed by SQLite. */
struct group {
	ARRAY(double) numbers;
	double fraction; /* of the numbers that are smaller; the same for all of them */
	bool has_fraction;
};

struct percentile {
	const char *name;
	int n_args;
	double whole; /* what the second argument is at most */
	bool is_one;  /* of the numbers, not between two */
	const char *error;
};

static const struct percentile functions[] = {
	{ "percentile", 2, 100, false, "the second argument of percentile() is from 0 to 100" },
	{ "percentile_cont", 2, 1, false,
	  "the second argument of percentile_cont() is from 0 to 1" },
	{ "percentile_disc", 2, 1, true,
	  "the second argument of percentile_disc() is from 0 to 1" },
	{ "quantile_cont", 2, 1, false, "the second argument of quantile_cont() is from 0 to 1" },
	{ "quantile_disc", 2, 1, true, "the second argument of quantile_disc() is from 0 to 1" },
	{ "quantile", 2, 1, true, "the second argument of quantile() is from 0 to 1" },
	{ "median", 1, 1, false, NULL },
};

/* Set ->fraction. Return: 0; or an error is the result */
static int set_fraction(sqlite3_context *cx, struct group *g, int n, sqlite3_value **values)
{
	const struct percentile *f = sqlite3_user_data(cx);
	const int type = n < 2 ? SQLITE_FLOAT : sqlite3_value_numeric_type(values[1]);
	const double v = n < 2 ? 0.5 : sqlite3_value_double(values[1]) / f->whole;

	if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !(v >= 0 && v <= 1)) {
		sqlite3_result_error(cx, f->error, -1);
		return -1;
	}
	if (g->has_fraction && g->fraction != v) {
		sqlite3_result_error(cx, "a group has one percentile, not several", -1);
		return -1;
	}
	g->fraction = v;
	g->has_fraction = true;
	return 0;
}

static void add_number(sqlite3_context *cx, int n, sqlite3_value **values)
{
	struct group *g = sqlite3_aggregate_context(cx, sizeof(*g));
	const int type = sqlite3_value_numeric_type(values[0]);
	double v = sqlite3_value_double(values[0]);

	if (!g) {
		sqlite3_result_error_nomem(cx);
		return;
	}
	if (set_fraction(cx, g, n, values) || type == SQLITE_NULL)
		return;
	if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
		sqlite3_result_error(cx, "a percentile is one of numbers", -1);
	else if (array_push(&g->numbers, v))
		sqlite3_result_error_nomem(cx);
}

DEFINE_ORDER(compare, double, cmp_int(*x, *y))

static void end_group(sqlite3_context *cx)
{
	const struct percentile *f = sqlite3_user_data(cx);
	struct group *g = sqlite3_aggregate_context(cx, 0);
	double at, below;
	size_t i;

	if (!g || !g->numbers.n)
		return;
	qsort(g->numbers.v, g->numbers.n, sizeof(double), compare);
	if (f->is_one)
		at = max_t(double, ceil(g->fraction * (double)g->numbers.n), 1) - 1;
	else
		at = g->fraction * (double)(g->numbers.n - 1);
	i = (size_t)at;
	below = g->numbers.v[i];
	if (at > (double)i)
		below += (g->numbers.v[i + 1] - below) * (at - (double)i);
	sqlite3_result_double(cx, below);
	array_release(&g->numbers);
}

/* Zeroed by SQLite; ->squares: the sum of squared differences from the mean (Welford). */
struct spread {
	double n, mean, squares;
};

static const struct deviation {
	const char *name;
	bool of_sample, is_root;
} deviations[] = {
	{ "stddev", true, true },    { "stddev_samp", true, true }, { "stddev_pop", false, true },
	{ "variance", true, false }, { "var_samp", true, false },   { "var_pop", false, false },
};

static void add_spread(sqlite3_context *cx, int n UNUSED, sqlite3_value **values)
{
	struct spread *m = sqlite3_aggregate_context(cx, sizeof(*m));
	const double v = sqlite3_value_double(values[0]);
	double delta;

	if (!m)
		sqlite3_result_error_nomem(cx);
	if (!m || sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	delta = v - m->mean;
	m->mean += delta / ++m->n;
	m->squares += delta * (v - m->mean);
}

static void end_spread(sqlite3_context *cx)
{
	const struct deviation *d = sqlite3_user_data(cx);
	const struct spread *m = sqlite3_aggregate_context(cx, 0);

	if (m && m->n > d->of_sample) {
		const double variance = m->squares / (m->n - d->of_sample);

		sqlite3_result_double(cx, d->is_root ? sqrt(variance) : variance);
	}
}

/* One that the program or its SQLite has cannot be replaced by hist_open(), and stays. */
int percentile_functions_add(sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < ARRAY_SIZE(functions) && (!rc || rc == SQLITE_BUSY); i++)
		rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].n_args, flags,
						(void *)&functions[i], NULL, add_number, end_group,
						NULL);
	for (size_t i = 0; i < ARRAY_SIZE(deviations) && (!rc || rc == SQLITE_BUSY); i++)
		rc = sqlite3_create_function_v2(db, deviations[i].name, 1, flags,
						(void *)&deviations[i], NULL, add_spread,
						end_spread, NULL);
	return rc == SQLITE_BUSY ? SQLITE_OK : rc;
}
