// SPDX-License-Identifier: LGPL-2.1-only
/* A source that delivers only the records of one part of the keys. */
#include "replay/partition.h"
#include "run/part.h"

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
	if (unlikely(rec->len < d->min_size)) {
		p->short_records++;
		return false;
	}
	if (unlikely(rec->ts < p->span->from || rec->ts > p->span->to))
		return false;
	p->counts[d - stream->table->by_id]++;
	hit->rec = rec->data;
	hit->len = rec->len;
	hit->ts = rec->ts;
	if (unlikely(p->from != NULL)) {
		hit->pid = stream_pid(stream, rec);
		hit->at = stream_at(stream, p->source->page, rec);
	}
	return event_file_parts_of(d->file, hit, p->n_parts) >> (p->part - 1) & 1;
}

/* The records of the part in the rest of a sub-buffer, or in a later one. */
static int fill(void *arg, const struct ring_buffer_record **recs)
{
	struct partition *p = arg;
	struct ring_buffer_record *all = p->source->recs;
	struct hit hit = { .cpu = p->source->stream->cpu, .source = p->from };
	int n, mine = 0;

	do {
		n = source_fill(p->source);
		for (int i = 0; i < n; i++) {
			all[mine] = all[i];
			mine += is_mine(p, &all[i], &hit);
		}
	} while (n > 0 && !mine);
	*recs = all;
	return n < 0 ? n : mine;
}

struct ring_buffer_source partition_of_merge(struct partition *p)
{
	return (struct ring_buffer_source){ .fill = fill, .arg = p, .cpu = p->source->stream->cpu };
}
