/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A hist trigger as a flat program: loads with their sources and targets.
 *
 * Compiled once (bind/compile.c) when the trigger is registered, and immutable afterwards.
 */
#pragma once
#include "program/value.h"

enum key_kind {
	KEY_NUM,   /* a number of 8 bytes, little endian */
	KEY_ARRAY, /* a string of fixed size that fills the part, 8 or more bytes */
	KEY_WHOLE, /* the same, including the bytes after its NUL */
	KEY_ANY,   /* any other */
	/* of a program that loads references, see run/fuse.h */
	KEY_LENT,    /* a string in an array as large as the part; reference .offset points to it */
	KEY_POINTED, /* a string, or NULL; at most .size bytes of it */
};

/* A part of the key. */
struct key_step {
	enum key_kind kind;
	u32 offset, size; /* offset in the key, padded */
	bool whole;       /* an array of char: the bytes after its NUL are part of the key */
	struct value value;
};

enum update_kind {
	UPDATE_SUM,    /* add to sum .idx */
	UPDATE_VAR,    /* set variable .idx to a number */
	UPDATE_ARRAY,  /* copy a string of fixed size to .offset, point variable .idx to it */
	UPDATE_STRING, /* the same with any string of up to .size bytes */
	UPDATE_STACK,  /* the same with the kernel stack */
	UPDATE_LEND,   /* point only reference .ref to a complete string of fixed size */
	UPDATE_PART,   /* point it into the string of reference .text, at a numeric offset */
};

struct update_step {
	enum update_kind kind;
	u32 idx, size;
	u32 word;   /* offset in the entry: of the sum or variable */
	u32 offset; /* in the entry, in bytes: of the copy */
	u32 text;   /* the reference whose string contains that of the variable */
	u32 ref;    /* the reference that also gets the value, or REF_NONE */
	struct value value;
};

/*
 * Slots after all references: one for no reference, one that is 0, and one for the string
 * "(fault)".
 */
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
	u32 word; /* offset in the entry: of the variable */
	struct hist_data *owner;
	bool read_once;
};

struct hist_program {
	bool big_endian;
	u32 long_size;
	u32 stack_depth;   /* frames of a stack as a key or variable */
	u32 depth_max;     /* number of nested histograms being updated, see struct hit */
	bool num_key;      /* the key is one number, KEY_NUM, in the order of the host */
	bool only_num_key; /* and no map uses more key bytes */
	bool is_followed;  /* statistics, exemplars or actions follow the update */
	const struct action_data
		*trace; /* the only action, if it is a trace on every hit; otherwise NULL */
	const struct fused_trace
		*fused; /* the same, fused with its reader, see run/fuse.h; or NULL */
	u32 n_keys, n_other_refs, n_own_refs;
	struct key_step *keys;
	struct ref_step *other_refs; /* of other triggers: read before the entry is looked up */
	struct update_list updates;  /* values except the hitcount, variables, hidden variables */
	struct ref_step *own_refs;   /* of this trigger, if the updates do not set them */
	u32 key_read;                /* number of key bytes that any map uses */
	struct update_list saves;    /* of save(): for a new tracked value */
	u32 min_size;                /* bytes that the fixed loads read */
};
