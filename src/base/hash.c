// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A hash table of indices with linear probing. An element is in the first slot after its home
 * that was free, and no slot between its home and it is free: a search ends at the first free
 * slot, and removal closes the gap that it leaves.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"

enum { FIRST_BITS = 4 };

u32 hash_bytes(u32 seed, const void *data, size_t n)
{
	const u8 *s = data;
	u32 h = seed ^ 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ s[i]) * 16777619u;
	return h;
}

static void insert(struct hash_table *t, struct hash_slot slot)
{
	u32 probe = 0;

	while (t->slots[hash_slot_of(t, slot.hash, probe)].item)
		probe++;
	t->slots[hash_slot_of(t, slot.hash, probe)] = slot;
}

static int grow(struct hash_table *t)
{
	struct hash_table bigger = { .n = t->n, .bits = t->slots ? t->bits + 1 : FIRST_BITS };

	if (bigger.bits > 31)
		return HIST_NOMEM;
	bigger.slots = calloc((size_t)1 << bigger.bits, sizeof(*bigger.slots));
	if (!bigger.slots)
		return HIST_NOMEM;
	for (size_t i = 0; t->slots && i < (size_t)1 << t->bits; i++)
		if (t->slots[i].item)
			insert(&bigger, t->slots[i]);
	free(t->slots);
	*t = bigger;
	return 0;
}

int hash_add(struct hash_table *t, u32 hash, size_t item)
{
	if (item >= UINT32_MAX)
		return HIST_NOMEM;
	if ((!t->slots || t->n >= (size_t)1 << (t->bits - 1)) && grow(t))
		return HIST_NOMEM;
	insert(t, (struct hash_slot){ .hash = hash, .item = (u32)item + 1 });
	t->n++;
	return 0;
}

/* Move elements back into slot @gap if that is nearer to their home. */
static void close_gap(struct hash_table *t, size_t gap)
{
	size_t mask = ((size_t)1 << t->bits) - 1;

	for (size_t i = (gap + 1) & mask; t->slots[i].item; i = (i + 1) & mask) {
		size_t home = hash_slot_of(t, t->slots[i].hash, 0);

		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		t->slots[gap] = t->slots[i];
		gap = i;
	}
	t->slots[gap] = (struct hash_slot){ 0, 0 };
}

void hash_remove(struct hash_table *t, u32 hash, size_t item)
{
	struct hash_walk walk = hash_walk(hash);
	size_t found;

	while (hash_next(t, &walk, &found)) {
		if (found != item)
			continue;
		close_gap(t, hash_slot_of(t, hash, walk.probes - 1));
		t->n--;
		return;
	}
}

void hash_release(struct hash_table *t)
{
	free(t->slots);
	*t = (struct hash_table)HASH_TABLE_INIT;
}
