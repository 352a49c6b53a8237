// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The order of output. Heapsort is not stable, so the order of ties depends on the steps of the
 * kernel's algorithm; both versions of it are implemented here.
 *
 * All entries are sorted by key bytes (keys are unique, so that order is unambiguous), then by the
 * first sort key, then every run of equal entries by the second. Corresponds to
 * tracing_map_sort_entries() in tracing_map.c and to lib/sort.c.
 */
#include "tracing_map/tracing_map.h"

/*
 * An entry, and its number under the current sort key, if that compares numbers: most comparisons
 * need no access to entries.
 */
struct item {
	u64 word;
	struct tracing_map_elt *elt;
};

/* Context of a comparison. */
struct order {
	const struct tracing_map *map;
	const struct tracing_map_sort_key *key;
	bool by_word;
};

static struct order order_by(const struct tracing_map *map, const struct tracing_map_sort_key *key)
{
	return (struct order){ .map = map,
			       .key = key,
			       .by_word = key->cmp != TRACING_MAP_CMP_STRING };
}

/* A word that compares, as an unsigned number, as the entry does under the sort key. */
static u64 word_of(const struct order *o, struct tracing_map_elt *elt)
{
	const struct tracing_map_sort_key *key = o->key;
	const u8 *at = tracing_map_key(o->map, elt);
	u64 word = 0;

	if (key->cmp == TRACING_MAP_CMP_SUM)
		word = elt->words[key->at];
	else if (key->cmp == TRACING_MAP_CMP_NUM)
		word = load_u64(at + key->at, o->map->desc.big_endian) << (64 - 8 * key->size) ^
		       (key->is_signed ? 1ull << 63 : 0);
	return key->descending ? ~word : word;
}

static int cmp_strings(const struct item *a, const struct item *b, const struct order *o)
{
	const char *ka = tracing_map_key(o->map, a->elt), *kb = tracing_map_key(o->map, b->elt);
	u32 at = o->key->at;
	int ret = strncmp(ka + at, kb + at, o->map->desc.key_size - at);

	return o->key->descending ? -ret : ret;
}

static inline int heap_cmp(const struct item *e, size_t i, size_t j, const struct order *o)
{
	if (likely(o->by_word))
		return e[i].word < e[j].word ? -1 : e[i].word > e[j].word;
	return cmp_strings(&e[i], &e[j], o);
}

static void heap_swap(struct item *e, size_t i, size_t j)
{
	struct item t = e[i];

	e[i] = e[j];
	e[j] = t;
}

static size_t heap_parent(size_t i)
{
	return (i - 1) / 2;
}

/* Insert the entry at @top in the path that ends in @leaf. */
static void sift_up_path(struct item *e, size_t top, size_t leaf, const struct order *o)
{
	struct item moved;
	size_t b = leaf, c;

	while (b != top && heap_cmp(e, top, b, o) >= 0)
		b = heap_parent(b);
	c = b;
	moved = e[c];
	while (b != top) {
		struct item above;

		b = heap_parent(b);
		above = e[b];
		e[b] = moved;
		moved = above;
	}
	e[c] = moved;
}

/*
 * The larger one of two children, @c and the next; @second: of equal ones, the next. Which one it
 * is cannot be predicted, so words are compared without a branch.
 */
static inline size_t heap_larger(const struct item *e, size_t c, bool second, const struct order *o)
{
	const struct item *a = &e[c], *b = &e[c + 1];
	int ret;

	if (likely(o->by_word))
		return c + (second ? a->word <= b->word : a->word < b->word);
	ret = cmp_strings(a, b, o);
	return c + (second ? ret <= 0 : ret < 0);
}

/* The leaf reached from @top by always taking the larger child. */
static size_t leaf_6_12(struct item *e, size_t top, size_t n, const struct order *o)
{
	size_t b = top, c = 2 * b + 1;

	while (c + 1 < n) {
		b = heap_larger(e, c, true, o);
		c = 2 * b + 1;
	}
	return c + 1 == n ? c : b;
}

/* Remove the largest two from the heap together if possible. */
static void heapsort_6_12(struct item *e, size_t n, const struct order *o)
{
	size_t a = n / 2, shift = 0;

	if (!a)
		return;
	for (;;) {
		if (a) {
			a -= (size_t)1 << shift;
		} else if (n > 3) {
			heap_swap(e, 0, --n);
			shift = heap_cmp(e, 1, 2, o) <= 0;
			a = (size_t)1 << shift;
			heap_swap(e, a, --n);
		} else {
			break;
		}
		sift_up_path(e, a, leaf_6_12(e, a, n, o), o);
	}
	heap_swap(e, 0, --n);
	if (n == 2 && heap_cmp(e, 0, 1, o) > 0)
		heap_swap(e, 0, 1);
}

static size_t leaf_6_1(struct item *e, size_t top, size_t n, const struct order *o)
{
	size_t b = top;

	while (2 * b + 2 < n)
		b = heap_larger(e, 2 * b + 1, false, o);
	return 2 * b + 2 == n ? 2 * b + 1 : b;
}

static void heapsort_6_1(struct item *e, size_t n, const struct order *o)
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
			heap_swap(e, 0, n);
		}
		sift_up_path(e, a, leaf_6_1(e, a, n, o), o);
	}
}

static void heapsort(struct item *e, size_t n, const struct order *o, enum tracing_map_heapsort how)
{
	for (size_t i = 0; i < n && o->by_word; i++)
		e[i].word = word_of(o, e[i].elt);
	if (how == HEAPSORT_6_1)
		heapsort_6_1(e, n, o);
	else
		heapsort_6_12(e, n, o);
}

/*
 * Sort each run of entries that are equal under @first by @second. The last run is sorted only if
 * its end is found, which the kernel's loop does at the last pair.
 */
static void sort_runs(struct item *e, size_t n, const struct order *first,
		      const struct order *second, enum tracing_map_heapsort how)
{
	size_t start = 0, run = 1;

	for (size_t i = 0; i + 1 < n; i++) {
		if (heap_cmp(e, i, i + 1, first) == 0) {
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
	/* in the order of key bytes; keys are unique, so it does not depend on the algorithm */
	const struct tracing_map_sort_key bytes = { .cmp = TRACING_MAP_CMP_STRING,
						    .size = map->desc.key_size };
	const struct order first = order_by(map, &keys[0]);
	const struct order second = order_by(map, &keys[n_keys - 1]);
	long n = tracing_map_sort_stable(map, &bytes, 1, 1, sorted);
	struct item *e;

	if (n < 2)
		return n;
	e = malloc((size_t)n * sizeof(*e));
	if (!e) {
		free(*sorted);
		return HIST_NOMEM;
	}
	for (long i = 0; i < n; i++)
		e[i].elt = (*sorted)[i];
	heapsort(e, (size_t)n, &first, how);
	if (n_keys > 1)
		sort_runs(e, (size_t)n, &first, &second, how);
	for (long i = 0; i < n; i++)
		(*sorted)[i] = e[i].elt;
	free(e);
	return n;
}
