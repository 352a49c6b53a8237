/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which code was at an address: its function, file and line, and those of the frames of a stack.
 *
 * Processes map files; the recording states which, and when (maps.c). An address of a process at a
 * time is a place in a file, whose names objects/ knows; those of the kernel's addresses event/
 * knows. An answer is the number of a text, or of a sequence of texts, so that answers are equal if
 * they read equal. Each is found once for the mappings of a process (code.c).
 *
 * Numbers are given in the order of the questions, which threads ask: results are sorted by
 * code_ranks().
 */
#pragma once
#include "event/event.h"
#include "lang/lang.h"

struct code;

struct code_settings {
	const char *symfs;    /* this directory contains all files; NULL: / */
	const char *id_cache; /* perf's cache of files by build id; NULL: the default one */
	bool debuginfod;      /* files that are not here may be downloaded */
	bool no_inline;       /* stacks without functions that are inlined into their callers */
};

struct code_sources {
	void *arg;
	/* calls code_know() with all facts, before the first answer. 0, -HIST_ENOMEM */
	int (*facts)(void *arg, struct code *c);
};

/* Return: NULL if out of memory. @db: of the kernel's symbols, borrowed */
struct code *code_new(struct event_db *db, const struct code_sources *sources);
void code_free(struct code *c);

/* Before the first question; texts are copied. 0, -HIST_ENOMEM */
int code_configure(struct code *c, const struct code_settings *settings);

/* --- facts --- */

enum code_fact_kind {
	CODE_MAP,    /* a process mapped a file */
	CODE_THREAD, /* the task is a thread of ->other's process */
	CODE_FORK,   /* it has copies of the mappings of ->other */
	CODE_EXEC,   /* it has none any more */
	CODE_NAME,   /* functions at an address, of any task */
};

struct code_fact {
	enum code_fact_kind kind;
	u64 ts;
	s32 pid, other;
	u64 addr, size, offset;
	struct span path, build_id; /* bytes */
	struct span names;          /* innermost first, with a NUL after each */
};

/* 0, -HIST_ENOMEM */
int code_know(struct code *c, const struct code_fact *fact);

/* --- questions; any thread --- */

enum code_where { CODE_KERNEL, CODE_USER, CODE_GUEST, CODE_ELSEWHERE };

/* An address, or some of a stack, and the task. */
struct code_at {
	s32 pid;
	u64 ts;
	enum code_where where; /* of a single address */
	u64 addr;
	const u64 *kernel, *user; /* of a stack; innermost first */
	size_t n_kernel, n_user;
};

/* The number of the answer. Context: hot path */
u64 code_answer(struct code *c, enum code_what what, const struct code_at *at);

/*
 * The texts of an answer: one, for which there is room, or for stacks one for each frame; *@n is
 * set. They last as long as @c.
 */
const char *const *code_texts(struct code *c, enum code_what what, u64 answer,
			      const char *room[static 1], size_t *n);

/*
 * Ranks of all answers of that kind so far: numbers in the order of the texts. Valid until the next
 * call; NULL: out of memory. Context: one thread
 */
const u32 *code_ranks(struct code *c, enum code_what what);

/* Whether memory was exhausted: answers are wrong. */
bool code_failed(const struct code *c);

/* Warn of files without names, and forget that. */
void code_report(struct code *c, struct diags *diags);
