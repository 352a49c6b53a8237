// SPDX-License-Identifier: LGPL-2.1-only
/* Counts the events of a buffer: by CPU and event, over time, and what is missing. */
#include "inspect/list.h"
#include "recording/recording.h"
#include "replay/replay.h"
#include "ring_buffer/ring_buffer.h"

struct pages {
	struct trace_dat_pages *pages;
	struct ring_buffer_iter *iter;
	u64 unread; /* sub-buffers in chunks that cannot be read */
};

static int read_page(void *source, const u8 **page, size_t *len)
{
	struct pages *p = source;
	int err;

	for (;;) {
		const u64 from = trace_dat_pages_index(p->pages);

		err = trace_dat_pages_next(p->pages, page, len);
		p->iter->skipped |= err == 1 && trace_dat_pages_cut(p->pages);
		if (err != -HIST_EFORMAT)
			return err;
		p->unread += trace_dat_pages_index(p->pages) - from;
		p->iter->skipped = true;
	}
}

static int count_cpu(struct recording *rec, size_t b, size_t i, struct buffer_count *c,
		     struct diags *diags)
{
	const struct trace_dat_buffer *buffer = &rec->buffers[b];
	const struct ring_buffer_layout layout = { rec->info->big_endian, rec->info->long_size,
						   buffer->subbuf_size };
	struct ring_buffer_record record;
	struct ring_buffer_iter it;
	struct pages p = { .iter = &it };
	const size_t first_hole = c->coverage.holes.n;
	u64 before = c->events, events;
	struct lost lost;
	int err = trace_dat_pages_open(rec->td, b, i, &p.pages, diags);

	if (err)
		return err;
	ring_buffer_iter_init(&it, &layout, buffer->cpus[i].cpu, read_page, &p);
	it.stored = true;
	err = recording_watch_coverage(&(struct recording_cpu){ rec, b, i }, &it, &c->coverage);
	while (!err && !(err = ring_buffer_iter_next(&it, &record))) {
		u32 id = record.len >= 2 ? load_u16(record.data, layout.big_endian) : 0;
		size_t at;

		/* of a smaller recording, others are there for what is derived of those */
		if (record.ts < c->part.from || record.ts > c->part.to)
			continue;
		c->events++;
		c->first = min_t(u64, c->first, record.ts);
		c->last = max_t(u64, c->last, record.ts);
		if (id >= c->n_ids)
			continue;
		c->by_id[id]++;
		if (!c->rates || record.ts < c->start || record.ts > c->end)
			continue;
		/* large numbers are rounded */
		at = (size_t)((double)(record.ts - c->start) * LIST_RATES /
			      ((double)(c->end - c->start) + 1));
		c->rates[(size_t)id * LIST_RATES + min_t(size_t, at, LIST_RATES - 1)]++;
	}
	lost = lost_of(rec, b, buffer->cpus[i].cpu);
	events = c->events - before;
	c->cpus[i] = (struct cpu_count){
		.events = events,
		.missed = it.missed + lost_sum(&lost),
		.damaged = it.damaged_pages,
		.missed_unknown = it.missed_unknown || lost.noted_unknown,
		.stats = lost.stats,
		.unread = trace_dat_pages_unread(p.pages),
		.unread_subbufs = p.unread,
		.about = it.n_pages ? p.unread * events / it.n_pages : 0,
		.gap_from = UINT64_MAX,
	};
	for (size_t k = first_hole; k < c->coverage.holes.n; k++) {
		const struct coverage_hole *hole = &c->coverage.holes.v[k];

		c->cpus[i].gap_from = min_t(u64, c->cpus[i].gap_from, hole->from);
		c->cpus[i].gap_to = max_t(u64, c->cpus[i].gap_to, hole->to);
		c->cpus[i].holes++;
	}
	trace_dat_pages_diagnose(p.pages, diags);
	trace_dat_pages_close(p.pages);
	return err < 0 ? err : c->coverage.failed ? HIST_NOMEM : 0;
}

void list_count_start(struct buffer_count *c, const struct recording *rec, size_t b)
{
	*c = (struct buffer_count){ .buffer = &rec->buffers[b],
				    .n_ids = UINT16_MAX + 1,
				    .part.to = UINT64_MAX,
				    .first = UINT64_MAX };
	(void)slimmed_part(rec, &c->part.from, &c->part.to);
}

int list_count_rates(struct buffer_count *c, const struct recordings_times *times)
{
	c->start = times->first;
	c->end = max_t(u64, times->last, times->first);
	c->rates = calloc(c->n_ids, LIST_RATES * sizeof(*c->rates));
	return c->rates ? 0 : HIST_NOMEM;
}

int list_count_buffer(struct recording *rec, size_t b, struct buffer_count *c, struct diags *diags)
{
	const struct trace_dat_buffer *buffer = c->buffer;
	int err = 0;

	c->by_id = calloc(c->n_ids, sizeof(*c->by_id));
	c->cpus = calloc(buffer->n_cpus + 1, sizeof(*c->cpus));
	if (!c->by_id || !c->cpus)
		return HIST_NOMEM;
	for (size_t i = 0; i < buffer->n_cpus && !buffer->text && !err; i++)
		err = count_cpu(rec, b, i, c, diags);
	return err;
}

void list_count_release(struct buffer_count *c)
{
	free(c->by_id);
	free(c->cpus);
	free(c->rates);
	coverage_release(&c->coverage);
}
