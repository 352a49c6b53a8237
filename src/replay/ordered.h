/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Replay in time order, with task names, stacks, markers, buffers and observers. Every other way of
 * counting must give the same results.
 */
#pragma once
#include "replay/derived.h"
#include "replay/replay.h"
#include "tracing/traced_queue.h"

/*
 * The events traced by the program. They follow all records with the same time; those without a
 * time follow the last record and get its time.
 */
struct traced_queue {
	struct hist *h;
	const struct hit_context *context;
	size_t next; /* index in h->tracing->traced */
};

struct ordered {
	struct hist *h;
	struct run_needs needs;
	struct hit_context context; /* data for triggers */
	struct names *names;        /* NULL: not needed */
	struct who_cache who;
	struct traced_queue traced;
	struct derived derived;
	struct strbuf marker; /* a modified copy of a record */
	bool no_memory;
	bool rehearses; /* see pass_rehearse() */

	/* of the current pass */
	struct source *sources;
	size_t n_sources;
	struct stream_account *accounts; /* one for each source */
	u64 plain_from;                  /* earlier ones are before the span, or the window */
	u64 plain_to; /* later records are after the span or the window, or end a slice of time */
	struct hit_account *hits; /* between passes, that of the replay */

	/* the record being replayed */
	struct source *from; /* NULL: the record is not from a recording */
	const struct ring_buffer_record *rec;
};

void ordered_init(struct ordered *o, struct hist *h);
void ordered_release(struct ordered *o);

/* A pass with one worker starts and ends. @sources: one for each stream */
void ordered_open(struct ordered *o, struct source *sources, size_t n,
		  struct stream_account *accounts, struct hit_account *hits);
void ordered_close(struct ordered *o);

/* Before the first record: notifies the observer. */
void ordered_start(struct ordered *o);

/* After the last record: the rest of the events traced by the program. 0, -HIST_ENOMEM */
int traced_run_rest(struct traced_queue *q);

/* Replay the next record. */
void ordered_record(struct ordered *o, const struct ring_buffer_merged *m);

/* Whether the observer has enough for now. */
static inline bool ordered_is_paused(const struct ordered *o)
{
	const struct replay_observer *observer = o->h->observer;

	return unlikely(observer && observer->pauses && !o->rehearses) &&
	       observer->pauses(observer->arg);
}

/* Replay the next records. Context: hot path */
void ordered_records(struct ordered *o, const struct ring_buffer_merged *some, int n);

/*
 * A record that another thread has read, and may have copied. Without data: before a record of this
 * time, a slice of time ends; ->at records were missed until then, and if ->len is set, more.
 */
struct read_record {
	u64 ts;
	const u8 *data;
	u64 at; /* see struct hit */
	u32 len;
	u32 source; /* index */
};

/* The same with these records, and nothing of the sources that can change. Context: hot path */
void ordered_ahead(struct ordered *o, const struct read_record *recs, size_t n);
