/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A hash table of indices: it finds the elements of a caller's array by key. The caller hashes the
 * key and compares the candidates:
 *
 *	hash_each(i, &table, hash_text(name))
 *		if (!strcmp(things.v[i].name, name))
 *			return &things.v[i];
 *
 * The array may grow and move, and several elements may have one key.
 */
#pragma once
#include <string.h>

#include "base/types.h"

struct hash_slot {
	u32 hash;
	u32 item; /* index + 1; 0: free */
};

/* Open addressing with linear probing, at most half full. */
struct hash_table {
	struct hash_slot *slots; /* NULL: nothing was added yet */
	size_t n;
	unsigned int bits; /* 1 << bits slots */
};

#define HASH_TABLE_INIT    \
	{                  \
		NULL, 0, 0 \
	}

struct hash_walk {
	u32 hash;
	size_t probes;
};

/* Hash of @n bytes; @seed is 0 or the hash of the previous parts of the key. */
u32 hash_bytes(u32 seed, const void *data, size_t n);

static inline u32 hash_text(const char *s)
{
	return hash_bytes(0, s, strlen(s));
}

static inline u32 hash_number(u64 v)
{
	v *= 0x9e3779b97f4a7c15ull;
	return (u32)(v >> 32);
}

/**
 * hash_add() - add the element at index @item
 *
 * Shape:  @item is below UINT32_MAX
 * Return: 0, -HIST_ENOMEM, which leaves the table unchanged
 */
int hash_add(struct hash_table *t, u32 hash, size_t item);

/* Remove the element that was added with the same @hash and @item, if there is one. */
void hash_remove(struct hash_table *t, u32 hash, size_t item);

/* Start of a walk over the elements with @hash, in arbitrary order. */
static inline struct hash_walk hash_walk(u32 hash)
{
	return (struct hash_walk){ .hash = hash };
}

/* The slot for attempt @probe to find an element with @hash. */
static inline size_t hash_slot_of(const struct hash_table *t, u32 hash, size_t probe)
{
	size_t home = (hash * 2654435769u) >> (32 - t->bits);

	return (home + probe) & (((size_t)1 << t->bits) - 1);
}

/* The next element with @hash, from attempt @probe on; false after the last one. */
static inline bool hash_at(const struct hash_table *t, u32 hash, size_t *probe, size_t *item)
{
	const struct hash_slot *slot;

	if (!t->slots)
		return false;
	do {
		slot = &t->slots[hash_slot_of(t, hash, (*probe)++)];
		if (!slot->item)
			return false;
	} while (slot->hash != hash);
	*item = slot->item - 1;
	return true;
}

/* The next element of @walk; false after the last one. The table must not change meanwhile. */
static inline bool hash_next(const struct hash_table *t, struct hash_walk *walk, size_t *item)
{
	return hash_at(t, walk->hash, &walk->probes, item);
}

/* A loop over the elements with a hash, in arbitrary order: @i is the index of each. */
#define hash_each(i, table, of_hash) \
	for (size_t i, probe_ = 0, hash_ = (of_hash); hash_at(table, (u32)hash_, &probe_, &(i));)

void hash_release(struct hash_table *t);
