/* SPDX-License-Identifier: LGPL-2.1-only */
/* The derivers of a replay: which records they get, and where records are missing. */
#pragma once
#include "derive/derive.h"
#include "replay/quotas.h"
#include "replay/source.h"

/* Where records of a source are missing. */
struct derived_source {
	struct coverage coverage;
	size_t next;  /* the hole that has not ended yet */
	bool begun;   /* it has begun */
	bool started; /* the source had a record */
	const struct stream *stream;
};

struct derived {
	ARRAY(struct derive *) all;           /* of each instance that has some */
	ARRAY(struct trace_array *) of;       /* these instances */
	ARRAY(struct derived_source) sources; /* of the current pass */
	u64 next; /* when the next hole begins or ends, of those that are known */
	struct derived_source *next_of;  /* its source */
	ARRAY(struct derive_edge) edges; /* that are passed on */
	bool failed;                     /* out of memory */
	bool holed;                      /* there are edges of holes */
	const struct recording *last;    /* of the last record */
	struct replay_window window;
	struct quotas quotas;
	struct recordings_times times; /* with options.open_intervals: of the recording; the last,
					  too, with derive_lasts() */
};

/* Context: a replay has started. 0, -HIST_ENOMEM, or an error of the recording */
int derived_init(struct derived *d, struct hist *h, const struct hit_context *context,
		 struct diags *diags);
/* Set tracing.throttle_code. Before tracing_needs(). Return: 0, -HIST_ENOMEM */
int derived_find_stacks(struct hist *h);

void derived_release(struct derived *d);

static inline bool derived_any(const struct derived *d)
{
	return d->all.n;
}

/* Their inputs, in the table of an instance. */
void derived_note(const struct derived *d, const struct recording *rec,
		  const struct trace_array *tr, struct dispatch_table *table);

/* A pass starts with @n sources, which were not read yet. 0, -HIST_ENOMEM */
int derived_start(struct derived *d, struct source *sources, size_t n);

/* Look for holes since the last call; called when sources may have advanced, by their thread. */
void derived_watch(struct derived *d);

/* Before a record at @ts of source @i: pass on what begins or ends before. */
void derived_pass(struct derived *d, size_t i, const struct stream *s, u64 ts);

/* A record of an input, of source @i. */
static inline void derived_hit(struct derived *d, size_t i, const struct stream *s,
			       const struct derive_input *in, const struct hit *hit)
{
	/* a smaller recording needs all of them */
	if (unlikely(s->tr->tracing->observed))
		s->tr->tracing->effects++;
	if (unlikely(d->last != s->of.rec || hit->ts >= d->next || !d->sources.v[i].started))
		derived_pass(d, i, s, hit->ts);
	derive_hit(in, hit);
}

/*
 * Whether derivers need a pass before, in which nothing is traced, and which begins now, or @ends.
 */
bool derived_rehearse(struct derived *d, bool ends);

/* After the last record: intervals that still run. */
void derived_finish(struct derived *d);

/* Report what was not derived. */
void derived_account(struct derived *d, struct hist *h, struct diags *diags);
