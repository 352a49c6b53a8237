/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The records of one CPU of one buffer of one file, and what is to be done with each.
 */
#ifndef HIST_REPLAY_STREAM_H
#define HIST_REPLAY_STREAM_H

#include "replay/comm.h"
#include "replay/recording.h"
#include "ring_buffer/ring_buffer.h"

enum { COMMON_PID_AT = 4 }; /* in every record */

/* What records of one id mean to the replay. */
struct dispatch {
	struct event_file *file;       /* whose triggers run; NULL: none */
	const struct comm_event *comm; /* it tells comms; NULL: it does not */
	u32 min_size;                  /* that records of ->file have */
	u32 marker_at;     /* ftrace:print: offset of its text; else 0; ->file may be NULL */
	bool is_stack;     /* ftrace:kernel_stack */
	bool is_synthetic; /* made by a trigger of the recording kernel */
	bool scanned;      /* counted in any order, see scan.h */
	bool copied;       /* it goes into the buffer as it is */
	bool renumbered;   /* its id is another in the directory */
	bool special;      /* triggers are not all, or not what was recorded is what they see */
	u64 count;         /* so far, in the span that is replayed */
};

/* By id, for one file and one instance. */
struct dispatch_table {
	struct dispatch *by_id;
	u8 *keep; /* which ids are of use to the ordered replay */
	u32 n;
	u32 stack_at; /* offset of the entries of a kernel stack */
};

/* What a pass over a stream found out. */
struct stream_account {
	u64 missed, damaged;
	bool missed_unknown;
	u64 short_records; /* shorter than their format says: skipped */
};

struct stream {
	struct recording *rec;
	size_t buffer, cpu_index;
	u32 cpu;
	struct trace_array *tr;
	struct dispatch_table *table;
	struct ring_buffer_layout layout;
	struct trace_dat_pages *pages;
	struct trace_dat_pages *ahead; /* opened when a stack is looked for beyond a page */
	ARRAY(u64) stacks;             /* places of kernel stacks that go into the buffer */
	struct stream_account account;
	struct {
		u64 page;
		u32 offset;
	} stack; /* where the last stack was that was found */
};

int stream_open(struct stream *s, struct diags *diags);
void stream_close(struct stream *s);

/* An iterator from where the stream stands; @keep: which ids it lets through, NULL: all. */
void stream_iter_init(struct stream *s, const u8 *keep, struct ring_buffer_iter *it);

static inline struct dispatch *stream_dispatch(const struct stream *s,
					       const struct ring_buffer_record *rec)
{
	u32 id;

	if (rec->len < 8)
		return NULL;
	id = load_u16(rec->data, s->layout.big_endian);
	return id < s->table->n ? &s->table->by_id[id] : NULL;
}

/**
 * stream_stack() - the kernel stack that belongs to the current record
 * @it:  its iterator, on the sub-buffer of the record
 * @rec: the record
 *
 * Return: how many entries, without the two frames of the tracer; 0 if none was recorded
 */
size_t stream_stack(struct stream *s, const struct ring_buffer_iter *it,
		    const struct ring_buffer_record *rec, u64 *entries, size_t max);

/* The same as it was recorded, and where; false if there is none. Its time is not known. */
bool stream_stack_record(struct stream *s, const struct ring_buffer_iter *it,
			 const struct ring_buffer_record *rec, struct ring_buffer_record *stack,
			 u64 *place);

/* The place of a record that is on the iterator's sub-buffer. */
static inline u64 stream_place(const struct ring_buffer_iter *it,
			       const struct ring_buffer_record *rec)
{
	return it->pages << 32 | rec->offset;
}

#endif
