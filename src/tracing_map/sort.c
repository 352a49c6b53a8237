// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The order of output. Heapsort is not stable, so the order of ties depends on the steps of the
 * kernel's algorithm; both versions of it are implemented here.
 *
 * All entries are sorted by key bytes (keys are unique, so that order is unambiguous), then by the
 * first sort key, then every run of equal entries by the second. Corresponds to
 * tracing_map_sort_entries() in tracing_map.c and to lib/sort.c.
 */
#include <stdlib.h>
#include <string.h>

#include "tracing_map/tracing_map.h"

/* Context of a comparison. */
struct order {
	const struct tracing_map *map;
	const struct tracing_map_sort_key *key; /* NULL: by all bytes of the key */
};

static int cmp_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int cmp_s64(s64 a, s64 b)
{
	return a < b ? -1 : a > b;
}

static int cmp_num(u64 a, u64 b, const struct tracing_map_sort_key *key)
{
	unsigned int shift = 64 - 8 * key->size;

	if (key->is_signed)
		return cmp_s64((s64)(a << shift), (s64)(b << shift));
	return cmp_u64(a << shift, b << shift);
}

static int cmp_by_key(struct tracing_map_elt *a, struct tracing_map_elt *b, const struct order *o)
{
	const struct tracing_map_sort_key *key = o->key;
	const char *ka = tracing_map_key(o->map, a), *kb = tracing_map_key(o->map, b);
	u64 na, nb;

	switch (key->cmp) {
	case TRACING_MAP_CMP_SUM:
		return cmp_u64(a->words[key->at], b->words[key->at]);
	case TRACING_MAP_CMP_NUM:
		na = load_u64(ka + key->at, o->map->desc.big_endian);
		nb = load_u64(kb + key->at, o->map->desc.big_endian);
		return cmp_num(na, nb, key);
	case TRACING_MAP_CMP_STRING:
		return strncmp(ka + key->at, kb + key->at, o->map->desc.key_size - key->at);
	default:
		return 0;
	}
}

static int cmp(struct tracing_map_elt *a, struct tracing_map_elt *b, const struct order *o)
{
	int ret;

	if (!o->key)
		return memcmp(tracing_map_key(o->map, a), tracing_map_key(o->map, b),
			      o->map->desc.key_size);
	ret = cmp_by_key(a, b, o);
	return o->key->descending ? -ret : ret;
}

static void swap(struct tracing_map_elt **e, size_t i, size_t j)
{
	struct tracing_map_elt *t = e[i];

	e[i] = e[j];
	e[j] = t;
}

static size_t parent(size_t i)
{
	return (i - 1) / 2;
}

/* Insert the entry at @top in the path that ends in @leaf. */
static void sift_up_path(struct tracing_map_elt **e, size_t top, size_t leaf, const struct order *o)
{
	size_t b = leaf, c;

	while (b != top && cmp(e[top], e[b], o) >= 0)
		b = parent(b);
	c = b;
	while (b != top) {
		b = parent(b);
		swap(e, b, c);
	}
}

/* The leaf reached from @top by always taking the larger child. */
static size_t leaf_6_12(struct tracing_map_elt **e, size_t top, size_t n, const struct order *o)
{
	size_t b = top, c = 2 * b + 1, d = c + 1;

	while (d < n) {
		b = cmp(e[c], e[d], o) > 0 ? c : d;
		c = 2 * b + 1;
		d = c + 1;
	}
	return d == n ? c : b;
}

/* Remove the largest two from the heap together if possible. */
static void heapsort_6_12(struct tracing_map_elt **e, size_t n, const struct order *o)
{
	size_t a = n / 2, shift = 0;

	if (!a)
		return;
	for (;;) {
		if (a) {
			a -= (size_t)1 << shift;
		} else if (n > 3) {
			swap(e, 0, --n);
			shift = cmp(e[1], e[2], o) <= 0;
			a = (size_t)1 << shift;
			swap(e, a, --n);
		} else {
			break;
		}
		sift_up_path(e, a, leaf_6_12(e, a, n, o), o);
	}
	swap(e, 0, --n);
	if (n == 2 && cmp(e[0], e[1], o) > 0)
		swap(e, 0, 1);
}

static size_t leaf_6_1(struct tracing_map_elt **e, size_t top, size_t n, const struct order *o)
{
	size_t b = top;

	while (2 * b + 2 < n) {
		size_t c = 2 * b + 1;

		b = cmp(e[c], e[c + 1], o) >= 0 ? c : c + 1;
	}
	return 2 * b + 2 == n ? 2 * b + 1 : b;
}

static void heapsort_6_1(struct tracing_map_elt **e, size_t n, const struct order *o)
{
	size_t a = n / 2;

	if (!a)
		return;
	for (;;) {
		if (a) {
			a--;
		} else {
			if (!--n)
				break;
			swap(e, 0, n);
		}
		sift_up_path(e, a, leaf_6_1(e, a, n, o), o);
	}
}

static void heapsort(struct tracing_map_elt **e, size_t n, const struct order *o,
		     enum tracing_map_heapsort how)
{
	if (how == HEAPSORT_6_1)
		heapsort_6_1(e, n, o);
	else
		heapsort_6_12(e, n, o);
}

/*
 * Sort each run of entries that are equal under @first by @second. The last run is sorted only if
 * its end is found, which the kernel's loop does at the last pair.
 */
static void sort_runs(struct tracing_map_elt **e, size_t n, const struct order *first,
		      const struct order *second, enum tracing_map_heapsort how)
{
	size_t start = 0, run = 1;

	for (size_t i = 0; i + 1 < n; i++) {
		if (cmp(e[i], e[i + 1], first) == 0) {
			run++;
			if (i + 2 < n)
				continue;
		}
		if (run < 2) {
			start = i + 1;
			continue;
		}
		heapsort(e + start, run, second, how);
		start = i + 1;
		run = 1;
	}
}

long tracing_map_sort_entries(const struct tracing_map *map,
			      const struct tracing_map_sort_key *keys, size_t n_keys,
			      enum tracing_map_heapsort how, struct tracing_map_elt ***sorted)
{
	size_t n;
	struct tracing_map_elt **e = tracing_map_rows(map, &n);
	struct order by_bytes = { .map = map };
	struct order first = { .map = map, .key = &keys[0] };
	struct order second = { .map = map, .key = n_keys > 1 ? &keys[1] : NULL };

	if (!e)
		return HIST_NOMEM;
	heapsort(e, n, &by_bytes, how);
	if (n > 1)
		heapsort(e, n, &first, how);
	if (n_keys > 1)
		sort_runs(e, n, &first, &second, how);
	*sorted = e;
	return (long)n;
}
