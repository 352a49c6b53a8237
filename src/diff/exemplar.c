// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Exemplars: for each row and side the saved hit with the largest tracked value and its time, and
 * the hits with the largest values of --exemplars.
 */
#include "diff/join.h"

static int keep_saved(struct join *j, const struct result *r, const struct result_row *from,
		      struct diff_exemplars *e)
{
	size_t first = r->n_keys + r->n_values;
	u64 tracked = result_tracks(r) ? from->cells[first].num : from->saved_at;
	struct strbuf sb = STRBUF_INIT;

	if (e->saved && tracked <= e->saved_of)
		return 0;
	for (size_t i = first; i < r->n_columns; i++) {
		const struct diff_key key = { .column = r->columns[i] };
		struct diff_cell cell = { .num = from->cells[i].num, .max = from->cells[i].max };

		if (from->cells[i].absent || r->columns[i].type == RESULT_STACK)
			continue;
		if (r->columns[i].type == RESULT_TEXT)
			cell.text = from->cells[i].text;
		else if (r->columns[i].has_label)
			cell.text = from->cells[i].label;
		strbuf_addf(&sb, "%s%s ", sb.len ? ", " : "", r->columns[i].name);
		key_print(&key, &cell, true, &sb);
	}
	strbuf_addstr(&sb, " at ");
	text_add_time(&sb, from->saved_at, r->info->clock_counts);
	e->saved = arena_take(&j->arena, &sb);
	e->saved_of = tracked;
	return e->saved ? 0 : HIST_NOMEM;
}

int exemplars_begin(struct join *j, const struct result *r)
{
	int err = 0;

	j->added_exemplars = NULL;
	if (!r->exemplars)
		return 0;
	if (!j->exemplars.name)
		err = exemplars_describe(&j->arena, r->exemplars, &j->exemplars);
	/* those of the runs before may be another number */
	if (err || strcmp(j->exemplars.name, r->exemplars->name) ||
	    j->exemplars.is_signed != r->exemplars->is_signed)
		return err;
	j->exemplars.max = min_t(u32, j->exemplars.max, r->exemplars->max);
	j->added_exemplars = exemplar_row_in(&j->arena, r->exemplars->max);
	return j->added_exemplars ? exemplar_copier_init(&j->copier, &j->arena, r->info)
				  : HIST_NOMEM;
}

/* Most rows are of one run, and have no more than they need. */
static int add_largest(struct join *j, const struct exemplar_row *from, struct diff_exemplars *e)
{
	const struct exemplar_row *old = e->largest;
	u32 n = min_t(u32, from->n + (old ? old->n : 0), j->exemplars.max);

	if (!old || n > old->max) {
		e->largest = exemplar_row_in(&j->arena, old ? j->exemplars.max : n);
		if (!e->largest)
			return HIST_NOMEM;
		if (old)
			exemplar_row_merge(e->largest, old, j->exemplars.is_signed);
	}
	exemplar_row_merge(e->largest, from, j->exemplars.is_signed);
	return 0;
}

/* Those of a side; NULL: out of memory. */
static struct diff_exemplars *side_of(struct join *j, struct diff_row *row, size_t side)
{
	if (!row->exemplars)
		row->exemplars = arena_alloc(&j->arena, j->n_sides * sizeof(*row->exemplars));
	return row->exemplars ? &row->exemplars[side] : NULL;
}

int exemplars_keep(struct join *j, const struct result *r, const struct result_row *from,
		   size_t side, struct diff_row *row)
{
	bool largest = from->exemplars && from->exemplars->n && j->added_exemplars;
	struct diff_exemplars *e;
	int err = 0;

	if (!from->saved && !largest)
		return 0;
	e = side_of(j, row, side);
	if (!e)
		return HIST_NOMEM;
	if (from->saved)
		err = keep_saved(j, r, from, e);
	if (err || !largest)
		return err;
	err = exemplar_copy(&j->copier, from->exemplars, j->added_exemplars);
	return err ? err : add_largest(j, j->added_exemplars, e);
}

int exemplars_add_to_all(struct join *j, const struct diff_row *row)
{
	int err = 0;

	for (size_t side = 0; row->exemplars && side < j->n_sides && !err; side++) {
		struct diff_exemplars *all = side_of(j, &j->all, side);

		if (!all)
			return HIST_NOMEM;
		if (row->exemplars[side].largest)
			err = add_largest(j, row->exemplars[side].largest, all);
	}
	return err;
}

const struct diff_exemplars *row_exemplars(const struct diff_row *row, size_t side)
{
	const struct diff_exemplars *e = row->exemplars ? &row->exemplars[side] : NULL;

	return e && (e->saved || e->largest) ? e : NULL;
}

u32 exemplars_shown(const struct join *j, const struct diff_exemplars *e)
{
	return e && e->largest ? min_t(u32, e->largest->n, j->exemplars.max) : 0;
}

/* The first run of a side, and the number of its runs. */
static const struct diff_run *runs_of(const struct join *j, size_t side, size_t *n)
{
	const struct diff_run *first = NULL;

	*n = 0;
	for (size_t i = j->n_runs; i > 0; i--)
		if (j->runs[i - 1].side == side) {
			first = &j->runs[i - 1];
			++*n;
		}
	return first;
}

void exemplars_print(const struct join *j, size_t side, const struct diff_exemplars *e,
		     struct strbuf *out)
{
	u32 n = exemplars_shown(j, e);
	size_t n_runs;
	const struct diff_run *run = runs_of(j, side, &n_runs);

	if (!n && e->saved)
		strbuf_addstr(out, e->saved);
	for (u32 i = 0; i < n; i++) {
		const struct exemplar *x = &e->largest->v[i];

		strbuf_addstr(out, i ? ", " : "");
		if (!i)
			strbuf_addf(out, "%s ", j->exemplars.name);
		text_add_number(out, x->value, j->exemplars.is_signed);
		strbuf_addf(out, "%s%s at ", j->exemplars.unit ? " " : "",
			    j->exemplars.unit ? j->exemplars.unit : "");
		text_add_time(out, x->at, run->clock_counts);
		strbuf_addf(out, ",%u %.*s-%d", x->cpu, EXEMPLAR_COMM_LEN, x->comm, x->pid);
		if (x->file && n_runs > 1)
			strbuf_addf(out, " in %s", x->file);
	}
}
