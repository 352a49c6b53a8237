/* SPDX-License-Identifier: LGPL-2.1-only */
/* What writes a trace of Perfetto: events of the kernel, and intervals on tracks. */
#pragma once
#include "perfetto_format/perfetto_format.h"
#include "events/events_print.h"
#include "recording/recording.h"

enum { KNOWN_SEQUENCE = 1 }; /* of all packets that need one */

/* Where an event has its place. */
enum out_role { OUT_EVENT, OUT_SLICE, OUT_COUNTER, OUT_MARK };

struct out_type {
	enum out_role kind;
	u32 number;          /* of its message; 0: not chosen yet */
	ARRAY(u32) fields;   /* the number of each field; 0: it has none */
	int ns, name, value; /* indices of fields of derived events; -1: there are none */
	bool of_cpu;         /* its track is that of a CPU, not of a task */
	bool nests;          /* one that overlaps another one is inside it */
	u32 flags;           /* where common_flags is in a record; 0: nowhere */
	bool symbols;        /* its addresses are numbers of symbols */
	bool compact;        /* it may be in lists */
};

/* Lists of compact events, by their number; names in a bundle. */
enum { OUT_LISTS = 13, OUT_NAMES = 1024, BUNDLE_COMPACT = 4 };

struct out_cpu {
	struct strbuf events, flags; /* of the next bundle */
	bool lost;
	u64 n_lost;              /* all */
	struct coverage missing; /* of which no event tells */
	size_t hole;             /* the next one */
	u64 last;                /* the time of its last event, and whether that is in a list */
	bool in_list;
	struct {
		bool known;
		s32 pid, prio;
		char comm[16];
	} running;
	struct strbuf lists[OUT_LISTS]; /* of the next bundle */
	u64 switched, woken;            /* the last times of both kinds */
	u32 n_names;
	char names[OUT_NAMES][16];
	u16 name_slots[1024]; /* index plus 1 of the last name with this hash */
};

/* What follows each other on a track. */
struct out_track {
	size_t type;
	u64 of; /* a task or CPU */
	u64 end;
	u64 first, last; /* begins: of the first slice that is in no other one, of the last one */
};

/* What was written last of a task, or of a process by its negative id. */
struct out_task {
	s32 id, tgid;
	bool is_new; /* it began after the recording did */
	u64 args;    /* the number of its arguments */
	char comm[16];
};

struct perfetto_out {
	const struct hist_events_print *print;
	struct hist_events *ev;
	ARRAY(struct out_type) types;
	struct out_type texts; /* of ftrace:print, if they are no markers */
	ARRAY(struct out_cpu *) cpus;
	INDEXED(struct out_track) tracks;
	INDEXED(struct out_task) tasks;
	INDEXED(u64) addresses; /* that have symbols, whose numbers are indices plus 1 */
	struct strbuf message, part, packet;
	u32 n_described;
	int err;
};

/* Write ->packet, and empty it. */
void perfetto_out_write(struct perfetto_out *o);

/* --- events_perfetto_compact.c --- */

void perfetto_compact_choose(struct out_type *t, const struct hist_event_type *type);
/* A sched_switch is written in a message of its own. */
void perfetto_compact_note(struct out_cpu *c, const struct hist_event *e);
/* A task_rename, also of the task that runs. */
void perfetto_compact_rename(struct out_cpu *c, const struct hist_event *e);
/* Put an event into the lists; false: it has to be in a message. */
bool perfetto_compact_put(struct out_cpu *c, const struct hist_event *e, const struct out_type *t,
			  u32 flags);
/* Move the lists to a bundle. */
void perfetto_compact_flush(struct out_cpu *c, struct strbuf *bundle);

/* --- events_perfetto_tasks.c --- */

/*
 * The name and process of a task: at its first event, when they are so from the beginning, and when
 * they are others.
 */
int perfetto_out_task(struct perfetto_out *o, const struct hist_event *e,
		      const struct out_type *type);

/* --- events_perfetto_tracks.c --- */

/* Which fields of a derived event have the time, name and value of its interval. */
void perfetto_out_choose(struct out_type *t, const struct hist_event_type *type);
/* Write an interval: a slice, a value of a counter, or a mark at its end. */
int perfetto_out_interval(struct perfetto_out *o, const struct hist_event *e,
			  const struct out_type *t);
/* Write the events for which the recording was written. */
void perfetto_out_marks(struct perfetto_out *o);
