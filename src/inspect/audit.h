/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Audit of the time stamps of one CPU: finds the locations in a recording at which time stamps were
 * lost, or at which the ring buffer or its writer behaved unusually.
 *
 * Pass every sub-buffer and every entry in order, as ring_buffer_page_raw() returns them. Findings
 * are reported through a callback as soon as they are certain.
 */
#pragma once
#include "ring_buffer/ring_buffer.h"

/* ORDER ring_buffer_finding_names */
enum ring_buffer_finding_kind {
	RING_BUFFER_BACKWARD,        /* a record with a time before that of the previous one */
	RING_BUFFER_ZERO_DELTAS,     /* records without a time of their own */
	RING_BUFFER_NEEDLESS_EXTEND, /* a time extend that would have fitted into a delta */
	RING_BUFFER_LOST,            /* records were lost before this sub-buffer */
	RING_BUFFER_DAMAGED,         /* part of the file cannot be read; counted by its reader */
	RING_BUFFER_FINDINGS,
};

struct ring_buffer_finding {
	enum ring_buffer_finding_kind kind;
	u64 subbuf; /* number of the sub-buffer, from ring_buffer_audit_page() */
	u32 offset; /* offset of the (first) entry in it; 0: the sub-buffer itself */
	u64 ts;     /* its time */
	u64 before; /* BACKWARD: time of the previous record */
	u64 n; /* ZERO_DELTAS, LOST: number of records, 0: unknown; NEEDLESS_EXTEND: its delta */
	bool nested; /* ZERO_DELTAS: some of them interrupted the context of the last one */
};

struct ring_buffer_audit {
	void (*found)(void *arg, const struct ring_buffer_finding *finding);
	void *arg;
	bool big_endian;
	bool old_kernel;

	u64 subbuf;
	u64 last;     /* time of the previous record */
	bool any;     /* whether there is a previous record */
	u64 smallest; /* smallest delta so far, except 0 */
	bool in_page; /* a record of this sub-buffer was seen */
	bool stamped; /* the previous entry is a time stamp for the next one */
	u8 rank, highest;
	struct ring_buffer_finding run; /* current run of zero deltas; ->n is 0 without one */
};

/*
 * @old_kernel: before 5.9, or unknown: a single zero delta is a finding if its context is one that
 * the previous record's context interrupts
 */
void ring_buffer_audit_init(struct ring_buffer_audit *a, bool big_endian, bool old_kernel,
			    void (*found)(void *arg, const struct ring_buffer_finding *finding),
			    void *arg);

/* Start of sub-buffer number @subbuf; its entries follow. */
void ring_buffer_audit_page(struct ring_buffer_audit *a, const struct ring_buffer_page *pg,
			    u64 subbuf);

/* The next entry of that sub-buffer. */
void ring_buffer_audit_entry(struct ring_buffer_audit *a, const struct ring_buffer_record *rec);

/* End of the recording. */
void ring_buffer_audit_end(struct ring_buffer_audit *a);

/* The whole delta of a time extend, or the 59 bits of an absolute stamp. */
static inline u64 ring_buffer_stamp_value(const struct ring_buffer_record *rec, bool big_endian)
{
	return rec->delta + ((u64)load_u32(rec->data, big_endian) << RINGBUF_TS_SHIFT);
}
