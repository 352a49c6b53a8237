// SPDX-License-Identifier: LGPL-2.1-only
/* Rows of a saved result, and the keys of its snapshot. */
#include "saved/read.h"

/* --- cells --- */

static bool read_range(struct saved_reader *r, const struct result_column *c,
		       struct result_cell *cell)
{
	struct span name;
	unsigned int ends = 0;

	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		if (span_eq(name, "min"))
			ends |= json_in_number(&r->in, c->is_signed, &cell->num) ? 1 : 0;
		else if (span_eq(name, "max"))
			ends |= json_in_number(&r->in, c->is_signed, &cell->max) ? 2 : 0;
		else
			json_in_skip(&r->in);
	}
	return ends == 3 || json_in_fail(&r->in, "a range without min and max");
}

/* Borrowed from the input if it has no escapes, otherwise a copy. */
static bool read_text(struct saved_reader *r, struct span *out)
{
	struct span text;
	const char *copy;

	if (!json_in_text(&r->in, &text))
		return false;
	*out = text;
	if (text.s != r->in.decoded.s)
		return true;
	copy = arena_strndup(&r->s->arena, text.s, text.n);
	*out = (struct span){ copy, text.n };
	return copy || read_nomem(r);
}

static bool read_stack(struct saved_reader *r, struct result_cell *cell)
{
	struct result_frame frame = { .symbol = { "", 0 } };

	cell->num = r->frames.n;
	json_in_open(&r->in, '[');
	while (json_in_element(&r->in)) {
		if (!json_in_number(&r->in, false, &frame.addr))
			return false;
		if (array_push(&r->frames, frame))
			return read_nomem(r);
		cell->n_frames++;
	}
	return !r->in.problem;
}

static bool read_cell(struct saved_reader *r, const struct result_column *c,
		      struct result_cell *cell)
{
	*cell = (struct result_cell){ .text = { "", 0 }, .label = { "", 0 } };
	if (c->role == RESULT_SAVED && json_in_null(&r->in)) {
		cell->absent = true;
		return true;
	}
	switch (c->type) {
	case RESULT_RANGE:
		return read_range(r, c, cell);
	case RESULT_TEXT:
		return read_text(r, &cell->text);
	case RESULT_STACK:
		return read_stack(r, cell);
	default:
		return json_in_number(&r->in, c->is_signed, &cell->num);
	}
}

/* The column of a role with the name @name, most likely @next; n_columns if there is none. */
size_t read_find_column(const struct result *result, enum result_role role, struct span name,
			size_t next)
{
	if (next < result->n_columns && result->columns[next].role == role &&
	    span_eq(name, result->columns[next].name))
		return next;
	for (size_t i = 0; i < result->n_columns; i++)
		if (result->columns[i].role == role && span_eq(name, result->columns[i].name))
			return i;
	return result->n_columns;
}

/* --- members by column: cells, and later their labels, the names of numbers and frames --- */

static bool read_symbols(struct saved_reader *r, const struct result_cell *cell)
{
	size_t n = 0;

	json_in_open(&r->in, '[');
	while (json_in_element(&r->in)) {
		if (n == cell->n_frames)
			return json_in_fail(&r->in, "more symbols than frames");
		if (!read_text(r, &r->frames.v[cell->num + n++].symbol))
			return false;
	}
	return !r->in.problem;
}

static bool read_cells(struct saved_reader *r, enum result_role role, bool labels)
{
	const struct result *result = &r->s->result;
	size_t i, next = result_first(result, role);
	struct span name;

	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		i = read_find_column(result, role, name, next);
		if (i == result->n_columns || (labels && !r->given[i]))
			return json_in_fail(&r->in,
					    labels ? "a string for an unknown column"
						   : "a row has a value for an unknown column");
		if (!labels && r->given[i])
			return json_in_fail(&r->in, "a row has two values for a column");
		if (!labels)
			r->given[i] = read_cell(r, &result->columns[i], &r->cells[i]);
		else if (result->columns[i].type == RESULT_STACK)
			read_symbols(r, &r->cells[i]);
		else
			read_text(r, &r->cells[i].label);
		next = i + 1;
	}
	return !r->in.problem;
}

static bool place_frames(struct saved_reader *r)
{
	r->frames_at.n = 0;
	for (size_t i = 0; i < r->frames.n; i++)
		if (array_push(&r->frames_at, &r->frames.v[i]))
			return read_nomem(r);
	for (size_t i = 0; i < r->s->result.n_columns; i++)
		if (r->s->columns[i].type == RESULT_STACK) {
			/* a snapshot may lack them */
			r->cells[i].frames = r->frames.n ? r->frames_at.v + r->cells[i].num : NULL;
			r->cells[i].num = 0;
		}
	return true;
}

/* --- statistics --- */

static bool read_wide(struct saved_reader *r, bool is_signed, struct wide *v)
{
	struct span text;

	if (!json_in_text(&r->in, &text))
		return false;
	return wide_parse(text, is_signed, v) || json_in_fail(&r->in, "an integer is expected");
}

static bool read_values(struct saved_reader *r, bool is_signed)
{
	struct sketch_count c = { 0, 0 };

	r->values.n = 0;
	json_in_open(&r->in, '[');
	while (json_in_element(&r->in)) {
		bool pair = json_in_open(&r->in, '[') && json_in_element(&r->in) &&
			    json_in_number(&r->in, is_signed, &c.value) &&
			    json_in_element(&r->in) && json_in_number(&r->in, false, &c.n) &&
			    !json_in_element(&r->in);

		if (!pair || r->in.problem)
			return json_in_fail(&r->in,
					    "a value and its number of occurrences are expected");
		if (array_push(&r->values, c))
			return read_nomem(r);
	}
	return !r->in.problem;
}

static bool read_end(struct saved_reader *r, bool is_signed, u64 *v)
{
	return json_in_null(&r->in) || json_in_number(&r->in, is_signed, v);
}

static bool read_sketch(struct saved_reader *r, struct sketch *s, struct sketch_sums *sums)
{
	struct span name;
	bool exact = true;

	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		if (span_eq(name, "n"))
			json_in_number(&r->in, false, &s->n);
		else if (span_eq(name, "min"))
			read_end(r, s->is_signed, &s->min);
		else if (span_eq(name, "max"))
			read_end(r, s->is_signed, &s->max);
		else if (span_eq(name, "exact"))
			json_in_bool(&r->in, &exact);
		else if (span_eq(name, "sum"))
			read_wide(r, s->is_signed, &sums->sum);
		else if (span_eq(name, "sum2"))
			read_wide(r, false, &sums->sum2);
		else if (span_eq(name, "values"))
			read_values(r, s->is_signed);
		else
			json_in_skip(&r->in);
	}
	s->rounded = !exact;
	return !r->in.problem;
}

static bool read_stats(struct saved_reader *r)
{
	const struct result *result = &r->s->result;
	struct span name;

	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		size_t i = 0;
		int err;

		while (i < result->n_row_stats && !span_eq(name, result->stats[i].name))
			i++;
		if (i == result->n_row_stats)
			return json_in_fail(&r->in, "statistics for a column that has none");
		sketch_release(&r->sketches[i]);
		r->sketches[i] = (struct sketch)SKETCH_INIT(result->stats[i].is_signed);
		r->sums[i] = (struct sketch_sums){ .sum = { { 0 } } };
		r->values.n = 0;
		if (!read_sketch(r, &r->sketches[i], &r->sums[i]))
			return false;
		err = sketch_restore(&r->sketches[i], &r->sums[i], r->values.v, r->values.n);
		if (err)
			return err == HIST_NOMEM
				       ? read_nomem(r)
				       : json_in_fail(&r->in,
						      "statistics that contradict themselves");
	}
	return !r->in.problem;
}

/* --- rows --- */

/* Members that depend on others, which are read first. */
struct deferred {
	const char *text, *saved_text;
};

static bool read_member(struct saved_reader *r, struct span name, struct result_row *row,
			struct deferred *d)
{
	if (span_eq(name, "key"))
		return read_cells(r, RESULT_KEY, false);
	if (span_eq(name, "val"))
		return read_cells(r, RESULT_VALUE, false);
	if (span_eq(name, "saved"))
		return read_cells(r, RESULT_SAVED, false);
	if (span_eq(name, "stats"))
		return read_stats(r);
	if (span_eq(name, "exemplars"))
		return read_exemplars(r);
	if (span_eq(name, "saved_at")) {
		row->saved = true;
		return json_in_time(&r->in, r->s->info.clock_counts, &row->saved_at);
	}
	if (span_eq(name, "text"))
		d->text = r->in.p;
	else if (span_eq(name, "saved_text"))
		d->saved_text = r->in.p;
	return json_in_skip(&r->in);
}

/* Read labels at @at, if there are any; the position does not change. */
static bool read_deferred(struct saved_reader *r, const char *at, enum result_role role)
{
	const char *end = r->in.p;

	if (!at)
		return true;
	r->in.p = at;
	if (!read_cells(r, role, true))
		return false;
	r->in.p = end;
	return true;
}

static void begin_row(struct saved_reader *r)
{
	memset(r->given, 0, sizeof(r->given));
	r->frames.n = 0;
	if (r->exemplars)
		r->exemplars->n = 0;
	for (size_t i = 0; i < r->s->result.n_row_stats; i++) {
		sketch_release(&r->sketches[i]);
		r->sketches[i].is_signed = r->s->stats[i].is_signed;
		r->sums[i] = (struct sketch_sums){ .sum = { { 0 } } };
	}
}

/* A value is the sum of its samples, as the kernel wraps it, or as a merge saturates it. */
static bool values_fit(const struct saved_reader *r)
{
	const struct result *result = &r->s->result;
	size_t c = result->n_keys;

	for (size_t i = 0; i < result->n_row_stats; i++) {
		const bool is_signed = r->sketches[i].is_signed;
		const struct wide *sum = &r->sums[i].sum;
		const u64 rest = is_signed && sum->w[0] >> 63 ? UINT64_MAX : 0;
		const bool negative = is_signed && wide_is_negative(sum);

		c = read_find_column(result, RESULT_VALUE, span_of(result->stats[i].name), c + 1);
		if (c < result->n_columns && r->cells[c].num != sum->w[0] &&
		    (sum->w[1] == rest ||
		     r->cells[c].num != saturated(0, negative ? -1 : 1, is_signed)))
			return false;
	}
	return true;
}

static bool add_row(struct saved_reader *r, bool saved, u64 saved_at)
{
	const struct result *result = &r->s->result;
	const struct sketch *sketches[SAVED_STATS_MAX];
	struct result_row row;

	for (size_t i = 0; i < result->n_columns; i++)
		if (!r->given[i])
			return json_in_fail(&r->in, "a row lacks a column");
	for (size_t i = 0; i < result->n_row_stats; i++)
		sketches[i] = &r->sketches[i];
	if (!values_fit(r))
		return json_in_fail(&r->in, "a value differs from the sum of its statistics");
	r->many_hits |= add_wrapping(&r->hits, r->cells[result->n_keys].num, false);
	row = (struct result_row){ .cells = r->cells,
				   .sketches = sketches,
				   .exemplars = r->exemplars && r->exemplars->n ? r->exemplars
										: NULL,
				   .saved = saved,
				   .saved_at = saved_at };
	return !stored_add_row(r->s, &row) || read_nomem(r);
}

bool read_row(struct saved_reader *r)
{
	struct result_row row = { .cells = NULL };
	struct deferred d = { NULL, NULL };
	struct span name;
	bool ok = true;

	begin_row(r);
	json_in_open(&r->in, '{');
	while (ok && json_in_member(&r->in, &name))
		ok = read_member(r, name, &row, &d);
	ok = ok && !r->in.problem && read_deferred(r, d.text, RESULT_KEY) &&
	     read_deferred(r, d.saved_text, RESULT_SAVED) && place_frames(r) &&
	     add_row(r, row.saved, row.saved_at);
	begin_row(r);
	return ok;
}

/* --- the snapshot --- */

static bool keep_keys(struct saved_reader *r)
{
	size_t n = r->s->result.n_keys;
	struct result_cell *keys = arena_alloc(&r->s->arena, n * sizeof(*keys));

	if (!keys)
		return read_nomem(r);
	if (!place_frames(r))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!r->given[i])
			return json_in_fail(&r->in, "a snapshot lacks a key");
		if (stored_copy_cell(r->s, i, &r->cells[i], &keys[i]))
			return read_nomem(r);
	}
	r->s->snapshot.keys = keys;
	return true;
}

/* The labels are read after the keys, so their position is kept. */
static bool read_snapshot_keys(struct saved_reader *r, struct span name, void *object UNUSED)
{
	if (span_eq(name, "key"))
		return read_cells(r, RESULT_KEY, false);
	if (span_eq(name, "text"))
		r->snapshot_text = r->in.p;
	return json_in_skip(&r->in);
}

bool read_snapshot(struct saved_reader *r)
{
	struct result_snapshot *s = &r->s->snapshot;

	if (!read_goto(r, "snapshot") || json_in_null(&r->in))
		return !r->in.problem;
	begin_row(r);
	r->snapshot_text = NULL;
	if (!read_object(r, snapshot_members, SNAPSHOT_MEMBERS, s, read_snapshot_keys) ||
	    !read_deferred(r, r->snapshot_text, RESULT_KEY) || !keep_keys(r))
		return false;
	r->s->result.snapshot = s;
	return (s->handler && s->variable) ||
	       json_in_fail(&r->in, "a snapshot without handler or variable");
}
