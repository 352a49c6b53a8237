/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs of names, between the threads that collect them and the names over time. */
#ifndef HIST_RECORDING_COMM_RUN_H
#define HIST_RECORDING_COMM_RUN_H

#include "recording/comm_times.h"

/* Records of one CPU that give a task the same name, without another name between them. */
struct comm_run {
	s64 key; /* of the task, see struct comm_entry */
	struct comm_place first, last;
	struct comm_place in; /* the last record that switches to it */
	u32 n_in;             /* their number; 0: ->in is unset */
	bool out;             /* a record switches from it */
	bool renamed;         /* one record only, after which it has the new name */
	bool executed;        /* one record only, which does not tell the name before */
	char comm[TASK_COMM_LEN];
};

/* What a range of sub-buffers contributes to the search for preempted renames. */
struct comm_range {
	size_t stream;
	u64 first;     /* sub-buffer */
	u64 from, to;  /* times of its first and its last record; ->from > ->to: none */
	bool settled;  /* a task is switched out, or renames itself; the first of them: */
	s64 out;       /* if ->switched: the task */
	bool switched; /* it is switched out */
	char comm[TASK_COMM_LEN]; /* with this name */
	struct comm_rename open;  /* a rename after which no task is switched out; ->ts 0: none */
};

/* A task in a thread. */
struct comm_task {
	s64 key;
	size_t run; /* its last one */
};

/*
 * The last name of a task, as it is in the records: with the bytes after its NUL. Most records
 * repeat it.
 */
struct comm_repeat {
	s64 key; /* 0: none */
	u64 bytes[TASK_COMM_LEN / 8];
	size_t run; /* index of ->runs */
};

/* The name of a task from a place on. */
struct comm_change {
	s64 key;
	size_t n; /* in the first one of a task: the number of its changes */
	struct comm_place place;
	char comm[TASK_COMM_LEN];
};

static inline bool comm_place_before(struct comm_place a, struct comm_place b)
{
	return a.ts < b.ts || (a.ts == b.ts && a.at < b.at);
}

#endif
