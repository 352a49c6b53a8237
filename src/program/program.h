/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A hist trigger as a flat program: what to load, from where, into what.
 *
 * Made once (bind/compile.c) when the trigger is registered; nothing in it changes afterwards.
 */
#ifndef HIST_PROGRAM_PROGRAM_H
#define HIST_PROGRAM_PROGRAM_H

#include "program/hist_data.h"
#include "program/value.h"

enum key_kind {
	KEY_NUM,   /* a number of 8 bytes, little endian */
	KEY_ARRAY, /* a text of fixed size that fills the part, 8 or more bytes */
	KEY_WHOLE, /* the same with what follows its NUL */
	KEY_ANY,   /* anything */
};

/* A part of the key. */
struct key_step {
	enum key_kind kind;
	u32 offset, size; /* in the key, padded */
	bool whole;       /* an array of char: what follows its NUL counts, too */
	struct value value;
};

enum update_kind {
	UPDATE_SUM,    /* add to sum .idx */
	UPDATE_VAR,    /* set variable .idx to a number */
	UPDATE_ARRAY,  /* copy a text of fixed size to .place, point variable .idx to it */
	UPDATE_STRING, /* the same with any text of up to .size bytes */
	UPDATE_STACK,  /* the same with the kernel stack */
	UPDATE_PART, /* point it into the text of reference .text, as far from its start as a number
		      */
};

struct update_step {
	enum update_kind kind;
	u32 idx, size;
	u32 word;  /* of the entry: where the sum or variable is */
	u32 place; /* in the entry, in bytes: where the copy is */
	u32 text;  /* the reference to a text whose part the variable is */
	u32 ref;   /* the reference to the variable that gets the value, too, or REF_NONE */
	struct value value;
};

/* Places behind all references: for what is none, and one that is 0, or the text "(fault)". */
enum { REF_NONE = TRACING_MAP_VARS_MAX, REF_NULL, N_REFS };

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
	u32 stack_depth;   /* frames of a stack as a key or variable */
	bool num_key;      /* the key is one number, KEY_NUM */
	bool only_num_key; /* and no map looks at more */
	bool is_followed;  /* statistics, exemplars or actions come after the update */
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
