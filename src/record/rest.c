// SPDX-License-Identifier: LGPL-2.1-only
/*
 * How long a ring lasts depends on the events, so it is measured: when a part of it is full for the
 * first time, and then again and again. That takes a moment for each CPU.
 */
#include "record/rest.h"
#include "record/tracedir.h"

/* What is measured must be a part of the ring; it must last for more than is kept. */
enum { PART = 8, MEASURE_MIN_MS = 1000, MEASURE_MAX_MS = 60000 };

/* Bytes of the ring of each CPU; 0: unknown */
static u64 ring_bytes(const struct session *s)
{
	scoped(free_scoped) char *text = tracedir_read(s->instance, "buffer_size_kb", NULL);
	struct span rest = span_of(text ? text : ""), first = span_sep(&rest, " \n");
	u64 kb;

	if (!span_u64(first, &kb))
		kb = 0;
	return kb << 10;
}

static bool read_stats(const struct ring_rest *r, struct ring_stats *stats)
{
	return ring_stats_read(r->session->instance, r->cpu, stats);
}

/* ns that the ring lasts; 0: unknown */
static u64 measure(const struct ring_rest *r, u64 now)
{
	const struct kept_cpu *c = &r->kept->cpus[r->number];
	struct ring_stats stats;

	if (!read_stats(r, &stats))
		return 1;
	if (stats.overrun > c->at_rest)
		return stats.now > stats.oldest ? stats.now - stats.oldest : 1;
	if (stats.bytes < r->ring / PART)
		return 0;
	return (u64)((double)(now - r->since) * (double)r->ring / (double)stats.bytes) + 1;
}

static void begin(struct ring_rest *r)
{
	struct ring_stats stats;

	r->since = r->measured = monotonic_ns();
	r->resting = true;
	r->filled = false;
	read_stats(r, &stats);
	kept_rest(r->kept, r->number, true, stats.overrun);
}

void rest_init(struct ring_rest *r, struct kept *kept, size_t number, const struct session *session)
{
	*r = (struct ring_rest){
		.kept = kept, .number = number, .session = session, .cpu = session->cpus.v[number]
	};
	if (kept && kept->ring_ns)
		r->ring = ring_bytes(session);
	if (r->ring)
		begin(r);
}

bool rest_goes_on(struct ring_rest *r, bool filled)
{
	u64 now, lasts;

	if (!r->ring || r->small || atomic_load_explicit(&r->kept->wanted, memory_order_acquire))
		return false;
	if (!r->resting)
		begin(r);
	now = monotonic_ns();
	if (!filled && now - r->measured < (u64)rest_ms(r) * 1000000)
		return true;
	r->filled |= filled;
	r->measured = now;
	lasts = measure(r, now);
	r->small = lasts && lasts < r->kept->ring_ns + r->kept->ring_ns / 4;
	if (r->small)
		kept_ring_is_small(r->kept, r->number, lasts);
	return !r->small;
}

int rest_ms(const struct ring_rest *r)
{
	u64 ms = r->kept->ring_ns / 1000000 / PART;

	return (int)min_t(u64, max_t(u64, ms, MEASURE_MIN_MS), MEASURE_MAX_MS);
}

void rest_end(struct ring_rest *r, void *page, u64 number)
{
	const u16 one = 1;
	/* the lower half of the word after the time stamp */
	const size_t high = load_u16(&one, false) == 1 ? 0 : r->session->long_size - sizeof(u32);
	char *at = (char *)page + sizeof(u64) + high;
	struct ring_stats stats;
	u32 commit;

	memcpy(&commit, at, sizeof(commit));
	if (commit & RB_MISSED_EVENTS)
		kept_gap(r->kept, r->number, number);
	commit &= ~(RB_MISSED_EVENTS | RB_MISSED_STORED);
	memcpy(at, &commit, sizeof(commit));
	r->resting = false;
	/* there is room for a sub-buffer now: what is overwritten from now on is a loss */
	if (read_stats(r, &stats))
		kept_rest(r->kept, r->number, false, stats.overrun);
}
