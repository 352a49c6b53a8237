// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Enters: a table whose entries have sketches. Leaves: what is known over all rows: their
 * sketches added up, and those of the keys that are numbers, which need no samples of
 * their own: every hit has its row's key.
 */
#include "print/names.h"
#include "print/print.h"
#include "print/result_stats.h"

struct maker {
	struct result_stats *stats;
	const struct table *table;
	struct arena *arena;
	struct names names;
};

static int add(struct maker *m, struct result_stat stat, struct sketch **all)
{
	stat.name = names_add(&m->names, stat.name);
	if (!stat.name)
		return HIST_NOMEM;
	*all = &m->stats->sketches[2 * m->stats->n];
	all[0]->is_signed = stat.is_signed;
	(*all)[1].is_signed = stat.is_signed;
	stat.all = *all;
	m->stats->v[m->stats->n++] = stat;
	return 0;
}

/* A value or variable: what the rows have, added up. */
static int add_field(struct maker *m, u32 i)
{
	const struct hist_data *hd = m->table->hist;
	const struct hist_field *f = hd->stats->v[i].field;
	struct result_stat stat = { .name = f->var.name ? f->var.name : f->label,
				    .is_signed = f->is_signed,
				    .unit = result_unit(
					    f, &m->table->trigger->file->tr->tracing->machine) };
	struct sketch *all;
	int err = add(m, stat, &all);

	for (size_t r = 0; r < m->table->n_rows && !err; r++) {
		const struct sketch *row = hist_stats_of(hd, m->table->rows[r]);

		if (row)
			err = sketch_merge(all, &row[i]);
	}
	return err;
}

static int add_key(struct maker *m, const struct hist_field *f, size_t i)
{
	const struct machine *machine = &m->table->trigger->file->tr->tracing->machine;
	struct result_column column = result_key_column(f, machine, m->arena);
	struct result_stat stat = {
		.name = column.name, .is_signed = column.is_signed, .unit = column.unit, .column = i
	};
	bool is_range = column.type == RESULT_RANGE;
	struct sketch *all;
	int err = 0;

	if (!column.name)
		return HIST_NOMEM;
	if (column.has_label || (column.type != RESULT_NUMBER && !is_range))
		return 0;
	err = add(m, stat, &all);
	if (err)
		return err;
	if (is_range)
		m->stats->v[m->stats->n - 1].all_max = all + 1;
	for (size_t r = 0; r < m->table->n_rows && !err; r++) {
		struct tracing_map_elt *elt = m->table->rows[r];
		const u8 *key = tracing_map_key(m->table->hist->map, elt);
		struct sketch_range range = result_key_range(f, machine, key + f->offset);
		u64 hits = tracing_map_sums(elt)[HITCOUNT_IDX];

		err = sketch_add(all, range.min, hits);
		if (!err && is_range)
			err = sketch_add(all + 1, range.max, hits);
	}
	return err;
}

static int add_all(struct maker *m)
{
	const struct hist_data *hd = m->table->hist;
	u32 n = hd->stats ? hd->stats->n : 0, i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = add_field(m, i);
	m->stats->n_row = m->stats->n;
	for_each_hist_key_field(i, hd) err = err ? err : add_key(m, hd->fields[i], i - hd->n_vals);
	return err;
}

int result_stats_init(struct result_stats *stats, const struct table *table, struct arena *arena)
{
	const struct hist_data *hd = table->hist;
	struct maker m = {
		.stats = stats, .table = table, .arena = arena, .names = { .arena = arena }
	};
	size_t max = (hd->stats ? hd->stats->n : 0) + hd->n_keys;
	int err;

	stats->v = arena_alloc(arena, max * sizeof(*stats->v));
	stats->sketches = arena_alloc(arena, 2 * max * sizeof(*stats->sketches));
	stats->row = arena_alloc(arena, max * sizeof(*stats->row));
	if (!stats->v || !stats->sketches || !stats->row)
		return HIST_NOMEM;
	err = add_all(&m);
	names_release(&m.names);
	return err;
}

void result_stats_release(struct result_stats *stats)
{
	for (size_t i = 0; i < 2 * stats->n; i++)
		sketch_release(&stats->sketches[i]);
}

const struct sketch *const *result_stats_row(struct result_stats *stats, const struct hist_data *hd,
					     struct tracing_map_elt *elt)
{
	const struct sketch *row = stats->n_row ? hist_stats_of(hd, elt) : NULL;

	for (size_t i = 0; i < stats->n_row; i++)
		stats->row[i] = row ? &row[i] : &stats->none;
	return stats->row;
}
