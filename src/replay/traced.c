// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Inserts the events traced by the program after all records with the same time; events without
 * a time follow the last record and get its time.
 */
#include "replay/traced.h"

static void run_at(struct traced_queue *q, u64 ts)
{
	const struct replay_span *span = &q->h->span;
	const struct traced_event *te = q->h->tracing->traced.v[q->next++];

	if (ts >= span->from && ts <= span->to)
		traced_event_hit(te, ts, q->source);
}

void traced_run(struct traced_queue *q, u64 ts)
{
	while (traced_due(q, ts))
		run_at(q, q->h->tracing->traced.v[q->next]->ts);
}

int traced_run_rest(struct traced_queue *q)
{
	const struct tracing *t = q->h->tracing;
	struct recordings_times times;
	u64 end;
	int err;

	traced_run(q, TRACED_AT_END);
	if (q->next == t->traced.n)
		return 0;
	err = recordings_times(&q->h->recordings, q->h->buffer, &times);
	end = times.last;
	if (q->next)
		end = max_t(u64, end, t->traced.v[q->next - 1]->ts);
	end = min_t(u64, end, q->h->span.to);
	while (!err && q->next < t->traced.n)
		run_at(q, end);
	return err;
}
