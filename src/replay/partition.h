/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A source that delivers only the records of one part of the keys, and where slices of time start:
 * the first record of each one, without its data if it is not of the part. Each thread reads all
 * streams itself: decoding them in every thread costs less than passing records between threads,
 * because a cache line written by one processor is slow to reach another.
 */
#ifndef HIST_REPLAY_PARTITION_H
#define HIST_REPLAY_PARTITION_H

#include "replay/replay.h"
#include "replay/source.h"
#include "ring_buffer/merge.h"

/* How the part of a short record of an id is found. */
struct part_route {
	u16 at;       /* offset of the integer that determines it */
	u16 min_size; /* shorter records, or all of them, are left to is_mine() */
	u8 high_bits; /* bits of 8 bytes at ->at that do not belong to the integer */
	bool kept;
};

struct partition {
	struct source *source;
	const struct hist *h;
	struct names *names;           /* NULL: not needed */
	const struct run_source *from; /* for filters and keys */
	u32 part, n_parts;             /* from 1 */
	u64 last;                      /* time of the last record read */
	u64 last_in_slice; /* the first later record is delivered to all parts, see slices.h */
	bool backwards;    /* a time stamp was lower than the previous one */
	/* counts records that all parts read */
	u64 *counts; /* by id: records in the span; of ids that are not kept, any number */
	u64 short_records, guessed_names;
	struct part_route *routes; /* by id, as many as the stream's table has */
};

/* Set p->routes, when the other members are set. 0, -HIST_ENOMEM */
int partition_init(struct partition *p, struct arena *arena);

/* For ring_buffer_merge_init_sources(); borrows @p. */
struct ring_buffer_source partition_of_merge(struct partition *p);

#endif
