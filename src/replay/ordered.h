/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Records in order of time: the replay of everything, with names of tasks, stacks, markers,
 * buffers and observers. What any other way of counting gives must equal what this gives.
 */
#ifndef HIST_REPLAY_ORDERED_H
#define HIST_REPLAY_ORDERED_H

#include "replay/replay.h"
#include "replay/source.h"
#include "replay/traced.h"
#include "ring_buffer/merge.h"

struct ordered {
	struct hist *h;
	struct run_needs needs;
	struct run_source source; /* what triggers ask for */
	struct comms comms;
	struct traced_queue traced;
	struct strbuf marker; /* a copy of a record with something changed */
	bool no_memory;

	/* of the pass that is going on */
	struct source *sources;
	size_t n_sources;
	struct stream_account *accounts; /* one for each source */

	/* the record that is being replayed */
	struct source *at; /* NULL: it is not from a recording */
	const struct ring_buffer_record *rec;
};

void ordered_init(struct ordered *o, struct hist *h);
void ordered_release(struct ordered *o);

/*
 * Before the first record, from the first one of all sources: what tasks were called at the start,
 * if names are needed; an observer is told.
 */
void ordered_start(struct ordered *o);

/* The next record. Context: hot path */
void ordered_record(struct ordered *o, const struct ring_buffer_merged *m);

#endif
