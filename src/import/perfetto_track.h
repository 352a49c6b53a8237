/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sequences of packets of a Perfetto trace, their clocks and track events, the markers that track
 * events become, and tasks.
 */
#pragma once
#include "import/perfetto_proto.h"

struct perfetto;

/* Packets with the same number, which have a state in common. */
struct perfetto_sequence {
	u32 id;
	u32 dropped; /* times that packets were */
	u64 cleared; /* times that its state was */
	bool begun;
	bool whole; /* no packet was dropped since its state was cleared */
	u64 thread; /* the track of its thread, in older traces */
	u64 track;  /* that of its track events is this one; 0: that of the thread */
	u32 clock;  /* of its packets; 0: that of the trace */
	s64 shift;  /* from the clock of its events to that since the boot, at its last bundle */
};

/* The time of a packet. */
struct perfetto_stamp {
	bool has;
	u32 clock;
	u64 owner; /* whose clock it is, see perfetto_clock */
	u64 ts;
};

/*
 * A clock in a snapshot, and what that since the boot was then. ->owner: of a clock of a sequence,
 * which ends if a packet is dropped; 0: of a clock of the machine.
 */
struct perfetto_clock {
	u32 id, snapshot;
	u64 owner;
	u64 at, boot;
	bool known; /* ->boot is */
};

/* The times of a clock of a sequence are multiples of ->unit; if it ->adds, since ->at. */
struct perfetto_own_clock {
	u32 id;
	u64 owner;
	u64 unit, at;
	bool adds;
};

/* What a track event is on: a thread, or something of a process (->tid 0). */
struct perfetto_track {
	u64 uuid, parent;
	s32 tgid, tid;
	struct span name;
	s64 unit;  /* of a counter */
	bool adds; /* its values are differences, in a state of a sequence */
	u64 state;
	s64 value;
	double real;
};

struct perfetto_track_event {
	struct perfetto_stamp stamp;
	u64 track;
	s64 value;   /* of a counter, which has this one or */
	double real; /* this one; the other is 0 */
	struct span name;
	u32 type, order;
};

/* A track event as text of a marker. */
struct perfetto_mark {
	u64 ts;
	u32 cpu, order;
	s32 pid;
	struct span text;
};

/* --- perfetto_clocks.c --- */

/* Clocks that were read at the same time. */
int perfetto_clocks_add(struct perfetto *pf, const struct perfetto_sequence *s,
			struct proto snapshot);
/* Set the clock of a packet that names none; times of one of a sequence become nanoseconds. */
void perfetto_clocks_stamp(struct perfetto *pf, const struct perfetto_sequence *s,
			   struct perfetto_stamp *stamp);
/* Relate clocks to that since the boot, when all are known, and store the time of day. */
int perfetto_clocks_finish(struct perfetto *pf);
/* The time since the boot; false: it is not known. */
bool perfetto_clocks_boot(const struct perfetto *pf, const struct perfetto_stamp *stamp, u64 *ts);

/* --- perfetto_track.c --- */

int perfetto_track_describe(struct perfetto *pf, struct proto description);
/* The thread of all packets of a sequence, in older traces. */
int perfetto_track_thread(struct perfetto *pf, struct perfetto_sequence *s, struct proto thread);
/* @state: of @s, for numbers of names */
int perfetto_track_event(struct perfetto *pf, const struct perfetto_sequence *s, u64 state,
			 const struct perfetto_stamp *stamp, struct proto event);
/* Make pf->marks of all track events, when all bundles are known. */
int perfetto_marks(struct perfetto *pf);

/* --- perfetto_tasks.c --- */

/* A task in a process tree. */
struct perfetto_task {
	struct perfetto_stamp stamp; /* when that was read */
	u64 ts;                      /* the same, since the boot; 0: unknown */
	s32 pid, tgid, parent;
	u32 order;
	s32 uid;              /* plus 1; 0: unknown */
	bool kthread, bare;   /* it has no arguments */
	struct span name;     /* empty: not known */
	struct proto process; /* with its arguments */
	/* what differs from the statement before it; its name then */
	enum { CHANGED_NAME = 1, CHANGED_PROCESS = 2, CHANGED_ARGS = 4, CHANGED_UID = 8 } changes;
	struct span old;
};

/* A process tree. Return: 0, -HIST_ENOMEM */
int perfetto_tasks_add(struct perfetto *pf, struct proto tree, const struct perfetto_stamp *stamp);
/* Which processes and threads there were when their statistics were read. */
int perfetto_tasks_stats(struct perfetto *pf, struct proto stats,
			 const struct perfetto_stamp *stamp);
/* The name of a task, from a packet that names no process. */
int perfetto_tasks_rename(struct perfetto *pf, struct proto rename,
			  const struct perfetto_stamp *stamp);
/* Add the journal of tasks and their names. */
int perfetto_tasks_finish(struct perfetto *pf);
