// SPDX-License-Identifier: LGPL-2.1-only
/* The lists of shards: what is not done for each record. */
#include "replay/shard_list.h"

/* The bytes from the first record's on are in use, to the tail, or round to it. */
static bool has_bytes(const struct shard_list *list, size_t need)
{
	size_t head;

	if (!list->bytes || list->head == list->tail)
		return true;
	head = (size_t)(shard_list_at(list, list->head)->data - list->bytes);
	if (list->bytes_tail < head)
		return head - list->bytes_tail > need;
	return list->n_bytes - list->bytes_tail >= need || head > need;
}

bool shard_list_has_room(const struct shard_list *list, u32 n, size_t bytes)
{
	return list->tail - list->head + n <= list->mask + 1 && has_bytes(list, bytes);
}

void shard_list_turn(struct shard_list *list, u64 ts, bool with_equal)
{
	u32 low = list->due, n = list->tail - list->due;

	list->head = list->taken = list->due;
	while (n) {
		u64 middle = shard_list_at(list, low + n / 2)->ts;

		if (middle < ts || (middle == ts && with_equal)) {
			low += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	list->due = low;
}

int shard_list_take(void *arg, const struct ring_buffer_record **recs)
{
	struct shard_list *list = arg;
	u32 to_end = list->mask + 1 - (list->taken & list->mask);
	u32 n = min_t(u32, list->due - list->taken, to_end);

	*recs = shard_list_at(list, list->taken);
	list->taken += n;
	return (int)n;
}
