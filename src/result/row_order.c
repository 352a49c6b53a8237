// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The order of rows. Within the kernel's limits it is the kernel's, including ties; beyond them no
 * two rows are equal.
 */
#include "program/program.h"
#include "result/freezer.h"

/* kernel: a field of the record is compared in its own size, any other as 64 bits. */
static struct tracing_map_sort_key key_order(const struct hist_field *f)
{
	struct tracing_map_sort_key order = {
		.cmp = TRACING_MAP_CMP_NUM, .at = f->offset, .size = 8, .is_signed = f->is_signed
	};

	if (f->ranges) {
		/* a number of its own, see struct key_ranges */
	} else if (f->flags & HIST_FIELD_FL_STACKTRACE) {
		order.cmp = TRACING_MAP_CMP_NONE;
	} else if (f->flags & HIST_FIELD_FL_COMM) {
		/*
		 * kernel: under its own name it is compared as a number of 256 bytes, which means
		 * that it is not compared
		 */
		order.cmp = f->field || f->size == TASK_COMM_LEN ? TRACING_MAP_CMP_STRING
								 : TRACING_MAP_CMP_NONE;
	} else if (f->flags & (HIST_FIELD_FL_WHO | HIST_FIELD_FL_CODE)) {
		/* numbers of texts are in the order of these, or have ranks */
	} else if (f->field && !(f->flags & HIST_FIELD_FL_CPU)) {
		if (f->field->filter_type == FILTER_STATIC_STRING ||
		    f->field->filter_type == FILTER_DYN_STRING ||
		    f->field->filter_type == FILTER_RDYN_STRING ||
		    f->field->filter_type == FILTER_PTR_STRING)
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

/* --- beyond the kernel's limits --- */

/* A whole part of the key: numbers by value, strings by bytes, stacks by addresses. */
static struct tracing_map_sort_key whole_key_order(const struct hist_field *f, u32 long_size)
{
	const u32 rounded = HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET;
	struct tracing_map_sort_key order = {
		.cmp = TRACING_MAP_CMP_NUM, .at = f->offset, .size = 8, .is_signed = f->is_signed
	};

	if (f->flags & rounded && f->expr.operands[0] && !f->ranges)
		order.is_signed = f->expr.operands[0]->is_signed;
	if (f->flags & HIST_FIELD_FL_STACKTRACE)
		order.cmp = TRACING_MAP_CMP_LONGS;
	else if (f->flags & HIST_FIELD_FL_STRING)
		order.cmp = TRACING_MAP_CMP_STRING;
	if (order.cmp != TRACING_MAP_CMP_NUM)
		order.size = f->size;
	order.is_short = long_size == 4;
	return order;
}

/*
 * Numbers of texts about code, and while events are recorded about tasks (@tasks), are in the order
 * of the questions: their ranks are those of texts.
 */
static bool rank_texts(const struct hist_data *hd, const struct hist_field *f, const u32 *tasks,
		       struct tracing_map_sort_key *order)
{
	if (order->cmp != TRACING_MAP_CMP_NUM)
		return true;
	if (hist_field_is_who_text(f) && tasks) {
		order->ranks = tasks;
		order->n_ranks = hd->tracing->count->texts->n;
	}
	if (!hist_field_is_code(f))
		return true;
	order->ranks = code_ranks(hd->tracing->machine.code, f->code);
	order->n_ranks = UINT32_MAX;
	return order->ranks;
}

/* The sort keys, then the whole key, field by field: no two rows are equal. */
static long sort_beyond(const struct hist_count *hc, struct tracing_map_elt ***rows)
{
	const struct hist_data *hd = hc->hd;
	const struct who_texts *texts = hd->asks_who ? hd->tracing->count->texts : NULL;
	struct tracing_map_sort_key order[MAX_SORT_KEYS + MAX_KEYS];
	size_t n = 0;
	u32 *ranks, i;
	bool failed;
	long sorted = HIST_NOMEM;

	ranks = texts && texts->unsorted ? text_ranks(texts->v, texts->n) : NULL;
	failed = texts && texts->unsorted && !ranks;

	for (size_t s = 0; s < hd->n_sort_keys; s++) {
		order[n] = order_of(hd, s);
		if (order[n].cmp == TRACING_MAP_CMP_STRING)
			order[n].size = hd->fields[hd->sort_keys[s].field_idx + hd->n_vars]->size;
		n += order[n].cmp != TRACING_MAP_CMP_NONE;
	}
	for_each_hist_key_field(i, hd) {
		order[n] = whole_key_order(hd->fields[i], hd->program->long_size);
		for (size_t s = 0; s <= n; s++)
			if (order[s].at == order[n].at &&
			    !rank_texts(hd, hd->fields[i], ranks, &order[s]))
				failed = true;
		n++;
	}
	if (!failed)
		sorted = tracing_map_sort_stable(hist_map(hc), order, n,
						 hd->tracing->options.threads, rows);
	free(ranks);
	return sorted;
}

static long sort_rows(const struct hist_count *hc, struct tracing_map_elt ***rows)
{
	const struct hist_data *hd = hc->hd;
	struct tracing_map_sort_key order[TRACING_MAP_SORT_KEYS_MAX];

	/* numbers of texts differ between recordings, and with them the order in the map */
	if (hd->rules->rows_by_key || hd->asks_who || hd->asks_code ||
	    hd->n_sort_keys > TRACING_MAP_SORT_KEYS_MAX ||
	    hist_map(hc)->n_elts > 1u << hd->map_bits)
		return sort_beyond(hc, rows);
	for (size_t i = 0; i < hd->n_sort_keys; i++)
		order[i] = order_of(hd, i);
	return tracing_map_sort_entries(hist_map(hc), order, hd->n_sort_keys,
					hd->rules->heapsort_pairs ? HEAPSORT_6_12 : HEAPSORT_6_1,
					rows);
}

int rows_in_order(const struct hist_count *hc, struct tracing_map_elt ***rows, size_t *n)
{
	long sorted = sort_rows(hc, rows);

	if (sorted < 0)
		return (int)sorted;
	*n = (size_t)sorted;
	return 0;
}
