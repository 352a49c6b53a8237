// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Composes sub-buffers from the records of one CPU with their times, in the form that the kernel
 * returns: the first record has the time of the sub-buffer, the others a delta, preceded by a time
 * extend if 27 bits are too few.
 *
 * Answers to rb_update_event() and, for lost records, ring_buffer_read_page().
 */
#include "ring_buffer/compose.h"
#include "ring_buffer/event_words.h"

int ring_buffer_composer_init(struct ring_buffer_composer *c,
			      const struct ring_buffer_layout *layout, ring_buffer_page_fn sink,
			      void *arg)
{
	*c = (struct ring_buffer_composer){
		.layout = *layout, .sink = sink, .arg = arg, .empty = true
	};
	c->page = calloc(1, layout->subbuf_size);
	return c->page ? 0 : HIST_NOMEM;
}

void ring_buffer_composer_release(struct ring_buffer_composer *c)
{
	free(c->page);
	c->page = NULL;
}

static void store_long(u8 *to, u64 v, const struct ring_buffer_layout *l)
{
	if (l->long_size == 8)
		store_u64(to, v, l->big_endian);
	else
		store_u32(to, (u32)v, l->big_endian);
}

/* Space for records in a sub-buffer. */
static u32 room(const struct ring_buffer_composer *c)
{
	return c->layout.subbuf_size - ring_buffer_header_size(&c->layout);
}

static int flush(struct ring_buffer_composer *c)
{
	const struct ring_buffer_layout *l = &c->layout;
	u8 *data = c->page + ring_buffer_header_size(l);
	u64 commit = c->used;
	int err;

	if (c->unknown || c->missed)
		commit |= RB_MISSED_EVENTS;
	if (c->missed) {
		commit |= RB_MISSED_STORED;
		store_long(data + c->used, c->missed, l);
	}
	if (c->empty)
		store_u64(c->page, c->ts, l->big_endian);
	store_long(c->page + 8, commit, l);
	err = c->sink(c->arg, c->page);
	memset(c->page, 0, l->subbuf_size);
	c->used = 0;
	c->empty = true;
	c->missed = 0;
	c->unknown = c->due = false;
	return err;
}

/* A number and an unknown number cannot be in the same sub-buffer. */
int ring_buffer_compose_missed(struct ring_buffer_composer *c, u64 ts, s64 n)
{
	bool mixed = n < 0 ? c->missed : c->unknown;
	int err = c->used || mixed ? flush(c) : 0;

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
	return c->used || c->missed || c->unknown || c->due ? flush(c) : 0;
}

/* Bytes of a record without its stamp. */
static u64 record_size(const struct ring_buffer_record *rec)
{
	bool small = rec->type_len && rec->len && rec->len <= RB_MAX_SMALL_DATA;

	return RB_EVNT_HDR_SIZE + (small ? 0 : 4) + ALIGN_UP((u64)rec->len, RB_ALIGNMENT);
}

static void store_record(struct ring_buffer_composer *c, const struct ring_buffer_record *rec,
			 u32 delta)
{
	u8 *at = c->page + ring_buffer_header_size(&c->layout) + c->used;
	u32 size = (u32)record_size(rec);
	bool big = c->layout.big_endian;

	if (size - RB_EVNT_HDR_SIZE == ALIGN_UP(rec->len, RB_ALIGNMENT)) {
		rb_event_store(at, (size - RB_EVNT_HDR_SIZE) / RB_ALIGNMENT, delta, big);
		at += RB_EVNT_HDR_SIZE;
	} else {
		rb_event_store(at, 0, delta, big);
		store_u32(rb_array(at), rec->len + 4, big);
		at += RB_EVNT_HDR_SIZE + 4;
	}
	memcpy(at, rec->data, rec->len);
	c->used += size;
	c->ts = rec->ts;
	c->empty = false;
}

int ring_buffer_compose(struct ring_buffer_composer *c, const struct ring_buffer_record *rec)
{
	bool big = c->layout.big_endian;
	u64 size = record_size(rec), delta = rec->ts - c->ts;
	u32 lost = c->missed ? c->layout.long_size : 0;
	bool extend = delta > TS_MASK;
	int err;

	if (c->used && (rec->ts < c->ts || delta >> 59 ||
			c->used + lost + (extend ? RB_LEN_TIME_EXTEND : 0) + size > room(c))) {
		err = flush(c);
		if (err)
			return err;
		lost = 0;
	}
	if (lost + size > room(c))
		return -HIST_ELIMIT;
	if (c->empty) {
		store_u64(c->page, rec->ts, big);
		delta = 0;
	} else if (extend) {
		rb_store_stamp(c->page + ring_buffer_header_size(&c->layout) + c->used,
			       RINGBUF_TYPE_TIME_EXTEND, delta, big);
		c->used += RB_LEN_TIME_EXTEND;
		delta = 0;
	}
	store_record(c, rec, (u32)delta);
	return 0;
}
