/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the program traced, among the records of the recording.
 */
#ifndef HIST_REPLAY_TRACED_H
#define HIST_REPLAY_TRACED_H

#include "replay/replay.h"
#include "tracing/traced_queue.h"

struct traced_queue {
	struct hist *h;
	const struct run_source *source;
	size_t next; /* of h->tracing->traced */
};

/* Whether something comes before a record of time @ts. */
static inline bool traced_due(const struct traced_queue *q, u64 ts)
{
	const struct tracing *t = q->h->tracing;

	return q->next < t->traced.n && t->traced.v[q->next]->ts < ts;
}

/* All that comes before a record of time @ts. */
void traced_run(struct traced_queue *q, u64 ts);

/* The rest, which comes behind the last record. Return: 0, -HIST_ENOMEM */
int traced_run_rest(struct traced_queue *q);

#endif
