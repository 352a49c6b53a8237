// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps a hit as an exemplar if its value is among the largest of its entry. */
#include <stdlib.h>

#include "program/entry.h"
#include "program/exemplars.h"
#include "program/hit.h"
#include "program/value.h"
#include "run/hist_run.h"

static struct exemplar_row *new_row(struct hist_exemplars *exemplars)
{
	struct exemplar_row *row = exemplar_row_new(exemplars->max);

	if (row && array_push(&exemplars->rows, row)) {
		free(row);
		return NULL;
	}
	return row;
}

static void describe(struct exemplar *e, const struct hit *hit)
{
	const char *comm = hit->pid < 0 ? "<XXX>"
			   : hit->pid   ? hit->source->comm(hit->source->arg, hit)
					: "<idle>";

	e->cpu = hit->cpu;
	e->pid = hit->pid;
	/* not text_copy(), which reads whole words: some names are shorter constants */
	memset(e->comm, 0, sizeof(e->comm));
	memcpy(e->comm, comm, strnlen(comm, sizeof(e->comm) - 1));
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

void hist_exemplars_hit(struct hist_data *hd, struct tracing_map_elt *elt, const struct hit *hit,
			const u64 *refs)
{
	struct hist_exemplars *exemplars = hd->exemplars;
	struct exemplar_row **row = elt_exemplars(hd, elt);
	bool is_signed = exemplars_number(exemplars->field)->is_signed;
	u64 value = value_num(exemplars->value, hit, refs);
	struct exemplar *e;

	if (exemplars->moments)
		note_moment(exemplars->moments, value, is_signed, hit->ts);
	if (!*row)
		*row = new_row(exemplars);
	if (!*row) {
		hd->map->failed = true;
		return;
	}
	e = exemplar_row_add(*row, value, hit->ts, is_signed);
	if (e)
		describe(e, hit);
}
