// SPDX-License-Identifier: LGPL-2.1-only
/* Reads a range of the records of perf.data, without knowing those before it. */
#include "import/perf_scan.h"

/* Long parts are cut, so that those without an event can be skipped. */
enum { PART_SIZE = 1 << 14 };

/* --- parts --- */

/* The current part ends before @p. */
static int end_part(struct perf_range *r, const u8 *p)
{
	if (!r->part.p)
		return 0;
	r->part.len = (u32)(p - r->part.p);
	if (array_push(&r->parts, r->part))
		return HIST_NOMEM;
	r->part.p = NULL;
	return 0;
}

/* A sample at @p. */
static inline int add_sample(struct perf_range *r, const u8 *p, u32 cpu, u64 ts, u64 ids)
{
	struct perf_part *part = &r->part;

	if (unlikely(!part->p || part->cpu != cpu || p - part->p > PART_SIZE)) {
		if (end_part(r, p))
			return HIST_NOMEM;
		*part = (struct perf_part){
			.p = p, .first = ts, .last = ts, .cpu = cpu, .sorted = true
		};
	}
	part->ids |= ids;
	if (likely(ts >= part->last)) {
		part->last = ts;
		return 0;
	}
	part->sorted = false;
	part->first = min_t(u64, part->first, ts);
	return 0;
}

/* --- records --- */

static inline void compare_pids(struct perf_counts *c, s32 tid, s32 pid)
{
	/* kernel: the TID is 0 outside of the namespace, and 0 or -1 for a task that has ended */
	c->pids_same |= tid == pid && pid > 0;
	c->pids_outside |= !tid && pid > 0;
	c->pids_differ |= tid > 0 && pid > 0 && tid != pid;
}

static int read_sample(struct perf_range *r, const struct perf_file *f, const struct perf_event *ev)
{
	enum { PID_AT = 4 };
	struct perf_sample sample;
	u64 ids = UINT64_MAX;
	int err = perf_sample_read(f, ev, &sample);
	const struct perf_attr *attr = sample.attr;
	struct perf_seen *seen;

	if (err) {
		r->counts.unknown += err > 0;
		r->counts.damaged += err < 0;
		return 0;
	}
	seen = &r->seen[attr->index];
	seen->samples++;
	if (attr->type == PERF_TYPE_TRACEPOINT && attr->tid_at >= 0 && sample.raw &&
	    sample.raw_len >= PID_AT + 4)
		compare_pids(&r->counts, sample.tid, (s32)load_u32(sample.raw + PID_AT, f->big));
	err = perf_sample_check(&sample);
	if (err) {
		r->counts.damaged += err < 0;
		return 0;
	}
	r->counts.taken++;
	if (attr->type == PERF_TYPE_TRACEPOINT) {
		ids = 1ull << load_u16(sample.raw, f->big) % 64;
	} else if (!seen->listed) {
		seen->listed = true;
		err = array_push(&r->others, attr->index);
	}
	return err ?: add_sample(r, ev->body - 8, sample.cpu, sample.ts, ids);
}

/* Samples of tracepoints, as long as there is nothing else. */
static int read_quick(struct perf_range *r, const struct perf_file *f, struct bytes *b,
		      const u8 *end)
{
	struct perf_seen *const seen = r->seen;
	struct perf_sample sample;
	struct perf_event ev;
	u64 taken = 0;
	int err = 0;

	while (!err && likely(b->p < end && perf_event_quick(f, b, &ev, &sample))) {
		const s32 pid = (s32)load_u32(sample.raw + 4, false);

		seen[sample.attr->index].samples++;
		taken++;
		if (likely(sample.tid == pid && pid > 0))
			r->counts.pids_same = true;
		else
			compare_pids(&r->counts, sample.tid, pid);
		err = add_sample(r, ev.body - 8, sample.cpu, sample.ts,
				 1ull << load_u16(sample.raw, false) % 64);
	}
	r->counts.taken += taken;
	return err;
}

static int read_records(struct perf_range *r, const struct perf_file *f, struct bytes *b,
			const u8 *end)
{
	struct perf_event ev;
	int err;

	while (!(err = read_quick(r, f, b, end)) && b->p < end &&
	       !(r->end = perf_event_next(b, &ev))) {
		if (likely(ev.type == PERF_SAMPLE)) {
			err = read_sample(r, f, &ev);
		} else {
			const u8 *p = ev.body - 8;

			/* these are between parts, others may be in one */
			if (ev.type == PERF_FINISHED_ROUND || ev.type == PERF_LOST || ev.more_len)
				err = end_part(r, p);
			err = err ?: array_push(&r->notes, ((struct perf_note){ p, r->parts.n }));
		}
		if (err)
			break;
	}
	return err ?: end_part(r, b->p);
}

void perf_range_read(struct perf_range *r, const struct perf_file *f, struct bytes b, const u8 *end)
{
	const size_t n = f->attrs.n + 1;

	r->from = b.p;
	r->parts.n = r->notes.n = r->others.n = 0;
	r->part.p = NULL;
	r->counts = (struct perf_counts){ .taken = 0 };
	r->end = 0;
	if (r->seen)
		memset(r->seen, 0, n * sizeof(*r->seen));
	else
		r->seen = calloc(n, sizeof(*r->seen));
	r->err = r->seen ? read_records(r, f, &b, end) : HIST_NOMEM;
	r->to = b.p;
}

void perf_range_release(struct perf_range *r)
{
	array_release(&r->parts);
	array_release(&r->notes);
	array_release(&r->others);
	free(r->seen);
}

/* --- where records begin --- */

static bool is_known(u32 type)
{
	enum { KERNEL_LAST = 31, USER_FIRST = 64, USER_LAST = 127 };

	return type && (type <= KERNEL_LAST || (type >= USER_FIRST && type <= USER_LAST));
}

/* Whether @p may be a record, as it looks like one and so do those after it. */
static bool is_record(const struct perf_file *f, const u8 *p, const u8 *data_end)
{
	enum { AFTER = 32 };
	struct bytes b = bytes_of(p, (size_t)(data_end - p), f->big);
	struct perf_event ev;
	int end = 0;

	for (int i = 0; i <= AFTER && !end; i++) {
		end = perf_event_next(&b, &ev);
		if (!end && (!is_known(ev.type) || ev.len % 8))
			return false;
	}
	return end >= 0;
}

const u8 *perf_range_find(const struct perf_file *f, const u8 *p, const u8 *end, const u8 *data_end)
{
	const u8 *const last = p + min_t(size_t, (size_t)(end - p), UINT16_MAX);

	for (; p < last; p += 8)
		if (is_record(f, p, data_end))
			return p;
	return NULL;
}
