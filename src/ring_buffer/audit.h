/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Audit of the time stamps of one CPU: what in a recording shows that time was lost, or that
 * the ring buffer, or who wrote it, did something odd.
 *
 * It is fed every sub-buffer and every entry in order, as ring_buffer_page_raw() gives them,
 * and tells what it finds through a callback, as soon as it can be known.
 */
#ifndef HIST_RING_BUFFER_AUDIT_H
#define HIST_RING_BUFFER_AUDIT_H

#include "ring_buffer/ring_buffer.h"

/* ORDER ring_buffer_finding_names */
enum ring_buffer_finding_kind {
	RING_BUFFER_BACKWARD,        /* a record with a time before that of the last one */
	RING_BUFFER_ZERO_DELTAS,     /* records that have their time from somebody else */
	RING_BUFFER_NEEDLESS_EXTEND, /* a time extend for what a delta could have said */
	RING_BUFFER_LOST,            /* records were lost before a sub-buffer */
	RING_BUFFER_FINDINGS,
};

struct ring_buffer_finding {
	enum ring_buffer_finding_kind kind;
	u64 subbuf; /* number of the sub-buffer, as told to ring_buffer_audit_page() */
	u32 offset; /* in it, of the (first) entry; 0: the sub-buffer itself */
	u64 ts;     /* the time of that */
	u64 before; /* BACKWARD: the time of the record before */
	u64 n; /* ZERO_DELTAS, LOST: how many records, 0: unknown; NEEDLESS_EXTEND: its delta */
	bool nested; /* ZERO_DELTAS: the last is of a context that those before it interrupt */
};

/* Of the writer of a record; a higher one interrupts a lower one. */
enum { RING_BUFFER_RANKS = 4 };

struct ring_buffer_audit {
	void (*found)(void *arg, const struct ring_buffer_finding *finding);
	void *arg;
	bool big_endian;
	bool old_kernel;

	u64 subbuf;
	u64 last;     /* time of the record before */
	bool any;     /* there was one */
	u64 smallest; /* distance of two records so far; 0 apart */
	bool in_page; /* a record of this sub-buffer has been seen */
	bool stamped; /* the entry before was a stamp of the next one */
	u8 rank, highest;
	struct ring_buffer_finding run; /* of zero deltas; ->n is 0 if there is none */
};

/*
 * @old_kernel: from before 5.9, or of unknown age: one zero delta is enough, if it is of a
 *              context that the one before it interrupts
 */
void ring_buffer_audit_init(struct ring_buffer_audit *a, bool big_endian, bool old_kernel,
			    void (*found)(void *arg, const struct ring_buffer_finding *finding),
			    void *arg);

/* Sub-buffer number @subbuf begins; its entries follow. */
void ring_buffer_audit_page(struct ring_buffer_audit *a, const struct ring_buffer_page *pg,
			    u64 subbuf);

/* The next entry of that sub-buffer. */
void ring_buffer_audit_entry(struct ring_buffer_audit *a, const struct ring_buffer_record *rec);

/* There is no more. */
void ring_buffer_audit_end(struct ring_buffer_audit *a);

/* The whole delta of a time extend, or the 59 bits of an absolute stamp. */
static inline u64 ring_buffer_stamp_value(const struct ring_buffer_record *rec, bool big_endian)
{
	return rec->delta + ((u64)load_u32(rec->data, big_endian) << RINGBUF_TS_SHIFT);
}

#endif
