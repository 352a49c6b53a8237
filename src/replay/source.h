/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reading a stream, or a range of its sub-buffers. Any number of sources may read the same
 * stream; each belongs to one thread.
 *
 * Sub-buffers have numbers, from 0. A damaged chunk is skipped with all of its sub-buffers; their
 * numbers are not reused.
 */
#pragma once
#include "replay/stream.h"
#include "ring_buffer/ring_buffer.h"

enum { SOURCE_RECORDS = 64 };

struct source {
	const struct stream *stream;
	struct trace_dat_pages *pages;
	struct ring_buffer_iter iter; /* passes the ids in stream->table->keep */
	u64 page;                     /* the sub-buffer of ->iter */
	u64 end;                      /* one after the last sub-buffer to read */
	u64 merged;                   /* the sub-buffer of the records that the merge has */
	u64 quiet; /* of a feed: it has no records before this time; 0: it has some */
	/* called before the current data is released; NULL: not needed */
	void (*leave)(void *arg);
	void *leave_arg;

	u64 synth_place;                   /* of the last synthetic record that was matched */
	ARRAY(u64) awaited;                /* positions of stacks that are written to the buffer */
	struct trace_dat_pages *lookahead; /* opened to look for a stack past the end of a page */
	/*
	 * position of the last stack, or synthetic record, found by looking ahead, or of the record
	 * that ended the search for a stack; .page is NO_STACK if there is none
	 */
	struct {
		u64 page;
		u32 offset;
	} stack;
	struct ring_buffer_record recs[SOURCE_RECORDS];
};

/* Read the sub-buffers of the stream. Return: 0, -HIST_ENOMEM */
int source_open(struct source *s, const struct stream *stream);
void source_close(struct source *s);

/* Read sub-buffers @first to @end, excluding @end. */
void source_range(struct source *s, u64 first, u64 end);

/*
 * Read the next records of one sub-buffer to s->recs. Return: their number, 0 at the end, < 0 an
 * error
 */
int source_fill(struct source *s);

/* For ring_buffer_merge_init_sources(); borrows @s. */
struct ring_buffer_source source_of_merge(struct source *s);

/* Add the losses and damage in the sub-buffers read so far. */
void source_account(const struct source *s, struct stream_account *sum);

/* The sum of all sources. */
struct stream_account sources_lost(const struct source *sources, size_t n);

/**
 * source_stack() - the kernel stack that belongs to a record
 * @rec: in the current sub-buffer of the source
 * @cut: whether there are more than @max
 *
 * Return: number of entries, without the two frames of the tracer; 0 if none was recorded
 */
size_t source_stack(struct source *s, const struct ring_buffer_record *rec, u64 *entries,
		    size_t max, bool *cut);

/* Fill in what belongs to the user's stack of a record, with all of its frames. */
void source_user_stack(struct source *s, const struct ring_buffer_record *rec,
		       struct hit_stacks *stacks);

/*
 * Add the next stack of that kind that belongs to a record to s->awaited; @made: to an event that
 * the replay makes for it. Return: whether there is one; < 0: an error
 */
int source_await_stack(struct source *s, const struct ring_buffer_record *rec, enum stack_kind kind,
		       bool made);

/**
 * source_loose_bytes() - copy the bytes after the strings of a synthetic event from its recorded
 * record
 * @rec:  the record that generated it, in the current sub-buffer of the source
 * @made: the replay's record of it, @len bytes; these bytes are copied to it
 *
 * Return: false if it was not recorded. Each recorded record is used once.
 */
bool source_loose_bytes(struct source *s, const struct ring_buffer_record *rec,
			const struct synth_event *se, u8 *made, u32 len);

/* The position of a record in the current sub-buffer of the source. */
static inline u64 source_place(const struct source *s, const struct ring_buffer_record *rec)
{
	return s->page << 32 | rec->offset;
}
