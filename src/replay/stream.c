// SPDX-License-Identifier: LGPL-2.1-only
/* Streams: the sub-buffers of each that can contain records of the replayed span. */
#include "replay/replay.h"
#include "replay/stream.h"

static int select_pages(struct stream *s, const struct hist *h)
{
	const u64 from = h->window.on ? h->window.from : h->span.from;
	const u64 to = h->window.on ? h->window.to : h->span.to;
	struct trace_dat_pages *pages;
	int err = trace_dat_pages_open_like(s->pages, &pages);
	struct page_span part;

	if (err)
		return err;
	part = recording_select_pages(&s->of, pages, from, to);
	trace_dat_pages_close(pages);
	s->first = part.first;
	/* the next sub-buffer contains the number of records that were lost before it */
	s->end = part.end + (part.end < s->n_pages);
	if (!trace_dat_pages_check_notes(s->pages, s->first, s->end)) {
		s->first = 0;
		s->n_pages = s->end = trace_dat_pages_count(s->pages);
	}
	return 0;
}

int stream_make_records(const struct hist *h, const struct recording *rec,
			const struct dispatch_table *table, struct diags *diags)
{
	struct trace_dat_wanted wanted = { .n = table ? table->n : 0 };
	u8 *ids = calloc(wanted.n + 1, 1);
	struct run_needs needs;
	int err;

	if (!ids)
		return HIST_NOMEM;
	tracing_needs(h->tracing, &needs);
	wanted.no_stacks = !needs.stack && !h->tracing->record;
	for (u32 id = 0; id < wanted.n; id++) {
		const struct dispatch *d = &table->by_id[id];

		ids[id] = d->file || d->names || d->change || d->derive || d->synth || d->special ||
			  d->is_nested;
		if (ids[id] &&
		    (d->stack || d->derive || (d->file && !strcmp(d->file->name, "user_stack"))))
			wanted.no_stacks = false;
	}
	/* losses belong to the slice in which the records after them are */
	if (table && !h->observer && !(h->timer && trace_dat_later_lost(rec->td)) &&
	    h->plan != HIST_PLAN_PLAIN)
		wanted.ids = ids;
	wanted.no_stacks &= wanted.ids != NULL;
	err = trace_dat_make(rec->td, &wanted, diags);
	free(ids);
	return err;
}

int stream_open(struct stream *s, const struct hist *part, struct diags *diags)
{
	int err = trace_dat_pages_open(s->of.rec->td, s->of.buffer, s->of.cpu, &s->pages, diags);

	if (err)
		return err;
	if (part)
		trace_dat_pages_use_notes(s->pages);
	s->n_pages = s->end = trace_dat_pages_count(s->pages);
	s->stays = trace_dat_pages_stay(s->pages);
	return part ? select_pages(s, part) : 0;
}

void stream_close(struct stream *s)
{
	trace_dat_pages_close(s->pages);
	s->pages = NULL;
}
