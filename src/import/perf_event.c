// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Records of perf.data. Each is a header (u32 type, u16 misc, u16 size) and its body; records of
 * tracing and hardware data are followed by bytes that the header does not count.
 *
 * The order of a sample's fields is fixed and differs from the numeric order of sample_type's bits.
 * Source: include/uapi/linux/perf_event.h, enum perf_event_type
 */
#include "import/perf.h"

int perf_event_more(struct bytes *b, struct perf_event *ev)
{
	struct bytes body = bytes_of(ev->body, ev->len, b->big);

	ev->more_len = ev->type == PERF_AUXTRACE ? bytes_u64(&body)
						 : ALIGN_UP((u64)bytes_u32(&body), 8);
	ev->more = bytes_take(b, ev->more_len);
	if (!ev->more)
		b->p = ev->body - 8;
	return ev->more ? 0 : -HIST_EFORMAT;
}

void perf_event_failed(struct perf_file *f, const struct bytes *b)
{
	bool whole = !f->pipe && !f->no_features && !f->cut;
	struct span at = { (const char *)b->p, min_t(size_t, bytes_left(b), 8) };
	size_t n = 0;

	while (n < at.n && ((at.s[n] >= ' ' && at.s[n] <= '~') || at.s[n] == '\n'))
		n++;
	if (at.n == 8 && n == 8)
		f->end = PERF_END_TEXT;
	else if (whole || (at.n == 8 && (load_u32(b->p, b->big) >= PERF_TYPE_MAX ||
					 load_u16(b->p + 6, b->big) < 8)))
		f->end = PERF_END_DAMAGED;
	f->cut = true;
}

/* --- the event of a sample --- */

/* The id is at the same offset for all events of a file, unless the file has only one event. */
static inline struct perf_attr *attr_of(const struct perf_file *f, const struct perf_event *ev)
{
	const struct perf_attr *first = f->attrs.v;
	struct perf_attr *attr;
	u64 id;

	if (unlikely(!f->attrs.n || first->id_at < 0))
		return f->attrs.v;
	if (ev->len < (size_t)first->id_at + 8)
		return NULL;
	id = load_u64(ev->body + first->id_at, f->big);
	if (likely(id - f->low_id < f->n_by_id)) {
		attr = f->by_id[id - f->low_id];
	} else {
		size_t at = partition_point(i, f->ids.n, f->ids.v[i].id < id);

		attr = at < f->ids.n && f->ids.v[at].id == id ? &f->attrs.v[f->ids.v[at].attr]
							      : NULL;
	}
	/* as perf: old versions store no ids if there is a single event */
	return attr || f->attrs.n > 1 ? attr : f->attrs.v;
}

/* --- fields --- */

static void skip_read(struct bytes *b, u64 format)
{
	enum { ENABLED = 1, RUNNING = 2, ID = 4, GROUP = 8, LOST = 16 };
	u64 times = !!(format & ENABLED) + !!(format & RUNNING);
	u64 each = 1 + !!(format & ID) + !!(format & LOST), n = 1;

	if (format & GROUP)
		n = bytes_u64(b);
	if (n > bytes_left(b))
		b->bad = true;
	else
		bytes_take(b, (times + n * each) * 8);
}

/* Registers: which ABI they have, and one value for each bit of @mask unless that is none. */
static const u8 *take_regs(struct bytes *b, u64 mask, u64 *abi)
{
	*abi = bytes_u64(b);
	return *abi ? bytes_take(b, 8 * (u64)__builtin_popcountll(mask)) : NULL;
}

static void skip_array(struct bytes *b, u64 n, u64 size)
{
	if (n > bytes_left(b) / size)
		b->bad = true;
	else
		bytes_take(b, n * size);
}

/* kernel: the last branches, each of three values; an index and counters if they were asked for */
static void skip_branches(struct bytes *b, u64 branches)
{
	enum { HW_INDEX = 1 << 17, COUNTERS = 1 << 19 };
	u64 n = bytes_u64(b);

	if (branches & HW_INDEX)
		bytes_u64(b);
	skip_array(b, n, 24);
	if (branches & COUNTERS)
		skip_array(b, n, 8);
}

/* The fields after the raw data. kernel: their order is that of perf_output_sample() */
static void read_last(const struct perf_attr *a, struct bytes *b, struct perf_sample *s)
{
	u64 abi;

	if (a->sample_type & PERF_BRANCH_STACK)
		skip_branches(b, a->branches);
	if (a->sample_type & PERF_REGS_USER)
		s->regs = take_regs(b, a->user_regs, &s->regs_abi);
	if (a->sample_type & PERF_STACK_USER) {
		/* A copy of the stack, and how much of it was in use. */
		u64 size = bytes_u64(b);

		s->stack = bytes_take(b, size);
		s->n_stack = size ? min_t(u64, bytes_u64(b), size) : 0;
	}
	if (a->sample_type & (PERF_WEIGHT | PERF_WEIGHT_STRUCT))
		s->weight = bytes_u64(b);
	if (a->sample_type & PERF_WEIGHT_STRUCT)
		s->weight = (u32)s->weight; /* others follow */
	if (a->sample_type & PERF_DATA_SRC)
		s->data_src = bytes_u64(b);
	if (a->sample_type & PERF_TRANSACTION)
		s->transaction = bytes_u64(b);
	if (a->sample_type & PERF_REGS_INTR)
		take_regs(b, a->intr_regs, &abi);
	if (a->sample_type & PERF_PHYS_ADDR)
		s->phys_addr = bytes_u64(b);
	if (a->sample_type & PERF_IN_CGROUP)
		s->cgroup = bytes_u64(b);
}

/* Read the fields after the fixed part. */
static int read_varying(const struct perf_attr *a, struct bytes b, struct perf_sample *s)
{
	if (a->sample_type & PERF_READ)
		skip_read(&b, a->read_format);
	if (a->sample_type & PERF_CALLCHAIN) {
		s->n_ips = bytes_u64(&b);
		if (s->n_ips > bytes_left(&b) / 8)
			b.bad = true;
		s->ips = b.bad ? NULL : bytes_take(&b, s->n_ips * 8);
	}
	if (a->sample_type & PERF_RAW) {
		s->raw_len = bytes_u32(&b);
		s->raw = bytes_take(&b, s->raw_len);
	}
	if (!b.bad)
		read_last(a, &b, s);
	return b.bad ? -HIST_EFORMAT : 0;
}

int perf_sample_read(const struct perf_file *f, const struct perf_event *ev, struct perf_sample *s)
{
	struct perf_attr *a = s->attr = attr_of(f, ev);
	bool big = f->big;
	size_t left;

	if (!a)
		return 1;
	if (ev->len < a->fixed)
		return -HIST_EFORMAT;
	left = ev->len - a->fixed;
	s->ts = a->time_at < 0 ? 0 : load_u64(ev->body + a->time_at, big);
	s->cpu = a->cpu_at < 0 ? 0 : load_u32(ev->body + a->cpu_at, big);
	s->tid = a->tid_at < 0 ? 0 : (s32)load_u32(ev->body + a->tid_at, big);
	s->raw = s->ips = s->regs = s->stack = NULL;
	s->n_ips = s->raw_len = 0;
	s->cgroup = 0;
	if (a->type != PERF_TYPE_TRACEPOINT) {
		/*
		 * The fields of events that are not tracepoints; the period of a fixed one is not
		 * recorded.
		 */
		s->tgid = a->tid_at < 0 ? 0 : (s32)load_u32(ev->body + a->tid_at - 4, big);
		s->ip = a->ip_at < 0 ? 0 : load_u64(ev->body + a->ip_at, big);
		s->addr = a->addr_at < 0 ? 0 : load_u64(ev->body + a->addr_at, big);
		s->period = a->period_at < 0 ? a->period : load_u64(ev->body + a->period_at, big);
		s->weight = s->data_src = s->transaction = s->phys_addr = 0;
	}
	if (unlikely(!a->raw_next || left < 4))
		return read_varying(a, bytes_of(ev->body + a->fixed, left, big), s);
	s->raw_len = load_u32(ev->body + a->fixed, big);
	s->raw = ev->body + a->fixed + 4;
	return s->raw_len > left - 4 ? -HIST_EFORMAT : 0;
}

void perf_attr_layout(struct perf_attr *a)
{
	const struct {
		u32 bit;
		int *at; /* NULL: it is not needed */
		int offset;
	} fields[] = {
		{ PERF_IDENTIFIER, &a->id_at, 0 }, { PERF_IP, &a->ip_at, 0 },
		{ PERF_TID, &a->tid_at, 4 }, /* after the pid */
		{ PERF_TIME, &a->time_at, 0 },     { PERF_ADDR, &a->addr_at, 0 },
		{ PERF_ID, &a->id_at, 0 },         { PERF_STREAM_ID, NULL, 0 },
		{ PERF_CPU, &a->cpu_at, 0 },       { PERF_PERIOD, &a->period_at, 0 },
	};

	a->id_at = a->time_at = a->cpu_at = a->tid_at = -1;
	a->ip_at = a->addr_at = a->period_at = -1;
	a->fixed = 0;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!(a->sample_type & fields[i].bit))
			continue;
		if (fields[i].at && *fields[i].at < 0)
			*fields[i].at = (int)a->fixed + fields[i].offset;
		a->fixed += 8;
	}
	a->raw_next = (a->sample_type & (PERF_READ | PERF_CALLCHAIN | PERF_RAW | PERF_STACK_USER |
					 PERF_IN_CGROUP)) == PERF_RAW &&
		      a->type == PERF_TYPE_TRACEPOINT;
	a->quick = a->raw_next && a->id_at >= 0 && a->time_at >= 0 && a->cpu_at >= 0 &&
		   a->tid_at >= 0;
}

/* kernel: perf_event__output_id_sample(): TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER at the end */
s32 perf_trailer_read(const struct perf_file *f, const struct perf_event *ev, u64 *ts, u32 *cpu)
{
	const struct perf_attr *attr = f->attrs.n ? &f->attrs.v[0] : NULL;
	u64 type = attr ? attr->sample_type : 0;
	size_t size = 8 * (size_t)__builtin_popcountll(type & (PERF_TID | PERF_TIME | PERF_ID |
							       PERF_STREAM_ID | PERF_CPU |
							       PERF_IDENTIFIER));
	struct bytes b;
	s32 tid = -1;

	*ts = 0;
	*cpu = 0;
	if (!attr || !attr->id_all || size > ev->len)
		return -1;
	b = bytes_of(ev->body + ev->len - size, size, f->big);
	if (type & PERF_TID) {
		bytes_u32(&b); /* the process */
		tid = (s32)bytes_u32(&b);
	}
	if (type & PERF_TIME)
		*ts = bytes_u64(&b);
	bytes_take(&b, 8 * (u64)__builtin_popcountll(type & (PERF_ID | PERF_STREAM_ID)));
	if (type & PERF_CPU)
		*cpu = bytes_u32(&b);
	return tid;
}
