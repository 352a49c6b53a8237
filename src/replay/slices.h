/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Slices of time. When all records of a slice are counted, the counts of all workers are joined and
 * the slice is passed to the timer (observer.h), as in the replay in order.
 *
 * A slice is cut at the first record of a later time: by range in slices_enter(), since a worker
 * has counts for each slice that its records belong to; in order where a record is replayed
 * (ordered.c), or where the thread that reads ahead finds it (read_ahead.c).
 */
#pragma once
#include "replay/replay.h"

struct pass;
struct range_worker;

/* The first record of a slice in a range. */
struct slice_mark {
	u64 slice, ts;
	u64 missed; /* records that the range had lost until then */
	bool missed_unknown;
};

struct slice_counts {
	u64 slice;
	struct hist_part *parts; /* of the histograms of the pass */
	struct hit_account hits;
};

/* Slices of a worker. */
struct slice_set {
	u64 begin, length; /* the times of the current one, as far as the span includes them */
	ARRAY(struct slice_mark) marks;
	ARRAY(struct slice_counts) counts; /* in the order of time */
	struct slice_counts *current; /* the slice whose counts are in the histograms; NULL: none */
};

/* A record after which the following ones of the range may belong to another slice. */
int slices_enter(struct range_worker *w, u64 ts, u64 missed, bool missed_unknown);

/* The worker takes no more records for now. */
void slices_leave(struct range_worker *w);

/**
 * slices_step() - pass on the slices that are complete
 * @end: all ranges were read: also the last one, which is left to the end of the replay
 *
 * Context: workers do not run
 * Return:  0; 1 if times went back, or a map is too small: all records have to be counted again,
 *          in order; < 0 an error
 */
int slices_step(struct pass *pass, bool end);

void slices_release(struct range_worker *w);
