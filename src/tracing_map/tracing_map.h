/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * tracing_map: keys to sums and variables, with the kernel's limits and accounting.
 *
 * An entry (elt) is an array of 64-bit words: its sums, its key, its variables, a word with a bit
 * for each variable that is set, and space for its owner (a comm, texts; samples). Entries never
 * move and are never deleted, so a pointer to one is valid until the map is cleared or freed. When
 * all entries are used, new keys are dropped and counted; known keys are still counted.
 *
 * A map belongs to one thread. Threads that count in parallel have one map each, which are merged.
 * The place of a key in the map has no effect: output is sorted by key bytes first.
 */
#pragma once
#include "base/base.h"

struct tracing_map_desc {
	u32 key_size;     /* bytes, a multiple of 8 */
	u32 n_sums;       /* words, the hitcount first */
	u32 n_vars;       /* words, at most 64 */
	u32 private_size; /* private bytes of the caller, a multiple of 8; zeroed when new */
	u32 n_samples;    /* the last words of these are samples, see base/samples.h */
	u32 max_elts;     /* limit of entries, further keys are dropped; 0: no limit */
	u64 max_memory;   /* without a limit: bytes that the process may use; 0: all */
	bool big_endian;  /* byte order of numbers in keys */
};

/* Offsets in an entry, in words: of its key, variables, the bits of those that are set, private
 * part. */
static inline u32 tracing_map_key_at(const struct tracing_map_desc *desc)
{
	return desc->n_sums;
}

static inline u32 tracing_map_vars_at(const struct tracing_map_desc *desc)
{
	return tracing_map_key_at(desc) + desc->key_size / 8;
}

static inline u32 tracing_map_set_at(const struct tracing_map_desc *desc)
{
	return tracing_map_vars_at(desc) + desc->n_vars;
}

static inline u32 tracing_map_private_at(const struct tracing_map_desc *desc)
{
	return tracing_map_set_at(desc) + (desc->n_vars ? 1 : 0);
}

/* An entry: words at the offsets used by the map's accessors. */
struct tracing_map_elt {
	u64 words[1];
};

struct tracing_map_slot {
	u32 hash;
	u32 elt; /* index of the entry plus 1; 0: free */
};

struct tracing_map {
	struct tracing_map_desc desc;
	u32 key_words;
	u32 key_at, vars_at, set_at, private_at, samples_at, stride; /* in words */
	u64 hits, drops;
	u32 n_elts;
	u32 slot_mask;
	struct tracing_map_slot *slots;
	size_t elt_size; /* ->stride in bytes */
	/* for each slab, the address at which entry 0 would be at the same distance */
	uintptr_t *slabs;
	u32 n_slabs;
	bool sliced;    /* entries without hits belong to earlier slices: not shown */
	bool unindexed; /* no entry is in the slots yet */
	u32 spill_at;   /* number of entries from which on they are moved */
	struct tracing_map_spill *spill; /* where they were moved; NULL: nowhere */
	bool failed;                     /* an entry could not be created: out of memory */
	bool beyond;                     /* ... because it needs more than desc.max_memory */
	struct tracing_map_elt *sink;    /* of a frozen map: the entry for dropped hits */
};

/* Return: NULL if out of memory */
struct tracing_map *tracing_map_new(const struct tracing_map_desc *desc);
void tracing_map_free(struct tracing_map *map);

/**
 * tracing_map_insert() - find or create the entry of a key, and count the hit
 * @key:     desc.key_size bytes, 8-byte aligned
 * @created: set if the entry is new: its words are zero, and the caller initialises its private
 *           part
 *
 * Return:  NULL if the map is full (a drop was counted) or memory is exhausted (->failed)
 * Source:  __tracing_map_insert() @ v6.12
 */
struct tracing_map_elt *tracing_map_insert(struct tracing_map *map, const void *key, bool *created);

/**
 * tracing_map_merge() - add the sums, hits and drops of @from to @to, and move its samples
 *
 * Both have the same desc and no variables.
 *
 * Return: false if @to has no room for all keys (it then contains a part) or if out of memory
 */
bool tracing_map_merge(struct tracing_map *to, const struct tracing_map *from);

/* Remove all entries and reset the counts. */
void tracing_map_clear(struct tracing_map *map);

/* Remove the samples of all entries. */
void tracing_map_release_samples(struct tracing_map *map);

/* Entry @i in the order of creation, 0 <= i < n_elts. */
struct tracing_map_elt *tracing_map_elt_at(const struct tracing_map *map, u32 i);

/* Whether a new key would be dropped. */
static inline bool tracing_map_is_full(const struct tracing_map *map)
{
	return map->desc.max_elts && map->n_elts >= map->desc.max_elts;
}

static inline u64 *tracing_map_sums(struct tracing_map_elt *elt)
{
	return elt->words;
}

static inline void *tracing_map_key(const struct tracing_map *map, struct tracing_map_elt *elt)
{
	return elt->words + map->key_at;
}

static inline void *tracing_map_private(const struct tracing_map *map, struct tracing_map_elt *elt)
{
	return elt->words + map->private_at;
}

static inline u64 tracing_map_read_var(const struct tracing_map *map,
				       const struct tracing_map_elt *elt, u32 i)
{
	return elt->words[map->vars_at + i];
}

static inline bool tracing_map_var_set(const struct tracing_map *map,
				       const struct tracing_map_elt *elt, u32 i)
{
	return elt->words[map->set_at] >> i & 1;
}

static inline void tracing_map_set_var(const struct tracing_map *map, struct tracing_map_elt *elt,
				       u32 i, u64 v)
{
	elt->words[map->vars_at + i] = v;
	elt->words[map->set_at] |= 1ull << i;
}

static inline void tracing_map_unset_var(const struct tracing_map *map, struct tracing_map_elt *elt,
					 u32 i)
{
	elt->words[map->set_at] &= ~(1ull << i);
}

/* tracing_map_hash(), tracing_map_lookup() */
#include "tracing_map/find.h"

/* tracing_map_insert_batch(), tracing_map_freeze(), tracing_map_keep_keys() */
#include "tracing_map/map_batch.h"

/* tracing_map_let_spill(), tracing_map_unite() */
#include "tracing_map/spill.h"

/* tracing_map_sort_entries(), tracing_map_sort_stable() */
#include "tracing_map/sort.h"
