/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A histogram on many records at once: the fast path for histograms whose result does not
 * depend on the order of records.
 *
 * The plain path (run.h) takes one record through all its triggers. This one takes a few
 * hundred records of one event through one trigger, step by step: filter, then each part
 * of the key as a column, then the entries, then each value as a column. Each step is a
 * loop without decisions, and the map is asked for memory ahead.
 *
 * Threads have a batch_hist each for the same trigger; their maps are added up at the end.
 */
#ifndef HIST_ENGINE_BATCH_H
#define HIST_ENGINE_BATCH_H

#include "engine/hist_data.h"
#include "engine/run.h"
#include "engine/trigger.h"

enum { BATCH_MAX = TRACING_MAP_BATCH };

/* Records of one event on one CPU, all at least as long as their format says. */
struct batch {
	u32 n, cpu;
	const u8 *rec[BATCH_MAX];
	u32 len[BATCH_MAX];
	u64 ts[BATCH_MAX];
};

/* One thread's part of a histogram. */
struct batch_hist;

/**
 * event_file_is_order_free() - whether all triggers of an event can run in batches
 *
 * They are histograms without variables, references, actions, comms and stacks, and no
 * trigger anywhere pauses them or counts.
 */
bool event_file_is_order_free(const struct event_file *file);

/* The same, also for synthetic events. */
bool triggers_are_order_free(const struct event_file *file);

/* Keys of numbers and texts of the record alone. */
bool hist_keys_are_plain(const struct hist_data *hd);

/* Something pauses or continues its histograms while events come. */
bool event_file_is_switched(const struct event_file *file);

/* @frozen: drop what the trigger's map has no entry for. Return: NULL without memory */
struct batch_hist *batch_hist_new(const struct hist_data *hd, bool frozen);
void batch_hist_free(struct batch_hist *bh);

/**
 * batch_hist_run() - count records
 * @filter: of the trigger that the records are for; NULL: none
 *
 * Return:  false if the map is full (or there is no memory): then only the ordered path
 *          gives the kernel's result
 * Context: hot path; one thread at a time on @bh, any number on the trigger
 */
bool batch_hist_run(struct batch_hist *bh, const struct filter *filter, const struct batch *batch);

/* Add what @bh counted to the trigger's map; false as above. */
bool batch_hist_merge(struct hist_data *hd, const struct batch_hist *bh);

#endif
