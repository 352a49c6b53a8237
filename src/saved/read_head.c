// SPDX-License-Identifier: LGPL-2.1-only
/* The head of a saved result: the trigger, its event, and the columns of the rows. */
#include "saved/read.h"

/* --- columns --- */

/*
 * Results of hist 0.1.0 do not have "text" in columns with these modifiers, although their rows
 * contain names.
 */
static bool names_numbers(const char *modifier)
{
	static const char *const naming[] = { "sym", "sym-offset", "execname", "syscall" };

	for (size_t i = 0; modifier && i < ARRAY_SIZE(naming); i++) {
		if (!strcmp(modifier, naming[i]))
			return true;
	}
	return false;
}

static bool read_column(struct saved_reader *r, struct result_column *c)
{
	if (!read_object(r, column_members, COLUMN_MEMBERS, c, NULL))
		return false;
	c->has_label |= names_numbers(c->modifier);
	c->has_label &= c->type == RESULT_NUMBER;
	c->tracked &= c->role == RESULT_SAVED && c->type == RESULT_NUMBER;
	if (!r->in.problem && (!c->name || (c->role == RESULT_VALUE && c->type != RESULT_NUMBER) ||
			       (c->role == RESULT_SAVED && c->type == RESULT_RANGE)))
		json_in_fail(&r->in, "a column without a name, or with an invalid type");
	return !r->in.problem;
}

static bool read_role(struct saved_reader *r, enum result_role role)
{
	struct result *result = &r->s->result;

	json_in_open(&r->in, '[');
	while (json_in_element(&r->in)) {
		struct result_column column = { .role = role };

		if (result->n_columns == SAVED_COLUMNS_MAX)
			return json_in_fail(&r->in, "too many columns");
		if (!read_column(r, &column))
			return false;
		r->s->columns[result->n_columns++] = column;
	}
	return !r->in.problem;
}

/* --- statistics --- */

/* A statistic is that of a key, which it names, or that of a value or variable. */
static bool read_stat_key(struct saved_reader *r, struct span name, void *object)
{
	struct result_stat *stat = object;
	const char *key;

	if (!span_eq(name, "key"))
		return json_in_skip(&r->in);
	key = read_string(r);
	stat->column = key ? read_find_column(&r->s->result, RESULT_KEY, span_of(key), 0) : 0;
	return key;
}

static bool read_stats(struct saved_reader *r)
{
	struct result *result = &r->s->result;

	r->s->stats = arena_alloc(&r->s->arena, SAVED_STATS_MAX * sizeof(*r->s->stats));
	result->stats = r->s->stats;
	if (!r->s->stats)
		return read_nomem(r);
	json_in_open(&r->in, '[');
	while (json_in_element(&r->in)) {
		struct result_stat stat = { .column = SIZE_MAX };
		bool of_key;

		if (result->n_stats == SAVED_STATS_MAX)
			return json_in_fail(&r->in, "too many statistics");
		if (!read_object(r, stat_members, STAT_MEMBERS, &stat, read_stat_key))
			return false;
		of_key = stat.column != SIZE_MAX;
		if (!stat.name || (of_key && stat.column >= result->n_keys))
			return json_in_fail(&r->in,
					    "a statistic without a name, or of an unknown key");
		stat.column = of_key ? stat.column : 0;
		if (!of_key && result->n_row_stats != result->n_stats)
			return json_in_fail(&r->in, "statistics of keys come last");
		result->n_row_stats += !of_key;
		r->s->stats[result->n_stats++] = stat;
	}
	return !r->in.problem;
}

/* --- members of "columns" --- */

enum { ROLES = RESULT_SAVED + 1, STATS = ROLES, EXEMPLARS, PARTS };

/* ORDER enum result_role */
static const char *const part_names[PARTS] = { "key", "val", "saved", "stats", "exemplars" };

/* The name without the #2 of a duplicate, which is not the kernel's. */
static struct span kernel_name(const struct result *r, size_t column)
{
	struct span name = span_of(r->columns[column].name);
	const char *hash = span_rchr(name, '#');

	for (size_t i = 0; i < column && hash; i++)
		if (r->columns[i].role == r->columns[column].role &&
		    span_eq(span_between(name.s, hash), r->columns[i].name))
			return span_between(name.s, hash);
	return name;
}

static bool label_columns(struct saved_reader *r)
{
	struct result_column *columns = r->s->columns;

	for (size_t i = 0; i < r->s->result.n_columns; i++) {
		struct span name = kernel_name(&r->s->result, i);
		bool common = span_eq(name, "common_stacktrace") || span_eq(name, "stacktrace");
		const char *end = columns[i].type != RESULT_STACK || columns[i].role != RESULT_KEY
					  ? ""
				  : common ? ":\n"
					   : ".stacktrace";

		columns[i].label = arena_printf(&r->s->arena, "%.*s%s", (int)name.n, name.s, end);
		if (!columns[i].label)
			return read_nomem(r);
	}
	return true;
}

static bool read_parts(struct saved_reader *r, const char *const *at)
{
	struct result *result = &r->s->result;
	const size_t *n = &result->n_columns;

	for (enum result_role role = RESULT_KEY; role <= RESULT_SAVED; role++) {
		if (at[role]) {
			r->in.p = at[role];
			if (!read_role(r, role))
				return false;
		}
		if (role == RESULT_KEY)
			result->n_keys = *n;
		else if (role == RESULT_VALUE)
			result->n_values = *n - result->n_keys;
	}
	if (!result->n_keys || !result->n_values ||
	    strcmp(result->columns[result->n_keys].name, "hitcount") != 0)
		return json_in_fail(&r->in,
				    "there are no keys, or the first value is not hitcount");
	if (!label_columns(r))
		return false;
	if (at[STATS]) {
		r->in.p = at[STATS];
		read_stats(r);
	}
	if (at[EXEMPLARS] && !r->in.problem) {
		r->in.p = at[EXEMPLARS];
		read_exemplars_column(r);
	}
	return !r->in.problem;
}

/* --- sort --- */

static bool read_sort_key(struct saved_reader *r, struct result_sort *sort)
{
	struct result *result = &r->s->result;
	struct span name;

	sort->column = result->n_columns;
	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		bool key = span_eq(name, "key");

		if (key || span_eq(name, "val")) {
			const char *text = read_string(r);

			sort->column = read_find_column(result, key ? RESULT_KEY : RESULT_VALUE,
							span_of(text ?: ""), 0);
		} else if (span_eq(name, "descending")) {
			json_in_bool(&r->in, &sort->descending);
		} else {
			json_in_skip(&r->in);
		}
	}
	if (!r->in.problem && sort->column >= result->n_columns)
		json_in_fail(&r->in, "sorted by an unknown column");
	return !r->in.problem;
}

static bool read_sort(struct saved_reader *r)
{
	struct result *result = &r->s->result;
	struct result_sort *sort = arena_alloc(&r->s->arena, SAVED_COLUMNS_MAX * sizeof(*sort));

	if (!sort)
		return read_nomem(r);
	result->sort = sort;
	if (!read_goto(r, "sort"))
		return !r->in.problem;
	json_in_open(&r->in, '[');
	while (json_in_element(&r->in)) {
		if (result->n_sort == SAVED_COLUMNS_MAX)
			return json_in_fail(&r->in, "too many sort keys");
		if (!read_sort_key(r, &sort[result->n_sort]))
			return false;
		result->n_sort++;
	}
	return !r->in.problem;
}

bool read_columns(struct saved_reader *r)
{
	struct stored_result *s = r->s;
	const char *at[PARTS] = { NULL };
	struct span name;

	s->columns = arena_alloc(&s->arena, SAVED_COLUMNS_MAX * sizeof(*s->columns));
	s->result.columns = s->columns;
	if (!s->columns)
		return read_nomem(r);
	if (!read_goto(r, "columns"))
		return json_in_fail(&r->in, "it does not name its columns");
	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		for (size_t i = 0; i < PARTS; i++)
			if (span_eq(name, part_names[i]))
				at[i] = r->in.p;
		json_in_skip(&r->in);
	}
	return !r->in.problem && read_parts(r, at) && read_sort(r);
}
