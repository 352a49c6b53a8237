// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Batches. Enters: some hundred records. Leaves: a thread's own map, counted up.
 *
 * A column holds one number for each record that is still in the batch; the operators of
 * a value are carried out on whole columns. What is computed is what value.c computes
 * record by record; tests/unit/replay_order_test.c holds both against each other.
 */
#include <stdlib.h>

#include "engine/engine.h"
#include "engine/value.h"

enum { COLUMNS_MAX = 8 }; /* an expression has at most 3 operators */

struct batch_hist {
	const struct hist_data *hd;
	struct tracing_map *map;
	struct batch in; /* what passed the filter */
	u64 columns[COLUMNS_MAX][BATCH_MAX];
	struct tracing_map_elt *elts[BATCH_MAX];
	u64 *keys; /* BATCH_MAX keys, one behind the other */
};

/* --- which histograms --- */

static bool is_plain_value(const struct value *v)
{
	return v->kind == VALUE_NUM || v->kind == VALUE_STATIC || v->kind == VALUE_DYN ||
	       v->kind == VALUE_RDYN;
}

bool hist_keys_are_plain(const struct hist_data *hd)
{
	const struct hist_program *p = hd->program;

	for (u32 i = 0; i < p->n_keys; i++)
		if (!is_plain_value(&p->keys[i].value))
			return false;
	return true;
}

static bool hist_is_order_free(const struct hist_data *hd)
{
	if (hd->n_vars || hd->n_var_refs || hd->n_actions || hd->n_map_vars || hd->has_comm ||
	    hd->stats)
		return false;
	return hist_keys_are_plain(hd);
}

bool event_file_is_switched(const struct event_file *file)
{
	for (const struct event_file *f = file->tr->files; f; f = f->next)
		for (size_t i = 0; i < f->triggers.n; i++)
			if (f->triggers.v[i]->target == file &&
			    f->triggers.v[i]->kind >= TRIGGER_ENABLE_HIST)
				return true;
	return false;
}

bool triggers_are_order_free(const struct event_file *file)
{
	if (!file->triggers.n || event_file_is_switched(file))
		return false;
	for (size_t i = 0; i < file->triggers.n; i++) {
		const struct trigger *t = file->triggers.v[i];

		/* what stays paused counts nothing, which the ordered replay knows */
		if (!t->hist || t->initial.paused || !hist_is_order_free(t->hist) ||
		    (t->filter && t->filter->needs_comm))
			return false;
	}
	return true;
}

bool event_file_is_order_free(const struct event_file *file)
{
	return !file->synth && triggers_are_order_free(file);
}

/* --- one thread's part --- */

struct batch_hist *batch_hist_new(const struct hist_data *hd, bool frozen)
{
	struct batch_hist *bh = calloc(1, sizeof(*bh));

	if (!bh)
		return NULL;
	bh->hd = hd;
	bh->map = tracing_map_new(&hd->map->desc);
	bh->keys = malloc((size_t)BATCH_MAX * hd->key_size);
	if (bh->map && bh->keys && (!frozen || tracing_map_freeze(bh->map, hd->map)))
		return bh;
	batch_hist_free(bh);
	return NULL;
}

void batch_hist_free(struct batch_hist *bh)
{
	if (!bh)
		return;
	tracing_map_free(bh->map);
	free(bh->keys);
	free(bh);
}

bool batch_hist_merge(struct hist_data *hd, const struct batch_hist *bh)
{
	return tracing_map_merge(hd->map, bh->map);
}

/* --- columns --- */

/* One loop for each kind of load, so that no loop decides anything. */
#define LOAD_COLUMN(code)                                                 \
	do {                                                              \
		for (u32 i = 0; i < b->n; i++)                            \
			out[i] = value_load(code, v, b->rec[i] + offset); \
	} while (0)

static void load_column(const struct batch *b, const struct value *v, u64 *out)
{
	u32 offset = v->offset;

	switch (v->code) {
	case OP_LOAD_U8:
		LOAD_COLUMN(OP_LOAD_U8);
		break;
	case OP_LOAD_S8:
		LOAD_COLUMN(OP_LOAD_S8);
		break;
	case OP_LOAD_U16:
		LOAD_COLUMN(OP_LOAD_U16);
		break;
	case OP_LOAD_S16:
		LOAD_COLUMN(OP_LOAD_S16);
		break;
	case OP_LOAD_U32:
		LOAD_COLUMN(OP_LOAD_U32);
		break;
	case OP_LOAD_S32:
		LOAD_COLUMN(OP_LOAD_S32);
		break;
	case OP_LOAD_64:
		LOAD_COLUMN(OP_LOAD_64);
		break;
	default:
		LOAD_COLUMN(OP_LOAD_BIG);
	}
}

static void fill_column(u64 *out, u32 n, u64 v)
{
	for (u32 i = 0; i < n; i++)
		out[i] = v;
}

static void leaf_column(const struct batch *b, const struct value *v, u64 *out)
{
	switch (v->code) {
	case OP_CONST:
		fill_column(out, b->n, v->imm);
		break;
	case OP_TS:
		memcpy(out, b->ts, b->n * sizeof(*out));
		break;
	case OP_TS_USECS:
		for (u32 i = 0; i < b->n; i++)
			out[i] = eval_usecs(b->ts[i]);
		break;
	case OP_CPU_NR:
		fill_column(out, b->n, b->cpu);
		break;
	default:
		load_column(b, v, out);
	}
}

static void arith_columns(enum opcode code, u64 *left, const u64 *right, u32 n)
{
	switch (code) {
	case OP_PLUS:
		for (u32 i = 0; i < n; i++)
			left[i] += right[i];
		break;
	case OP_MINUS:
		for (u32 i = 0; i < n; i++)
			left[i] -= right[i];
		break;
	case OP_MULT:
		for (u32 i = 0; i < n; i++)
			left[i] *= right[i];
		break;
	default:
		for (u32 i = 0; i < n; i++)
			left[i] = eval_plain_division(left[i], right[i]);
	}
}

static void change_column(const struct value *v, u64 *column, u32 n)
{
	switch (v->code) {
	case OP_LOG2:
		for (u32 i = 0; i < n; i++)
			column[i] = eval_log2(column[i]);
		break;
	case OP_BUCKET:
		for (u32 i = 0; i < n; i++)
			column[i] = column[i] / v->imm * v->imm;
		break;
	case OP_NEGATE:
		for (u32 i = 0; i < n; i++)
			column[i] = 0 - column[i];
		break;
	default:
		for (u32 i = 0; i < n; i++)
			column[i] = eval_const_division(
				v->division, (struct eval_operands){ .left = column[i],
								     .divisor = v->imm,
								     .multiplier = v->multiplier });
	}
}

/* Into columns[0]; an operator's right side takes the columns behind. */
static void num_column(const struct batch *b, const struct value *v, u64 (*columns)[BATCH_MAX])
{
	if (value_is_leaf(v)) {
		leaf_column(b, v, columns[0]);
		return;
	}
	num_column(b, v->left, columns);
	if (v->right) {
		num_column(b, v->right, columns + 1);
		arith_columns(v->code, columns[0], columns[1], b->n);
	} else {
		change_column(v, columns[0], b->n);
	}
}

/* The value of each record of the batch; the column is good until the next call. */
static const u64 *value_column(struct batch_hist *bh, const struct value *v)
{
	num_column(&bh->in, v, bh->columns);
	return bh->columns[0];
}

/* --- filter --- */

/* Record @i, which stays if it passed. */
static inline void take(struct batch *to, const struct batch *from, u32 i, bool passed)
{
	to->rec[to->n] = from->rec[i];
	to->len[to->n] = from->len[i];
	to->ts[to->n] = from->ts[i];
	to->n += passed;
}

/* A filter that is one comparison: its numbers as a column. */
static void filter_by_range(struct batch_hist *bh, const struct filter_pred *pred, bool has,
			    const struct batch *from)
{
	bool big = bh->hd->program->big_endian;
	const struct value v = { .code = load_code(pred->size, false, big),
				 .offset = pred->offset,
				 .size = pred->size };
	const struct filter_range range = pred->range;
	u64 *column = bh->columns[0];

	load_column(from, &v, column);
	for (u32 i = 0; i < from->n; i++)
		take(&bh->in, from, i, filter_range_has(&range, column[i]) == has);
}

/* Leave only the records that pass. */
static void filter_batch(struct batch_hist *bh, const struct filter *filter,
			 const struct batch *from)
{
	struct hit hit = { .cpu = from->cpu };
	const struct filter_pred *pred;
	bool has;

	bh->in.n = 0;
	bh->in.cpu = from->cpu;
	pred = filter_only_range(filter, &has);
	if (pred) {
		filter_by_range(bh, pred, has, from);
		return;
	}
	for (u32 i = 0; i < from->n; i++) {
		hit.rec = from->rec[i];
		hit.len = from->len[i];
		take(&bh->in, from, i, filter_match(filter, &hit));
	}
}

static void take_batch(struct batch_hist *bh, const struct batch *from)
{
	bh->in.n = from->n;
	bh->in.cpu = from->cpu;
	memcpy(bh->in.rec, from->rec, from->n * sizeof(from->rec[0]));
	memcpy(bh->in.len, from->len, from->n * sizeof(from->len[0]));
	memcpy(bh->in.ts, from->ts, from->n * sizeof(from->ts[0]));
}

/* --- keys --- */

static void text_key_column(struct batch_hist *bh, const struct key_step *step)
{
	const struct value *v = &step->value;
	bool big = bh->hd->program->big_endian;

	for (u32 i = 0; i < bh->in.n; i++) {
		struct hit hit = { .rec = bh->in.rec[i], .len = bh->in.len[i] };
		char *to = (char *)bh->keys + (size_t)i * bh->hd->key_size + step->offset;
		struct span text;

		if (v->kind == VALUE_STATIC)
			text = load_bytes(&hit, v->offset, v->size);
		else
			text = load_dynamic(&hit, v->offset, v->kind == VALUE_RDYN, big);
		text.n = strnlen(text.s, min_t(size_t, text.n, step->size - 1));
		memcpy(to, text.s, text.n);
		memset(to + text.n, 0, step->size - text.n);
	}
}

static void num_key_column(struct batch_hist *bh, const struct key_step *step)
{
	bool big = bh->hd->program->big_endian;
	const u64 *column = value_column(bh, &step->value);
	u8 *to = (u8 *)bh->keys + step->offset;

	for (u32 i = 0; i < bh->in.n; i++) {
		store_u64(to, column[i], big);
		if (step->size > 8)
			memset(to + 8, 0, step->size - 8);
		to += bh->hd->key_size;
	}
}

/* The keys of the batch; a single number needs no copy. */
static const u64 *build_keys(struct batch_hist *bh)
{
	const struct hist_program *p = bh->hd->program;

	if (p->num_key)
		return value_column(bh, &p->keys[0].value);
	for (u32 i = 0; i < p->n_keys; i++) {
		if (p->keys[i].value.kind == VALUE_NUM)
			num_key_column(bh, &p->keys[i]);
		else
			text_key_column(bh, &p->keys[i]);
	}
	return bh->keys;
}

/* --- the whole --- */

static void add_sums(struct batch_hist *bh)
{
	const struct hist_program *p = bh->hd->program;

	for (u32 i = 0; i < bh->in.n; i++)
		bh->elts[i]->words[HITCOUNT_IDX]++;
	for (const struct update_step *step = p->updates.steps;
	     step < p->updates.steps + p->updates.n; step++) {
		const u64 *column = value_column(bh, &step->value);
		u32 word = step->word;

		for (u32 i = 0; i < bh->in.n; i++)
			bh->elts[i]->words[word] += column[i];
	}
}

bool batch_hist_run(struct batch_hist *bh, const struct filter *filter, const struct batch *batch)
{
	if (filter)
		filter_batch(bh, filter, batch);
	else
		take_batch(bh, batch);
	if (!bh->in.n)
		return true;
	if (tracing_map_insert_batch(bh->map, build_keys(bh), bh->in.n, bh->elts) < bh->in.n)
		return false;
	add_sums(bh);
	return true;
}
