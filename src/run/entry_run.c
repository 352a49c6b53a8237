// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What a hit adds to its entry besides sums and variables: the name of the task of the first hit,
 * samples, and exemplars.
 */
#include "program/exemplars.h"
#include "run/hist_run.h"

/*
 * --- the first hit ---
 *
 * Threads that do not count in time order compare the places of hits; so the first one is the same
 * for any number of threads.
 */

/*
 * Copy the name of the task that the kernel shows: that of the idle tasks is another one. @to:
 * TASK_COMM_LEN bytes
 */
static void hist_comm_copy(char *to, const struct hit *hit)
{
	comm_copy(to, hit->pid < 0 ? "<XXX>"
		      : hit->pid   ? hit->context->comm(hit->context->arg, hit)
				   : "<idle>");
}

void hist_first_hit(struct first_hit *first, const struct hit *hit)
{
	hist_comm_copy(first->comm, hit);
	first->ts = hit->ts;
	first->at = hit->at;
	first->cpu = hit->cpu;
	first->pid = hit->pid;
}

void hist_set_names(const struct hist_count *hc, const struct hit_context *context)
{
	if (hc->hd->has_comm) {
		const struct tracing_map *map = hist_map(hc);

		for (u32 i = 0; i < map->n_elts; i++) {
			struct first_hit *first = elt_first_hit(hc->hd, tracing_map_elt_at(map, i));
			const struct hit hit = { .cpu = first->cpu,
						 .pid = first->pid,
						 .ts = first->ts,
						 .at = first->at,
						 .context = context };

			if (first->at)
				hist_comm_copy(first->comm, &hit);
		}
	}
	array_each_ptr(struct exemplar_row, row, &hc->parts->exemplars) {
		array_each_of(struct exemplar, e, row->v, row->n) {
			const struct hit hit = { .cpu = e->cpu,
						 .pid = e->pid,
						 .ts = e->at,
						 .at = e->place,
						 .context = context };

			hist_comm_copy(e->comm, &hit);
		}
	}
}

/* --- samples --- */

void hist_samples_hit(const struct hist_count *hc, struct tracing_map_elt *elt,
		      const struct hit *hit, const u64 *refs)
{
	const struct hist_data *hd = hc->hd;
	const struct update_step *steps = hd->program->updates.steps;
	const struct hist_stats *stats = hd->stats;
	struct hist_part *part = &hc->parts[hit->part];
	u64 *samples = elt_samples(hd, elt);

	for (u32 i = 0; i < stats->n; i++)
		if (samples_add(&samples[i], value_num(&steps[stats->v[i].step].value, hit, refs),
				stats->v[i].field->is_signed))
			part->map->failed = true;
}

bool hist_samples_column(const struct hist_data *hd, u32 stat, const struct hist_column *column)
{
	const bool is_signed = hd->stats->v[stat].field->is_signed;
	const u32 word = elt_samples_word(hd) + stat;
	struct sketch *sketches[TRACING_MAP_BATCH];
	u64 values[TRACING_MAP_BATCH];
	u32 n = 0;

	for (u32 i = 0; i < column->n; i++) {
		u64 *at = &column->elts[i]->words[word];
		struct sketch *s = samples_sketch(*at);

		if (unlikely(!s || s->refs > 1)) {
			if (!*at && samples_set_one(at, column->values[i], is_signed))
				continue;
			s = samples_own(at, is_signed);
			if (!s)
				return false;
		}
		__builtin_prefetch(s, 1);
		sketches[n] = s;
		values[n++] = column->values[i];
	}
	for (u32 i = 0; i < n; i++)
		sketch_prefetch(sketches[i], values[i]);
	return all_of(i, n, likely(!sketch_add(sketches[i], values[i], 1)));
}

/* --- exemplars: hits whose value is among the largest of the entry --- */

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
	u64 took;

	m->is_signed = is_signed;
	if (!m->any || is_less(value, m->min, is_signed))
		m->min = value;
	if (!m->any || is_less(m->max, value, is_signed))
		m->max = value;
	m->any = true;
	/* with what was lost when the value was rounded; a difference below 0 took no time */
	took = m->unit && (s64)value > 0 ? min_t(u64, at / m->unit, value) * m->unit + m->unit - 1
					 : 0;
	if (is_beyond(m, value))
		m->failed |= array_push(&m->hits,
					((struct moment){ at - min_t(u64, at, took), at })) != 0;
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
