// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The stack of a record is a record of its own that follows on the same CPU, and so is the
 * synthetic event that it made, if that was recorded; they are looked for
 * with a cursor of its own, from the record's sub-buffer on. What follows a damaged chunk
 * belongs to other records.
 */
#include "program/hist_data.h"
#include "program/synth_event.h"
#include "replay/source.h"

/* What a stack is to have in common with its event: hard and soft interrupt, NMI. */
enum { CONTEXT_FLAGS = 0x08 | 0x10 | 0x40, AHEAD_MAX = 256, SKIP_FRAMES = 2 };

struct ahead {
	struct source *s;
	struct ring_buffer_page page;
	u64 at; /* which sub-buffer */
};

/* The next record of the CPU, on whatever page; false at the end. */
static bool ahead_next(struct ahead *a, struct ring_buffer_record *rec)
{
	const struct stream *stream = a->s->stream;
	struct diags ignored = DIAGS_INIT;
	const u8 *bytes;
	size_t len;
	bool ok;

	while (ring_buffer_page_next(&a->page, rec)) {
		if (!a->s->ahead)
			trace_dat_pages_open(stream->rec->td, stream->buffer, stream->cpu_index,
					     &a->s->ahead, &ignored);
		diags_release(&ignored);
		ok = a->s->ahead && !trace_dat_pages_seek(a->s->ahead, ++a->at) &&
		     !trace_dat_pages_next(a->s->ahead, &bytes, &len);
		if (!ok)
			return false;
		ring_buffer_page_open(&a->page, &stream->layout, bytes, len);
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

bool source_stack_record(struct source *s, const struct ring_buffer_record *rec,
			 struct ring_buffer_record *stack, u64 *place)
{
	struct ahead a = { .s = s,
			   .page = ring_buffer_page_behind(&s->iter.page, rec),
			   .at = s->page };

	for (int i = 0; i < AHEAD_MAX && ahead_next(&a, stack); i++) {
		const struct dispatch *d = stream_dispatch(s->stream, stack);

		/* what the event itself made, and other contexts that came between */
		if ((d && d->is_synthetic) || !same_context(s->stream, rec, stack))
			continue;
		*place = a.at << 32 | stack->offset;
		s->stack.page = a.at;
		s->stack.offset = stack->offset;
		return d && d->is_stack;
	}
	return false;
}

size_t source_stack(struct source *s, const struct ring_buffer_record *rec, u64 *entries,
		    size_t max)
{
	struct ring_buffer_record stack;
	u64 place;

	return source_stack_record(s, rec, &stack, &place)
		       ? read_stack(s->stream, &stack, entries, max)
		       : 0;
}

/* --- the bytes behind the texts of synthetic events --- */

static bool is_array(const struct synth_field *f, u32 len)
{
	return f->text.is_string && !f->text.is_dynamic && f->offset + STR_VAR_LEN_MAX <= len;
}

/* Whether the texts of fixed size are the same up to their NUL. */
static bool same_texts(const struct synth_event *se, const u8 *made,
		       const struct ring_buffer_record *rec)
{
	for (size_t i = 0; i < se->n_fields; i++) {
		const struct synth_field *f = &se->fields[i];

		if (is_array(f, rec->len) &&
		    strncmp((const char *)made + f->offset, (const char *)rec->data + f->offset,
			    STR_VAR_LEN_MAX) != 0)
			return false;
	}
	return rec->len >= se->fixed_size;
}

static void copy_texts(const struct synth_event *se, u8 *made, u32 len,
		       const struct ring_buffer_record *rec)
{
	for (size_t i = 0; i < se->n_fields; i++) {
		const struct synth_field *f = &se->fields[i];

		if (is_array(f, len))
			memcpy(made + f->offset, rec->data + f->offset, STR_VAR_LEN_MAX);
	}
}

bool source_loose_bytes(struct source *s, const struct ring_buffer_record *rec,
			const struct synth_event *se, u8 *made, u32 len)
{
	struct ring_buffer_record found;
	struct ahead a = { .s = s,
			   .page = ring_buffer_page_behind(&s->iter.page, rec),
			   .at = s->page };

	for (int i = 0; i < AHEAD_MAX && ahead_next(&a, &found); i++) {
		const struct dispatch *d = stream_dispatch(s->stream, &found);
		/* sub-buffers from 1, so that no place is 0 */
		u64 place = (a.at + 1) << 32 | found.offset;

		if (!d || d->synth != se || place <= s->synth_place ||
		    !same_context(s->stream, rec, &found) || !same_texts(se, made, &found))
			continue;
		copy_texts(se, made, len, &found);
		s->synth_place = place;
		s->stack.page = a.at;
		s->stack.offset = found.offset;
		return true;
	}
	return false;
}
