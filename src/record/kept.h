/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The last part of a recording: which sub-buffers the files of the CPUs have, while old ones are
 * replaced by new ones.
 *
 * A file consists of slots of some sub-buffers each. A CPU fills a slot, and then takes the next
 * one: the oldest that is not needed any more, or a new one at the end of its file. All sub-buffers
 * of a CPU are numbered, from 0, so that a reader of them notices what was replaced before it came.
 *
 * A slot is as old as the time at which it was filled: no event in it is later. These times are of
 * CLOCK_MONOTONIC, whatever the clock of the recording is.
 *
 * If files follow each other (rotate.h), nothing is replaced: what a file contains is dropped, and
 * the slots of a CPU are in a line, so that what a killed recording leaves can be told from that.
 */
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "record/task_news.h"

struct reserve;

enum { KEPT_SLOT_SUBBUFS = 64 };

/* Where a line of slots begins again at 0: file systems have a largest file. */
#define KEPT_WRAP (1ull << 40)

struct until;

struct kept_slot {
	u64 at;     /* offset in the file */
	u64 filled; /* UINT64_MAX: not yet */
};

struct kept_cpu {
	u32 cpu;
	int fd;
	ARRAY(struct kept_slot) slots; /* those that are used, from ->head on; the last is filled */
	size_t head;
	u64 first;           /* number of the slot at ->head */
	ARRAY(u64) unused;   /* offsets of slots in the file */
	u64 end;             /* of the file */
	_Atomic u64 *moved;  /* bytes so far */
	_Atomic u64 drained; /* all events before this time were moved; 0: unknown */
	/* with ->ring_ns, see rest.h */
	bool rests;      /* its reader */
	u64 at_rest;     /* what the ring had overwritten when that began */
	u64 overwritten; /* in earlier times of rest: events that were not to be kept */
	u64 gap;         /* number of the last sub-buffer that follows such events, plus 1 */
	u64 lasts;       /* ns that the ring has, which is too small; 0: it is not */
};

struct kept {
	struct kept_cpu *cpus;
	size_t n;
	u32 subbuf;
	u64 slot_size;
	u64 max;   /* bytes that all slots may take; UINT64_MAX: what the disk has */
	u64 bytes; /* that they take */
	u64 most;  /* of ->bytes so far */
	u64 early; /* slots that were replaced although they were to be kept */
	/* slots that were filled before are not needed, or must not be replaced */
	u64 expired, needed;
	bool full; /* all slots are needed, and a CPU waits for one */
	bool line; /* of slots, for files that follow each other; ->drained is only for kept_flush()
		    */
	_Atomic u64 flush;       /* CLOCK_MONOTONIC: ->drained is to reach this time */
	struct reserve *reserve; /* of the files to be written; NULL: none */
	bool fixed;              /* the file system cannot release the space of slots */
	pthread_mutex_t mutex;
	struct task_news *tasks; /* of the events; NULL: there is no journal of tasks */
	struct until *until; /* the kernel waits for events, and ->drained is only for kept_flush();
				NULL: it does not */
	const char *why;     /* why it does not, although it was planned; or NULL */
	u64 ring_ns; /* what the rings of the kernel may keep until it is wanted; 0: nothing */
	_Atomic bool wanted; /* a file is to be written */
	int wake;            /* eventfd: ->wanted; -1: none */
};

/*
 * @max: as in struct kept; at least two slots for each CPU. The caller sets
 * ->cpus[].{cpu,fd,moved}. Return: 0, -HIST_ENOMEM
 */
int kept_init(struct kept *k, size_t n_cpus, u32 subbuf, u64 max);
void kept_release(struct kept *k);

/* The smallest ->max. */
u64 kept_min(size_t n_cpus, u32 subbuf);

/**
 * kept_next_slot() - the last slot of a CPU is filled: where the next one is
 * @at: offset in its file
 *
 * Return: 0, -1 with errno: EAGAIN if all slots are needed and there is no more room
 */
int kept_next_slot(struct kept *k, size_t i, u64 *at);

/* What was filled before @expired need not be kept; what was filled after @needed must be. */
void kept_limit(struct kept *k, u64 expired, u64 needed);

/*
 * Let the readers move all events before now; kept_is_flushed(): they did. Also while they wait for
 * a slot, this is not reached.
 */
void kept_flush(struct kept *k);
bool kept_is_flushed(struct kept *k);

/* --- while what is kept is in the rings of the kernel, for @ns; see rest.h --- */

/* Return: 0, -HIST_EIO with errno */
int kept_use_rings(struct kept *k, u64 ns);

/* A file is to be written, or not any more. */
void kept_want(struct kept *k, bool want);

/* A reader begins or ends a rest, when its ring has overwritten that many events. */
void kept_rest(struct kept *k, size_t i, bool begins, u64 overrun);
void kept_gap(struct kept *k, size_t i, u64 number);
void kept_ring_is_small(struct kept *k, size_t i, u64 lasts);
u64 kept_ring_lasts(struct kept *k, size_t i);

/* Of the events that a ring has overwritten: those that were not to be kept. */
u64 kept_overwritten(struct kept *k, size_t i, u64 overrun);

/* --- what is in the files --- */

/* A file contains the sub-buffers of a CPU before @to: they are dropped. -1 with errno */
int kept_drop(struct kept *k, size_t i, u64 to);

/* Whether a CPU waits for a slot, and all are needed. */
bool kept_is_full(struct kept *k);

/* CLOCK_MONOTONIC: a file that is written contains no earlier events, but for idle CPUs. */
u64 kept_from(struct kept *k);

/* Sub-buffers of a CPU: the number of the first one that is kept, and one after the last. */
struct kept_range {
	u64 from, to;
};

struct kept_range kept_range(struct kept *k, size_t i);

/**
 * kept_read() - copy a sub-buffer
 *
 * Return: 0, 1 if it is not kept any more, -HIST_EIO with errno
 */
int kept_read(struct kept *k, size_t i, u64 number, void *page);

/*
 * Where sub-buffer @number is, and at most @n of the following ones in one piece. Return: how many;
 * 0 if it is not kept
 */
u64 kept_find(struct kept *k, size_t i, u64 number, u64 n, u64 *at);

/*
 * The sub-buffers that can have records of times @from to @to, of the trace clock. Those in between
 * must not be replaced meanwhile. @begin: those from @from to then are gone; @from: none. Return:
 * 0, -HIST_EIO with errno
 */
int kept_select(struct kept *k, size_t i, u64 from, u64 to, struct kept_range *range, u64 *begin);
