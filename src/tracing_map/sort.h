/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The order of entries in output.
 *
 * Part of tracing_map.h; do not include it directly.
 */
#pragma once

/* Entries without hits in a slice are not shown. */
static inline bool tracing_map_is_shown(const struct tracing_map *map,
					const struct tracing_map_elt *elt)
{
	return !map->sliced || elt->words[0];
}

enum tracing_map_cmp {
	TRACING_MAP_CMP_SUM,    /* an unsigned sum */
	TRACING_MAP_CMP_NUM,    /* a number in the key */
	TRACING_MAP_CMP_STRING, /* a string in the key */
	TRACING_MAP_CMP_NONE,   /* always equal (stacks) */
	TRACING_MAP_CMP_LONGS,  /* addresses in the key, one by one; only in stable sorts */
};

struct tracing_map_sort_key {
	enum tracing_map_cmp cmp;
	u32 at;         /* SUM: index of the sum; else byte offset in the key */
	u32 size;       /* NUM: 1, 2, 4 or 8 bytes; stable sorts also use the size of other kinds */
	bool is_signed; /* NUM */
	bool is_short;  /* LONGS: addresses of 4 bytes, not 8 */
	bool descending;
	/* NUM of 8 bytes: numbers below ->n_ranks compare as their ranks; NULL: as they are */
	const u32 *ranks;
	u32 n_ranks;
};

/* lib/sort changed between 6.1 and 6.12, and with it the order of ties. */
enum tracing_map_heapsort { HEAPSORT_6_1, HEAPSORT_6_12 };

/**
 * tracing_map_sort_entries() - all entries in the order in which the kernel prints them
 * @keys:    one or two
 * @sorted:  set to an array of pointers that the caller frees
 *
 * For a sliced map, only entries with hits are returned, in the same order as without the others.
 *
 * Return:  their number, -HIST_ENOMEM
 * Source:  tracing_map_sort_entries(), sort_secondary() @ v6.12, lib/sort.c of either version
 */
long tracing_map_sort_entries(const struct tracing_map *map,
			      const struct tracing_map_sort_key *keys, size_t n_keys,
			      enum tracing_map_heapsort heapsort, struct tracing_map_elt ***sorted);

/**
 * tracing_map_sort_stable() - all entries by any number of keys, in linear time
 * @threads: at most so many work at the same time, if there are many entries
 *
 * Entries that are equal under all keys keep their order of creation. The order of keys of type
 * NONE is undefined.
 *
 * Return: their number, -HIST_ENOMEM
 */
long tracing_map_sort_stable(const struct tracing_map *map, const struct tracing_map_sort_key *keys,
			     size_t n_keys, unsigned int threads, struct tracing_map_elt ***sorted);
