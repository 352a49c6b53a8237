// SPDX-License-Identifier: LGPL-2.1-only
/* A source that delivers only the records of one part of the keys. */
#include "replay/partition.h"
#include "replay/slices.h"
#include "run/run.h"

/*
 * Whether the record belongs to the part; the caller has set the fields of @hit that are the same
 * for the whole stream.
 */
static inline bool is_mine(struct partition *p, const struct ring_buffer_record *rec,
			   struct hit *hit)
{
	const struct stream *stream = p->source->stream;
	const struct dispatch *d = stream_dispatch(stream, rec);

	if (!d)
		return false;
	p->backwards |= rec->ts < p->last;
	p->last = rec->ts;
	if (unlikely(!d->hits))
		return false;
	if (unlikely(dispatch_is_short(d, rec))) {
		p->short_records++;
		return false;
	}
	if (unlikely(rec->ts < p->h->span.from || rec->ts > p->h->span.to))
		return false;
	p->counts[d - stream->table->by_id]++;
	hit->rec = rec->data;
	hit->len = rec->len;
	hit->ts = rec->ts;
	if (unlikely(p->names != NULL)) {
		hit->pid = stream_pid(stream, rec);
		hit->at = stream_at(stream, p->source->page, rec);
		p->guessed_names += d->guesses &&
				    names_guess_at(p->names, hit->pid, hit->cpu,
						   (struct name_place){ hit->ts, hit->at });
	}
	return event_parts_of(d->event, hit, p->n_parts) >> (p->part - 1) & 1;
}

/* Whether the part gets the record. */
static bool is_delivered(struct partition *p, struct ring_buffer_record *rec, struct hit *hit)
{
	bool mine = is_mine(p, rec, hit);

	if (likely(rec->ts <= p->last_in_slice))
		return mine;
	p->last_in_slice = slices_last(p->h, rec->ts);
	rec->len = mine ? rec->len : 0;
	return true;
}

/* No record has this length, so that is_mine() is used. */
enum { NO_ROUTE = UINT16_MAX };

int partition_init(struct partition *p, struct arena *arena)
{
	const struct dispatch_table *table = p->source->stream->table;
	bool whole = !p->h->span.from && p->h->span.to == UINT64_MAX;

	p->routes = arena_alloc(arena, (table->n + 1) * sizeof(*p->routes));
	for (u32 id = 0; p->routes && id < table->n; id++) {
		const struct dispatch *d = &table->by_id[id];
		const struct value *v = d->hits ? event_part_number(d->event) : NULL;
		struct part_route *route = &p->routes[id];

		route->min_size = d->hits ? NO_ROUTE : 0;
		if (!v || !whole || d->n_dynamic || d->guesses ||
		    d->min_size > RING_BUFFER_SHORT_MAX || (u64)v->offset + v->size > d->min_size)
			continue;
		*route = (struct part_route){ .at = (u16)v->offset,
					      .min_size = (u16)d->min_size,
					      .high_bits = (u8)(64 - 8 * v->size),
					      .kept = true };
	}
	return p->routes ? 0 : HIST_NOMEM;
}

/*
 * The records that is_mine() would select, up to one that is not short, that starts a slice of
 * time, or for which there is no simple route. All changing state is in registers; without
 * branches, because neither the event nor the part can be predicted, so records that are not
 * selected are also written.
 */
static inline __attribute__((always_inline)) int fill_until(struct partition *p,
							    struct ring_buffer_record *recs,
							    int max, const u64 last_ts)
{
	struct ring_buffer_page *page = &p->source->iter.page;
	const struct ring_buffer_page pg = *page;
	struct ring_buffer_record *to = recs, *end = recs + max;
	/* the integer is read as 8 bytes */
	const u8 *at = pg.p, *last = ring_buffer_shorts_end(&pg, sizeof(u64));
	const u32 n = p->source->stream->table->n, part = p->part - 1, n_parts = p->n_parts;
	u64 ts = pg.ts, first = at < last ? ts + (load_u32(at, false) >> 5) : ts;

	while (to < end && at < last && ring_buffer_short_at(&pg, at, ts, to)) {
		u32 id = load_u16(at + 4, false), i = id < n ? id : n;
		const struct part_route *route = &p->routes[i];
		s64 key = (s64)(load_u64(at + 4 + route->at, false) << route->high_bits) >>
			  route->high_bits;

		if (unlikely(to->len < route->min_size || to->ts > last_ts))
			break;
		ts = to->ts;
		at += 4 + to->len;
		p->counts[i]++;
		to += route->kept & (hist_part_of_number((u64)key, n_parts) == part);
	}
	if (at > pg.p) {
		p->backwards |= first < p->last || ts < first;
		p->last = ts;
	}
	page->p = at;
	page->ts = ts;
	return (int)(to - recs);
}

static __attribute__((noinline)) int fill_short(struct partition *p,
						struct ring_buffer_record *recs, int max)
{
	/* without slices, times are not compared */
	return p->last_in_slice == UINT64_MAX ? fill_until(p, recs, max, UINT64_MAX)
					      : fill_until(p, recs, max, p->last_in_slice);
}

/* The records of the part in this sub-buffer, up to @max; fewer: it has no more. */
static int fill_from_page(struct partition *p, struct ring_buffer_record *recs, int max)
{
	struct ring_buffer_iter *it = &p->source->iter;
	struct hit hit = { .cpu = p->source->stream->cpu, .source = p->from };
	int n = 0;

	for (;;) {
		if (likely(!it->page.big))
			n += fill_short(p, recs + n, max - n);
		if (n == max || ring_buffer_page_next(&it->page, &recs[n]))
			return n;
		n += ring_buffer_iter_keeps(it, &recs[n]) && is_delivered(p, &recs[n], &hit);
	}
}

/* The records of the part in the rest of a sub-buffer, or in a later one. */
static int fill(void *arg, const struct ring_buffer_record **recs)
{
	struct partition *p = arg;
	int n, err = 0;

	*recs = p->source->recs;
	do {
		n = fill_from_page(p, p->source->recs, SOURCE_RECORDS);
	} while (!n && !(err = ring_buffer_iter_page(&p->source->iter)));
	return err < 0 ? err : n;
}

struct ring_buffer_source partition_of_merge(struct partition *p)
{
	return (struct ring_buffer_source){ .fill = fill, .arg = p, .cpu = p->source->stream->cpu };
}
