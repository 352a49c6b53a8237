/* SPDX-License-Identifier: LGPL-2.1-only */
/* The events traced by the program, among the records of the recording. */
#ifndef HIST_REPLAY_TRACED_H
#define HIST_REPLAY_TRACED_H

#include "replay/replay.h"
#include "tracing/traced_queue.h"

struct traced_queue {
	struct hist *h;
	const struct run_source *source;
	size_t next; /* index in h->tracing->traced */
};

/* Whether an event is due before a record of time @ts. */
static inline bool traced_due(const struct traced_queue *q, u64 ts)
{
	const struct tracing *t = q->h->tracing;

	return q->next < t->traced.n && t->traced.v[q->next]->ts < ts;
}

/* Run all events due before a record of time @ts. */
void traced_run(struct traced_queue *q, u64 ts);

/* Run the rest, after the last record. Return: 0, -HIST_ENOMEM */
int traced_run_rest(struct traced_queue *q);

#endif
