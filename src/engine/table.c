// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Freezing. Enters: a trigger with its map. Leaves: its rows in the order of output, with
 * what percent and graph need to know of the whole. Up to the kernel's limits the order is
 * the kernel's, ties included.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/bind.h"
#include "engine/engine.h"
#include "engine/prog.h"

const char *elt_comm(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return hd->has_comm ? tracing_map_private(hd->map, elt) : "(no comm)";
}

/* In bytes from the entry's begin. */
u32 elt_string_at(const struct hist_data *hd, u32 i)
{
	return hd->map->private_at * 8 + (hd->has_comm ? TASK_COMM_LEN : 0) + i * STR_VAR_LEN_MAX;
}

u64 *elt_saved_at(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return (u64 *)tracing_map_private(hd->map, elt) + hd->private_at / 8;
}

struct sketch **elt_sketches(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return (struct sketch **)(void *)(elt_saved_at(hd, elt) + (hd->n_save_vars != 0));
}

static bool is_string_key(const struct event_field *f)
{
	return f->filter_type == FILTER_STATIC_STRING || f->filter_type == FILTER_DYN_STRING ||
	       f->filter_type == FILTER_RDYN_STRING || f->filter_type == FILTER_PTR_STRING;
}

/* kernel: a field of the record is compared in its own size, anything else as 64 bits. */
static struct tracing_map_sort_key key_order(const struct hist_field *f)
{
	struct tracing_map_sort_key order = {
		.cmp = TRACING_MAP_CMP_NUM, .at = f->offset, .size = 8, .is_signed = f->is_signed
	};

	if (f->flags & HIST_FIELD_FL_STACKTRACE) {
		order.cmp = TRACING_MAP_CMP_NONE;
	} else if (f->flags & HIST_FIELD_FL_COMM) {
		order.cmp = TRACING_MAP_CMP_STRING;
	} else if (f->field && !(f->flags & HIST_FIELD_FL_CPU)) {
		if (is_string_key(f->field))
			order.cmp = TRACING_MAP_CMP_STRING;
		order.size = f->field->size;
		order.is_signed = f->field->is_signed;
	}
	return order;
}

static struct tracing_map_sort_key order_of(const struct hist_data *hd, size_t i)
{
	u32 idx = hd->sort_keys[i].field_idx, n_sums = hd->n_vals - hd->n_vars;
	struct tracing_map_sort_key order = { .cmp = TRACING_MAP_CMP_SUM, .at = idx };

	if (idx >= n_sums)
		order = key_order(hd->fields[idx + hd->n_vars]);
	order.descending = hd->sort_keys[i].descending;
	return order;
}

static void sum_up(struct table *table)
{
	const struct hist_data *hd = table->hist;

	for (size_t r = 0; r < table->n_rows; r++) {
		const u64 *sums = tracing_map_sums(table->rows[r]);

		for (u32 i = 0; i < hd->n_vals - hd->n_vars; i++) {
			table->stats[i].total += sums[i];
			table->stats[i].max = max_t(u64, table->stats[i].max, sums[i]);
		}
	}
}

/* --- beyond the kernel's limits --- */

static bool is_beyond(const struct hist_data *hd)
{
	return hd->n_sort_keys > TRACING_MAP_SORT_KEYS_MAX || hd->map->n_elts > 1u << hd->map_bits;
}

/* A part of the key as a whole: numbers by value, texts by their bytes, stacks by addresses. */
static struct tracing_map_sort_key whole_key_order(const struct hist_field *f, u32 long_size)
{
	const u32 rounded = HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET;
	struct tracing_map_sort_key order = {
		.cmp = TRACING_MAP_CMP_NUM, .at = f->offset, .size = 8, .is_signed = f->is_signed
	};

	if (f->flags & rounded && f->operands[0])
		order.is_signed = f->operands[0]->is_signed;
	if (f->flags & HIST_FIELD_FL_STACKTRACE)
		order.cmp = TRACING_MAP_CMP_LONGS;
	else if (f->flags & HIST_FIELD_FL_STRING)
		order.cmp = TRACING_MAP_CMP_STRING;
	if (order.cmp != TRACING_MAP_CMP_NUM)
		order.size = f->size;
	order.is_short = long_size == 4;
	return order;
}

/* The sort keys, then the whole key, field by field: no two rows are equal. */
static int sort_beyond(const struct hist_data *hd, struct tracing_map_elt ***rows)
{
	struct tracing_map_sort_key order[MAX_SORT_KEYS + MAX_KEYS];
	size_t n = 0;
	u32 i;

	for (size_t s = 0; s < hd->n_sort_keys; s++) {
		order[n] = order_of(hd, s);
		if (order[n].cmp == TRACING_MAP_CMP_STRING)
			order[n].size = hd->fields[hd->sort_keys[s].field_idx + hd->n_vars]->size;
		n += order[n].cmp != TRACING_MAP_CMP_NONE;
	}
	for_each_hist_key_field(i, hd)
		order[n++] = whole_key_order(hd->fields[i], hd->program->long_size);
	return tracing_map_sort_stable(hd->map, order, n, rows);
}

static int sort_rows(const struct hist_data *hd, const struct kernel_quirks *quirks,
		     struct tracing_map_elt ***rows)
{
	struct tracing_map_sort_key order[TRACING_MAP_SORT_KEYS_MAX];

	if (is_beyond(hd))
		return sort_beyond(hd, rows);
	for (size_t i = 0; i < hd->n_sort_keys; i++)
		order[i] = order_of(hd, i);
	return tracing_map_sort_entries(hd->map, order, hd->n_sort_keys, quirks->heapsort, rows);
}

/* --- slices of time --- */

static void forget_var(const struct tracing_map *map, struct tracing_map_elt *elt, u32 idx)
{
	tracing_map_set_var(map, elt, idx, 0);
	tracing_map_unset_var(map, elt, idx);
}

static void forget_hits(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	memset(tracing_map_sums(elt), 0, hd->map->desc.n_sums * sizeof(u64));
	for (u32 i = 0; i < hd->n_actions; i++)
		if (hd->actions[i]->track_var)
			forget_var(hd->map, elt, hd->actions[i]->track_var->var.idx);
	for (u32 i = 0; i < hd->n_save_vars; i++)
		forget_var(hd->map, elt, hd->save_vars[i]->var->var.idx);
}

void hist_data_slice(struct hist_data *hd)
{
	struct snapshot *snapshot = hd->file->tr->snapshot;

	if (snapshot && snapshot->hist == hd)
		snapshot->updated = false;
	if (!hd->n_map_vars) {
		hist_data_clear(hd);
		return;
	}
	for (u32 i = 0; i < hd->map->n_elts; i++)
		forget_hits(hd, tracing_map_elt_at(hd->map, i));
	if (hd->stats)
		hist_stats_empty(hd->stats);
	hd->map->hits = hd->map->drops = 0;
	hd->sliced = true;
}

/* Entries that had no hit in this slice are none of it. */
static void leave_out(struct table *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n_rows; i++)
		if (tracing_map_sums(table->rows[i])[HITCOUNT_IDX])
			table->rows[n++] = table->rows[i];
	table->n_rows = n;
}

int table_new(const struct trigger *trigger, const struct kernel_quirks *quirks, struct table **out)
{
	const struct hist_data *hd = trigger->hist;
	struct table *table = calloc(1, sizeof(*table));
	int err;

	if (!table)
		return HIST_NOMEM;
	table->trigger = trigger;
	table->hist = hd;
	table->hits = hd->map->hits;
	table->drops = hd->map->drops;
	table->n_rows = hd->map->n_elts;
	err = sort_rows(hd, quirks, &table->rows);
	if (err) {
		free(table);
		return err;
	}
	if (hd->sliced)
		leave_out(table);
	sum_up(table);
	*out = table;
	return 0;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	free(table->rows);
	free(table);
}
