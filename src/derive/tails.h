/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Windows of time: each is derived from by a thread, with derivers of its own (derive_tails.c); or
 * only one is (derive_window.c). Part of derive.h; do not include it directly.
 */
#pragma once

struct derive_record;
struct derive_window; /* of a thread: one after the other */
struct derive_tails;  /* of all threads */

/* Whether all that is derived is the same by windows. Context: the recording has no holes */
bool derive_joins(const struct derive *d);

/* What it traces counts in the maps with number @part. NULL: out of memory */
struct derive_window *derive_window_new(struct derive *of, const struct hit_context *context,
					u32 part);
void derive_forget_parts(struct derive *of);
void derive_window_free(struct derive_window *w);
struct derive_tails *derive_tails_new(void);
void derive_tails_free(struct derive_tails *all);

/* Read window @number, from 0; the next records, of which so many fit. 0: out of memory */
void derive_window_start(struct derive_window *w, u64 number);
size_t derive_window_room(struct derive_window *w);
void derive_window_add(struct derive_window *w, const struct derive_input *in,
		       const struct hit *hit);

/*
 * All records were read; it is joined with those before, which is done in their order; derive from
 * it. False: out of memory, or the whole recording is needed.
 */
void derive_window_read(struct derive_window *w);
bool derive_tails_join(struct derive_tails *all, struct derive_window *w);
bool derive_window_derive(struct derive_window *w);

/* --- a part of the recording, see struct replay_window --- */

/* Whether all that an instance derives can be certain in a part: derive_unsure() tells if it is. */
bool derive_fits_window(const struct trace_array *tr);

/* A CPU has records, of which only those of a part are read. Context: before derive_start() */
void derive_await_cpu(struct derive *d, u32 cpu);

/* Whether what was traced, or may have been, depends on what was before the part. */
bool derive_is_unsure(const struct derive *d);

/* Whether an event that it needs may have been recorded, but not in the part: messages are about
 * all. */
bool derive_misses(const struct derive *d);

/* --- for derivers --- */

enum { ASKS_PAST = 128 }; /* of fields, besides those of event.h: ->past of their event */

/* Which tasks a record is about. */
struct derive_touches {
	s32 tasks[2];  /* 0: none */
	bool runs;     /* the second one runs from now on: what it did before does not matter */
	bool switches; /* a CPU switches from the first one to the second one */
};

struct derive_past_cpu {
	bool known;
	s32 task; /* that runs; 0: its idle task */
	u64 since;
};

struct derive_past;
