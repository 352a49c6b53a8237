/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A hist trigger as a flat program: what to load, from where, into what.
 *
 * Made once when the trigger is registered; nothing in it changes afterwards.
 */
#ifndef HIST_ENGINE_PROG_H
#define HIST_ENGINE_PROG_H

#include "engine/eval.h"
#include "engine/hist_data.h"
#include "engine/run.h"

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
	OP_NEGATE,
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
	VALUE_STATIC,      /* text of .size at .offset */
	VALUE_DYN,         /* __data_loc at .offset */
	VALUE_RDYN,        /* __rel_loc */
	VALUE_COMM,        /* the comm that the entry holds */
	VALUE_TASK_COMM,   /* the comm of the task */
	VALUE_STACK,       /* the kernel stack of the record */
	VALUE_STACK_FIELD, /* a stack in the record: __data_loc, count first */
};

struct value;
typedef u64 (*value_fn)(const struct value *v, const struct hit *hit, const u64 *refs);

/* A number or text that a record has; numbers are trees of at most 3 operators. */
struct value {
	value_fn num; /* carries .code out */
	u32 offset, size;
	u64 imm;
	const struct value *left, *right;
	u64 multiplier;
	enum value_kind kind;
	enum opcode code;
	enum hist_division division;
	bool is_signed;
};

/* What carries it out, when the rest of @v is known. */
value_fn value_fn_of(const struct value *v);

/* Of an integer of the record. */
enum opcode load_code(u32 size, bool is_signed, bool big_endian);

static inline bool value_is_leaf(const struct value *v)
{
	return v->code < OP_LOG2;
}

enum key_kind {
	KEY_NUM,   /* a number of 8 bytes, little endian */
	KEY_ARRAY, /* a text of fixed size that fills the part, 8 or more bytes */
	KEY_ANY,   /* anything */
};

/* A part of the key. */
struct key_step {
	enum key_kind kind;
	u32 offset, size; /* in the key, padded */
	struct value value;
};

enum update_kind {
	UPDATE_SUM,    /* add to sum .idx */
	UPDATE_VAR,    /* set variable .idx to a number */
	UPDATE_ARRAY,  /* copy a text of fixed size to .place, point variable .idx to it */
	UPDATE_STRING, /* the same with any text of up to .size bytes */
	UPDATE_STACK,  /* the same with the kernel stack */
};

struct update_step {
	enum update_kind kind;
	u32 idx, size;
	u32 word;  /* of the entry: where the sum or variable is */
	u32 place; /* in the entry, in bytes: where the copy is */
	u32 ref;   /* the reference to the variable that gets the value, too, or REF_NONE */
	struct value value;
};

/* The place behind all references, for what is none. */
enum { REF_NONE = TRACING_MAP_VARS_MAX };

struct update_list {
	struct update_step *steps;
	u32 n;
	u64 set; /* a bit for each variable that they set, in word .set_at of the entry */
	u32 set_at;
};

/* Read variable .idx of .owner into reference .ref. */
struct ref_step {
	u32 ref, idx;
	u32 word; /* of the entry: where the variable is */
	struct hist_data *owner;
	bool read_once;
};

struct hist_program {
	bool big_endian;
	u32 long_size;
	bool num_key;                    /* the key is one number, KEY_NUM */
	bool only_num_key;               /* and no map looks at more */
	bool is_followed;                /* statistics or actions come behind the update */
	const struct action_data *trace; /* the only one of them: a trace on every hit; or NULL */
	u32 n_keys, n_other_refs, n_own_refs;
	struct key_step *keys;
	struct ref_step *other_refs; /* of other triggers: before the entry is looked for */
	struct update_list updates;  /* values but the hitcount, variables, hidden variables */
	struct ref_step *own_refs;   /* of this trigger, where the updates do not bring it */
	u32 key_read;                /* bytes of the key that are looked at, by any map */
	struct update_list saves;    /* of save(): when a tracked value is new */
	u32 min_size;                /* bytes that the fixed loads touch */
};

#endif
