// SPDX-License-Identifier: LGPL-2.1-only
/* Evaluates numbers of a record: one function for each code of a value. */
#include "program/eval.h"
#include "program/value.h"

/* Data beyond the end of a short record is zero. */
#define LOAD_FN(name, opcode)                                                          \
	static u64 name(const struct value *v, const struct hit *hit, const u64 *refs) \
	{                                                                              \
		(void)refs;                                                            \
		return v->offset + v->size > hit->len                                  \
			       ? 0                                                     \
			       : value_load(opcode, v, hit->rec + v->offset);          \
	}

LOAD_FN(load_u8_of, OP_LOAD_U8)
LOAD_FN(load_s8_of, OP_LOAD_S8)
LOAD_FN(load_u16_of, OP_LOAD_U16)
LOAD_FN(load_s16_of, OP_LOAD_S16)
LOAD_FN(load_u32_of, OP_LOAD_U32)
LOAD_FN(load_s32_of, OP_LOAD_S32)
LOAD_FN(load_64_of, OP_LOAD_64)
LOAD_FN(load_big_of, OP_LOAD_BIG)

static u64 constant(const struct value *v, const struct hit *hit UNUSED, const u64 *refs UNUSED)
{
	return v->imm;
}

static u64 timestamp(const struct value *v UNUSED, const struct hit *hit, const u64 *refs UNUSED)
{
	return hit->ts;
}

static u64 timestamp_usecs(const struct value *v UNUSED, const struct hit *hit,
			   const u64 *refs UNUSED)
{
	return eval_usecs(hit->ts);
}

static u64 cpu(const struct value *v UNUSED, const struct hit *hit, const u64 *refs UNUSED)
{
	return hit->cpu;
}

static u64 reference(const struct value *v, const struct hit *hit UNUSED, const u64 *refs)
{
	return refs[v->offset];
}

static u64 log2_of(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return eval_log2(value_num(v->left, hit, refs), v->imm);
}

static u64 bucket(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return value_num(v->left, hit, refs) / v->imm * v->imm;
}

static u64 ranges(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return eval_ranges(value_num(v->left, hit, refs), v->ranges);
}

static u64 negate(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return 0 - value_num(v->left, hit, refs);
}

static u64 who(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return hit->context->who(hit->context->arg, hit, (s32)value_num(v->left, hit, refs),
				 (enum who_what)v->imm);
}

static u64 symbol(const struct value *v, const struct hit *hit, const u64 *refs)
{
	u64 addr = value_num(v->left, hit, refs);

	event_symbol_starts(v->db, &addr, 1);
	return addr;
}

static u64 code_of(const struct value *v, const struct hit *hit, const u64 *refs UNUSED)
{
	return code_question_ask(v->question, hit);
}

static u64 div_const(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return eval_const_division(v->division,
				   (struct eval_operands){ .left = value_num(v->left, hit, refs),
							   .divisor = v->imm,
							   .multiplier = v->multiplier });
}

static u64 plus(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return value_num(v->left, hit, refs) + value_num(v->right, hit, refs);
}

static u64 minus(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return value_num(v->left, hit, refs) - value_num(v->right, hit, refs);
}

static u64 mult(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return value_num(v->left, hit, refs) * value_num(v->right, hit, refs);
}

static u64 div_plain(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return eval_plain_division(value_num(v->left, hit, refs), value_num(v->right, hit, refs));
}

/* --- common expressions, without a call for each operand --- */

static u64 ts_minus_ref(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return hit->ts - refs[v->right->offset];
}

static u64 usecs_minus_ref(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return eval_usecs(hit->ts) - refs[v->right->offset];
}

static u64 log2_of_64(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return eval_log2(load_64_of(v->left, hit, refs), v->imm);
}

static const value_fn value_fns[N_OPCODES] = {
	[OP_LOAD_U8] = load_u8_of,
	[OP_LOAD_S8] = load_s8_of,
	[OP_LOAD_U16] = load_u16_of,
	[OP_LOAD_S16] = load_s16_of,
	[OP_LOAD_U32] = load_u32_of,
	[OP_LOAD_S32] = load_s32_of,
	[OP_LOAD_64] = load_64_of,
	[OP_LOAD_BIG] = load_big_of,
	[OP_CONST] = constant,
	[OP_TS] = timestamp,
	[OP_TS_USECS] = timestamp_usecs,
	[OP_CPU_NR] = cpu,
	[OP_REF] = reference,
	[OP_LOG2] = log2_of,
	[OP_BUCKET] = bucket,
	[OP_RANGES] = ranges,
	[OP_NEGATE] = negate,
	[OP_WHO] = who,
	[OP_SYMBOL] = symbol,
	[OP_CODE] = code_of,
	[OP_DIV_CONST] = div_const,
	[OP_PLUS] = plus,
	[OP_MINUS] = minus,
	[OP_MULT] = mult,
	[OP_DIV] = div_plain,
};

value_fn value_fn_of(const struct value *v)
{
	if (v->code == OP_MINUS && v->right->code == OP_REF && v->left->code == OP_TS)
		return ts_minus_ref;
	if (v->code == OP_MINUS && v->right->code == OP_REF && v->left->code == OP_TS_USECS)
		return usecs_minus_ref;
	if (v->code == OP_LOG2 && v->left->code == OP_LOAD_64)
		return log2_of_64;
	return value_fns[v->code];
}
