/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Slices of time: one replay that prints its histograms repeatedly, each time with the hits since
 * the last time.
 *
 * A slice extends from its start to just before the start of the next one. Slices are contiguous
 * from the first event on; those in which no hit was counted or dropped are not shown. Variables
 * keep their values: a start in one slice and its end in the next one give a latency in the next
 * one.
 */
#ifndef HIST_TRACEFS_SLICE_H
#define HIST_TRACEFS_SLICE_H

#include "print/print.h"
#include "replay/replay.h"

struct hist;

struct slicer {
	struct hist *h;
	struct replay_timer timer;       /* ->end: first time after the slice */
	struct event_file *const *files; /* events whose histograms are printed */
	size_t n;
	struct printer *p;
	u64 length;
	u64 from; /* first time of the slice */
	u64 done; /* first time that was not printed; later than ->from if the replay starts again
		   */
	u64 missed, missed_before;
	bool missed_unknown;
	u64 drops;
	int err;
};

/* "SEC" in units of the clock; -HIST_EINVAL with a diagnosis. */
int slice_parse(const char *text, bool clock_counts, u64 *length, struct diags *diags);

/* Replay, and print slices of these events' histograms. */
int slices_print(struct hist *h, struct event_file *const *files, size_t n, struct printer *p,
		 struct diags *diags);

#endif
