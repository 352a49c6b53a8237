// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The order of maps beyond the kernel's limits: more entries or sort keys than it allows. The
 * kernel has no such output to reproduce, so the order is stable and computed in linear time.
 *
 * The sort keys of an entry are converted to words of 64 bits that compare unsigned, the most
 * significant first. A radix sort processes them from the last to the first, byte by byte; words
 * and bytes that are equal in all entries are skipped.
 */
#include <stdlib.h>

#include "tracing_map/tracing_map.h"

enum { RADIX = 256, AHEAD = 16 };

enum word_kind { WORD_SUM, WORD_NUM, WORD_TEXT, WORD_LONGS, WORD_HALVES };

/* How to compute a word of an entry. */
struct sort_word {
	enum word_kind kind;
	u32 at, shift;
	u64 flip;    /* bits to invert: the sign, or all for a descending one */
	u64 differs; /* bits that differ between entries */
};

struct item {
	u64 word;
	u32 row;
};

struct sorter {
	const struct tracing_map *map;
	struct tracing_map_elt **rows; /* in the order of creation */
	ARRAY(struct sort_word) words;
	struct item *items, *spare;
	size_t n;
};

/* --- words --- */

static inline u64 read_word(const struct tracing_map *map, const struct sort_word *w,
			    struct tracing_map_elt *elt)
{
	const u8 *key = tracing_map_key(map, elt);

	switch (w->kind) {
	case WORD_SUM:
		return elt->words[w->at] ^ w->flip;
	case WORD_NUM:
		return load_u64(key + w->at, map->desc.big_endian) << w->shift ^ w->flip;
	case WORD_TEXT:
		return load_u64(key + w->at, true) ^ w->flip;
	case WORD_LONGS:
		return load_u64(key + w->at, map->desc.big_endian) ^ w->flip;
	default:
		return ((u64)load_u32(key + w->at, map->desc.big_endian) << 32 |
			load_u32(key + w->at + 4, map->desc.big_endian)) ^
		       w->flip;
	}
}

static int add_word(struct sorter *s, const struct tracing_map_sort_key *key, struct sort_word w)
{
	w.flip ^= key->descending ? UINT64_MAX : 0;
	return array_push(&s->words, w);
}

/* Add the words of a sort key; a string or a stack consists of several. */
static int add_key(struct sorter *s, const struct tracing_map_sort_key *key)
{
	struct sort_word w = { .kind = WORD_TEXT, .at = key->at };
	int err = 0;

	switch (key->cmp) {
	case TRACING_MAP_CMP_SUM:
		w.kind = WORD_SUM;
		return add_word(s, key, w);
	case TRACING_MAP_CMP_NUM:
		w.kind = WORD_NUM;
		w.shift = 64 - 8 * key->size;
		w.flip = key->is_signed ? 1ull << 63 : 0;
		return add_word(s, key, w);
	case TRACING_MAP_CMP_LONGS:
		w.kind = key->is_short ? WORD_HALVES : WORD_LONGS;
		break;
	default:
		break;
	}
	for (; w.at < key->at + key->size && !err; w.at += 8)
		err = add_word(s, key, w);
	return err;
}

/* Find the bits that differ between any entries; entries are read in memory order. */
static void compare_words(struct sorter *s)
{
	for (size_t i = 1; i < s->n; i++)
		for (size_t w = 0; w < s->words.n; w++) {
			struct sort_word *word = &s->words.v[w];

			word->differs |= read_word(s->map, word, s->rows[i]) ^
					 read_word(s->map, word, s->rows[0]);
		}
}

/* --- sorting --- */

static void sort_by_byte(struct sorter *s, unsigned int shift)
{
	size_t at[RADIX] = { 0 }, sum = 0;
	struct item *from = s->items, *to = s->spare;

	for (size_t i = 0; i < s->n; i++)
		at[from[i].word >> shift & (RADIX - 1)]++;
	for (size_t b = 0; b < RADIX; b++) {
		size_t count = at[b];

		at[b] = sum;
		sum += count;
	}
	for (size_t i = 0; i < s->n; i++)
		to[at[from[i].word >> shift & (RADIX - 1)]++] = from[i];
	s->items = to;
	s->spare = from;
}

static void sort_by_word(struct sorter *s, const struct sort_word *w)
{
	if (!w->differs)
		return;
	for (size_t i = 0; i < s->n; i++)
		s->items[i].word = read_word(s->map, w, s->rows[s->items[i].row]);
	for (unsigned int shift = 0; shift < 64; shift += 8)
		if (w->differs >> shift & (RADIX - 1))
			sort_by_byte(s, shift);
}

static int sort(struct sorter *s)
{
	s->items = malloc((s->n + 1) * sizeof(*s->items));
	s->spare = malloc((s->n + 1) * sizeof(*s->spare));
	if (!s->items || !s->spare)
		return HIST_NOMEM;
	for (u32 i = 0; i < s->n; i++)
		s->items[i].row = i;
	if (s->n)
		compare_words(s);
	for (size_t w = s->words.n; w-- > 0;)
		sort_by_word(s, &s->words.v[w]);
	/* permute @rows through a copy */
	for (size_t i = 0; i < s->n; i++)
		s->items[i].word = (uintptr_t)s->rows[s->items[i].row];
	for (size_t i = 0; i < s->n; i++)
		s->rows[i] = (struct tracing_map_elt *)(uintptr_t)s->items[i].word;
	return 0;
}

long tracing_map_sort_stable(const struct tracing_map *map, const struct tracing_map_sort_key *keys,
			     size_t n_keys, struct tracing_map_elt ***sorted)
{
	struct sorter s = { .map = map, .words = ARRAY_INIT };
	int err;

	s.rows = tracing_map_rows(map, &s.n);
	err = s.rows ? 0 : HIST_NOMEM;
	for (size_t i = 0; i < n_keys && !err; i++)
		err = add_key(&s, &keys[i]);
	if (!err)
		err = sort(&s);
	array_release(&s.words);
	free(s.items);
	free(s.spare);
	if (err) {
		free(s.rows);
		return err;
	}
	*sorted = s.rows;
	return (long)s.n;
}
