/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The plan of a replay: how each event is counted. It is made once, from the bound triggers and the
 * streams; no other code decides about it.
 *
 * An event is counted by range only if that way supports everything that its histograms
 * depend on (run/run.h); otherwise in order.
 */
#pragma once
#include "replay/replay.h"

/* Why an event that counting by range supports is counted in order. */
enum plan_cost {
	COST_NONE,
	COST_ASKED, /* --plan=order */
	COST_AGAIN, /* tried, but a map was full or a time went back */
};

/* An event with triggers, of a recording. */
struct plan_event {
	struct event_file *file;
	enum plan_way way;
	struct depends depends;
	enum plan_cost cost;
};

struct plan {
	struct hist *h;
	struct stream *streams;
	size_t n_streams;
	ARRAY(struct plan_event) events;
	unsigned int threads;
	bool derives;     /* events are derived from the records, in order */
	bool reads_ahead; /* in order: one thread reads while another one counts, or derives */
	bool windows;     /* the same by windows of time, in which all threads derive */
	bool inflates;    /* sub-buffers are in memory only until the next ones are read */
	bool any[N_WAYS];
};

/* Return: 0; -HIST_EINVAL if it cannot be by range, as h->plan demands; -HIST_ENOMEM */
int plan_make(struct plan *p, const struct run_needs *needs, struct diags *diags);
void plan_release(struct plan *p);

/* The events counted in this way turned out to depend on the order. */
void plan_fall_back(struct plan *p, enum plan_way way);

/* When names of tasks are collected, which some event needs. */
enum plan_names {
	NAMES_NONE,
	NAMES_LATE,  /* in the result: they are collected while events are counted by range */
	NAMES_FIRST, /* before events are counted: in a pass of their own */
};

enum plan_names plan_names(const struct plan *p);

/* Add a note for each histogram. */
void plan_explain(const struct plan *p, struct diags *diags);

/*
 * The dispatch table of a stream; NULL if an earlier stream has the same one, so that a loop over
 * all streams visits each table once.
 */
struct dispatch_table *plan_table(const struct plan *p, size_t stream);
