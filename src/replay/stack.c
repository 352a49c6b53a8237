// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the stack of a record, and the synthetic event that the record generated.
 *
 * Both are separate records that follow on the same CPU. They are searched for with an extra
 * cursor, starting at the record's sub-buffer. Records after a damaged chunk do not belong to
 * records before it.
 */
#include "program/synth_event.h"
#include "replay/observer.h"
#include "replay/source.h"

/* Flags that a stack and its event have in common: hard and soft interrupt, NMI. */
enum { CONTEXT_FLAGS = 0x08 | 0x10 | 0x40, LOOKAHEAD_MAX = 256, SKIP_FRAMES = 2 };

struct lookahead {
	struct source *s;
	struct ring_buffer_page page;
	u64 at; /* number of the sub-buffer */
};

/* The next record of the CPU, on any page; false at the end. */
static bool lookahead_next(struct lookahead *a, struct ring_buffer_record *rec)
{
	const struct stream *stream = a->s->stream;
	const struct replay_feed *feed = stream->feed;
	const u8 *bytes;
	size_t len = stream->layout.subbuf_size;
	bool ok;

	while (ring_buffer_page_next(&a->page, rec)) {
		a->at++;
		if (!a->s->lookahead && stream->pages)
			trace_dat_pages_open_like(stream->pages, &a->s->lookahead);
		if (feed)
			ok = (bytes = feed->ahead(feed->arg, stream->of.cpu, a->at - a->s->page));
		else
			ok = a->s->lookahead && !trace_dat_pages_seek(a->s->lookahead, a->at) &&
			     !trace_dat_pages_next(a->s->lookahead, &bytes, &len);
		if (!ok)
			return false;
		ring_buffer_page_open(&a->page, &stream->layout, bytes, len);
	}
	return true;
}

/*
 * kernel: takes one off the preempt count of a trigger's stack, also where it is 0, as for markers
 * until 6.12; that is 255 then, and one is taken off the flags.
 */
static bool borrowed(const struct ring_buffer_record *rec, const struct ring_buffer_record *stack)
{
	return !rec->data[3] && stack->data[3] == 0xff;
}

static bool same_task(const struct stream *s, const struct ring_buffer_record *a,
		      const struct ring_buffer_record *b)
{
	bool big = s->layout.big_endian;

	return a->len >= 8 && b->len >= 8 &&
	       load_u32(a->data + COMMON_PID_AT, big) == load_u32(b->data + COMMON_PID_AT, big);
}

/* Of two records of one task: whether both are in the same interrupt, or in none. */
static bool same_flags(const struct ring_buffer_record *a, const struct ring_buffer_record *b)
{
	return (a->data[2] & CONTEXT_FLAGS) == ((b->data[2] + borrowed(a, b)) & CONTEXT_FLAGS);
}

static bool is_awaited(const struct source *s, u64 place)
{
	return any_of(i, s->awaited.n, s->awaited.v[i] == place);
}

static struct lookahead lookahead_after(struct source *s, const struct ring_buffer_record *rec)
{
	return (struct lookahead){ .s = s,
				   .page = ring_buffer_page_after(&s->iter.page, rec),
				   .at = s->page };
}

/*
 * The next stack of that kind of a record that is not awaited, as it was recorded. kernel: the
 * stacks of options come first, that of the kernel before that of the user, then that of a trigger.
 * Events that triggers record, and their stacks, come before those of the record. @made: it is for
 * such an event, which the replay makes.
 */
static bool find_stack(struct source *s, const struct ring_buffer_record *rec, enum stack_kind kind,
		       bool made, struct ring_buffer_record *stack)
{
	struct lookahead a = lookahead_after(s, rec);
	u64 page = NO_STACK;
	bool nested = false;
	u32 offset = 0;
	int steps = 0;

	s->stack.page = NO_STACK;
	for (int i = 1; i <= LOOKAHEAD_MAX && lookahead_next(&a, stack); i++) {
		const struct dispatch *d = stream_dispatch(s->stream, stack);

		/* kernel: no other task runs before the stack is recorded */
		bool same = same_task(s->stream, rec, stack);

		if (same && !same_flags(rec, stack))
			continue;
		if (same && d && d->is_nested) {
			nested = true;
			continue;
		}
		s->stack.page = a.at;
		s->stack.offset = stack->offset;
		if (!same || !d || !d->stack)
			break;
		if (d->stack != kind || is_awaited(s, a.at << 32 | stack->offset))
			continue;
		if (made || !nested)
			return true;
		/* what is recorded while another record is written has a higher preempt count */
		if ((stack->data[3] & 0xf) > (rec->data[3] & 0xf) && !borrowed(rec, stack))
			continue;
		page = a.at;
		offset = stack->offset;
		steps = i;
	}
	if (!steps)
		return false;
	/* the last one; its sub-buffer may have been left */
	s->stack.page = page;
	s->stack.offset = offset;
	a = lookahead_after(s, rec);
	while (steps && lookahead_next(&a, stack))
		steps--;
	return !steps;
}

int source_await_stack(struct source *s, const struct ring_buffer_record *rec, enum stack_kind kind,
		       bool made)
{
	struct ring_buffer_record stack;

	if (!find_stack(s, rec, kind, made, &stack))
		return 0;
	return array_push(&s->awaited, s->stack.page << 32 | s->stack.offset) ? HIST_NOMEM : 1;
}

size_t source_stack(struct source *s, const struct ring_buffer_record *rec, u64 *entries,
		    size_t max, bool *cut)
{
	const u32 size = s->stream->layout.long_size;
	const bool big = s->stream->layout.big_endian;
	const struct dispatch *d = stream_dispatch(s->stream, rec);
	/* kernel: a marker's triggers are called by the function that records it, one frame less */
	const size_t skipped = SKIP_FRAMES + (d && d->marker_at);
	struct ring_buffer_record stack;
	size_t n = 0;

	*cut = false;
	if (!find_stack(s, rec, KERNEL_STACK, false, &stack))
		return 0;
	for (size_t at = s->stream->table->stack_at + skipped * size; at + size <= stack.len;
	     at += size) {
		u64 v = load_uint(stack.data + at, size, big);

		/* padding at the end of the record, the end marks of older stacks */
		if (!v || v == (size == 8 ? UINT64_MAX : UINT32_MAX))
			break;
		*cut = n == max;
		if (*cut)
			break;
		entries[n++] = v;
	}
	return n;
}

void source_user_stack(struct source *s, const struct ring_buffer_record *rec,
		       struct hit_stacks *stacks)
{
	const u32 tgid_at = 8, at = s->stream->table->user_stack_at;
	const u32 size = s->stream->layout.long_size;
	struct ring_buffer_record stack;
	bool marked = false;

	stacks->n_user = 0;
	stacks->tgid = 0;
	if (!at || !find_stack(s, rec, USER_STACK, false, &stack))
		return;
	for (u32 end = at; end + size <= stack.len && stacks->n_user < HIT_FRAMES_MAX;
	     end += size) {
		u64 v = load_uint(stack.data + end, size, s->stream->layout.big_endian);

		marked = v == (size == 8 ? UINT64_MAX : UINT32_MAX);
		if (marked)
			break;
		stacks->user[stacks->n_user++] = v;
	}
	/* kernel: 8 frames, the last ones may be missing. An import: all, and a mark, or 0 is a
	 * frame */
	while (!marked && stacks->n_user && !stacks->user[stacks->n_user - 1])
		stacks->n_user--;
	if (stack.len >= tgid_at + 4 && at >= tgid_at + 4)
		stacks->tgid = (s32)load_u32(stack.data + tgid_at, s->stream->layout.big_endian);
}

/* --- the bytes after the texts of synthetic events --- */

static bool is_array(const struct synth_field *f, u32 len)
{
	return f->text.is_string && !f->text.is_dynamic && f->offset + STR_VAR_LEN_MAX <= len;
}

/* Whether the strings of fixed size are equal up to their NUL. */
static bool same_texts(const struct synth_event *se, const u8 *made,
		       const struct ring_buffer_record *rec)
{
	array_each_of(const struct synth_field, f, se->fields, se->n_fields) {
		if (is_array(f, rec->len) &&
		    strncmp((const char *)made + f->offset, (const char *)rec->data + f->offset,
			    STR_VAR_LEN_MAX) != 0)
			return false;
	}
	return rec->len >= se->fixed_size;
}

bool source_loose_bytes(struct source *s, const struct ring_buffer_record *rec,
			const struct synth_event *se, u8 *made, u32 len)
{
	struct ring_buffer_record found;
	struct lookahead a = lookahead_after(s, rec);

	if (!s->stream->table->has_synth)
		return false;
	for (int i = 0; i < LOOKAHEAD_MAX && lookahead_next(&a, &found); i++) {
		const struct dispatch *d = stream_dispatch(s->stream, &found);
		/* sub-buffers are numbered from 1, so that no position is 0 */
		u64 place = (a.at + 1) << 32 | found.offset;

		if (!d || d->synth != se || place <= s->synth_place ||
		    !same_task(s->stream, rec, &found) || !same_flags(rec, &found) ||
		    !same_texts(se, made, &found))
			continue;
		array_each_of(const struct synth_field, f, se->fields, se->n_fields)
			if (is_array(f, len))
				memcpy(made + f->offset, found.data + f->offset, STR_VAR_LEN_MAX);
		s->synth_place = place;
		s->stack.page = a.at;
		s->stack.offset = found.offset;
		return true;
	}
	return false;
}
