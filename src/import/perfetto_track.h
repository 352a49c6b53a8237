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
	u64 track;    /* that of its track events is this one */
	u32 clock;    /* of its packets; 0: that of the trace */
	u32 own;      /* its own clock, whose times are multiples of ->unit; */
	u64 unit, at; /* if it ->adds, differences to the time before, ->at */
	bool adds;
};

/* The time of a packet. */
struct perfetto_stamp {
	bool has;
	u32 clock; /* 0: the default */
	u64 ts;
};

/* A clock when that since the boot had another time; ->sequence: whose clock it is, or 0. */
struct perfetto_clock {
	u32 id, sequence;
	u64 at, boot;
};

/* What a track event is on: a thread, or something of a process (->tid 0). */
struct perfetto_track {
	u64 uuid, parent;
	s32 tgid, tid;
	struct span name;
	s64 unit, value; /* of a counter */
	bool adds;       /* its values are differences */
};

struct perfetto_track_event {
	u64 ts, track;
	s64 value;   /* of a counter, which has this one or */
	double real; /* this one; the other is 0 */
	struct span name;
	u32 type, clock, sequence, order;
};

/* A track event as text of a marker. */
struct perfetto_mark {
	u64 ts;
	u32 cpu, order;
	s32 pid;
	struct span text;
};

int perfetto_track_describe(struct perfetto *pf, struct proto description, u64 ts);
/* The thread of all packets of a sequence, in older traces. */
int perfetto_track_thread(struct perfetto *pf, struct perfetto_sequence *s, struct proto thread);
/* Clocks that were read at the same time. */
int perfetto_clocks_add(struct perfetto *pf, struct perfetto_sequence *s, struct proto snapshot);
/* Store the time of day, if the trace has it. Call before clocks are sorted. */
int perfetto_clocks_wall(struct perfetto *pf);
/* @state: of @s, for numbers of names */
int perfetto_track_event(struct perfetto *pf, struct perfetto_sequence *s, u64 state,
			 const struct perfetto_stamp *stamp, struct proto event);
/* Make pf->marks of all track events, when all bundles are known. */
int perfetto_marks(struct perfetto *pf);

/* A task in a process tree. */
struct perfetto_task {
	u64 ts; /* when that was read; 0: unknown */
	s32 pid, tgid, parent;
	u32 order;
	s32 uid; /* plus 1; 0: unknown */
	bool kthread;
	struct span name;     /* empty: not known */
	struct proto process; /* with its arguments; empty: it has none */
};

/* A process tree that was read at @ts (0: unknown). Return: 0, -HIST_ENOMEM */
int perfetto_tasks_add(struct perfetto *pf, struct proto tree, u64 ts);
/* Which processes and threads there were when their statistics were read. */
int perfetto_tasks_stats(struct perfetto *pf, struct proto stats, u64 ts);
/* The name of a task, from a packet that names no process. */
int perfetto_tasks_rename(struct perfetto *pf, struct proto rename, u64 ts);
/* Add the journal of tasks and their names. */
int perfetto_tasks_finish(struct perfetto *pf);
