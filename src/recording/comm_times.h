/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The comms of tasks at any time, for threads that do not read all records in time order.
 *
 * Each thread collects runs: records that give a task the same name, one after the other on a CPU.
 * All runs together determine the names over time, which any thread can then look up. They are
 * those that comms_before() and comms_after() give; if runs do not determine them, the records have
 * to be read in order.
 */
#ifndef HIST_RECORDING_COMM_TIMES_H
#define HIST_RECORDING_COMM_TIMES_H

#include "recording/comm.h"

/*
 * A place between records in time order: of equal times ->at decides (see struct hit), which is
 * even for the place before a record, and one more for that after it.
 */
struct comm_place {
	u64 ts, at;
};

struct comm_run;
struct comm_range;
struct comm_task;
struct comm_repeat;
struct comm_change;

/* The runs that one thread has seen. */
struct comm_runs {
	bool big_endian;
	bool backwards; /* a time stamp of a CPU was lower than the one before */
	bool failed;    /* out of memory */
	ARRAY(struct comm_run) runs;
	ARRAY(struct comm_range) ranges;
	ARRAY(struct comm_task) tasks; /* with their current runs */
	struct hash_table by_key;
	size_t first;                /* of ->runs in the current range */
	struct comm_repeat *repeats; /* by a hash of the task */
	bool quiet; /* no rename, nor the start of the range, waits for the next switch */
	ARRAY(struct comm_rename) preempted; /* see comm.c */
	u64 from, to; /* times of the first and the last record of the range; ->from > ->to: none */
};

void comm_runs_init(struct comm_runs *c, bool big_endian);
void comm_runs_release(struct comm_runs *c);

/* The records of some sub-buffers of a stream follow, from @first on. */
void comm_runs_start(struct comm_runs *c, size_t stream, u64 first);
void comm_runs_end(struct comm_runs *c);

/*
 * The times of the first and the last record of a sub-buffer, whatever they contain; 0: it has
 * none. @backwards: one is lower than the one before.
 */
void comm_runs_times(struct comm_runs *c, u64 from, u64 to, bool backwards);

/* The comms in a record. Context: hot path */
void comm_runs_add(struct comm_runs *c, const struct comm_event *event, const struct hit *hit);

/* The names of all tasks over time. */
struct comm_times {
	struct comms initial; /* names that are not in the records */
	ARRAY(struct comm_change) changes;
	struct hash_table by_key; /* of the first one of each task */
	struct thread_once saved; /* reads the saved names */
};

void comm_times_init(struct comm_times *t, struct event_db *db, bool big_endian);
void comm_times_release(struct comm_times *t);

/**
 * comm_times_build() - join the runs of @n threads; t->initial is set
 *
 * Return: 0; 1 if they do not determine the names; -HIST_ENOMEM
 */
int comm_times_build(struct comm_times *t, struct comm_runs *const *runs, size_t n);

/* Also name the idle task of a CPU. 0, -HIST_ENOMEM */
int comm_times_add_idle(struct comm_times *t, u32 cpu);

/* The comm of the record's task, as comms_of(). Context: any number of threads */
const char *comm_times_at(void *times, const struct hit *hit);

#endif
