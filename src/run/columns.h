/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Updating histograms with many records of one event at once.
 *
 * hist_hit() (hist_run.h) runs one record through one histogram: that is the specification. These
 * functions run a few hundred records at a time, step by step: filter, then each part of the key as
 * a column, then the entries, then each value as a column. Each step is a loop without branches,
 * and entries of the map are prefetched. Only histograms that depend on no order (depends.h) are
 * supported.
 */
#ifndef HIST_RUN_COLUMNS_H
#define HIST_RUN_COLUMNS_H

#include "program/filter.h"
#include "program/hist_data.h"

enum { BATCH_MAX = TRACING_MAP_BATCH };

/* Records of one event on one CPU, none shorter than its format. */
struct batch {
	u32 n, cpu;
	const struct run_source
		*source; /* names of tasks; NULL: neither they nor ->at are needed */
	const u8 *rec[BATCH_MAX];
	u32 len[BATCH_MAX];
	u64 ts[BATCH_MAX];
	u64 at[BATCH_MAX]; /* see struct hit */
};

/* Working memory for one thread. */
struct columns;

/* @key_size: the largest key of the histograms. Return: NULL if out of memory */
struct columns *columns_new(u32 key_size);
void columns_free(struct columns *c);

/**
 * event_hit_batch() - update all histograms of the event with a batch of records
 * @part: index of the histograms' maps, from 1
 *
 * Return:  false if a map is full (or out of memory): then only a replay in order gives the
 *          kernel's result
 * Context: hot path; one thread at a time on @c and @part, any number on the event
 */
bool event_hit_batch(const struct event_file *file, const struct batch *batch, u32 part,
		     struct columns *c);

#endif
