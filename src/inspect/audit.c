// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The audit of one CPU's time stamps, from its entries in order.
 *
 * Zero deltas: kernels before 5.9 know the time of an event only if it neither interrupted another
 * event nor was interrupted. Among nested writers, the first to reserve space got its true delta
 * from the previous event; all others, including the interrupted one, got 0. So a run of zeros that
 * ends in a lower context than it began in is a nest; so are two or more zeros in a row, because no
 * kernel writes three events within one tick of a clock that counts nanoseconds. A clock that ticks
 * with the timer interrupt is recognised by its smallest delta; its zeros are ignored. Later
 * kernels give 0 only to single events, usually between two interrupts; a single zero there does
 * not affect the others.
 *
 * Corresponds to: ring_buffer.c rb_update_event(), rb_add_timestamp() before and since v5.9.
 */
#include "inspect/audit.h"

enum { FLAGS_AT = 2, FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10, FLAG_NMI = 0x40 };
enum { TICK_NS = 1000000 };

void ring_buffer_audit_init(struct ring_buffer_audit *a, bool big_endian, bool old_kernel,
			    void (*found)(void *arg, const struct ring_buffer_finding *finding),
			    void *arg)
{
	*a = (struct ring_buffer_audit){
		.found = found,
		.arg = arg,
		.big_endian = big_endian,
		.old_kernel = old_kernel,
		.smallest = UINT64_MAX,
	};
}

static void audit_report(struct ring_buffer_audit *a, struct ring_buffer_finding f)
{
	f.subbuf = a->subbuf;
	a->found(a->arg, &f);
}

void ring_buffer_audit_end(struct ring_buffer_audit *a)
{
	struct ring_buffer_finding run = a->run;

	run.nested = a->rank < a->highest;
	a->run.n = 0;
	if (((run.n && run.nested && a->old_kernel) || run.n > 1) && a->smallest < TICK_NS)
		audit_report(a, run);
}

void ring_buffer_audit_page(struct ring_buffer_audit *a, const struct ring_buffer_page *pg,
			    u64 subbuf)
{
	ring_buffer_audit_end(a);
	a->subbuf = subbuf;
	a->in_page = a->stamped = false;
	if (pg->missed)
		audit_report(a, (struct ring_buffer_finding){
					.kind = RING_BUFFER_LOST,
					.ts = pg->page_ts,
					.n = pg->missed < 0 ? 0 : (u64)pg->missed });
}

static void audit_zero(struct ring_buffer_audit *a, const struct ring_buffer_record *rec)
{
	u8 flags = rec->len > FLAGS_AT ? rec->data[FLAGS_AT] : 0;
	u8 rank = flags & FLAG_NMI ? 3 : flags & FLAG_HARDIRQ ? 2 : flags & FLAG_SOFTIRQ ? 1 : 0;

	if (rec->delta || a->stamped || !a->in_page) {
		ring_buffer_audit_end(a);
		a->highest = rank;
	} else if (!a->run.n++) {
		a->run = (struct ring_buffer_finding){ .kind = RING_BUFFER_ZERO_DELTAS,
						       .offset = rec->offset,
						       .ts = rec->ts,
						       .n = 1 };
	}
	a->rank = rank;
	a->highest = rank > a->highest ? rank : a->highest;
}

void ring_buffer_audit_entry(struct ring_buffer_audit *a, const struct ring_buffer_record *rec)
{
	if (rec->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX) {
		if (a->any && rec->ts < a->last)
			audit_report(a, (struct ring_buffer_finding){ .kind = RING_BUFFER_BACKWARD,
								      .offset = rec->offset,
								      .ts = rec->ts,
								      .before = a->last });
		else if (a->any && rec->ts > a->last && rec->ts - a->last < a->smallest)
			a->smallest = rec->ts - a->last;
		a->any = true;
		a->last = rec->ts;
		audit_zero(a, rec);
		a->in_page = true;
		a->stamped = false;
		return;
	}
	a->stamped = rec->type_len != RINGBUF_TYPE_PADDING;
	if (rec->type_len == RINGBUF_TYPE_TIME_EXTEND &&
	    !(ring_buffer_stamp_value(rec, a->big_endian) >> RINGBUF_TS_SHIFT))
		audit_report(a, (struct ring_buffer_finding){
					.kind = RING_BUFFER_NEEDLESS_EXTEND,
					.offset = rec->offset,
					.ts = rec->ts,
					.n = ring_buffer_stamp_value(rec, a->big_endian),
				});
}
