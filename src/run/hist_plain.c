// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The specification of a hit: what hist_run.c, columns.c and fuse.c do faster, in the order in
 * which event_hist_trigger() does it, one step after the other. Each value is a tree that is
 * walked; each key is built part by part; nothing is fused, batched or special.
 *
 * --plan=plain counts with it (replay/way_plain.c), and make check-plan compares all ways with it.
 */
#include "program/eval.h"
#include "run/key_build.h"

static u64 plain_num(const struct value *v, const struct hit *hit, const u64 *refs)
{
	u64 left = v->left ? plain_num(v->left, hit, refs) : 0;
	u64 right = v->right ? plain_num(v->right, hit, refs) : 0;

	switch (v->code) {
	case OP_CONST:
		return v->imm;
	case OP_TS:
		return hit->ts;
	case OP_TS_USECS:
		return eval_usecs(hit->ts);
	case OP_CPU_NR:
		return hit->cpu;
	case OP_REF:
		return refs[v->offset];
	case OP_LOG2:
		return eval_log2(left, v->imm);
	case OP_BUCKET:
		return left / v->imm * v->imm;
	case OP_RANGES:
		return eval_ranges(left, v->ranges);
	case OP_NEGATE:
		return 0 - left;
	case OP_WHO:
		return hit->context->who(hit->context->arg, hit, (s32)left, (enum who_what)v->imm);
	case OP_SYMBOL:
		return event_symbol_find_start(v->db, left);
	case OP_CODE:
		return code_question_ask(v->question, hit);
	case OP_PLUS:
		return left + right;
	case OP_MINUS:
		return left - right;
	case OP_MULT:
		return left * right;
	case OP_DIV:
		return eval_plain_division(left, right);
	case OP_DIV_CONST:
		return eval_const_division(v->division,
					   (struct eval_operands){ .left = left,
								   .divisor = v->imm,
								   .multiplier = v->multiplier });
	default: /* an integer of the record; data beyond the end of a short record is zero */
		return v->offset + v->size > hit->len
			       ? 0
			       : load_int(hit->rec + v->offset, v->size, v->is_signed,
					  v->code == OP_LOAD_BIG);
	}
}

/* All bytes that any map uses; what follows the parts is zero. */
static void plain_key(const struct hist_program *p, const struct hit *hit, u64 *key)
{
	u8 *to = (u8 *)key;

	memset(key, 0, p->key_read);
	for (u32 i = 0; i < p->n_keys; to += p->keys[i++].size) {
		const struct key_step *step = &p->keys[i];

		if (step->value.kind == VALUE_NUM)
			store_u64(to, plain_num(&step->value, hit, hist_unread_refs),
				  p->big_endian);
		else
			hist_key_any(p, step, hit, to);
	}
}

/* Read the variables of other triggers; returns how many are set, up to one that is not. */
static u32 plain_refs(struct hist_hit_ctx *c, const struct hist_program *p)
{
	for (u32 i = 0; i < p->n_other_refs; i++) {
		const struct ref_step *ref = &p->other_refs[i];
		struct tracing_map *map = hist_map(c->hc->owners[i]);
		struct tracing_map_elt *elt =
			tracing_map_lookup(map, c->key, tracing_map_hash(map, c->key));

		if (!elt || !tracing_map_var_set(map, elt, ref->idx))
			return i;
		c->refs[ref->ref] = tracing_map_read_var(map, elt, ref->idx);
		if (ref->read_once)
			tracing_map_unset_var(map, elt, ref->idx);
	}
	return p->n_other_refs;
}

static void plain_update(struct hist_hit_ctx *c, const struct update_step *step)
{
	u64 v;

	if (step->kind == UPDATE_SUM) {
		tracing_map_sums(c->elt)[step->idx] += plain_num(&step->value, c->hit, c->refs);
		return;
	}
	v = step->kind == UPDATE_VAR ? plain_num(&step->value, c->hit, c->refs)
				     : hist_keep_any(c, step);
	tracing_map_set_var(c->map, c->elt, step->idx, v);
	c->refs[step->ref] = v;
}

bool hist_hit_plain(struct hist_count *hc, const struct hit *hit)
{
	const struct hist_data *hd = hc->hd;
	const struct hist_program *p = hd->program;
	u64 key[HIST_KEY_WORDS_MAX];
	struct hist_hit_ctx c = {
		.hd = hd, .hc = hc, .hit = hit, .map = hist_map(hc), .key = key, .saves = &p->saves
	};
	bool created;
	u32 n_set;

	/* kernel: older versions have room for a few nested histograms per CPU */
	if (hit->depth && hit->depth >= hd->program->depth_max)
		return false;
	plain_key(p, hit, key);
	n_set = plain_refs(&c, p);
	if (n_set < p->n_other_refs)
		return n_set > 0;
	c.elt = tracing_map_insert(c.map, key, &created);
	if (!c.elt)
		return true;
	if (created && hd->has_comm)
		hist_first_hit(elt_first_hit(hd, c.elt), hit);
	tracing_map_sums(c.elt)[HITCOUNT_IDX]++;
	for (u32 i = 0; i < p->updates.n; i++)
		plain_update(&c, &p->updates.steps[i]);
	if (p->is_followed)
		hist_follow(&c);
	return true;
}
