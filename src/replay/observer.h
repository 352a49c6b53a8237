/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Observers of a replay determine which records are needed, or save the events that would have been
 * traced.
 *
 * With an observer, all records are replayed in time order by one thread.
 */
#pragma once
#include "replay/stream.h"

/* The record being replayed; everything is borrowed until the next one. */
struct observed {
	const struct stream *stream;
	u64 page;           /* sub-buffer of its CPU, from 0 */
	u64 missed;         /* records that its CPU had lost until then, as far as known */
	u64 missed_unknown; /* losses of an unknown number */
	u64 n_gaps;         /* as in struct ring_buffer_iter */
	const struct ring_buffer_record *rec;
	const struct dispatch *dispatch;
	const struct hit *hit;
};

#define NO_STACK UINT64_MAX

/* Where an event is from. */
struct replay_place {
	const struct stream *stream; /* NULL: traced by the program */
	bool made;                   /* by the replay; otherwise it is a recorded one */
	u64 missed, missed_unknown;  /* as in struct observed */
};

struct replay_observer {
	void *arg;
	/* a replay starts, possibly not the first; NULL: not needed */
	void (*begin)(void *arg);
	/*
	 * called before ->start for each stream that is read, with its sub-buffers; NULL: not
	 * needed
	 */
	void (*stream)(void *arg, const struct stream *s);
	/* its records follow; NULL: not needed */
	void (*start)(void *arg);
	/* before and after each record that is used; NULL: not needed */
	void (*before)(void *arg, const struct observed *w);
	void (*after)(void *arg, const struct observed *w);
	/* told which names and other answers about tasks were needed */
	const struct names_observer *who; /* NULL: not needed */
	/*
	 * the record needed a stack, or the bytes of a synthetic event, which is the record at
	 * @offset of sub-buffer @page (NO_STACK: there is none); @traced: the buffer also gets it.
	 * NULL: not needed
	 */
	void (*stack)(void *arg, u64 page, u32 offset, bool traced);
	/*
	 * an event was committed to the buffer of an instance; the events that @hit generated
	 * precede it; NULL: not needed
	 */
	void (*recorded)(void *arg, struct trace_array *tr, const struct hit *hit);
	/*
	 * the same without a buffer, of all enabled events, also those of the system ftrace;
	 * hit->rec is borrowed until the next call of replay_step(), but that of an event that the
	 * replay made only now; NULL: not needed
	 */
	void (*event)(void *arg, const struct replay_place *place, const struct hit *hit);
	/* whether replay_step() returns; NULL: it does not */
	bool (*pauses)(void *arg);
	bool states; /* and of records that state of which process a task is, if that is asked */
	bool asks_comm, asks_who, asks_stacks; /* what it asks of hit->context */
	bool reads_stacks;                     /* fields of derived events */
	bool unasked; /* the user did not ask for derived events: no diagnoses about them */
};

/* An observer of time. */
struct replay_timer {
	void *arg;
	/*
	 * Slices begin at ->from and every ->length after it; a record before ->from belongs to the
	 * first one.
	 */
	u64 from, length;
	u64 about_last; /* about the time of the last record */
	u64 end; /* ->passed is called before the first record at or after this time is replayed */
	/* all records are counted in order, possibly again; sets the first ->end */
	void (*start)(void *arg);
	/* sets the next ->end; @missed: records lost until then */
	void (*passed)(void *arg, u64 ts, u64 missed, bool missed_unknown);
	/* after the last record */
	void (*finish)(void *arg, u64 missed, bool missed_unknown, struct diags *diags);
};
