/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Slices of time: one replay that prints its histograms again and again, each time of what
 * came since the last time.
 *
 * A slice reaches from its start to before the next one's. Slices follow each other from the
 * first event on; those without a hit are not shown. What variables hold lives on: a start
 * in one slice and its end in the next make a latency of the next.
 */
#ifndef HIST_TRACEFS_SLICE_H
#define HIST_TRACEFS_SLICE_H

#include "print/print.h"
#include "replay/watch.h"

struct hist;

struct slicer {
	struct hist *h;
	struct replay_timer timer;       /* ->end: the first time after the slice */
	struct event_file *const *files; /* whose histograms are shown */
	size_t n;
	struct printer *p;
	u64 length;
	u64 last; /* time of the last record that counts */
	u64 from; /* first time of the slice */
	u64 missed, missed_before;
	bool missed_unknown;
	u64 drops;
	int err;
};

/* "SEC" in units of the clock; -HIST_EINVAL with a diagnosis. */
int slice_parse(const char *text, bool clock_counts, u64 *length, struct diags *diags);

/* Replay, and show slices of these events' histograms. */
int slices_print(struct hist *h, struct event_file *const *files, size_t n, struct printer *p,
		 struct diags *diags);

#endif
