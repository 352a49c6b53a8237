/* SPDX-License-Identifier: LGPL-2.1-only */
/* The derivers of a replay: which records they get, and where records are missing. */
#ifndef HIST_REPLAY_DERIVED_H
#define HIST_REPLAY_DERIVED_H

#include "derive/derive.h"
#include "replay/source.h"

struct hist;

/* Where records of a source are missing. */
struct derived_gap {
	u64 n;        /* gaps so far */
	u64 from, to; /* ->open: the last record before it, the sub-buffer after it */
	bool open;    /* it is not over */
	bool begun;   /* ->open: it is after ->from */
	bool started; /* the source had a record */
};

struct derived {
	ARRAY(struct derive *) all;     /* of each instance that has some */
	ARRAY(struct trace_array *) of; /* these instances */
	ARRAY(struct derived_gap) gaps; /* one for each source; of the current pass */
	size_t n_open;
	const struct recording *last;  /* of the last record */
	struct recordings_times times; /* with machine.open_intervals: of the recording */
};

/* Context: a replay has started. 0, -HIST_ENOMEM, or an error of the recording */
int derived_init(struct derived *d, struct hist *h, const struct hit_context *context,
		 struct diags *diags);
void derived_release(struct derived *d);

static inline bool derived_any(const struct derived *d)
{
	return d->all.n;
}

/* Their inputs, in the table of an instance. */
void derived_note(const struct derived *d, const struct recording *rec,
		  const struct trace_array *tr, struct dispatch_table *table);

/* A pass starts with @n sources. 0, -HIST_ENOMEM */
int derived_start(struct derived *d, size_t n);

/* Look for losses since the last call; called when sources may have advanced, by their thread. */
void derived_watch(struct derived *d, struct source *sources);

/* Before a record at @ts of source @i: whether derivers get it, because none is missing there. */
bool derived_pass(struct derived *d, size_t i, const struct stream *s, u64 ts);

/* A record of an input, of source @i. */
static inline void derived_hit(struct derived *d, size_t i, const struct stream *s,
			       const struct derive_input *in, const struct hit *hit)
{
	/* a smaller recording needs all of them */
	if (unlikely(s->tr->tracing->observed))
		s->tr->tracing->effects++;
	if (likely(d->last == s->of.rec && !d->n_open && d->gaps.v[i].started) ||
	    derived_pass(d, i, s, hit->ts))
		derive_hit(in, hit);
}

/* After the last record: intervals that still run. */
void derived_finish(const struct derived *d);

/* Report what was not derived. */
void derived_account(const struct derived *d, struct hist *h, struct diags *diags);

#endif
