/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Derived events: intervals as events, such as derived:wait, how long a task was runnable before it
 * ran.
 *
 * A deriver reads recorded events in time order, keeps state for each CPU and task, and traces an
 * event at the end of each interval, with its length in ns. From there on it is an event like any
 * other. The events are defined like synthetic events, but in the system "derived", and only when
 * they are looked up.
 *
 * That something went on needs coverage (base/coverage.h): when records of a CPU are missing, what
 * it could have ended is forgotten, and counted if its end is recorded. What needs no other CPU,
 * such as a slice from switch to switch, is derived meanwhile.
 *
 * With options.open_intervals, an interval whose beginning or end is missing is traced, too: as far
 * as it is in the recording, and marked in the field "open".
 */
#pragma once
#include "program/hit.h"
#include "tracing/tracing.h"

/* The derivers of an instance, in one replay. */
struct derive;

enum { DERIVE_IN_INTERRUPT = 0x08 | 0x10 | 0x40 }; /* common_flags of an irq, a softirq, an NMI */

/* An event that derivers read, with its fields. */
struct derive_input;

/* A derived event, and an event from which parts of it are known, which has no records. */
struct derive_partial {
	const char *of, *lacks;
};

/* What derivers found out. */
struct derive_account {
	u64 spanned;       /* intervals that were not traced, because they span lost events */
	u64 spanned_ns;    /* their length, as far as it is known */
	u64 inconsistent;  /* those that contradict other records */
	u64 others;        /* events of tasks that were not recorded, see derive_only() */
	u64 switches;      /* sched_switch of complete recordings, after another one of the CPU */
	u64 apart;         /* of these, those from another task than that one was to */
	u64 before, after; /* that began before the span and are counted whole, ended after it */
	bool part;         /* ->after is not known */
	const char *whole; /* an event that options.cut_intervals does not cut; NULL: none */
	u64 other_texts;   /* of trace_marker, if none of them begins or ends a slice */
	bool of_span;      /* what follows is of the span only */
	u64 waited_ns;     /* all waits of which is known why */
	/* the parts of it for which a budget or a quota was used up, or the cgroup frozen */
	u64 throttled_ns, frozen_ns;
	bool held;         /* a cgroup was held back by a quota, or frozen */
	u64 doubted_ns;    /* waits of tasks that a quota may have held back, see sched_delays.c */
	u32 never_idle;    /* CPUs the length of whose run queues is unknown therefore */
	u64 bare_wakings;  /* without flags, if who woke is asked */
	bool by_wakeup;    /* sched_wakeup stood for sched_waking, which was not recorded */
	bool no_wakeups;   /* neither of them was */
	bool no_stacks;    /* a stack is a key, and no record has one */
	const char *lacks; /* "sched:sched_switch": it is needed, and has no records; NULL: none */
	const char *of;    /* the derived event that needs it */
	struct derive_partial partial[4];
	size_t n_partial;
};

/* derived:@name; NULL: unknown name, or out of memory (t->failed). For machine.derive */
struct synth_event *derive_define(struct tracing *t, struct span name);

/**
 * derive_new() - the derivers whose events have triggers in an instance, or are enabled there
 *
 * Context: a replay has started
 * Return:  0, with *@d == NULL if there are none; -HIST_ENOMEM; -HIST_EFORMAT: a field that they
 *          need is of another type in the recording, as @diags tells
 */
int derive_new(struct trace_array *tr, const struct hit_context *context, struct derive **d,
	       struct diags *diags);
void derive_free(struct derive *d);

/*
 * From here on, the records are those of a file that has only the events of these tasks; NULL: of
 * all. Derived events of others are counted and not traced: most of their records are missing.
 */
void derive_only(struct derive *d, const struct task_set *only);

/* Only these events are traced; all records are read. @cpus: a bit for each, NULL: all */
void derive_limit(struct derive *d, u64 from, u64 to, const u64 *cpus, u32 nr_cpus);

/* The next event that they read; NULL: no more. @i: 0 at first */
const struct derive_input *derive_next_input(struct derive *d, size_t *i,
					     const struct event_format **format);

/*
 * Whether a deriver needs a rehearsal, in which nothing is traced, and which begins; or it @ends:
 * derive_start() follows.
 */
bool derive_rehearse(struct derive *d, bool ends);

/* Whether derive_end() traces something, also without options.open_intervals. */
bool derive_lasts(const struct derive *d);

/* The recording begins at @first. Context: before the first record */
void derive_start(struct derive *d, u64 first);

/* Read a record of an input. Context: time order */
void derive_hit(const struct derive_input *in, const struct hit *hit);

/*
 * A batch of records that were read, but not derived from yet. From derive_collect() on, what is
 * passed is added to the batch; then another thread may derive from it. NULL: derive at once
 */
struct derive_batch;
struct derive_batch *derive_batch_new(void);
void derive_batch_free(struct derive_batch *b);
void derive_collect(struct derive *d, struct derive_batch *b);

/* How many records surely fit. */
size_t derive_batch_room(const struct derive *d);

/* Derive from all of its records; then it is empty. */
void derive_from(struct derive *d, struct derive_batch *b);

/* After ->ts, records of a CPU may be missing, or no longer are. */
struct derive_edge {
	u64 ts;
	u32 cpu;
	bool begins;
};

/* These are before the next record, in order of time. */
void derive_edges(struct derive *d, const struct derive_edge *edges, size_t n);

/* Records of all CPUs are missing before @ts. */
void derive_lost(struct derive *d, u64 ts);

/* The recording ends at @last, or at the last record. */
void derive_end(struct derive *d, u64 last);

/* Add to what is known. */
void derive_account(const struct derive *d, struct derive_account *sum);

/* --- what a session keeps: all that was traced of a recording, for the next question --- */

struct kept_derived; /* of a session */
struct kept_events;  /* of one question */
struct kept_reader;
/* @left: bytes of memory that it may take, which others may share. NULL: out of memory */
struct kept_derived *kept_derived_new(u64 *left);
void kept_derived_free(struct kept_derived *all);

/*
 * The events that were kept with this key, which tells all that they depend on, until
 * kept_events_put(); NULL: none. Context: any thread
 */
struct kept_events *kept_events_find(struct kept_derived *all, struct span key);
void kept_events_put(struct kept_events *k);
/* New ones, to be filled; NULL: out of memory */
struct kept_events *kept_events_new(struct kept_derived *all);

/* What the events of @d depend on besides the recordings and the rules of who tasks were. */
void derive_print_key(const struct derive *d, struct strbuf *key);

/* From here on, what is traced is added; before the first record. At the end, what was left out. */
void derive_keep(struct derive *d, struct kept_events *k);
void derive_kept(const struct derive *d, struct kept_events *k);

/* What derivers found out about the whole recording. */
const struct derive_account *kept_events_account(const struct kept_events *k);

/*
 * Keep them until their memory is needed, with @size bytes of the caller's data. If there was not
 * memory for all of them, they are dropped.
 */
void kept_events_add(struct kept_events *k, struct span key, const void *data, size_t size);
void kept_events_drop(struct kept_events *k); /* instead; NULL: nothing */
const void *kept_events_data(const struct kept_events *k);

/*
 * Trace the events again, of the part to which @d is limited; derive_account() has what was left
 * out of them. @threads: that may count at the same time
 */
void derive_from_kept(struct derive *d, const struct kept_events *k, u32 threads);

/* The same in steps, of some events each; false: there are no more. NULL: out of memory */
struct kept_reader *kept_reader_open(struct derive *d, const struct kept_events *k);
bool kept_reader_next(struct kept_reader *r);
void kept_reader_close(struct kept_reader *r);
#include "derive/tails.h"
