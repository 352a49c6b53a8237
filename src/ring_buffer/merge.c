// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Merges with a loser tree. Leaf i is the source of rank i. Tree node k has the children 2k and 2k
 * + 1 (from n on these are the leaves) and contains the rank that lost there; tree[0] is the
 * overall winner. When the winner advances, only the nodes above its leaf can change.
 *
 * Which of two records is earlier is close to random if CPUs are equally busy, so merge_play() does
 * not branch on it: a misprediction costs more than a whole round. If one CPU wins repeatedly,
 * prediction works, and a comparison with the second is sufficient.
 *
 * With few sources, all are compared; then there is no tree, only tree[0].
 */
#include "ring_buffer/ring_buffer.h"

enum { LONG_STREAK = 16, FEW = 8 };

/* Time of a record for comparisons; a source at its end has the highest time. */
static inline u64 time_of(const struct ring_buffer_record *rec)
{
	return rec->ts - (rec->ts == UINT64_MAX);
}

static inline bool merge_before(const struct ring_buffer_merge *m, u32 a, u32 b)
{
	u64 x = m->ts[a], y = m->ts[b];

	return (x < y) | ((x == y) & (a < b));
}

/* The later of the two stays in @node, the earlier one advances to the next round. */
static inline u32 merge_play(struct ring_buffer_merge *m, size_t node, u32 winner)
{
	u32 loser = m->tree[node];
	u32 swap = (loser ^ winner) & -(u32)merge_before(m, loser, winner);

	m->tree[node] = loser ^ swap;
	return winner ^ swap;
}

struct head {
	u64 ts;
	u32 rank;
};

/* The earlier one of two; of equal times the first. */
static inline struct head earlier(struct head a, struct head b)
{
	u32 second = -(u32)(b.ts < a.ts);

	return (struct head){ a.ts < b.ts ? a.ts : b.ts, a.rank ^ ((a.rank ^ b.rank) & second) };
}

static inline struct head earliest_of_four(const u64 *ts, u32 rank)
{
	const struct head a = { ts[0], rank }, b = { ts[1], rank + 1 };
	const struct head c = { ts[2], rank + 2 }, d = { ts[3], rank + 3 };

	return earlier(earlier(a, b), earlier(c, d));
}

/* With few sources, compare all of them in independent pairs. */
static inline u32 merge_earliest(const struct ring_buffer_merge *m)
{
	struct head head = earliest_of_four(m->ts, 0);

	if (m->n > FEW / 2)
		head = earlier(head, earliest_of_four(m->ts + FEW / 2, FEW / 2));
	return head.rank;
}

/* Build the nodes from @node down and return their winner; the depth is the logarithm of n. */
static u32 merge_build(struct ring_buffer_merge *m, size_t node)
{
	u32 winner;

	if (node >= m->n)
		return (u32)(node - m->n);
	winner = merge_build(m, 2 * node);
	m->tree[node] = merge_build(m, 2 * node + 1);
	return merge_play(m, node, winner);
}

DEFINE_ORDER(by_rank, struct ring_buffer_merge_leaf,
	     cmp_int(x->source.cpu, y->source.cpu) ?: cmp_int(x->index, y->index))

int ring_buffer_merge_init_sources(struct ring_buffer_merge *m,
				   const struct ring_buffer_source *sources, size_t n)
{
	*m = (struct ring_buffer_merge){ .n = n };
	m->tree = calloc(n + 1, sizeof(*m->tree));
	m->ts = malloc((n + FEW) * sizeof(*m->ts));
	m->leaves = calloc(n + 1, sizeof(*m->leaves));
	if (!m->tree || !m->ts || !m->leaves) {
		ring_buffer_merge_release(m);
		return HIST_NOMEM;
	}
	for (size_t i = 0; i < n + FEW; i++)
		m->ts[i] = UINT64_MAX; /* also read by merge_earliest(), which compares four or
					  eight */
	for (size_t i = 0; i < n; i++)
		m->leaves[i] = (struct ring_buffer_merge_leaf){ .source = sources[i], .index = i };
	qsort(m->leaves, n, sizeof(*m->leaves), by_rank);
	return 0;
}

static int fill_from_iter(void *arg, const struct ring_buffer_record **recs)
{
	struct ring_buffer_merge_iter *it = arg;

	*recs = it->recs;
	return ring_buffer_iter_fill(it->iter, it->recs, RING_BUFFER_MERGE_AHEAD);
}

int ring_buffer_merge_init(struct ring_buffer_merge *m, struct ring_buffer_iter *iters, size_t n)
{
	scoped(free_scoped) struct ring_buffer_source *sources = calloc(n + 1, sizeof(*sources));
	struct ring_buffer_merge_iter *own = calloc(n + 1, sizeof(*own));
	int err = HIST_NOMEM;

	for (size_t i = 0; sources && own && i < n; i++) {
		own[i].iter = &iters[i];
		sources[i] = (struct ring_buffer_source){ .fill = fill_from_iter,
							  .arg = &own[i],
							  .cpu = iters[i].cpu };
	}
	*m = (struct ring_buffer_merge){ .tree = NULL };
	if (sources && own)
		err = ring_buffer_merge_init_sources(m, sources, n);
	if (err)
		free(own);
	else
		m->iters = own;
	return err;
}

void ring_buffer_merge_release(struct ring_buffer_merge *m)
{
	free(m->tree);
	free(m->ts);
	free(m->leaves);
	free(m->iters);
	*m = (struct ring_buffer_merge){ .tree = NULL };
}

/* Fetch the next records of the source of @rank; an error leaves it unchanged. */
static int merge_fill(struct ring_buffer_merge *m, u32 rank)
{
	struct ring_buffer_merge_leaf *leaf = &m->leaves[rank];
	const struct ring_buffer_record *recs;
	int n = leaf->source.fill(leaf->source.arg, &recs);

	if (n < 0)
		return n;
	leaf->rec = recs;
	leaf->end = recs + n;
	m->ts[rank] = n ? time_of(leaf->rec) : UINT64_MAX;
	m->n_live += n > 0;
	return 0;
}

/* Find the second: it is among the sources that lost to the winner. */
static void find_second(struct ring_buffer_merge *m, u32 rank)
{
	size_t node = (rank + m->n) / 2;

	m->streak = LONG_STREAK;
	m->second = rank;
	if (!node)
		return;
	m->second = m->tree[node];
	for (node /= 2; node; node /= 2)
		m->second = merge_before(m, m->tree[node], m->second) ? m->tree[node] : m->second;
}

/* The winner (@rank) has a new time: find the new winner. */
static inline void merge_replay(struct ring_buffer_merge *m, u32 rank)
{
	u32 winner = rank;

	if (m->n <= FEW) {
		m->tree[0] = merge_earliest(m);
		return;
	}
	if (m->streak == LONG_STREAK && merge_before(m, rank, m->second))
		return;
	for (size_t node = (rank + m->n) / 2; node; node /= 2)
		winner = merge_play(m, node, winner);
	m->tree[0] = winner;
	m->streak = winner == rank ? m->streak + 1 : 0;
	if (unlikely(m->streak >= LONG_STREAK))
		find_second(m, rank);
}

/* Refill empty sources: initially all of them, then the one that won. */
static int merge_refill(struct ring_buffer_merge *m, size_t *index)
{
	u32 rank = m->tree[0];
	int err = 0;

	for (; m->started < m->n && !err; m->started += !err) {
		*index = m->leaves[m->started].index;
		err = merge_fill(m, (u32)m->started);
		if (!err && m->started + 1 == m->n)
			m->tree[0] = m->n <= FEW ? merge_earliest(m) : merge_build(m, 1);
		m->empty = false;
	}
	if (err || !m->empty)
		return err;
	*index = m->leaves[rank].index;
	err = merge_fill(m, rank);
	if (err)
		return err;
	m->n_live--;
	m->empty = false;
	merge_replay(m, rank);
	return 0;
}

/*
 * Return up to @max records, until a source is empty. @rank: of the first one. State that changes
 * with each record is in registers, or in its leaf.
 */
static inline __attribute__((always_inline)) int merge_take(struct ring_buffer_merge *m, bool few,
							    struct ring_buffer_merged *out, int max)
{
	struct ring_buffer_merged *to = out, *end = out + max;
	u32 rank = m->tree[0];

	while (to < end) {
		struct ring_buffer_merge_leaf *leaf = &m->leaves[rank];
		const struct ring_buffer_record *rec = leaf->rec++;

		*to++ = (struct ring_buffer_merged){ rec, leaf->index };
		if (unlikely(leaf->rec == leaf->end)) {
			m->empty = true;
			break;
		}
		m->ts[rank] = time_of(leaf->rec);
		if (few) {
			rank = merge_earliest(m);
		} else {
			merge_replay(m, rank);
			rank = m->tree[0];
		}
	}
	m->tree[0] = rank;
	return (int)(to - out);
}

int ring_buffer_merge_next(struct ring_buffer_merge *m, struct ring_buffer_merged *out, int max)
{
	int err = 0;

	if (m->empty || m->started < m->n)
		err = merge_refill(m, &out->index);
	if (err || !m->n_live)
		return err;
	return m->n <= FEW ? merge_take(m, true, out, max) : merge_take(m, false, out, max);
}
