// SPDX-License-Identifier: LGPL-2.1-only
/* Reading a stream: a cursor over its sub-buffers, and an iterator over their records. */
#include "replay/source.h"

static int read_page(void *arg, const u8 **page, size_t *len)
{
	struct source *s = arg;
	int err;

	if (s->leave && !trace_dat_pages_next_keeps(s->pages))
		s->leave(s->leave_arg);
	do {
		if (trace_dat_pages_index(s->pages) >= s->end) {
			s->iter.skipped |= trace_dat_pages_cut(s->pages);
			return 1;
		}
		err = trace_dat_pages_next(s->pages, page, len);
		s->iter.skipped |= err == -HIST_EFORMAT;
	} while (err == -HIST_EFORMAT); /* reported at the end, see account_stream() */
	if (err > 0)
		s->iter.skipped |= trace_dat_pages_cut(s->pages);
	s->page = trace_dat_pages_index(s->pages) - 1;
	return err;
}

static int read_fed(void *arg, const u8 **page, size_t *len)
{
	struct source *s = arg;
	const struct replay_feed *feed = s->stream->feed;
	struct fed fed = { .skipped = 0 };
	int ret = feed->next(feed->arg, s->stream->of.cpu, &fed);

	/* what is missing is like what cannot be read */
	s->iter.damaged_pages += fed.skipped;
	s->iter.skipped |= fed.skipped != 0;
	s->quiet = ret == FEED_QUIET ? fed.ts : 0;
	*page = fed.page;
	*len = s->stream->layout.subbuf_size;
	s->page += ret == FEED_PAGE;
	return ret > 0 ? 1 : ret;
}

static void start_iter(struct source *s, ring_buffer_read_page_fn read)
{
	ring_buffer_iter_init(&s->iter, &s->stream->layout, s->stream->cpu, read, s);
	s->iter.stored = true;
	s->iter.keep = s->stream->table->keep;
	s->iter.n_keep = s->stream->table->n;
}

int source_open(struct source *s, const struct stream *stream)
{
	int err;

	*s = (struct source){ .stream = stream };
	if (stream->feed) {
		start_iter(s, read_fed);
		return 0;
	}
	err = trace_dat_pages_open_like(stream->pages, &s->pages);
	if (!err)
		source_range(s, stream->first, stream->end);
	return err;
}

void source_close(struct source *s)
{
	trace_dat_pages_close(s->pages);
	trace_dat_pages_close(s->lookahead);
	s->pages = s->lookahead = NULL;
	array_release(&s->awaited);
}

void source_range(struct source *s, u64 first, u64 end)
{
	s->end = end;
	trace_dat_pages_seek(s->pages, first);
	start_iter(s, read_page);
}

int source_fill(struct source *s)
{
	return ring_buffer_iter_fill(&s->iter, s->recs, SOURCE_RECORDS);
}

static int source_fill_merge(void *arg, const struct ring_buffer_record **recs)
{
	struct source *s = arg;
	int n = source_fill(s);

	*recs = s->recs;
	s->merged = s->page;
	/* a record of no event, which only lets the merge go on with the other CPUs */
	if (unlikely(!n && s->quiet)) {
		s->recs[0] = (struct ring_buffer_record){ .ts = s->quiet };
		n = 1;
	}
	return n;
}

struct ring_buffer_source source_of_merge(struct source *s)
{
	return (struct ring_buffer_source){ .fill = source_fill_merge,
					    .arg = s,
					    .cpu = s->stream->cpu };
}

void source_account(const struct source *s, struct stream_account *sum)
{
	const struct ring_buffer_iter *it = &s->iter;

	if (s->stream->names)
		return;
	sum->missed += it->missed;
	sum->missed_unknown |= it->missed_unknown;
	sum->damaged += it->damaged_pages + (it->have_page && it->page.damaged);
	sum->pages += it->n_pages;
	sum->first = min_t(u64, sum->first, it->times.first);
	sum->last = max_t(u64, sum->last, it->times.last);
}

struct stream_account sources_lost(const struct source *sources, size_t n)
{
	struct stream_account sum = { .missed = 0 };

	for (size_t i = 0; i < n; i++)
		source_account(&sources[i], &sum);
	return sum;
}
