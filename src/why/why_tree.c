// SPDX-License-Identifier: LGPL-2.1-only
/*
 * From spans of time to a tree of parts.
 *
 * The time of a task is cut where its state changes, the time of each state where what its CPU did
 * changes; each piece is added to one part. So the parts of a part add up to it, whatever the
 * recording contains. While a task was blocked, the one that woke it decided: its time is cut in
 * the same way, as the parts of the block.
 */
#include "names/names.h"
#include "why/why_tree.h"

struct why_build {
	const struct why_store *s;
	const struct why_question *q;
	struct why_tree *tree; /* NULL: pieces are passed on */
	const struct why_pieces *to;
	bool unsure;
	int err;
};

/* --- what is known --- */

/* As why_store_now(); whether it is certain is noted. */
static struct why_now now_of(struct why_build *b, enum why_track track, u32 owner, u64 at, u64 to)
{
	const struct why_now now = why_store_now(b->s, track, owner, at, to);
	const struct why_store *s = b->s;

	if (likely(!s->part))
		return now;
	b->unsure |= (now.span && now.span->unsure) ||
		     (!now.span && track == WHY_FREQS && s->part_freqs) ||
		     (!now.span && track == WHY_CALLS && s->part_calls &&
		      (owner >= s->tasks.n || !s->tasks.v[owner].called));
	return now;
}

/* --- parts --- */

static bool same_key(const struct why_key *a, const struct why_key *b)
{
	return a->parent == b->parent && a->kind == b->kind && a->word == b->word &&
	       a->call == b->call && a->comm == b->comm && a->stack == b->stack &&
	       a->irq == b->irq && a->cpu == b->cpu && a->khz == b->khz && a->pid == b->pid &&
	       a->reason == b->reason && a->in_irq == b->in_irq && a->continues == b->continues;
}

static u32 hash_key(const struct why_key *k)
{
	const u32 words[] = { k->parent, k->kind,   k->word,     k->call, k->comm,
			      k->stack,  k->irq,    k->cpu,      k->khz,  (u32)k->pid,
			      k->reason, k->in_irq, k->continues };
	u64 hash = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull;
	return (u32)(hash >> 32);
}

/* The part with this key; 0 (the root) if out of memory. */
static u32 part_of(struct why_build *b, const struct why_key *key)
{
	struct why_tree *tree = b->tree;
	const u32 hash = hash_key(key);
	const struct why_part *part = indexed_find(&tree->parts, hash, e, same_key(&e->key, key));

	if (!part && !b->err) {
		part = indexed_add(&tree->parts, hash, (struct why_part){ .key = *key });
		b->err = part ? 0 : HIST_NOMEM;
	}
	return part ? (u32)(part - tree->parts.v) : 0;
}

/* The part, or of pieces that are passed on, what is ->parent of its parts. */
static u32 add_piece(struct why_build *b, const struct why_key *key, u64 from, u64 to)
{
	struct why_piece *last;
	struct why_part *p;
	u32 i;

	if (!b->tree) {
		if (!b->err && key->kind != WHY_WAITING)
			b->err = b->to->add(b->to->arg, key, to - from);
		return key->word;
	}
	i = part_of(b, key);
	p = &b->tree->parts.v[i];
	last = p->pieces.n ? &p->pieces.v[p->pieces.n - 1] : NULL;
	if (b->err)
		return 0;
	p->ns += to - from;
	p->level = b->tree->parts.v[key->parent].level;
	if (last && last->to == from)
		last->to = to;
	else
		b->err = array_push(&p->pieces, ((struct why_piece){ from, to }));
	return i;
}

/* Outside the recording, because of a loss in this time, or for another reason. */
static void add_unknown(struct why_build *b, u32 parent, u64 from, u64 to)
{
	struct why_key key = { .parent = parent, .kind = WHY_UNKNOWN };
	u64 first = min_t(u64, max_t(u64, from, b->q->first), to);
	u64 last = max_t(u64, min_t(u64, to, b->q->last), first);
	struct why_now loss = why_store_now(b->s, WHY_LOSSES, 0, first, last);

	b->unsure |= b->s->part;
	key.reason = loss.span || loss.to < last ? WHY_LOST : WHY_NO_RECORDS;
	if (first < last)
		add_piece(b, &key, first, last);
	key.reason = WHY_OUTSIDE;
	if (from < first)
		add_piece(b, &key, from, first);
	if (last < to)
		add_piece(b, &key, last, to);
}

/* --- what a CPU did while a task waited for it --- */

struct why_key why_lane_key(u32 waiting, const struct why_span *lane)
{
	return (struct why_key){ .parent = waiting,
				 .kind = lane->pid ? WHY_CULPRIT : WHY_IDLE,
				 .cpu = lane->owner,
				 .pid = lane->pid,
				 .comm = lane->comm };
}

/* Return: until when */
static u64 add_lane(struct why_build *b, u32 waiting, u32 cpu, struct why_piece t)
{
	struct why_now lane = now_of(b, WHY_LANES, cpu, t.from, t.to);

	if (!lane.span) {
		add_unknown(b, waiting, t.from, lane.to);
	} else if (!b->tree) {
		b->err = b->to->add_lanes(b->to->arg, waiting, lane.span, &t);
		return t.from;
	} else {
		const struct why_key key = why_lane_key(waiting, lane.span);

		add_piece(b, &key, t.from, lane.to);
	}
	return lane.to;
}

static void add_culprits(struct why_build *b, u32 waiting, u32 cpu, struct why_piece t)
{
	while (t.from < t.to && !b->err) {
		struct why_now irq = now_of(b, WHY_IRQS, cpu, t.from, t.to);

		if (irq.span)
			add_piece(b,
				  &(struct why_key){ .parent = waiting,
						     .kind = WHY_IRQ,
						     .cpu = cpu,
						     .word = irq.span->word },
				  t.from, irq.to);
		while (t.from < irq.to && !irq.span && !b->err)
			t.from = add_lane(b, waiting, cpu, (struct why_piece){ t.from, irq.to });
		t.from = irq.to;
	}
}

/* Where a wait was at the end of it, as far as was recorded; *@since: from then on. */
static u32 last_cpu(const struct why_build *b, const struct why_span *state, u64 *since)
{
	struct why_now last =
		why_store_now(b->s, WHY_STAYS, state->owner, state->to - 1, state->to);
	bool known = last.span && last.span->from >= state->from;

	*since = known ? last.span->from : state->from;
	return known ? last.span->cpu : state->cpu;
}

/* A wait may move from CPU to CPU. */
static void add_wait(struct why_build *b, u32 parent, const struct why_span *state,
		     struct why_piece t)
{
	const struct why_key key = { .parent = parent, .kind = WHY_WAITING, .word = state->word };
	u64 since = 0;
	bool moved = state->end_cpu != WHY_NO_CPU && last_cpu(b, state, &since) != state->end_cpu;
	/* a wakeup, which begins on the CPU where the task slept, chooses another one at once */
	bool chosen = moved && state->chosen && since == state->from;

	while (t.from < t.to && !b->err) {
		struct why_now hold = now_of(b, WHY_HOLDS, state->owner, t.from, t.to);
		struct why_now where =
			why_store_now(b->s, WHY_STAYS, state->owner, t.from, hold.to);
		bool known = where.span && where.span->from >= state->from;
		u32 waiting = add_piece(b, &key, t.from, where.to);
		u32 cpu = chosen ? state->end_cpu : known ? where.span->cpu : state->cpu;

		if (hold.span)
			add_piece(b,
				  &(struct why_key){ .parent = waiting,
						     .kind = WHY_HELD,
						     .word = hold.span->word },
				  t.from, where.to);
		else if (moved && !chosen)
			add_piece(b,
				  &(struct why_key){ .parent = waiting,
						     .kind = WHY_UNKNOWN,
						     .reason = WHY_MOVED },
				  t.from, where.to);
		else
			add_culprits(b, waiting, cpu, (struct why_piece){ t.from, where.to });
		t.from = where.to;
	}
}

/* --- a task --- */

static u32 call_at(struct why_build *b, u32 task, u64 at, u64 *to)
{
	struct why_now call = now_of(b, WHY_CALLS, task, at, *to);

	*to = call.to;
	return call.span ? call.span->word : 0;
}

static void add_running(struct why_build *b, u32 parent, const struct why_span *state,
			struct why_piece t)
{
	while (t.from < t.to && !b->err) {
		struct why_now irq = now_of(b, WHY_IRQS, state->cpu, t.from, t.to);
		struct why_now freq = now_of(b, WHY_FREQS, state->cpu, t.from, irq.to);
		struct why_key key = { .parent = parent, .cpu = state->cpu };
		u64 to = irq.to;

		if (irq.span) {
			key.kind = WHY_IRQ;
			key.word = irq.span->word;
		} else {
			key.kind = WHY_RUNNING;
			to = freq.to;
			key.khz = freq.span ? freq.span->word : 0;
			key.call = call_at(b, state->owner, t.from, &to);
		}
		add_piece(b, &key, t.from, to);
		t.from = to;
	}
}

static void add_block(struct why_build *b, u32 parent, const struct why_span *state,
		      struct why_piece t)
{
	struct why_key key = { .parent = parent,
			       .kind = WHY_BLOCKED,
			       .word = state->word,
			       .stack = state->stack,
			       .pid = state->pid,
			       .comm = state->comm,
			       .in_irq = state->in_irq,
			       .continues = state->continues };
	u64 all = t.to;
	struct why_now irq;

	/* a task sleeps in one system call */
	key.call = call_at(b, state->owner, t.from, &all);
	if (state->in_irq && state->to) {
		irq = now_of(b, WHY_IRQS, state->cpu, state->to - 1, state->to);
		key.irq = irq.span ? irq.span->word : 0;
		/* an interrupt that has not begun or ended is known from the first switch on */
		if (b->s->part && !irq.span && state->to <= b->q->to)
			b->unsure |=
				!now_of(b, WHY_LANES, state->cpu, state->to - 1, state->to).span;
	}
	add_piece(b, &key, t.from, t.to);
}

static void add_state(struct why_build *b, u32 parent, const struct why_span *state,
		      struct why_piece t)
{
	switch (state->state) {
	case WHY_STATE_RUNS:
		add_running(b, parent, state, t);
		break;
	case WHY_STATE_WAITS:
		add_wait(b, parent, state, t);
		break;
	case WHY_STATE_BLOCKED:
		add_block(b, parent, state, t);
		break;
	case WHY_STATE_OFF:
		add_piece(b,
			  &(struct why_key){
				  .parent = parent, .kind = WHY_UNKNOWN, .reason = WHY_OFF },
			  t.from, t.to);
		break;
	}
}

/* What the task did in these pieces of time, as parts of @parent. */
static void explain(struct why_build *b, u32 parent, s32 pid, const struct why_piece *pieces,
		    size_t n)
{
	u32 task = why_store_find_task(b->s, pid);

	for (size_t i = 0; i < n && !b->err; i++) {
		struct why_piece t = pieces[i];

		while (t.from < t.to && !b->err) {
			struct why_now now = now_of(b, WHY_STATES, task, t.from, t.to);

			if (now.span)
				add_state(b, parent, now.span,
					  (struct why_piece){ t.from, now.to });
			else
				add_unknown(b, parent, t.from, now.to);
			t.from = now.to;
		}
	}
}

/* --- the chain --- */

/* Whether the task is explained by a part, or one above it. */
static bool is_explained(const struct why_tree *tree, u32 i, s32 pid)
{
	for (;; i = tree->parts.v[i].key.parent) {
		const struct why_key *k = &tree->parts.v[i].key;

		if ((k->kind == WHY_BLOCKED || !i) && k->pid == pid)
			return true;
		if (!i)
			return false;
	}
}

static enum why_end end_of(const struct why_build *b, u32 i)
{
	const struct why_part *p = &b->tree->parts.v[i];

	if (p->key.continues)
		return WHY_NOT_YET;
	if (p->key.in_irq)
		return WHY_BY_IRQ;
	if (!p->key.pid)
		return WHY_BY_IDLE;
	if (is_explained(b->tree, p->key.parent, p->key.pid))
		return WHY_CYCLE;
	return p->level + 1 < b->q->depth ? WHY_GOES_ON : WHY_DEEP;
}

static void explain_block(struct why_build *b, u32 i)
{
	struct why_part *p = &b->tree->parts.v[i];
	const struct why_piece *pieces = p->pieces.v;

	p->end = end_of(b, i);
	if (p->end == WHY_GOES_ON && b->tree->parts.n > WHY_PARTS_MAX) {
		b->tree->cut = true;
		p->end = WHY_DEEP;
	}
	if (p->end != WHY_GOES_ON)
		return;
	p->level++;
	/* the pieces stay where they are when parts are added */
	explain(b, i, p->key.pid, pieces, p->pieces.n);
}

/* --- the order of parts --- */

struct part_order {
	u32 parent, i;
	u64 ns, from;
};

static int compare_order(const void *one, const void *other)
{
	const struct part_order *a = one, *b = other;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->i < b->i ? -1 : 1;
}

static int link_parts(struct why_tree *tree)
{
	scoped(free_scoped) ARRAY(struct part_order) order = ARRAY_INIT;
	int err = 0;

	for (u32 i = 1; i < tree->parts.n && !err; i++) {
		const struct why_part *p = &tree->parts.v[i];

		err = array_push(&order, ((struct part_order){ p->key.parent, i, p->ns,
							       p->pieces.v[0].from }));
	}
	if (!err && order.n)
		qsort(order.v, order.n, sizeof(*order.v), compare_order);
	for (size_t i = order.n; i-- && !err;) {
		struct why_part *parent = &tree->parts.v[order.v[i].parent];

		tree->parts.v[order.v[i].i].next = parent->first;
		parent->first = order.v[i].i;
		parent->n_parts++;
	}
	return err;
}

/* The name of the task, if it has one, is that of another time, or not certain. */
static bool has_unsure_name(const struct why_store *s, const struct why_key *k)
{
	const bool named = k->kind == WHY_TASK || k->kind == WHY_CULPRIT || k->kind == WHY_BLOCKED;

	return named && k->pid && (!k->comm || !strcmp(why_word(s, k->comm), NAMES_UNSURE));
}

int why_tree_build(const struct why_store *s, const struct why_question *q, struct why_tree *tree)
{
	struct why_build b = { .s = s, .q = q, .tree = tree };
	const struct why_piece all = { q->from, q->to };

	*tree = (struct why_tree){
		.from = q->from, .to = q->to, .first = q->first, .last = q->last
	};
	b.unsure = s->part_unsure;
	b.err = array_push(&tree->parts,
			   ((struct why_part){ .key = { .pid = q->pid, .comm = q->comm } }));
	if (!b.err) {
		tree->parts.v[0].ns = q->to - q->from;
		b.err = array_push(&tree->parts.v[0].pieces, all);
	}
	if (!b.err)
		explain(&b, 0, q->pid, &all, 1);
	/* parts are added at the end */
	for (u32 i = 1; i < tree->parts.n && !b.err; i++)
		if (tree->parts.v[i].key.kind == WHY_BLOCKED)
			explain_block(&b, i);
	for (u32 i = 0; i < tree->parts.n && s->part; i++)
		b.unsure |= has_unsure_name(s, &tree->parts.v[i].key);
	tree->unsure = b.unsure;
	b.err = b.err ?: link_parts(tree);
	if (b.err)
		why_tree_release(tree);
	return b.err;
}

u32 why_tree_chain(const struct why_tree *tree, u32 *n)
{
	u32 longest = 0;

	*n = 0;
	for (u32 i = 1; i < tree->parts.n; i++) {
		const struct why_part *p = &tree->parts.v[i];
		u32 above = 0;

		for (u32 k = i; k; k = tree->parts.v[k].key.parent)
			above += tree->parts.v[k].key.kind == WHY_BLOCKED;
		if (p->key.kind != WHY_BLOCKED || p->end == WHY_NOT_YET || above < *n ||
		    (above == *n && p->ns <= tree->parts.v[longest].ns))
			continue;
		longest = i;
		*n = above;
	}
	return longest;
}

int why_tree_pieces(const struct why_store *s, const struct why_question *q,
		    const struct why_pieces *to)
{
	struct why_build b = { .s = s, .q = q, .to = to };
	const struct why_piece all = { q->from, q->to };

	explain(&b, 0, q->pid, &all, 1);
	return b.err;
}

void why_tree_release(struct why_tree *tree)
{
	for (size_t i = 0; i < tree->parts.n; i++)
		array_release(&tree->parts.v[i].pieces);
	indexed_release(&tree->parts);
}
