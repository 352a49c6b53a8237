/* SPDX-License-Identifier: LGPL-2.1-only */
/* Computes a number or string from a record: a tree of operators over loads. */
#pragma once
#include "program/hist_data.h"
#include "program/load.h"
#include "program/machine.h"

enum opcode {
	/* leaves; loads take an integer at .offset of a little-endian record */
	OP_LOAD_U8,
	OP_LOAD_S8,
	OP_LOAD_U16,
	OP_LOAD_S16,
	OP_LOAD_U32,
	OP_LOAD_S32,
	OP_LOAD_64,
	OP_LOAD_BIG, /* big endian: .size, .is_signed */
	OP_CONST,    /* .imm */
	OP_TS,       /* time of the record */
	OP_TS_USECS,
	OP_CPU_NR,
	OP_REF, /* value of reference .offset */
	/* of .left */
	OP_LOG2,
	OP_BUCKET, /* .imm wide */
	OP_RANGES, /* .ranges */
	OP_NEGATE,
	OP_WHO,       /* .left is a pid, .imm the question */
	OP_SYMBOL,    /* .left is an address, .db knows the start of its symbol */
	OP_CODE,      /* .question */
	OP_DIV_CONST, /* by .imm, in .division, .multiplier */
	/* of .left and .right */
	OP_PLUS,
	OP_MINUS,
	OP_MULT,
	OP_DIV,
	N_OPCODES,
};

enum value_kind {
	VALUE_NUM,         /* .code */
	VALUE_STATIC,      /* string of .size at .offset */
	VALUE_DYN,         /* __data_loc at .offset */
	VALUE_DYN_SYMBOL,  /* the same, without +0xOFFSET */
	VALUE_RDYN,        /* __rel_loc */
	VALUE_COMM,        /* the comm in the entry */
	VALUE_TASK_COMM,   /* the comm of the task */
	VALUE_STACK,       /* the kernel stack of the record */
	VALUE_STACK_FIELD, /* a stack in the record: __data_loc, count first */
};

/* A question about code, and where the record has what it needs. */
struct code_question {
	struct code *code;
	enum code_what what;
	u32 addr_at;                 /* 0: about stacks */
	u32 ip_at, tgid_at, mode_at; /* of a sample; 0: absent */
	bool is_ip;                  /* the address is that at which the sample was taken */
	bool big_endian, is_short;   /* addresses have 4 bytes */
};

struct value;
typedef u64 (*value_fn)(const struct value *v, const struct hit *hit, const u64 *refs);

/* A number or string computed from a record; numbers are trees of at most 3 operators. */
struct value {
	value_fn num; /* evaluates .code */
	u32 offset, size;
	u64 imm;
	const struct value *left, *right;
	union {
		u64 multiplier;
		const struct event_db *db;
		const struct code_question *question;
		const struct key_ranges *ranges;
	};
	enum value_kind kind;
	enum opcode code;
	enum hist_division division;
	bool is_signed;
};

/* Select the evaluating function, when the rest of @v is known. */
value_fn value_fn_of(const struct value *v);

/* Load of an integer of the record. */
enum opcode load_code(u32 size, bool is_signed, bool big_endian);

static inline bool value_is_leaf(const struct value *v)
{
	return v->code < OP_LOG2;
}

/* Evaluate a load of that code at @p; with a constant code only that load is compiled. */
static inline u64 value_load(enum opcode code, const struct value *v, const u8 *p)
{
	switch (code) {
	case OP_LOAD_U8:
		return *p;
	case OP_LOAD_S8:
		return (u64)(s64)(s8)*p;
	case OP_LOAD_U16:
		return load_u16(p, false);
	case OP_LOAD_S16:
		return (u64)(s64)(s16)load_u16(p, false);
	case OP_LOAD_U32:
		return load_u32(p, false);
	case OP_LOAD_S32:
		return (u64)(s64)(s32)load_u32(p, false);
	case OP_LOAD_64:
		return load_u64(p, false);
	default:
		return load_int(p, v->size, v->is_signed, true);
	}
}

/* Evaluate the number @v; @refs are the references read for this record. */
static inline u64 value_num(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return v->num(v, hit, refs);
}

/* About the address @field of events of that format; NULL: about their stacks. */
struct code_question code_question_of(const struct machine *m, const struct event_format *format,
				      const struct event_field *field, enum code_what what);

/*
 * The same about what is named: an address, or with @what N_CODE stacks.
 *
 * Return: false if the events do not have it
 */
bool code_question_find(const struct machine *m, const struct event_format *format,
			struct span name, enum code_what what, struct code_question *q);

/* The answer, and its texts; see code_answer() and code_texts() */
u64 code_question_ask(const struct code_question *q, const struct hit *hit);
const char *const *code_question_texts(const struct code_question *q, u64 answer,
				       const char *room[static 1], size_t *n);

/* Whether it reads stacks. */
static inline bool value_asks_stacks(const struct value *v)
{
	return v->code == OP_CODE && v->question->what >= CODE_USTACK;
}

/* Whether it needs to know who tasks were. */
static inline bool value_asks_who(const struct value *v)
{
	return v->code == OP_WHO || (v->left && value_asks_who(v->left)) ||
	       (v->right && value_asks_who(v->right));
}

/* Evaluate a string; kernel: a fixed array has its declared size. */
static inline struct span value_text(const struct value *v, const struct hit *hit, bool big)
{
	const char *plus;
	struct span text;

	if (v->kind == VALUE_TASK_COMM)
		return span_of(hit->context->comm(hit->context->arg, hit));
	if (v->kind == VALUE_STATIC)
		return load_bytes(hit, v->offset, v->size);
	text = load_dynamic(hit, v->offset, v->kind == VALUE_RDYN, big);
	plus = v->kind == VALUE_DYN_SYMBOL ? span_chr(text, '+') : NULL;
	return plus ? span_between(text.s, plus) : text;
}
