/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What an interval of a task consists of, as a tree of parts. The parts of a part add up to it.
 */
#pragma once
#include "why/why_store.h"

/* ORDER kinds in why_json.c */
enum why_kind {
	WHY_TASK,    /* the root */
	WHY_RUNNING, /* on ->cpu, at ->khz, in the system call ->call */
	WHY_IRQ,     /* the interrupt ->word ran in place of the task, or of what it waited for */
	WHY_WAITING, /* it was runnable, in the way ->word; its parts are what ran */
	WHY_CULPRIT, /* the task ->pid ran */
	WHY_IDLE,    /* the CPU was idle, on its way to the task */
	WHY_HELD,    /* the quota or budget ->word was used up */
	WHY_BLOCKED, /* in the state ->word; its parts are what ->pid did, which woke it */
	WHY_UNKNOWN, /* nothing is recorded, because of ->reason */
	N_WHY_KINDS
};

/* ORDER reasons in why_words.c */
enum why_reason {
	WHY_NO_RECORDS, /* no events state what it was */
	WHY_LOST,       /* events were lost then */
	WHY_OUTSIDE,    /* before or after the recording */
	WHY_OFF,        /* the task did not run; it waited or was blocked */
	WHY_MOVED,      /* the task went to another CPU, when was not recorded */
	N_WHY_REASONS
};

/* Why a block has no parts. ORDER ends in why_words.c */
enum why_end {
	WHY_GOES_ON, /* it has */
	WHY_BY_IRQ,  /* an interrupt ended it */
	WHY_BY_IDLE, /* the idle task did */
	WHY_CYCLE,   /* who woke it waited for it */
	WHY_DEEP,    /* the tree is as deep as requested */
	WHY_NOT_YET, /* its end is not recorded */
	N_WHY_ENDS
};

struct why_piece {
	u64 from, to;
};

struct why_part {
	/* parts of one parent with the same values are one part */
	struct why_key {
		u32 parent; /* index of a part */
		enum why_kind kind;
		u32 word, call, comm, stack, irq; /* words of the store; ->irq: it ended a block */
		u32 cpu, khz;
		s32 pid;
		enum why_reason reason;
		bool in_irq, continues;
	} key;
	enum why_end end;
	u64 ns;
	ARRAY(struct why_piece) pieces; /* in the order of time */
	u32 first, next;                /* its largest part; its parent's next largest; 0: none */
	u32 n_parts;
	u32 level; /* of the task that it is a part of; the root's is 0 */
};

struct why_tree {
	INDEXED(struct why_part) parts; /* [0] is the root */
	u64 from, to;                   /* the interval */
	u64 first, last;                /* the recording */
	bool unsure;                    /* a larger window may have another answer */
	bool cut; /* there are too many parts: those of some blocks are left out */
};

/* The task, and the time to explain. */
struct why_question {
	s32 pid;
	u32 comm; /* its name, a word; 0: that of its last state */
	u64 from, to;
	u64 first, last; /* of the recording */
	u32 depth;       /* of the chain of tasks; 1: only this one */
};

enum { WHY_PARTS_MAX = 1 << 20 };

/**
 * why_tree_build() - explain an interval
 * @s: finished
 *
 * Return: 0, -HIST_ENOMEM. Owns: why_tree_release()
 */
int why_tree_build(const struct why_store *s, const struct why_question *q, struct why_tree *tree);
void why_tree_release(struct why_tree *tree);

/* The end of the longest chain of wakers: a block, whose blocks above it are the others of it; of
 * several as long, the one that took most time. 0: no task slept. @n: its length */
u32 why_tree_chain(const struct why_tree *tree, u32 *n);

/*
 * The pieces of an interval and of its parts, without a tree and without a chain. ->parent of a
 * key is the word of the wait that the piece is a part of, or 0. Who ran during a wait is passed on
 * as a span, from which ->add_lanes() goes on while one follows the other: a wait may have
 * thousands, and so may each of thousands of waits.
 */
struct why_pieces {
	int (*add)(void *arg, const struct why_key *key, u64 ns);
	/* @t: the rest of the wait, which begins in @lane; ->from is moved on */
	int (*add_lanes)(void *arg, u32 waiting, const struct why_span *lane, struct why_piece *t);
	void *arg;
};
int why_tree_pieces(const struct why_store *s, const struct why_question *q,
		    const struct why_pieces *to);

/* The part of a wait in which @lane ran. */
struct why_key why_lane_key(u32 waiting, const struct why_span *lane);

/* Each part of a part, the largest first. */
#define why_for_each_part(i, tree, of) \
	for (u32(i) = (tree)->parts.v[of].first; (i); (i) = (tree)->parts.v[i].next)
