/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reading a stream, or a range of its sub-buffers. Any number of sources may read the same
 * stream; each belongs to one thread.
 *
 * Sub-buffers have numbers, from 0. A damaged chunk is passed over with all of its sub-buffers:
 * their numbers are not given to others.
 */
#ifndef HIST_REPLAY_SOURCE_H
#define HIST_REPLAY_SOURCE_H

#include "replay/stream.h"
#include "ring_buffer/merge.h"

enum { SOURCE_RECORDS = 64 };

struct source {
	const struct stream *stream;
	struct trace_dat_pages *pages;
	struct ring_buffer_iter iter; /* lets through what stream->table->keep names */
	u64 page;                     /* the sub-buffer that ->iter is on */
	u64 end;                      /* the one after the last that is read */
	/* what was read is about to go; NULL: no matter */
	void (*leave)(void *arg);
	void *leave_arg;

	u64 synth_place;               /* of the last synthetic record that was taken */
	ARRAY(u64) awaited;            /* places of kernel stacks that go into the buffer */
	struct trace_dat_pages *ahead; /* opened when a stack is looked for beyond a page */
	struct {
		u64 page;
		u32 offset;
	} stack; /* where the last stack, or synthetic record, was that was found ahead */
	struct ring_buffer_record recs[SOURCE_RECORDS];
};

/* From the first sub-buffer to the last. Return: 0, -HIST_ENOMEM */
int source_open(struct source *s, const struct stream *stream, struct diags *diags);
void source_close(struct source *s);

/* Read sub-buffers @first to @end, the latter not included. */
void source_range(struct source *s, u64 first, u64 end);

/* The next records of one sub-buffer, in s->recs: how many, 0 at the end, < 0 an error. */
int source_fill(struct source *s);

/* For ring_buffer_merge_init_sources(); @s is borrowed. */
struct ring_buffer_source source_of_merge(struct source *s);

/* Add what was lost and damaged where it has read. */
void source_account(const struct source *s, struct stream_account *sum);

/**
 * source_stack() - the kernel stack that belongs to a record
 * @rec: of the sub-buffer that the source is on
 *
 * Return: how many entries, without the two frames of the tracer; 0 if none was recorded
 */
size_t source_stack(struct source *s, const struct ring_buffer_record *rec, u64 *entries,
		    size_t max);

/* The same as it was recorded, and its place; false if there is none. Its time is not known. */
bool source_stack_record(struct source *s, const struct ring_buffer_record *rec,
			 struct ring_buffer_record *stack, u64 *place);

/**
 * source_loose_bytes() - what follows the texts of a synthetic event in its recorded record
 * @rec:  the record that made it, of the sub-buffer that the source is on
 * @made: what the replay makes of it, @len bytes; gets these bytes
 *
 * Return: false if it was not recorded. Each record is taken once.
 */
bool source_loose_bytes(struct source *s, const struct ring_buffer_record *rec,
			const struct synth_event *se, u8 *made, u32 len);

/* The place of a record of the sub-buffer that the source is on. */
static inline u64 source_place(const struct source *s, const struct ring_buffer_record *rec)
{
	return s->page << 32 | rec->offset;
}

#endif
