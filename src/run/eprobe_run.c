// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Event probes that were not recorded: builds their records from those of the event to which they
 * are attached. Arguments that need the machine's memory are 0 or empty; binding warned of them.
 *
 * Corresponds to __eprobe_trace_func(), get_event_field() in trace_eprobe.c.
 */
#include "run/run.h"
#include "tracing/dynamic_event.h"

enum {
	HEADER = 8,
	PREEMPT_AT = 3,
	TEXT_MAX = 4096,
	RECORD_MAX = HEADER + PROBE_SIZE_MAX + 8 * TEXT_MAX,
};

struct eprobe_record {
	u8 rec[RECORD_MAX];
	u32 at, len; /* of the next field; of all */
	bool big;
};

static struct span field_text(const struct event_field *f, const struct hit *hit, bool big)
{
	struct span s = { "", 0 };

	if (f->filter_type == FILTER_STATIC_STRING) {
		s = load_bytes(hit, f->offset, f->size);
		s.n = strnlen(s.s, s.n);
	} else if (f->filter_type == FILTER_DYN_STRING || f->filter_type == FILTER_RDYN_STRING) {
		s = load_dynamic_string(hit, f->offset, f->filter_type == FILTER_RDYN_STRING, big);
	}
	return s;
}

/* From there to the end of the record. */
static struct span in_field(const struct probe_arg *a, const struct event_field *f,
			    const struct hit *hit, bool big)
{
	const char *end = (const char *)hit->rec + hit->len;
	struct span s = field_text(f, hit, big);

	if (s.s < (const char *)hit->rec || s.s >= end || a->skip >= (size_t)(end - s.s))
		return (struct span){ "", 0 };
	return span_between(s.s + a->skip, end);
}

static struct span arg_text(const struct probe_arg *a, const struct event_field *f,
			    const struct hit *hit, bool big)
{
	struct span s;

	switch (a->source) {
	case PROBE_FIELD:
		return field_text(f, hit, big);
	case PROBE_IN_FIELD:
		s = in_field(a, f, hit, big);
		return (struct span){ s.s, strnlen(s.s, s.n) };
	case PROBE_COMM:
		return span_of(hit->context->comm(hit->context->arg, hit));
	case PROBE_TEXT:
		return a->operand;
	default:
		return (struct span){ "", 0 };
	}
}

/* A number with its sign; the text was checked. */
static u64 immediate(struct span text)
{
	bool minus = span_starts(text, "-");
	u64 n = 0;

	span_u64(minus || span_starts(text, "+") ? span_skip(text, 1) : text, &n);
	return minus ? 0 - n : n;
}

static u64 arg_number(const struct probe_arg *a, const struct event_field *f, const struct hit *hit,
		      bool big)
{
	struct span memory = { NULL, 0 };
	u64 v = 0;

	if (a->source == PROBE_IN_FIELD)
		memory = in_field(a, f, hit, big);
	if (memory.n >= a->size)
		v = load_int((const u8 *)memory.s, a->size, false, big);
	if (a->source == PROBE_NUMBER)
		v = immediate(a->operand);
	else if (a->source == PROBE_FIELD && f->offset + f->size <= hit->len)
		v = load_int(hit->rec + f->offset, f->size, f->is_signed, big);
	if (a->bits)
		v = v << (64 - a->bits - a->bits_at) >> (64 - a->bits);
	return v;
}

static void put_int(struct eprobe_record *r, u32 size, u64 v)
{
	for (u32 i = 0; i < size; i++)
		r->rec[r->at + (r->big ? size - 1 - i : i)] = (u8)(v >> 8 * i);
	r->at += size;
}

static void put_text(struct eprobe_record *r, struct span s, bool fault)
{
	u32 n = min_t(u32, (u32)min_t(size_t, s.n, TEXT_MAX - 1), RECORD_MAX - 1 - r->len);

	memcpy(r->rec + r->len, s.s, n);
	r->rec[r->len + n] = '\0';
	/* kernel: a string that cannot be read has the length 0 */
	n = fault ? 0 : n + 1;
	put_int(r, 4, (u64)n << 16 | r->len);
	r->len += n;
}

void trace_eprobe(const struct trigger *t, const struct hit *hit)
{
	const struct probe *p = t->probe;
	struct eprobe_record r = { .big = t->file->tr->tracing->machine.big_endian };
	struct hit own = *hit;

	if (!p->made || hit->len < HEADER || !filter_match(p->filter, hit))
		return;
	memcpy(r.rec, hit->rec, HEADER);
	put_int(&r, 2, t->target->format->id);
	/* kernel: the record of the other event is being written */
	r.rec[PREEMPT_AT] = (u8)(r.rec[PREEMPT_AT] + ((r.rec[PREEMPT_AT] & 0xf) < 0xf));
	r.at = r.len = HEADER;
	for (size_t i = 0; i < p->text.n_args; i++)
		r.len += p->text.args[i].size * max_t(u32, p->text.args[i].count, 1);
	for (size_t i = 0; i < p->text.n_args; i++) {
		const struct probe_arg *a = &p->text.args[i];
		u32 next = r.at + a->size * max_t(u32, a->count, 1);

		if (a->type[0] == '_')
			put_text(&r, arg_text(a, p->fields[i], hit, r.big), !a->source);
		else
			put_int(&r, a->size, arg_number(a, p->fields[i], hit, r.big));
		r.at = next;
	}
	own.file = t->target;
	own.rec = r.rec;
	own.len = r.len;
	if (event_hit(event_count_of(t->target), &own) && hit->context->synthetic)
		hit->context->synthetic(hit->context->arg, t->target, &own);
}
