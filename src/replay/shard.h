/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sharding: the fast path for events whose triggers keep to their key (engine/shard.h).
 * Each thread has a part of the keys and sees the records of these in order of time.
 */
#ifndef HIST_REPLAY_SHARD_H
#define HIST_REPLAY_SHARD_H

#include "replay/replay.h"
#include "replay/stream.h"

/* What is to be replayed. */
struct shard_input {
	struct stream *streams;
	struct ring_buffer_iter *iters; /* one a stream; they let through what is to be done */
	size_t n;
	const struct replay_span *span;
	const struct run_source *source;
	unsigned int jobs; /* threads, as many as shards; at least 2 */
};

/* Whether all records that the iterators let through can be sharded. */
bool shard_can_run(const struct shard_input *in);

/**
 * shard_run() - replay all records of the streams by key
 *
 * Return: 0; 1 if only a replay in order gives the kernel's result (a map was too small, or a
 *         CPU's time went back): then nothing was counted, and the iterators are somewhere;
 *         < 0 an error
 */
int shard_run(const struct shard_input *in);

#endif
