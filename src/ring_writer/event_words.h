/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * An event in a sub-buffer: its length and its words.
 *
 * The first word has type_len and delta. type_len 1 to 28: that many words of data follow; 0: the
 * next word is the length of itself and the data; padding and the two kinds of stamp are in
 * ring_buffer.h. A time stamp is a separate record, reserved together with its event.
 */
#pragma once
#include "ring_buffer/ring_buffer.h"

enum {
	RB_ALIGNMENT = 4,
	RB_EVNT_HDR_SIZE = 4,
	RB_EVNT_MIN_SIZE = 8,
	RB_LEN_TIME_EXTEND = 8, /* of either kind of time stamp */
	RB_MAX_SMALL_DATA = RB_ALIGNMENT * RINGBUF_TYPE_DATA_TYPE_LEN_MAX,
};

#define TS_MASK ((1ull << RINGBUF_TS_SHIFT) - 1)

/* Size in the sub-buffer of an event with @length bytes of data, without a time stamp. */
static inline size_t rb_calculate_event_length(size_t length)
{
	if (!length)
		length = 1;
	if (length > RB_MAX_SMALL_DATA)
		length += 4;
	length = ALIGN_UP(length + RB_EVNT_HDR_SIZE, RB_ALIGNMENT);
	/* kernel: not 12, because the space after a time stamp must be large enough for padding */
	return length == RB_LEN_TIME_EXTEND + RB_ALIGNMENT ? length + RB_ALIGNMENT : length;
}

/* A long of the machine. */
static inline void rb_store_long(const struct ring_buffer_layout *l, u8 *at, u64 v)
{
	if (l->long_size == 8)
		store_u64(at, v, l->big_endian);
	else
		store_u32(at, (u32)v, l->big_endian);
}

static inline void rb_event_store(void *event, u32 type_len, u32 delta, bool big)
{
	store_u32(event, big ? type_len << RINGBUF_TS_SHIFT | delta : delta << 5 | type_len, big);
}

static inline u32 rb_event_type(const void *event, bool big)
{
	u32 word = load_u32(event, big);

	return big ? word >> RINGBUF_TS_SHIFT : word & 31;
}

static inline u32 rb_event_delta(const void *event, bool big)
{
	u32 word = load_u32(event, big);

	return big ? word & TS_MASK : word >> 5;
}

static inline u8 *rb_array(void *event)
{
	return (u8 *)event + RB_EVNT_HDR_SIZE;
}

static inline bool rb_is_stamp(const void *event, bool big)
{
	return rb_event_type(event, big) >= RINGBUF_TYPE_TIME_EXTEND;
}

/* Skip the time stamp before an event, if any. */
static inline void *rb_skip_stamp(void *event, bool big)
{
	return rb_is_stamp(event, big) ? (u8 *)event + RB_LEN_TIME_EXTEND : (u8 *)event;
}

/* Length of data or padding in the sub-buffer. */
static inline size_t rb_event_length(void *event, bool big)
{
	u32 type = rb_event_type(event, big);

	if (type && type <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX)
		return RB_EVNT_HDR_SIZE + type * RB_ALIGNMENT;
	return RB_EVNT_HDR_SIZE + load_u32(rb_array(event), big);
}

static inline void *rb_event_data(void *event, bool big)
{
	event = rb_skip_stamp(event, big);
	return rb_event_type(event, big) ? rb_array(event) : rb_array(event) + 4;
}

/* @value in 59 bits: elapsed time (RINGBUF_TYPE_TIME_EXTEND) or the time itself. */
static inline void rb_store_stamp(void *event, enum ring_buffer_type type, u64 value, bool big)
{
	rb_event_store(event, type, value & TS_MASK, big);
	store_u32(rb_array(event), (u32)(value >> RINGBUF_TS_SHIFT), big);
}

/* Store the header of an event of @length bytes, without its time stamp. */
static inline void rb_store_data(void *event, size_t length, u32 delta, bool big)
{
	length -= RB_EVNT_HDR_SIZE;
	if (length > RB_MAX_SMALL_DATA) {
		rb_event_store(event, 0, delta, big);
		store_u32(rb_array(event), (u32)length, big);
	} else {
		rb_event_store(event, (u32)(length / RB_ALIGNMENT), delta, big);
	}
}

/* Store padding of @length bytes in place of an event or after the last one. */
static inline void rb_store_padding(void *event, size_t length, u32 delta, bool big)
{
	/* kernel: a delta of zero would mean that nothing follows in this sub-buffer */
	rb_event_store(event, RINGBUF_TYPE_PADDING, delta ? delta : 1, big);
	store_u32(rb_array(event), (u32)(length - RB_EVNT_HDR_SIZE), big);
}
