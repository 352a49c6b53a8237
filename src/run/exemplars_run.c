// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps a hit as an exemplar if its value is among the largest of its entry. */
#include <stdlib.h>

#include "program/entry.h"
#include "program/exemplars.h"
#include "program/hit.h"
#include "program/value.h"
#include "run/hist_run.h"

static exemplar_row_array *rows_of(struct hist_exemplars *exemplars, u32 part)
{
	return part ? &exemplars->parts[part - 1] : &exemplars->rows;
}

static struct exemplar_row *new_row(struct hist_exemplars *exemplars, u32 part)
{
	struct exemplar_row *row = exemplar_row_new(exemplars->max);

	if (row && array_push(rows_of(exemplars, part), row)) {
		free(row);
		return NULL;
	}
	return row;
}

static void describe(struct exemplar *e, const struct hit *hit)
{
	e->cpu = hit->cpu;
	e->pid = hit->pid;
	hist_comm_copy(e->comm, hit);
}

static void set_names(struct exemplar_row *row, const struct run_source *source)
{
	for (struct exemplar *e = row->v; e < row->v + row->n; e++) {
		const struct hit hit = {
			.cpu = e->cpu, .pid = e->pid, .ts = e->at, .at = e->place, .source = source
		};

		hist_comm_copy(e->comm, &hit);
	}
}

void hist_exemplars_set_names(const struct hist_exemplars *exemplars,
			      const struct run_source *source)
{
	for (size_t i = 0; i < exemplars->rows.n; i++)
		set_names(exemplars->rows.v[i], source);
}

static bool is_less(u64 a, u64 b, bool is_signed)
{
	return is_signed ? (s64)a < (s64)b : a < b;
}

static bool is_beyond(const struct moments *m, u64 value)
{
	bool less = is_less(value, m->limit, m->is_signed);

	switch (m->op) {
	case MOMENTS_GE:
		return !less;
	case MOMENTS_GT:
		return !less && value != m->limit;
	case MOMENTS_LE:
		return less || value == m->limit;
	case MOMENTS_LT:
		return less;
	default:
		return value == m->limit;
	}
}

static void note_moment(struct moments *m, u64 value, bool is_signed, u64 at)
{
	m->is_signed = is_signed;
	if (!m->any || is_less(value, m->min, is_signed))
		m->min = value;
	if (!m->any || is_less(m->max, value, is_signed))
		m->max = value;
	m->any = true;
	if (is_beyond(m, value))
		m->failed |= array_push(&m->at, at) != 0;
}

bool hist_exemplars_add(const struct hist_data *hd, struct tracing_map_elt *elt, u64 value,
			const struct hit *hit)
{
	struct hist_exemplars *exemplars = hd->exemplars;
	struct exemplar_row **row = elt_exemplars(hd, elt);
	const struct exemplar new = { .value = value, .at = hit->ts, .place = hit->at };
	struct exemplar *e;

	if (!*row)
		*row = new_row(exemplars, hit->part);
	if (!*row)
		return false;
	e = exemplar_row_add(*row, &new, exemplars_number(exemplars->field)->is_signed);
	if (e)
		describe(e, hit);
	return true;
}

void hist_exemplars_hit(struct hist_data *hd, struct tracing_map_elt *elt, const struct hit *hit,
			const u64 *refs)
{
	struct hist_exemplars *exemplars = hd->exemplars;
	struct tracing_map *map = hit->part ? hd->parts[hit->part - 1] : hd->map;
	u64 value = value_num(exemplars->value, hit, refs);

	if (exemplars->moments)
		note_moment(exemplars->moments, value,
			    exemplars_number(exemplars->field)->is_signed, hit->ts);
	map->failed |= !hist_exemplars_add(hd, elt, value, hit);
}

/* The rows of a part, whose entries are joined, are the histogram's from now on. */
static bool take_rows(struct hist_exemplars *exemplars, u32 nr)
{
	exemplar_row_array *rows = &exemplars->parts[nr];

	for (; rows->n; rows->n--)
		if (array_push(&exemplars->rows, rows->v[rows->n - 1]))
			return false;
	return true;
}

bool hist_exemplars_join(const struct hist_data *hd, const struct tracing_map *part, u32 nr)
{
	bool is_signed = exemplars_number(hd->exemplars->field)->is_signed;

	for (u32 i = 0; i < part->n_elts; i++) {
		struct tracing_map_elt *src = tracing_map_elt_at(part, i), *dst;
		struct exemplar_row *from = *elt_exemplars(hd, src), **to;
		const u64 *key = tracing_map_key(part, src);

		dst = from ? tracing_map_lookup(hd->map, key, tracing_map_hash(part, key)) : NULL;
		to = dst ? elt_exemplars(hd, dst) : NULL;
		if (to && !*to)
			*to = from;
		else if (to && *to != from)
			exemplar_row_merge(*to, from, is_signed);
	}
	return take_rows(hd->exemplars, nr);
}
