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

/*
 * kernel: between RAW and CGROUP; of variable size: BRANCH_STACK, REGS_USER, STACK_USER, REGS_INTR;
 * of 8 bytes: WEIGHT, DATA_SRC, TRANSACTION, PHYS_ADDR, WEIGHT_STRUCT
 */
enum { VARYING_BITS = 7 << 11 | 1 << 18, WORD_BITS = 3 << 14 | 1 << 17 | 1 << 19 | 1 << 24 };

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
	if (a->sample_type & PERF_IN_CGROUP && !(a->sample_type & VARYING_BITS)) {
		bytes_take(&b, 8 * (u64)__builtin_popcountll(a->sample_type & WORD_BITS));
		s->cgroup = bytes_u64(&b);
	}
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
	s->raw = s->ips = NULL;
	s->n_ips = s->raw_len = 0;
	s->cgroup = 0;
	if (unlikely(!a->raw_next || left < 4))
		return read_varying(a, bytes_of(ev->body + a->fixed, left, big), s);
	s->raw_len = load_u32(ev->body + a->fixed, big);
	s->raw = ev->body + a->fixed + 4;
	return s->raw_len > left - 4 ? -HIST_EFORMAT : 0;
}

void perf_attr_layout(struct perf_attr *a)
{
	static const struct {
		u32 bit;
		enum { OTHER, ID, TIME, CPU, TID } what;
	} fields[] = {
		{ PERF_IDENTIFIER, ID },   { PERF_IP, OTHER },   { PERF_TID, TID },
		{ PERF_TIME, TIME },       { PERF_ADDR, OTHER }, { PERF_ID, ID },
		{ PERF_STREAM_ID, OTHER }, { PERF_CPU, CPU },    { PERF_PERIOD, OTHER },
	};

	a->id_at = a->time_at = a->cpu_at = a->tid_at = -1;
	a->fixed = 0;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!(a->sample_type & fields[i].bit))
			continue;
		if (fields[i].what == ID && a->id_at < 0)
			a->id_at = (int)a->fixed;
		else if (fields[i].what == TIME)
			a->time_at = (int)a->fixed;
		else if (fields[i].what == CPU)
			a->cpu_at = (int)a->fixed;
		else if (fields[i].what == TID) /* after the pid */
			a->tid_at = (int)a->fixed + 4;
		a->fixed += 8;
	}
	a->raw_next = (a->sample_type & (PERF_READ | PERF_CALLCHAIN | PERF_RAW | PERF_IN_CGROUP)) ==
		      PERF_RAW;
}

/* kernel: perf_event__output_id_sample(): TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER at the end */
void perf_trailer_read(const struct perf_file *f, const struct perf_event *ev, u64 *ts, u32 *cpu)
{
	const struct perf_attr *attr = f->attrs.n ? &f->attrs.v[0] : NULL;
	u64 type = attr ? attr->sample_type : 0;
	size_t size = 8 * (size_t)__builtin_popcountll(type & (PERF_TID | PERF_TIME | PERF_ID |
							       PERF_STREAM_ID | PERF_CPU |
							       PERF_IDENTIFIER));
	struct bytes b;

	*ts = 0;
	*cpu = 0;
	if (!attr || !attr->id_all || size > ev->len)
		return;
	b = bytes_of(ev->body + ev->len - size, size, f->big);
	if (type & PERF_TID)
		bytes_u64(&b);
	if (type & PERF_TIME)
		*ts = bytes_u64(&b);
	bytes_take(&b, 8 * (u64)__builtin_popcountll(type & (PERF_ID | PERF_STREAM_ID)));
	if (type & PERF_CPU)
		*cpu = bytes_u32(&b);
}
