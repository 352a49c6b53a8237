/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Who looks on while a recording is replayed: to find out which records matter, or to save
 * what would have been traced.
 *
 * While somebody looks on, every record comes in order of time, none is counted in parallel.
 */
#ifndef HIST_REPLAY_WATCH_H
#define HIST_REPLAY_WATCH_H

#include "replay/stream.h"

/* The record that is being replayed; everything is borrowed until the next one. */
struct watched {
	const struct stream *stream;
	u64 page;            /* which sub-buffer of its CPU, from 0 */
	u64 missed;          /* records that its CPU lost until then, as far as is known */
	bool missed_unknown; /* and some more */
	const struct ring_buffer_record *rec;
	const struct dispatch *dispatch;
	const struct hit *hit;
};

#define NO_STACK UINT64_MAX

struct replay_watch {
	void *arg;
	/* a replay begins, which may be not the first; NULL: no matter */
	void (*begin)(void *arg);
	/* its records follow; @comms are as at the start of the recording */
	void (*start)(void *arg, const struct comms *comms);
	/* before and after a record that something is done with */
	void (*before)(void *arg, const struct watched *w);
	void (*after)(void *arg, const struct watched *w);
	/* it asked for a comm */
	void (*comm)(void *arg, const struct hit *hit);
	/*
	 * for a stack, or for the bytes of a synthetic event, the record at @offset of sub-buffer
	 * @page; @traced: to record it as well; @page NO_STACK: there is none
	 */
	void (*stack)(void *arg, u64 page, u32 offset, bool traced);
	/* something went into the buffer of an instance for good; what @hit makes comes before it
	 */
	void (*recorded)(void *arg, struct trace_array *tr, const struct hit *hit);
};

/* An observer of time. */
struct replay_timer {
	void *arg;
	u64 end; /* ->passed is called before the first record from this time on is replayed */
	/* it sets ->end anew; @missed: records that were lost until then */
	void (*passed)(void *arg, u64 ts, u64 missed, bool missed_unknown);
	/* after the last record */
	void (*finish)(void *arg, u64 missed, bool missed_unknown, struct diags *diags);
};

#endif
