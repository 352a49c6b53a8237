/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What tasks and CPUs did during some time: spans of time, in tracks. Those of one owner in one
 * track follow each other, but there may be gaps, in which nothing is known.
 */
#pragma once
#include "base/base.h"

enum why_track {
	WHY_STATES, /* of a task: it ran, waited for a CPU, or was blocked */
	WHY_STAYS,  /* of a task: it was to run on ->cpu */
	WHY_CALLS,  /* of a task: it was in the system call ->word */
	WHY_LANES,  /* of a CPU: the task ->pid ran */
	WHY_IRQS,   /* of a CPU: the interrupt ->word ran; while they are added, they may nest */
	WHY_FREQS,  /* of a CPU: it had ->word kHz */
	WHY_HOLDS,  /* of a task: ->word kept it from running while it waited */
	WHY_LOSSES, /* of all (owner 0): events were lost */
	N_WHY_TRACKS
};

enum why_state {
	WHY_STATE_RUNS,
	WHY_STATE_WAITS,
	WHY_STATE_BLOCKED,
	WHY_STATE_OFF, /* it did not run; whether it waited or was blocked is not known */
};

/* A word of a store: the index of a text, 0: none. */
struct why_span {
	u64 from, to;
	u32 owner;   /* index of a task, or a CPU */
	u32 word;    /* the state, the name */
	u32 cpu;     /* WHY_STATES: where it ran, or will; of a block: where it was woken */
	s32 pid;     /* WHY_LANES: who ran; of a block: who woke it */
	u32 comm;    /* its name then, a word */
	u32 end_cpu; /* of a wait: where it ran then; WHY_NO_CPU: unknown */
	u32 stack;   /* of a block: a word */
	enum why_state state;
	bool chosen;    /* of a wait: a wakeup chose the CPU */
	bool in_irq;    /* of a block: it was woken by an interrupt */
	bool continues; /* its end was not recorded */
	bool unsure;    /* outside of a window, it may go on, or be another one */
};

struct why_task {
	s32 pid;
	u32 comm;    /* the last one; a word */
	bool called; /* its system calls are known */
};

struct why_store {
	ARRAY(struct why_span) tracks[N_WHY_TRACKS];
	INDEXED(struct why_task) tasks;
	struct texts words; /* [0] is "" */
	size_t n, max;      /* spans */
	/* of a window, see why_window.h; whether the recording may have such events */
	bool part, part_unsure, part_calls, part_freqs;
	/* for lookups in a track: the first span of each owner, and the place of the last lookup */
	struct why_index {
		ARRAY(u32) first;
		size_t near;
	} * index;
};

enum { WHY_NO_TASK = UINT32_MAX, WHY_NO_CPU = UINT32_MAX };

/* @max: the number of spans, so that memory is bounded. Return: 0, -HIST_ENOMEM */
int why_store_init(struct why_store *s, size_t max);
void why_store_release(struct why_store *s);

/* The index of a text; 0 if out of memory (->words.arena.failed). */
u32 why_store_word(struct why_store *s, struct span text);

static inline const char *why_word(const struct why_store *s, u32 word)
{
	return s->words.v.v[word];
}

/* The index of a task, which is added; WHY_NO_TASK if out of memory. */
u32 why_store_task(struct why_store *s, s32 pid);

/* The same for a task that may be unknown: WHY_NO_TASK. */
u32 why_store_find_task(const struct why_store *s, s32 pid);

/* "" if it is not known. */
const char *why_store_comm(const struct why_store *s, s32 pid);

/* Return: 0, -HIST_ENOMEM, -HIST_ELIMIT: there are ->max */
int why_store_add(struct why_store *s, enum why_track track, const struct why_span *span);

/* Sort all tracks; of nested interrupts, the innermost remains. Return: 0, -HIST_ENOMEM */
int why_store_finish(struct why_store *s);

/* What an owner did from @at on, until ->to at most. */
struct why_now {
	const struct why_span *span; /* NULL: it is not known */
	u64 to;
};

/* Context: the store is finished */
struct why_now why_store_now(const struct why_store *s, enum why_track track, u32 owner, u64 at,
			     u64 to);
