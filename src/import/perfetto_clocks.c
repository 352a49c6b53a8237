// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Clocks of a Perfetto trace. Each packet may have a time of another one: of the machine, or of the
 * sequence of packets, whose times may be differences. Snapshots have several clocks at the same
 * time; all are related to the clock since the boot, over other ones if a snapshot lacks it.
 */
#include "import/perfetto.h"

/* Clocks of a sequence have numbers from this one on. */
enum { CLOCK_OF_SEQUENCE = 64 };

static u64 owner_of(const struct perfetto_sequence *s, u32 clock)
{
	return clock < CLOCK_OF_SEQUENCE ? 0 : (u64)s->dropped << 32 | s->id;
}

/* A clock of a sequence; @add: if it is new, too. NULL: it is unknown, or out of memory */
static struct perfetto_own_clock *own_clock(struct perfetto *pf, u32 clock, u64 owner, bool add)
{
	const u64 hash = hash_number(owner << 8 ^ clock);
	struct perfetto_own_clock *own =
		indexed_find(&pf->own_clocks, hash, e, e->id == clock && e->owner == owner);

	if (own || !add)
		return own;
	return indexed_add(&pf->own_clocks, hash,
			   ((struct perfetto_own_clock){ .id = clock, .owner = owner, .unit = 1 }));
}

int perfetto_clocks_add(struct perfetto *pf, const struct perfetto_sequence *s,
			struct proto snapshot)
{
	enum { CLOCKS = 1, PRIMARY };
	struct proto_field f;

	pf->n_snapshots++;
	while (proto_next(&snapshot, &f)) {
		const struct proto clock = proto_message(&f);
		struct perfetto_clock c = { .snapshot = pf->n_snapshots };
		struct perfetto_own_clock *own;

		if (f.number == PRIMARY)
			pf->clock = (u32)f.v;
		if (f.number != CLOCKS)
			continue;
		c.id = (u32)min_t(u64, proto_number(clock, 1), UINT32_MAX);
		c.owner = owner_of(s, c.id);
		c.at = proto_number(clock, 2);
		if (c.owner) {
			own = own_clock(pf, c.id, c.owner, true);
			if (!own)
				return HIST_NOMEM;
			own->unit = max_t(u64, proto_number(clock, 4), 1);
			own->adds = proto_number(clock, 3);
			own->at = c.at *= own->unit;
		}
		c.known = c.id == CLOCK_BOOT;
		c.boot = c.at;
		if (array_push(&pf->clocks, c))
			return HIST_NOMEM;
	}
	return 0;
}

void perfetto_clocks_stamp(struct perfetto *pf, const struct perfetto_sequence *s,
			   struct perfetto_stamp *stamp)
{
	struct perfetto_own_clock *own;

	if (!stamp->clock)
		stamp->clock = s->clock ? s->clock : pf->clock ? pf->clock : CLOCK_BOOT;
	stamp->owner = owner_of(s, stamp->clock);
	own = stamp->owner ? own_clock(pf, stamp->clock, stamp->owner, false) : NULL;
	if (own)
		stamp->ts = own->at = (own->adds ? own->at : 0) + stamp->ts * own->unit;
}

/* Those whose times since the boot are known come first. */
DEFINE_ORDER(compare_clocks, struct perfetto_clock,
	     cmp_int(!x->known, !y->known) ?:
	     cmp_int(x->id, y->id) ?:
	     cmp_int(x->owner, y->owner) ?:
	     cmp_int(x->at, y->at) ?:
	     cmp_int(x->snapshot, y->snapshot))

/* By the last snapshot before it, or the first. */
bool perfetto_clocks_boot(const struct perfetto *pf, const struct perfetto_stamp *stamp, u64 *ts)
{
	const struct perfetto_clock key = { .id = stamp->clock,
					    .owner = stamp->owner,
					    .at = stamp->ts,
					    .known = true,
					    .snapshot = UINT32_MAX };
	const struct perfetto_clock *c = pf->clocks.v;
	size_t from = 0, to = pf->clocks.n;

	*ts = stamp->ts;
	if (stamp->clock == CLOCK_BOOT)
		return true;
	while (from < to) {
		const size_t mid = (from + to) / 2;

		if (compare_clocks(&c[mid], &key) > 0)
			to = mid;
		else
			from = mid + 1;
	}
	if (!from || c[from - 1].id != key.id || c[from - 1].owner != key.owner)
		from++;
	if (from > pf->clocks.n || c[from - 1].id != key.id || c[from - 1].owner != key.owner ||
	    !c[from - 1].known)
		return false;
	*ts += c[from - 1].boot - c[from - 1].at;
	return true;
}

/* What the clock since the boot was in each snapshot, if another one of its clocks is known. */
static int relate_clocks(struct perfetto *pf)
{
	enum { CHAIN_MAX = 4 };
	scoped(free_scoped) struct perfetto_clock *of = calloc(pf->n_snapshots + 1ul, sizeof(*of));

	if (!of)
		return HIST_NOMEM;
	for (u32 i = 0; i < CHAIN_MAX && pf->clocks.n; i++) {
		array_each(struct perfetto_clock, c, &pf->clocks) {
			const struct perfetto_stamp stamp = { true, c->id, c->owner, c->at };
			struct perfetto_clock *known = &of[c->snapshot];

			if (!known->known && (c->known || i))
				known->known = perfetto_clocks_boot(pf, &stamp, &known->boot);
		}
		array_each(struct perfetto_clock, c, &pf->clocks) {
			if (!c->known)
				c->boot = of[c->snapshot].boot;
			c->known |= of[c->snapshot].known;
		}
		qsort(pf->clocks.v, pf->clocks.n, sizeof(*pf->clocks.v), compare_clocks);
	}
	return 0;
}

/*
 * The time of day at the first snapshot that has it. A snapshot reads one clock after the other;
 * how far several of them differ shows how exact they are.
 */
static int store_wall(struct perfetto *pf)
{
	enum { READING = 10000 };
	const struct perfetto_clock *first = NULL;
	u64 doubt = READING;
	char *text;

	array_each(const struct perfetto_clock, c, &pf->clocks)
		if (c->id == CLOCK_REAL && c->at && c->known &&
		    (!first || c->snapshot < first->snapshot))
			first = c;
	if (!first)
		return 0;
	array_each(const struct perfetto_clock, c, &pf->clocks)
		if (c->id == CLOCK_REAL && c->at && c->known)
			doubt = max_t(u64, doubt,
				      (u64)llabs((s64)(c->at - first->at - c->boot + first->boot)));
	text = arena_printf(&pf->types.arena, "%llu %llu %llu", (unsigned long long)first->boot,
			    (unsigned long long)first->at, (unsigned long long)doubt);
	return text ? import_sink_option(pf->job->sink, TRACE_DAT_HIST_WALL,
					 (struct span){ text, strlen(text) + 1 })
		    : HIST_NOMEM;
}

int perfetto_clocks_finish(struct perfetto *pf)
{
	return relate_clocks(pf) ?: store_wall(pf);
}
