/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Many records of one event on its histograms at once.
 *
 * hist_hit() (hist_run.h) takes one record through one histogram: that is the specification. This
 * takes a few hundred through it, step by step: filter, then each part of the key as a
 * column, then the entries, then each value as a column. Each step is a loop without
 * decisions, and the map is asked for memory ahead. It can do only histograms that depend on
 * nothing (depends.h).
 */
#ifndef HIST_RUN_COLUMNS_H
#define HIST_RUN_COLUMNS_H

#include "program/filter.h"
#include "program/hist_data.h"

enum { BATCH_MAX = TRACING_MAP_BATCH };

/* Records of one event on one CPU, all at least as long as their format says. */
struct batch {
	u32 n, cpu;
	const u8 *rec[BATCH_MAX];
	u32 len[BATCH_MAX];
	u64 ts[BATCH_MAX];
};

/* Room to work in, for one thread. */
struct columns;

/* @key_size: the largest of the histograms that it is used on. Return: NULL without memory */
struct columns *columns_new(u32 key_size);
void columns_free(struct columns *c);

/**
 * event_file_hit_batch() - records on all histograms of the event
 * @part: which of the histograms' maps, from 1
 *
 * Return:  false if a map is full (or there is no memory): then only a replay in order gives
 *          the kernel's result
 * Context: hot path; one thread at a time on @c and @part, any number on the event
 */
bool event_file_hit_batch(const struct event_file *file, const struct batch *batch, u32 part,
			  struct columns *c);

#endif
