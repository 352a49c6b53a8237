// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What many intervals consisted of: the pieces of all of them, added up by what they are and by
 * the task or interrupt that ran meanwhile or woke the task.
 */
#include "why/why.h"

/* A wait during which at least so many ran is added up with others. SMALL_PARTS: for tests. */
#ifdef SMALL_PARTS
enum { LONG_WAIT = 1 };
#else
enum { LONG_WAIT = 16 };
#endif

/* --- adding up --- */

static bool has_keys(const struct why_sum *r, const struct why_sum *key, size_t n)
{
	while (n && !strcmp(r->of[n - 1], key->of[n - 1]))
		n--;
	return !n;
}

static struct why_sum *find_sum(struct why_sums *all, const struct why_sum *key)
{
	const size_t n = all->keys->n;
	struct why_sum row = *key, *known;
	u32 hash = 0;
	size_t k;

	for (k = 0; k < n; k++)
		hash = hash_bytes(hash, key->of[k], strlen(key->of[k]) + 1);
	known = indexed_find(&all->rows, hash, r, has_keys(r, key, n));
	if (known)
		return known;
	for (k = 0; k < n; k++)
		row.of[k] = arena_strdup(&all->arena, key->of[k]);
	return all->arena.failed ? NULL : indexed_add(&all->rows, hash, row);
}

static void add_ns(struct why_sums *all, struct why_sum *r, u64 ns)
{
	if (!r->intervals || r->last != all->n) {
		r->intervals++;
		r->last = all->n;
		r->in_last = 0;
	}
	r->ns += ns;
	r->in_last += ns;
	r->longest = max_t(u64, r->longest, r->in_last);
}

/* The name of a task, not its number: that would be another one in each interval. */
static const char *who(const struct why_store *s, const struct why_key *k)
{
	const char *comm = k->comm ? why_word(s, k->comm) : why_store_comm(s, k->pid);

	return *comm ? comm : "(unknown)";
}

/* What of a part its row has. */
struct why_texts {
	const char *what, *by, *in, *reason;
};

/* @what: of the wait that it is in; NULL: none */
static struct why_texts texts_of(const struct why_store *s, const struct why_key *k,
				 const char *what)
{
	struct why_texts t = { .what = what, .by = "", .in = why_word(s, k->call), .reason = "" };

	switch (k->kind) {
	case WHY_RUNNING:
		t.what = "running";
		break;
	case WHY_IRQ:
		t.what = what ? what : "interrupted";
		t.by = why_word(s, k->word);
		t.reason = !what ? "" : !strncmp(t.by, "softirq ", 8) ? "softirq" : "irq";
		break;
	case WHY_CULPRIT:
		t.by = who(s, k);
		t.reason = "task";
		break;
	case WHY_IDLE:
		t.by = "(idle CPU)";
		t.reason = "idle";
		break;
	case WHY_HELD:
		t.by = why_word(s, k->word);
		t.reason = "throttled";
		break;
	case WHY_BLOCKED:
		t.what = why_word(s, k->word);
		t.by = k->continues          ? "(not recorded)"
		       : k->in_irq && k->irq ? why_word(s, k->irq)
		       : k->in_irq           ? "(interrupt)"
		       : !k->pid             ? "(idle CPU)"
					     : who(s, k);
		break;
	default:
		t.what = what ? what : "unknown";
		t.by = what ? "(unknown)" : why_reason_text(k->reason);
		t.reason = what ? "unknown" : "";
		break;
	}
	return t;
}

/* The row of a part of the current interval; NULL: out of memory. */
static struct why_sum *row_of(struct why_sums *all, const struct why_texts *t)
{
	struct span fields = span_of(why_word(&all->fields->texts, all->of));
	struct why_sum row = { .ns = 0 };

	for (size_t i = 0; i < all->keys->n; i++) {
		struct span field;

		switch (all->keys->v[i].by) {
		case WHY_BY_WHAT:
			row.of[i] = t->what;
			break;
		case WHY_BY_BY:
			row.of[i] = t->by;
			break;
		case WHY_BY_IN:
			row.of[i] = t->in;
			break;
		case WHY_BY_REASON:
			row.of[i] = t->reason;
			break;
		case WHY_BY_FIELD:
			field = span_sep(&fields, WHY_FIELDS_END);
			row.of[i] = arena_strndup(&all->arena, field.s, field.n);
			break;
		}
	}
	return all->arena.failed ? NULL : find_sum(all, &row);
}

/* What of a part determines its row. */
struct why_sum_key {
	u32 parent, kind, word, call, comm, irq, who, fields;
	u32 row;
};

static u32 hash_key(const struct why_sum_key *k)
{
	u64 words[offsetof(struct why_sum_key, row) / 8], hash = 0;

	memcpy(words, k, sizeof(words));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull;
	return (u32)(hash >> 32);
}

/* The number of its row. */
static int row_of_part(struct why_sums *all, const struct why_key *k, u32 *row)
{
	struct why_sum_key key = (struct why_sum_key){
		.parent = k->parent,
		.kind = k->kind | (u32)k->in_irq << 8 | (u32)k->continues << 9 | k->reason << 10,
		.word = k->word,
		.call = k->call,
		.comm = k->comm,
		.irq = k->irq,
		.who = k->comm ? k->pid != 0 : (u32)k->pid,
		.fields = all->of,
	};
	const u32 hash = hash_key(&key);
	const struct why_sum_key *known;
	const struct why_sum *r;
	struct why_texts texts;
	char what[64];

	known = indexed_find(&all->parts, hash, e,
			     !memcmp(e, &key, offsetof(struct why_sum_key, row)));
	if (known) {
		*row = known->row;
		return 0;
	}
	if (k->parent)
		snprintf(what, sizeof(what), "waiting (%s)", why_word(all->store, k->parent));
	texts = texts_of(all->store, k, k->parent ? what : NULL);
	r = row_of(all, &texts);
	if (!r)
		return HIST_NOMEM;
	*row = key.row = (u32)(r - all->rows.v);
	return indexed_add(&all->parts, hash, key) ? 0 : HIST_NOMEM;
}

static int add_piece(void *arg, const struct why_key *k, u64 ns)
{
	struct why_sums *all = arg;
	u32 row;
	int err = row_of_part(all, k, &row);

	if (!err)
		add_ns(all, &all->rows.v[row], ns);
	return err;
}

/* A lane, and its row when it last ran during a wait. */
struct why_lane_row {
	u32 waiting, fields;
	u32 row; /* its number + 1; 0: none so far */
	u32 end; /* the first lane that does not follow this one, or one after it, at once */
};

/* NULL: out of memory */
static struct why_sum *row_of_lane(struct why_sums *all, u32 waiting, size_t lane)
{
	struct why_lane_row *of = &all->lanes[lane];

	if (!of->row || of->waiting != waiting || of->fields != all->of) {
		const struct why_key key =
			why_lane_key(waiting, &all->store->tracks[WHY_LANES].v[lane]);
		u32 row;

		if (row_of_part(all, &key, &row))
			return NULL;
		*of = (struct why_lane_row){ waiting, all->of, row + 1, of->end };
	}
	return &all->rows.v[of->row - 1];
}

/* An interval that is one wait, from lane ->first to lane ->last. */
struct why_wait {
	u32 waiting, fields, first, last;
	u64 from, to;
};

/* True: the whole interval will be added later. */
static bool put_off(struct why_sums *all, u32 waiting, size_t first, const struct why_piece *t,
		    int *err)
{
	const struct why_span *v = all->store->tracks[WHY_LANES].v;
	const size_t end = all->lanes[first].end;
	size_t last;

	if (t->from != all->q->from || t->to != all->q->to || v[end - 1].to < t->to)
		return false;
	last = first + partition_point(i, end - first, v[first + i].to < t->to);
	if (last - first < LONG_WAIT)
		return false;
	*err = array_push(&all->waits, ((struct why_wait){ waiting, all->of, (u32)first, (u32)last,
							   t->from, t->to }));
	return true;
}

static int add_lanes(void *arg, u32 waiting, const struct why_span *lane, struct why_piece *t)
{
	struct why_sums *all = arg;
	const struct why_span *lanes = all->store->tracks[WHY_LANES].v;
	const size_t first = (size_t)(lane - lanes), end = all->lanes[first].end;
	int err = 0;

	if (put_off(all, waiting, first, t, &err))
		t->from = t->to;
	for (size_t i = first; t->from < t->to && i < end; i++) {
		const u64 to = min_t(u64, lanes[i].to, t->to);
		struct why_sum *r = row_of_lane(all, waiting, i);

		if (!r)
			return HIST_NOMEM;
		add_ns(all, r, to - t->from);
		t->from = to;
	}
	return err;
}

/* --- long waits --- */

/*
 * Of tasks that wait at the same time, each may wait for all others. So waits are added up
 * together, a lane once for all of them:
 * - the time of a lane is its length for each wait that goes on then, without what is before the
 *   beginning or after the end of one,
 * - a row is in a wait whose last lane is at, or after, one of the row, but before its next one,
 * - where a wait is a part of another one, no row has more of it; the others begin and end in the
 *   same order, so from one to the next, what it has not is taken away, what it has more is added.
 */
struct why_waits {
	struct why_sums *all;
	const struct why_wait *v; /* by first lane, each of which shares one with those before */
	size_t n;
	u32 lo, hi;  /* lanes */
	u32 *nexts;  /* of a lane: the next one with the same row */
	u32 *before; /* a Fenwick tree: how many waits that have begun have this last lane */
};

/* Context: add_waits() found them */
static struct why_sum *row_at(const struct why_waits *w, size_t lane)
{
	return &w->all->rows.v[w->all->lanes[lane].row - 1];
}

static void begin_wait(struct why_waits *w, u32 last)
{
	for (size_t i = last - w->lo + 1; i <= w->hi - w->lo + 1; i += i & -i)
		w->before[i]++;
}

/* How many waits that have begun end before a lane. */
static u32 ended(const struct why_waits *w, u32 lane)
{
	u32 n = 0;

	for (size_t i = lane - w->lo; i; i -= i & -i)
		n += w->before[i];
	return n;
}

static void add_times(struct why_waits *w)
{
	const struct why_span *lanes = w->all->store->tracks[WHY_LANES].v;
	u32 begun = 0;

	for (u32 i = w->lo; i <= w->hi; i++) {
		struct why_sum *r = row_at(w, i);
		u32 gone;

		for (; begun < w->n && w->v[begun].first == i; begun++) {
			begin_wait(w, w->v[begun].last);
			r->ns -= w->v[begun].from - lanes[i].from;
		}
		gone = ended(w, i);
		r->ns += (lanes[i].to - lanes[i].from) * (begun - gone);
		r->intervals += ended(w, w->nexts[i - w->lo]) - gone;
	}
	for (size_t k = 0; k < w->n; k++)
		row_at(w, w->v[k].last)->ns -= lanes[w->v[k].last].to - w->v[k].to;
}

/* From lane @i on; return: the last one that is in @t, or @i. */
static u32 change(struct why_waits *w, u32 i, struct why_piece t, bool adds)
{
	const struct why_span *lanes = w->all->store->tracks[WHY_LANES].v;

	for (; t.from < t.to; i++) {
		const u64 from = max_t(u64, lanes[i].from, t.from);
		const u64 to = min_t(u64, lanes[i].to, t.to);
		struct why_sum *r;

		if (from < to) {
			r = row_at(w, i);
			r->now += adds ? to - from : from - to;
			r->longest = max_t(u64, r->longest, adds ? r->now : 0);
		}
		if (lanes[i].to >= t.to)
			break;
	}
	return i;
}

static void find_longest(struct why_waits *w)
{
	struct why_piece now = { 0, 0 };
	u32 first = w->lo, last = w->lo;

	for (const struct why_wait *k = w->v; k < w->v + w->n; k++) {
		if (k->to <= now.to)
			continue;
		first = change(w, first,
			       (struct why_piece){ now.from, min_t(u64, k->from, now.to) }, false);
		last = change(w, last, (struct why_piece){ max_t(u64, k->from, now.to), k->to },
			      true);
		now = (struct why_piece){ k->from, k->to };
	}
}

static int add_waits(struct why_waits *w)
{
	const size_t n = w->hi - w->lo + 1;
	scoped(free_scoped) u32 *nexts = calloc(n, sizeof(*nexts));
	scoped(free_scoped) u32 *before = calloc(n + 1, sizeof(*before));

	if (!nexts || !before)
		return HIST_NOMEM;
	w->nexts = nexts;
	w->before = before;
	w->all->of = w->v->fields;
	w->all->n_waits++;
	for (u32 i = w->hi + 1; i-- > w->lo;) {
		struct why_sum *r = row_of_lane(w->all, w->v->waiting, i);

		if (!r)
			return HIST_NOMEM;
		if (r->waits != w->all->n_waits)
			r->next = w->hi + 1;
		nexts[i - w->lo] = r->next;
		r->waits = w->all->n_waits;
		r->next = i;
		r->now = 0;
	}
	add_times(w);
	find_longest(w);
	return 0;
}

static int compare_waits(const void *one, const void *other)
{
	const struct why_wait *a = one, *b = other;

	if (a->waiting != b->waiting)
		return a->waiting < b->waiting ? -1 : 1;
	if (a->fields != b->fields)
		return a->fields < b->fields ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to == b->to ? 0 : a->to > b->to ? -1 : 1;
}

int why_sums_end(struct why_sums *all)
{
	const struct why_wait *v = all->waits.v;
	const size_t n = all->waits.n;
	int err = 0;

	if (n)
		qsort(all->waits.v, n, sizeof(*v), compare_waits);
	for (size_t i = 0, k; i < n && !err; i = k) {
		struct why_waits w = { .all = all, .v = &v[i], .lo = v[i].first, .hi = v[i].last };

		for (k = i; k < n && v[k].waiting == v[i].waiting && v[k].fields == v[i].fields &&
			    v[k].first <= w.hi;
		     k++)
			w.hi = max_t(u32, w.hi, v[k].last);
		w.n = k - i;
		err = add_waits(&w);
	}
	all->waits.n = 0;
	return err;
}

static void forget_parts(struct why_sums *all)
{
	indexed_release(&all->parts);
	free(all->lanes);
	all->lanes = NULL;
}

int why_sums_begin(struct why_sums *all, const struct why_store *s)
{
	const struct why_span *v = s->tracks[WHY_LANES].v;
	const size_t n = s->tracks[WHY_LANES].n;

	forget_parts(all);
	all->store = s;
	all->lanes = calloc(n + 1, sizeof(*all->lanes));
	for (size_t i = n; i-- && all->lanes;)
		all->lanes[i].end = i + 1 < n && v[i + 1].owner == v[i].owner &&
						    v[i + 1].from == v[i].to
					    ? all->lanes[i + 1].end
					    : (u32)i + 1;
	return all->lanes ? 0 : HIST_NOMEM;
}

int why_sums_add(struct why_sums *all, const struct why_question *q, u32 fields)
{
	const struct why_pieces to = { add_piece, add_lanes, all };

	all->q = q;
	all->of = fields;
	all->ns += q->to - q->from;
	all->n++;
	return why_tree_pieces(all->store, q, &to);
}

void why_sums_release(struct why_sums *all)
{
	forget_parts(all);
	array_release(&all->waits);
	indexed_release(&all->rows);
	arena_release(&all->arena);
}
