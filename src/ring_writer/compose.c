// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Composes sub-buffers from the records of one CPU with their times, in the form that the kernel
 * returns: the first record has the time of the sub-buffer, the others a delta, preceded by a time
 * extend if 27 bits are too few.
 *
 * Corresponds to rb_update_event() and, for lost records, ring_buffer_read_page().
 */
#include "ring_writer/ring_writer.h"
#include "ring_writer/event_words.h"

int ring_buffer_composer_init(struct ring_buffer_composer *c,
			      const struct ring_buffer_layout *layout, ring_buffer_page_fn sink,
			      void *arg)
{
	ring_buffer_composer_init_into(c, layout, sink, arg);
	c->own = malloc(layout->subbuf_size);
	c->page = c->own;
	return c->own ? 0 : HIST_NOMEM;
}

void ring_buffer_composer_init_into(struct ring_buffer_composer *c,
				    const struct ring_buffer_layout *layout,
				    ring_buffer_page_fn sink, void *arg)
{
	*c = (struct ring_buffer_composer){
		.layout = *layout,
		.header = ring_buffer_header_size(layout),
		.room = layout->subbuf_size - ring_buffer_header_size(layout),
		.sink = sink,
		.arg = arg,
		.empty = true,
	};
}

void ring_buffer_composer_release(struct ring_buffer_composer *c)
{
	free(c->own);
	c->own = c->page = NULL;
}

static int compose_flush(struct ring_buffer_composer *c)
{
	const struct ring_buffer_layout *l = &c->layout;
	u8 *data = c->page + c->header;
	u64 commit = c->used;
	int err;

	memset(data + c->used, 0, c->room - c->used);
	if (c->unknown || c->missed)
		commit |= RB_MISSED_EVENTS;
	if (c->missed) {
		commit |= RB_MISSED_STORED;
		rb_store_long(l, data + c->used, c->missed);
	}
	if (c->empty)
		store_u64(c->page, c->ts, l->big_endian);
	rb_store_long(l, c->page + 8, commit);
	err = c->sink(c->arg, c->page);
	c->used = 0;
	c->empty = true;
	c->missed = 0;
	c->unknown = c->due = false;
	return err;
}

/* A sub-buffer can store a known number or an unknown number of lost records, but not both. */
int ring_buffer_compose_missed(struct ring_buffer_composer *c, u64 ts, s64 n)
{
	bool mixed = n < 0 ? c->missed : c->unknown;
	int err = c->used || mixed ? compose_flush(c) : 0;

	if (n < 0)
		c->unknown = true;
	else
		c->missed += (u64)n;
	c->due |= !n;
	c->ts = max_t(u64, c->ts, ts);
	return err;
}

int ring_buffer_compose_end(struct ring_buffer_composer *c)
{
	return c->used || c->missed || c->unknown || c->due ? compose_flush(c) : 0;
}

int ring_buffer_compose(struct ring_buffer_composer *c, const struct ring_buffer_record *rec)
{
	bool big = c->layout.big_endian;
	u64 words = ((u64)rec->len + RB_ALIGNMENT - 1) / RB_ALIGNMENT, delta = rec->ts - c->ts;
	bool small = rec->type_len && words && words <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX;
	u64 size = RB_EVNT_HDR_SIZE + (small ? 0 : 4) + words * RB_ALIGNMENT;
	u32 lost = c->missed ? c->layout.long_size : 0;
	bool extend = delta > TS_MASK;
	u8 *at;
	int err;

	if (c->used && (rec->ts < c->ts || delta >> 59 ||
			c->used + lost + (extend ? RB_LEN_TIME_EXTEND : 0) + size > c->room)) {
		err = compose_flush(c);
		if (err)
			return err;
		lost = 0;
	}
	if (lost + size > c->room)
		return -HIST_ELIMIT;
	at = c->page + c->header + c->used;
	if (c->empty) {
		store_u64(c->page, rec->ts, big);
		delta = 0;
	} else if (extend) {
		rb_store_stamp(at, RINGBUF_TYPE_TIME_EXTEND, delta, big);
		at += RB_LEN_TIME_EXTEND;
		c->used += RB_LEN_TIME_EXTEND;
		delta = 0;
	}
	rb_event_store(at, small ? (u32)words : 0, (u32)delta, big);
	at += RB_EVNT_HDR_SIZE;
	if (!small) {
		store_u32(at, rec->len + 4, big);
		at += 4;
	}
	if (words) /* zero the padding after the data */
		store_u32(at + (words - 1) * RB_ALIGNMENT, 0, big);
	memcpy(at, rec->data, rec->len);
	c->used += (u32)size;
	c->ts = rec->ts;
	c->empty = false;
	return 0;
}
