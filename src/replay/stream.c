// SPDX-License-Identifier: LGPL-2.1-only
/*
 * One CPU's records. The stack that a record asks for is a record of its own that comes
 * behind it on the same CPU, so it is looked for ahead, on a copy of the iterator's place.
 */
#include "replay/stream.h"

/* What a stack is to have in common with its event: hard and soft interrupt, NMI. */
enum { CONTEXT_FLAGS = 0x08 | 0x10 | 0x40, AHEAD_MAX = 256, SKIP_FRAMES = 2 };

int stream_open(struct stream *s, struct diags *diags)
{
	return trace_dat_pages_open(s->rec->td, s->buffer, s->cpu_index, &s->pages, diags);
}

void stream_close(struct stream *s)
{
	trace_dat_pages_close(s->pages);
	trace_dat_pages_close(s->ahead);
	s->pages = s->ahead = NULL;
	array_release(&s->stacks);
}

static int read_page(void *stream, const u8 **page, size_t *len)
{
	struct stream *s = stream;
	int err;

	do {
		err = trace_dat_pages_next(s->pages, page, len);
	} while (err == -HIST_EFORMAT); /* said at the end, see trace_dat_pages_diagnose() */
	return err;
}

void stream_iter_init(struct stream *s, const u8 *keep, struct ring_buffer_iter *it)
{
	ring_buffer_iter_init(it, &s->layout, s->cpu, read_page, s);
	it->keep = keep;
	it->n_keep = s->table->n;
}

/* --- looking ahead --- */

struct ahead {
	struct stream *s;
	struct ring_buffer_page page;
	u64 next_page;
};

/* The next record of the CPU, on whatever page; false at the end. */
static bool ahead_next(struct ahead *a, struct ring_buffer_record *rec)
{
	struct diags ignored = DIAGS_INIT;
	const u8 *bytes;
	size_t len;
	bool ok;

	while (ring_buffer_page_next(&a->page, rec)) {
		if (!a->s->ahead)
			trace_dat_pages_open(a->s->rec->td, a->s->buffer, a->s->cpu_index,
					     &a->s->ahead, &ignored);
		diags_release(&ignored);
		ok = a->s->ahead && !trace_dat_pages_seek(a->s->ahead, a->next_page++) &&
		     !trace_dat_pages_next(a->s->ahead, &bytes, &len);
		if (!ok)
			return false;
		ring_buffer_page_open(&a->page, &a->s->layout, bytes, len);
	}
	return true;
}

static bool same_context(const struct stream *s, const struct ring_buffer_record *a,
			 const struct ring_buffer_record *b)
{
	bool big = s->layout.big_endian;

	if (a->len < 8 || b->len < 8)
		return false;
	return load_u32(a->data + COMMON_PID_AT, big) == load_u32(b->data + COMMON_PID_AT, big) &&
	       (a->data[2] & CONTEXT_FLAGS) == (b->data[2] & CONTEXT_FLAGS);
}

static size_t read_stack(const struct stream *s, const struct ring_buffer_record *rec, u64 *entries,
			 size_t max)
{
	u32 size = s->layout.long_size;
	size_t at = s->table->stack_at + SKIP_FRAMES * size, n = 0;

	for (; at + size <= rec->len && n < max; at += size) {
		u64 v = size == 8 ? load_u64(rec->data + at, s->layout.big_endian)
				  : load_u32(rec->data + at, s->layout.big_endian);

		/* what fills the record up to its length, or ends older stacks, is no frame */
		if (!v || v == (size == 8 ? UINT64_MAX : UINT32_MAX))
			break;
		entries[n++] = v;
	}
	return n;
}

bool stream_stack_record(struct stream *s, const struct ring_buffer_iter *it,
			 const struct ring_buffer_record *rec, struct ring_buffer_record *stack,
			 u64 *place)
{
	struct ahead a = { .s = s,
			   .page = ring_buffer_page_behind(&it->page, rec),
			   .next_page = it->pages };

	for (int i = 0; i < AHEAD_MAX && ahead_next(&a, stack); i++) {
		const struct dispatch *d = stream_dispatch(s, stack);

		/* what the event itself made, and other contexts that came between */
		if ((d && d->is_synthetic) || !same_context(s, rec, stack))
			continue;
		*place = a.next_page << 32 | stack->offset;
		s->stack.page = a.next_page - 1;
		s->stack.offset = stack->offset;
		return d && d->is_stack;
	}
	return false;
}

size_t stream_stack(struct stream *s, const struct ring_buffer_iter *it,
		    const struct ring_buffer_record *rec, u64 *entries, size_t max)
{
	struct ring_buffer_record stack;
	u64 place;

	return stream_stack_record(s, it, rec, &stack, &place) ? read_stack(s, &stack, entries, max)
							       : 0;
}
