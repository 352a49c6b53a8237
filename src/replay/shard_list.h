/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Records of one stream for one shard, in order of time: a ring. The stream adds at the tail
 * while the shard takes what is due; what was taken makes room when a round ends.
 *
 * Where sub-buffers do not stay in memory, what records point to is copied into a second ring.
 */
#ifndef HIST_REPLAY_SHARD_LIST_H
#define HIST_REPLAY_SHARD_LIST_H

#include "ring_buffer/ring_buffer.h"

struct shard_list {
	struct ring_buffer_record *recs;
	u32 mask;                   /* how many there is room for, a power of 2, less 1 */
	u32 head, taken, due, tail; /* ever growing; an index with the mask */
	u8 *bytes;                  /* NULL: nothing is copied */
	size_t n_bytes, bytes_tail;
};

static inline struct ring_buffer_record *shard_list_at(const struct shard_list *list, u32 i)
{
	return &list->recs[i & list->mask];
}

/* Whether @n more records fit, which are part of @bytes of a sub-buffer. */
bool shard_list_has_room(const struct shard_list *list, u32 n, size_t bytes);

/* The ring of bytes may go round in the middle of what shard_list_has_room() saw room for. */
static inline const u8 *shard_list_keep(struct shard_list *list,
					const struct ring_buffer_record *rec)
{
	size_t size = ALIGN_UP((size_t)rec->len, 8);
	u8 *to;

	if (list->head == list->tail || list->n_bytes - list->bytes_tail < size)
		list->bytes_tail = 0;
	to = list->bytes + list->bytes_tail;
	list->bytes_tail += size;
	return memcpy(to, rec->data, rec->len);
}

static inline void shard_list_add(struct shard_list *list, const struct ring_buffer_record *rec)
{
	struct ring_buffer_record *to = shard_list_at(list, list->tail);

	*to = *rec;
	if (list->bytes)
		to->data = shard_list_keep(list, rec);
	list->tail++;
}

/* What was taken goes. Due are now records before @ts, or not later (@with_equal). */
void shard_list_turn(struct shard_list *list, u64 ts, bool with_equal);

/* A ring_buffer_source: what is due and lies one behind the other; at last nothing. */
int shard_list_take(void *list, const struct ring_buffer_record **recs);

#endif
