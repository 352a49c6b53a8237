// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Updates histograms with many records at once. A column contains one number for each record that
 * is still in the batch; operators are applied to whole columns. The results equal those of
 * value.c, which works record by record; tests/unit/replay_plan_test.c compares them.
 */
#include "program/eval.h"
#include "program/exemplars.h"
#include "run/run.h"

enum {
	COLUMNS_MAX = 8, /* an expression has at most 3 operators */
	PID_AT = 4,      /* common_pid, in every record */
};

struct columns {
	const struct hist_data *hd; /* the current histogram */
	const struct hist_count *hc;
	struct batch in; /* records that passed the filter */
	u64 columns[COLUMNS_MAX][BATCH_MAX];
	struct tracing_map_elt *elts[BATCH_MAX];
	u64 *keys; /* BATCH_MAX keys, contiguous */
};

struct columns *columns_new(u32 key_size)
{
	struct columns *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->keys = malloc((size_t)BATCH_MAX * max_t(u32, key_size, 1));
	if (c->keys)
		return c;
	free(c);
	return NULL;
}

void columns_free(struct columns *c)
{
	if (!c)
		return;
	free(c->keys);
	free(c);
}

/* Record @i as the functions for single records see it. */
static struct hit columns_hit(const struct columns *c, const struct batch *b, u32 i)
{
	return (struct hit){ .rec = b->rec[i],
			     .len = b->len[i],
			     .cpu = b->cpu,
			     .pid = (s32)load_u32(b->rec[i] + PID_AT, c->hd->program->big_endian),
			     .ts = b->ts[i],
			     .at = b->context ? b->at[i] : 0,
			     .context = b->context };
}

/* --- columns --- */

/* One loop for each kind of load, so that loops contain no branches. */
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
			column[i] = eval_log2(column[i], v->imm);
		break;
	case OP_BUCKET:
		for (u32 i = 0; i < n; i++)
			column[i] = column[i] / v->imm * v->imm;
		break;
	case OP_RANGES:
		for (u32 i = 0; i < n; i++)
			column[i] = eval_ranges(column[i], v->ranges);
		break;
	case OP_NEGATE:
		for (u32 i = 0; i < n; i++)
			column[i] = 0 - column[i];
		break;
	case OP_SYMBOL:
		event_symbol_starts(v->db, column, n);
		break;
	default:
		for (u32 i = 0; i < n; i++)
			column[i] = eval_const_division(
				v->division, (struct eval_operands){ .left = column[i],
								     .divisor = v->imm,
								     .multiplier = v->multiplier });
	}
}

/* The answers about the tasks whose pids are in the column. */
static void who_column(const struct batch *b, enum who_what what, u64 *column)
{
	const struct who_cache *answers = b->context->answers;

	for (u32 i = 0; i < b->n; i++) {
		const s32 pid = (s32)column[i];
		const struct hit hit = {
			.cpu = b->cpu, .ts = b->ts[i], .at = b->at[i], .context = b->context
		};
		const struct who_slot *known =
			answers ? who_answered(answers, what, name_key(pid, b->cpu), hit.ts) : NULL;

		column[i] = likely(known != NULL)
				    ? known->answer
				    : b->context->who(b->context->arg, &hit, pid, what);
	}
}

static void code_column(const struct batch *b, const struct value *v, u64 *column)
{
	for (u32 i = 0; i < b->n; i++) {
		const struct hit hit = {
			.rec = b->rec[i], .len = b->len[i], .cpu = b->cpu, .ts = b->ts[i]
		};

		column[i] = value_num(v, &hit, NULL);
	}
}

/* Evaluates into columns[0]; an operator's right side uses the following columns. */
static void num_column(const struct batch *b, const struct value *v, u64 (*columns)[BATCH_MAX])
{
	if (value_is_leaf(v)) {
		leaf_column(b, v, columns[0]);
		return;
	}
	if (v->code == OP_CODE) {
		code_column(b, v, columns[0]);
		return;
	}
	num_column(b, v->left, columns);
	if (v->right) {
		num_column(b, v->right, columns + 1);
		arith_columns(v->code, columns[0], columns[1], b->n);
	} else if (v->code == OP_WHO) {
		who_column(b, (enum who_what)v->imm, columns[0]);
	} else {
		change_column(v, columns[0], b->n);
	}
}

/* The value of each record of the batch; the column is valid until the next call. */
static const u64 *value_column(struct columns *c, const struct value *v)
{
	num_column(&c->in, v, c->columns);
	return c->columns[0];
}

/* --- filter --- */

/* Keep record @i if it passed. */
static inline void columns_take(struct batch *to, const struct batch *from, u32 i, bool passed)
{
	to->rec[to->n] = from->rec[i];
	to->len[to->n] = from->len[i];
	to->ts[to->n] = from->ts[i];
	if (from->context)
		to->at[to->n] = from->at[i];
	to->n += passed;
}

/* Keep only the records that pass. */
static void filter_batch(struct columns *c, const struct filter *filter, const struct batch *from)
{
	const struct filter_pred *pred;
	bool has;

	c->in.n = 0;
	c->in.cpu = from->cpu;
	c->in.context = from->context;
	pred = filter_only_range(filter, &has);
	/* one comparison: its number is a column */
	if (pred) {
		bool big = c->hd->program->big_endian;
		const struct value v = { .code = load_code(pred->size, false, big),
					 .offset = pred->offset,
					 .size = pred->size };
		const struct filter_range range = pred->range;
		u64 *column = c->columns[0];

		load_column(from, &v, column);
		for (u32 i = 0; i < from->n; i++)
			columns_take(&c->in, from, i, filter_range_has(&range, column[i]) == has);
		return;
	}
	for (u32 i = 0; i < from->n; i++) {
		const struct hit hit = columns_hit(c, from, i);

		columns_take(&c->in, from, i, filter_match(filter, &hit));
	}
}

static void take_batch(struct columns *c, const struct batch *from)
{
	c->in.n = from->n;
	c->in.cpu = from->cpu;
	memcpy(c->in.rec, from->rec, from->n * sizeof(from->rec[0]));
	memcpy(c->in.len, from->len, from->n * sizeof(from->len[0]));
	memcpy(c->in.ts, from->ts, from->n * sizeof(from->ts[0]));
	c->in.context = from->context;
	if (from->context)
		memcpy(c->in.at, from->at, from->n * sizeof(from->at[0]));
}

/* --- keys --- */

/* The names of the tasks that ran. Most records are of the same task as the one before. */
static void comm_key_column(struct columns *c, const struct key_step *step)
{
	const struct who_slot *last;
	u8 *to = (u8 *)c->keys + step->offset;
	char name[TASK_COMM_LEN] = "";
	u64 answer = 0;

	for (u32 i = 0; i < c->in.n; i++, to += c->hd->key_size) {
		const struct hit hit = columns_hit(c, &c->in, i);

		last = hit.pid >= 0 ? who_answered(c->in.context->answers, WHO_NAME,
						   name_key(hit.pid, hit.cpu), hit.ts)
				    : NULL;
		if (!last)
			hist_key_part(c->hd->program, step, &hit, (u8 *)name);
		else if (last->answer != answer)
			comm_copy(name, (const char *)(uintptr_t)last->answer);
		answer = last ? last->answer : 0;
		memcpy(to, name, sizeof(name));
	}
}

static void text_key_column(struct columns *c, const struct key_step *step)
{
	u8 *to = (u8 *)c->keys + step->offset;

	if (step->value.kind == VALUE_TASK_COMM && step->size == TASK_COMM_LEN &&
	    c->in.context->answers) {
		comm_key_column(c, step);
		return;
	}

	for (u32 i = 0; i < c->in.n; i++, to += c->hd->key_size) {
		const struct hit hit = columns_hit(c, &c->in, i);

		hist_key_part(c->hd->program, step, &hit, to);
	}
}

static void num_key_column(struct columns *c, const struct key_step *step)
{
	bool big = c->hd->program->big_endian;
	const u64 *column = value_column(c, &step->value);
	u8 *to = (u8 *)c->keys + step->offset;

	for (u32 i = 0; i < c->in.n; i++) {
		store_u64(to, column[i], big);
		if (step->size > 8)
			memset(to + 8, 0, step->size - 8);
		to += c->hd->key_size;
	}
}

/* The keys of the batch; a single number is not copied. */
static const u64 *build_keys(struct columns *c)
{
	const struct hist_program *p = c->hd->program;

	if (p->num_key)
		return value_column(c, &p->keys[0].value);
	for (u32 i = 0; i < p->n_keys; i++) {
		if (p->keys[i].value.kind == VALUE_NUM)
			num_key_column(c, &p->keys[i]);
		else
			text_key_column(c, &p->keys[i]);
	}
	return c->keys;
}

/* --- all steps --- */

static void add_sums(struct columns *c)
{
	const struct hist_program *p = c->hd->program;

	for (u32 i = 0; i < c->in.n; i++)
		c->elts[i]->words[HITCOUNT_IDX]++;
	array_each_of(const struct update_step, step, p->updates.steps, p->updates.n) {
		const u64 *column = value_column(c, &step->value);
		u32 word = step->word;

		for (u32 i = 0; i < c->in.n; i++)
			c->elts[i]->words[word] += column[i];
	}
}

/* Add one sample of each value, after the sums, when the entries are in the cache. */
static bool add_samples(struct columns *c)
{
	const struct hist_stats *stats = c->hd->stats;
	const struct update_step *steps = c->hd->program->updates.steps;
	bool ok = true;

	for (u32 i = 0; i < stats->n && ok; i++) {
		const struct hist_column column = {
			.elts = c->elts,
			.values = value_column(c, &steps[stats->v[i].step].value),
			.n = c->in.n,
		};

		ok = hist_samples_column(c->hd, i, &column);
	}
	return ok;
}

static void note_first_hits(const struct columns *c)
{
	for (u32 i = 0; i < c->in.n; i++) {
		struct first_hit *first = elt_first_hit(c->hd, c->elts[i]);
		struct hit hit;

		if (likely(!first_hit_is_after(first, c->in.ts[i], c->in.at[i])))
			continue;
		hit = columns_hit(c, &c->in, i);
		hist_first_hit(first, &hit);
	}
}

/* A hit that is smaller than all exemplars of its entry, as many as there may be, is skipped. */
static bool add_exemplars(struct columns *c, u32 part)
{
	const u64 *values = value_column(c, c->hd->exemplars->value);
	const u64 sign = exemplars_sign(c->hd->exemplars);
	const u32 word = elt_exemplars_word(c->hd);
	bool ok = true;

	for (u32 i = 0; i < c->in.n && ok; i++) {
		const struct exemplar_row *row =
			(const struct exemplar_row *)(uintptr_t)c->elts[i]->words[word];
		struct hit hit;

		if (likely(row && exemplar_row_exceeds(row, values[i], sign)))
			continue;
		hit = columns_hit(c, &c->in, i);
		hit.part = (u16)part;
		ok = hist_exemplars_add(c->hc, c->elts[i], values[i], &hit);
	}
	return ok;
}

static bool hist_hit_batch(struct columns *c, u32 part, const struct filter *filter,
			   const struct batch *batch)
{
	struct tracing_map *map = c->hc->parts[part].map;

	if (filter)
		filter_batch(c, filter, batch);
	else
		take_batch(c, batch);
	if (!c->in.n)
		return true;
	if (tracing_map_insert_batch(map, build_keys(c), c->in.n, c->elts) < c->in.n)
		return false;
	if (c->hd->has_comm)
		note_first_hits(c);
	add_sums(c);
	return (!c->hd->stats || add_samples(c)) && (!c->hd->exemplars || add_exemplars(c, part)) &&
	       tracing_map_end_batch(map);
}

bool event_hit_batch(const struct event_file *file, const struct batch *batch, u32 part,
		     struct columns *c)
{
	array_each_ptr(const struct trigger, t, &file->triggers) {
		c->hd = t->hist;
		c->hc = hist_count_of(t->hist);
		if (!hist_hit_batch(c, part, t->filter, batch))
			return false;
	}
	return true;
}
