// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Times of a recording as its options convert them: TSC2NSEC (trace-cmd -C tsc2nsec) to
 * nanoseconds, then DATE (--date, in microseconds) and OFFSET (--ts-offset, in nanoseconds) are
 * added. Sub-buffers are converted before they are decoded, so all later stages have these times.
 *
 * Corresponds to: timestamp_calc() of libtracecmd.
 */
#include "ring_buffer/ring_buffer.h"
#include "trace_dat/internal.h"
#include "trace_dat/writer.h"

u64 trace_dat_time(const struct trace_dat *td, u64 ts)
{
	const struct trace_dat_times *t = &td->times;

	if (t->mult) {
		const u64 low = (ts & UINT32_MAX) * t->mult, high = (ts >> 32) * t->mult;
		const u64 sum = high + (low >> 32);

		/* 96 bits: those of sum, then 32 of low; the result is the lowest 64 */
		if (t->shift >= 32)
			ts = sum >> (t->shift - 32);
		else
			ts = (sum << (32 - t->shift)) | ((low & UINT32_MAX) >> t->shift);
	}
	return ts + t->offset;
}

void trace_dat_raw_times(struct trace_dat *td)
{
	td->times.converts = false;
}

void trace_dat_times_option(struct trace_dat *td, u16 id, struct span data)
{
	struct bytes b = bytes_of(data.s, data.n, td->info.big_endian);
	struct trace_dat_times *t = &td->times;
	u32 mult, shift;
	const char *text;

	if (id == TRACE_DAT_TSC2NSEC) {
		mult = bytes_u32(&b);
		shift = bytes_u32(&b);
		if (b.bad || shift > 63)
			return;
		td->info.has_tsc2nsec = mult;
		t->mult = mult;
		t->shift = shift;
	} else {
		text = memchr(data.s ?: "", 0, data.n) ? data.s : "0";
		t->offset += (u64)strtoll(text, NULL, 0) * (id == TRACE_DAT_DATE ? 1000 : 1);
		td->info.has_date = true;
	}
	t->converts = t->mult || t->offset;
}

/* Times are converted; that they are those of day remains known. */
void trace_dat_writer_copy_option(struct trace_dat_writer *w, const struct trace_dat_option *o)
{
	if (o->id == TRACE_DAT_DATE)
		trace_dat_writer_option(w, o->id, "0x0", sizeof("0x0"));
	else if (o->id != TRACE_DAT_TSC2NSEC && o->id != TRACE_DAT_OFFSET)
		trace_dat_writer_option(w, o->id, o->data, o->size);
}

static void store_entry(u8 *p, const struct ring_buffer_record *rec, u64 delta, bool big)
{
	const u32 low = (u32)(delta & ((1u << RINGBUF_TS_SHIFT) - 1));

	store_u32(p, big ? (u32)rec->type_len << RINGBUF_TS_SHIFT | low : low << 5 | rec->type_len,
		  big);
	if (rec->type_len >= RINGBUF_TYPE_TIME_EXTEND)
		store_u32(p + 4, (u32)(delta >> RINGBUF_TS_SHIFT), big);
}

void trace_dat_times_convert(const struct trace_dat *td, u32 subbuf_size, u8 *bytes, size_t len)
{
	const bool big = td->info.big_endian;
	const struct ring_buffer_layout layout = { big, td->info.long_size, subbuf_size };
	struct ring_buffer_page page;
	struct ring_buffer_record rec;
	bool stamped = false;
	u64 before, raw;

	if (!td->times.converts || ring_buffer_page_open(&page, &layout, bytes, len) ||
	    ring_buffer_page_is_hole(&page))
		return;
	raw = page.page_ts;
	before = trace_dat_time(td, raw);
	store_u64(bytes, before, big);
	/* @before: the time of the previous entry, as readers will find it */
	while (!ring_buffer_page_raw(&page, &rec)) {
		const u64 now = trace_dat_time(td, rec.ts);
		u64 delta = now > before ? now - before : 0;

		if (rec.type_len == RINGBUF_TYPE_PADDING && (!rec.delta || rec.ts == raw))
			continue;
		raw = rec.ts;
		/* a discarded record has a delta; see ring_buffer_page_raw() for 1 */
		if (rec.type_len == RINGBUF_TYPE_PADDING)
			delta = max_t(u64, delta, stamped ? 2 : 1);
		if (rec.type_len < RINGBUF_TYPE_TIME_EXTEND && delta >> RINGBUF_TS_SHIFT) {
			/* more ns than cycles, and a long pause: there is no room for it */
			memset(bytes + sizeof(u64), 0x3f, layout.long_size);
			return;
		}
		stamped = rec.type_len >= RINGBUF_TYPE_TIME_EXTEND;
		before = rec.type_len == RINGBUF_TYPE_TIME_STAMP ? now : before + delta;
		store_entry(bytes + rec.offset, &rec,
			    rec.type_len == RINGBUF_TYPE_TIME_STAMP ? now : delta, big);
	}
}

void trace_dat_times_print(const struct trace_dat *td, struct strbuf *out)
{
	const struct trace_dat_times *t = &td->times;

	if (t->mult)
		strbuf_addf(out, "cycles * %u >> %u", t->mult, t->shift);
	if (t->offset)
		strbuf_addf(out, "%s%+lld ns", t->mult ? " " : "", t->offset);
}
