/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sub-buffers that are still coming. A replay with a feed takes its records from there: its
 * recording only describes the machine.
 *
 * Records are merged in the order of time. So a CPU without records must not be waited for: its
 * feed yields from time to time that nothing before a certain time will come.
 */
#pragma once
#include "ring_buffer/ring_buffer.h"

struct names;

enum { FEED_PAGE, FEED_END, FEED_QUIET };

/* What a CPU yields. */
struct fed {
	const u8
		*page; /* FEED_PAGE: a whole sub-buffer, borrowed until the next call for the CPU */
	u64 skipped;   /* sub-buffers before it that are missing */
	u64 ts;        /* FEED_QUIET: records before this time will not come; > 0 */
};

struct replay_feed {
	void *arg;
	const u32 *cpus; /* ascending */
	size_t n_cpus;
	u32 subbuf_size;
	bool live; /* what triggers need is recorded: an event that is not there did not occur */
	/* Wait for what the @i-th CPU yields. Return: FEED_*, or < 0 an error */
	int (*next)(void *arg, size_t i, struct fed *fed);
	/*
	 * The sub-buffer of the @i-th CPU that follows the last one of ->next after @n - 1 others:
	 * the stack of a record may be there. It waits until what was recorded by now is known.
	 * Borrowed until the next call; NULL: there is none
	 */
	const u8 *(*ahead)(void *arg, size_t i, u64 n);
	/*
	 * Before the first record, if the names of tasks are asked: they are stated in @names from
	 * now on (recording_follow_tasks()). @who: what else is known of them, too. 0, < 0
	 */
	int (*follow)(void *arg, struct names *names, bool who, struct diags *diags);
	/* The name of the task @pid; "<...>" if unknown. Borrowed until the next call. NULL: they
	 * are stated */
	const char *(*comm)(void *arg, s32 pid);

	/* set by ->next, for results before the end: the times of the records so far; losses */
	u64 first, last;
	u64 lost;
	bool lost_unknown;
};
