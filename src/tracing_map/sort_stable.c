// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The order of maps beyond the kernel's limits: more entries or sort keys than it allows. The
 * kernel has no such output to reproduce, so the order is stable and computed in linear time.
 *
 * The sort keys of an entry are converted to words of 64 bits that compare unsigned, the most
 * significant first. Of each word only the bits that differ between entries matter; they are packed
 * into chunks of at most 32 bits, which often is one. A radix sort processes the chunks from the
 * last to the first, digit by digit. Each thread has a part of the items: it counts their digits,
 * then moves them to the places that follow from the counts of all threads.
 */
#include "tracing_map/tracing_map.h"

/* SMALL_PARTS: for tests, so that small maps are sorted by threads. */
#ifdef SMALL_PARTS
enum { MIN_ITEMS = 1 };
#else
enum { MIN_ITEMS = 1 << 14 }; /* of a thread */
#endif

enum { DIGIT_BITS = 8, RADIX = 1 << DIGIT_BITS, CHUNK_BITS = 32 };

enum word_kind { WORD_SUM, WORD_NUM, WORD_TEXT, WORD_LONGS, WORD_HALVES, WORD_RANK };

/* How to compute a word of an entry. */
struct sort_word {
	enum word_kind kind;
	u32 at, shift;
	u64 flip;    /* bits to invert: the sign, or all for a descending one */
	u64 differs; /* bits that differ between entries */
	const u32 *ranks;
	u32 n_ranks;
};

/* Bits of a word, and their place in a chunk. */
struct chunk_piece {
	const struct sort_word *word;
	u32 at, n, to;
};

typedef ARRAY(struct chunk_piece) piece_array;

/* A chunk in the high half, the number of an entry in the low one. */
typedef u64 item;

struct sorter {
	const struct tracing_map *map;
	ARRAY(struct sort_word) words;
	item *items, *spare;
	size_t n;
	piece_array chunk;
	unsigned int shift; /* of the current digit in an item */
	struct sort_share *shares;
	unsigned int n_shares;
};

/* The items of a thread. */
struct sort_share {
	struct sorter *s;
	size_t first, end;
	u64 *differs;     /* of each word */
	size_t at[RADIX]; /* number of items for each digit, then the place of the next one */
};

/* --- words --- */

static inline u64 read_word(const struct tracing_map *map, const struct sort_word *w,
			    struct tracing_map_elt *elt)
{
	const u8 *key = tracing_map_key(map, elt);
	u64 number;

	switch (w->kind) {
	case WORD_SUM:
		return elt->words[w->at] ^ w->flip;
	case WORD_NUM:
		return load_u64(key + w->at, map->desc.big_endian) << w->shift ^ w->flip;
	case WORD_RANK:
		number = load_u64(key + w->at, map->desc.big_endian);
		return (number < w->n_ranks ? w->ranks[number] : number) ^ w->flip;
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
		w.kind = key->ranks ? WORD_RANK : WORD_NUM;
		w.ranks = key->ranks;
		w.n_ranks = key->n_ranks;
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

static struct tracing_map_elt *elt_of(const struct sorter *s, item it)
{
	return tracing_map_elt_of(s->map, (u32)it);
}

/* --- steps of a thread --- */

static void *number_items(void *share)
{
	const struct sort_share *p = share;

	for (size_t i = p->first; i < p->end; i++)
		p->s->items[i] = i + 1;
	return NULL;
}

/* Find the bits that differ from the first entry; entries are read in memory order. */
static void *compare_words(void *share)
{
	struct sort_share *p = share;
	const struct sorter *s = p->s;
	struct tracing_map_elt *first = elt_of(s, s->items[0]);

	for (size_t i = p->first; i < p->end; i++)
		for (size_t w = 0; w < s->words.n; w++)
			p->differs[w] |= read_word(s->map, &s->words.v[w], elt_of(s, s->items[i])) ^
					 read_word(s->map, &s->words.v[w], first);
	return NULL;
}

static void *read_chunk(void *share)
{
	const struct sort_share *p = share;
	struct sorter *s = p->s;

	for (size_t i = p->first; i < p->end; i++) {
		struct tracing_map_elt *elt = elt_of(s, s->items[i]);
		u64 chunk = 0;

		array_each(const struct chunk_piece, piece, &s->chunk)
			chunk |= (read_word(s->map, piece->word, elt) >> piece->at &
				  ((1ull << piece->n) - 1))
				 << piece->to;
		s->items[i] = chunk << 32 | (u32)s->items[i];
	}
	return NULL;
}

static inline u32 digit(const struct sorter *s, item it)
{
	return it >> s->shift & (RADIX - 1);
}

static void *count_digits(void *share)
{
	struct sort_share *p = share;
	const struct sorter *s = p->s;

	memset(p->at, 0, sizeof(p->at));
	for (size_t i = p->first; i < p->end; i++)
		p->at[digit(s, s->items[i])]++;
	return NULL;
}

static void *move_items(void *share)
{
	struct sort_share *p = share;
	const struct sorter *s = p->s;

	for (size_t i = p->first; i < p->end; i++)
		s->spare[p->at[digit(s, s->items[i])]++] = s->items[i];
	return NULL;
}

/* Pointers to the entries; items and pointers have the same place. */
static void *to_pointers(void *share)
{
	const struct sort_share *p = share;
	const struct sorter *s = p->s;
	struct tracing_map_elt **rows = (struct tracing_map_elt **)s->spare;

	for (size_t i = p->first; i < p->end; i++)
		rows[i] = elt_of(s, s->items[i]);
	return NULL;
}

/* --- sorting --- */

static void sorter_run(const struct sorter *s, void *(*step)(void *share))
{
	threads_run(&(struct thread_job){ .work = step,
					  .elements = s->shares,
					  .size = sizeof(*s->shares),
					  .n = s->n_shares });
}

static void sort_by_chunk(struct sorter *s, u32 bits)
{
	sorter_run(s, read_chunk);
	for (s->shift = 32; s->shift < 32 + bits; s->shift += DIGIT_BITS) {
		item *items = s->items;
		size_t sum = 0;

		sorter_run(s, count_digits);
		/* From the number of items for each digit to the place of the first one. */
		for (size_t d = 0; d < RADIX; d++) {
			for (unsigned int p = 0; p < s->n_shares; p++) {
				size_t count = s->shares[p].at[d];

				s->shares[p].at[d] = sum;
				sum += count;
			}
		}
		sorter_run(s, move_items);
		s->items = s->spare;
		s->spare = items;
	}
	s->chunk.n = 0;
}

/* --- items and shares --- */

/* An item is as large as a pointer, or larger. */
static int new_items(struct sorter *s)
{
	size_t size = ((size_t)s->map->n_elts + 1) * sizeof(item);

	s->items = malloc(size);
	s->spare = malloc(size);
	if (!s->items || !s->spare)
		return HIST_NOMEM;
	s->n = s->map->n_elts;
	return 0;
}

static int new_shares(struct sorter *s, unsigned int threads)
{
	size_t n = max_t(size_t, 1, min_t(size_t, threads, s->n / MIN_ITEMS));

	s->shares = calloc(n, sizeof(*s->shares));
	if (!s->shares)
		return HIST_NOMEM;
	s->n_shares = (unsigned int)n;
	for (unsigned int i = 0; i < n; i++) {
		struct sort_share *p = &s->shares[i];

		p->s = s;
		p->first = s->n * i / n;
		p->end = s->n * (i + 1) / n;
		p->differs = calloc(s->words.n + 1, sizeof(*p->differs));
		if (!p->differs)
			return HIST_NOMEM;
	}
	return 0;
}

static int sort(struct sorter *s, unsigned int threads)
{
	int err = new_items(s);
	u32 bits = 0;

	if (!err && s->map->sliced) {
		size_t n = 0;

		/* Number the entries that are shown. */
		for (u32 i = 0; i < s->map->n_elts; i++)
			if (tracing_map_is_shown(s->map, tracing_map_elt_at(s->map, i)))
				s->items[n++] = i + 1;
		s->n = n;
	}
	err = err ?: new_shares(s, threads);
	if (err || !s->n)
		return err;
	if (!s->map->sliced)
		sorter_run(s, number_items);
	sorter_run(s, compare_words);
	for (unsigned int p = 0; p < s->n_shares; p++)
		for (size_t w = 0; w < s->words.n; w++)
			s->words.v[w].differs |= s->shares[p].differs[w];
	/*
	 * Pack the bits that differ, from the least significant ones on, and sort by each full
	 * chunk.
	 */
	for (size_t w = s->words.n; w-- > 0 && !err;) {
		const struct sort_word *word = &s->words.v[w];
		u32 at = word->differs ? (u32)__builtin_ctzll(word->differs) : 0;
		u32 end = word->differs ? 64 - (u32)__builtin_clzll(word->differs) : 0, n;

		for (; at < end && !err; at += n) {
			n = min_t(u32, end - at, CHUNK_BITS - bits);
			err = array_push(&s->chunk, ((struct chunk_piece){ word, at, n, bits }));
			bits += n;
			if (bits < CHUNK_BITS || err)
				continue;
			sort_by_chunk(s, bits);
			bits = 0;
		}
	}
	if (bits && !err)
		sort_by_chunk(s, bits);
	sorter_run(s, to_pointers);
	return err;
}

long tracing_map_sort_stable(const struct tracing_map *map, const struct tracing_map_sort_key *keys,
			     size_t n_keys, unsigned int threads, struct tracing_map_elt ***sorted)
{
	struct sorter s = { .map = map, .words = ARRAY_INIT, .chunk = ARRAY_INIT };
	int err = 0;

	for (size_t i = 0; i < n_keys && !err; i++)
		err = add_key(&s, &keys[i]);
	err = err ?: sort(&s, threads);
	for (unsigned int j = 0; j < s.n_shares; j++)
		free(s.shares[j].differs);
	free(s.shares);
	array_release(&s.words);
	array_release(&s.chunk);
	free(s.items);
	if (err) {
		free(s.spare);
		return err;
	}
	*sorted = (struct tracing_map_elt **)s.spare;
	return (long)s.n;
}
