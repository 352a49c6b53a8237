// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps a hit as an exemplar if its value is among the largest of its entry. */
#include <stdlib.h>

#include "program/entry.h"
#include "program/exemplars.h"
#include "program/hit.h"
#include "program/value.h"
#include "run/hist_run.h"

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

bool hist_exemplars_add(const struct hist_count *hc, struct tracing_map_elt *elt, u64 value,
			const struct hit *hit)
{
	const struct hist_data *hd = hc->hd;
	const struct exemplar new = { .value = value, .at = hit->ts, .place = hit->at };
	struct exemplar_row *row =
		hist_part_exemplars(&hc->parts[hit->part], hd, elt_exemplars(hd, elt));
	struct exemplar *e;

	if (!row)
		return false;
	e = exemplar_row_add(row, &new, exemplars_number(hd->exemplars->field)->is_signed);
	if (!e)
		return true;
	e->cpu = hit->cpu;
	e->pid = hit->pid;
	hist_comm_copy(e->comm, hit);
	return true;
}

void hist_exemplars_hit(const struct hist_count *hc, struct tracing_map_elt *elt,
			const struct hit *hit, const u64 *refs)
{
	const struct hist_exemplars *exemplars = hc->hd->exemplars;
	u64 value = value_num(exemplars->value, hit, refs);

	if (exemplars->moments)
		note_moment(exemplars->moments, value,
			    exemplars_number(exemplars->field)->is_signed, hit->ts);
	hc->parts[hit->part].map->failed |= !hist_exemplars_add(hc, elt, value, hit);
}
