/* SPDX-License-Identifier: LGPL-2.1-only */
/* The mappings of processes over time. */
#pragma once
#include "code/code.h"

/* Of which task, and from when on; of equal ones, the later is valid. */
struct code_when {
	s32 pid;
	u32 seq;
	u64 ts;
};

struct code_map {
	struct code_when when;
	u64 addr, size, offset;
	const char *path;
	const u8 *build_id;
	u32 build_id_len;
	u32 vdsos; /* if sorted: of all mappings up to this one */
};

/* Addresses, with the last one. */
struct code_extent {
	u64 first, last;
};

/*
 * All addresses of each block of 16, 256, ... mappings, so that blocks without an address are
 * skipped: a task can have any number of mappings.
 */
enum { CODE_BLOCK_BITS = 4, CODE_LEVELS = 5 };

struct code_blocks {
	ARRAY(struct code_extent) ranges; /* of one block after the other, sorted */
	ARRAY(size_t) ends;               /* of each block, in ->ranges */
};

/* A task from a time on: with a copy of mappings, with none, or as a thread of a process. */
struct code_space {
	struct code_when when;
	s32 other;
	enum code_fact_kind kind;
};

/* Names of an address that the recording has. */
struct code_named {
	u64 addr;
	const char *file, *names; /* texts one after the other */
	u32 n;                    /* of them, at least 1 */
};

struct code_maps {
	struct arena arena;
	ARRAY(struct code_map) maps;     /* sorted by pid and time, if ->sorted */
	ARRAY(struct code_space) spaces; /* the same */
	struct code_blocks blocks[CODE_LEVELS];
	ARRAY(struct code_named) named; /* by address, if sorted */
	struct texts paths;
};

int code_maps_add(struct code_maps *m, const struct code_fact *fact);
int code_maps_sort(struct code_maps *m);
void code_maps_release(struct code_maps *m);

/*
 * The mappings of a task at a time: which, as two numbers. Different ones may be equal mappings,
 * but equal ones are.
 */
struct code_moment {
	u32 space, end; /* of ->spaces, + 1; of ->maps: the first one that is later */
	s32 pid;        /* of the process */
	u64 ts;
};

struct code_moment code_moment_of(const struct code_maps *m, s32 pid, u64 ts);

/* The mapping at an address; NULL: unknown. */
const struct code_map *code_map_at(const struct code_maps *m, const struct code_moment *moment,
				   u64 addr);

/* The names of an address; NULL: the recording has none. */
const struct code_named *code_maps_named(const struct code_maps *m, u64 addr);
