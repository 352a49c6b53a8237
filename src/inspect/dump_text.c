// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A dump as text: one line for each sub-buffer and entry. For each entry: its offset in the
 * sub-buffer, type, bytes of payload, stored delta, time, and time since the previous record of
 * that CPU; for events also task, flags and name.
 */
#include "inspect/dump.h"

const char *dump_entry_type(const struct ring_buffer_record *rec)
{
	switch (rec->type_len) {
	case RINGBUF_TYPE_PADDING:
		return rec->delta ? "discarded" : "padding";
	case RINGBUF_TYPE_TIME_EXTEND:
		return "extend";
	case RINGBUF_TYPE_TIME_STAMP:
		return "stamp";
	default:
		return "record";
	}
}

/* Escape control characters of the recording, which could move the cursor. */
static void visible(struct strbuf *out, struct span text)
{
	char room[UTF8_ROOM];
	struct span shown;

	while (text.n) {
		text = span_skip(text, utf8_harmless(text, room, &shown));
		strbuf_add(out, shown.s, shown.n);
	}
}

static void file(struct dump_out *to, const char *path, bool first)
{
	struct strbuf *out = to->text;

	if (!first)
		strbuf_addch(out, '\n');
	strbuf_addstr(out, "==> ");
	visible(out, span_of(path));
	strbuf_addstr(out, " <==\n");
}

static void subbuf(struct dump_out *to, const struct dump_subbuf *s)
{
	struct strbuf *out = to->text;

	strbuf_addf(out, "CPU %u, sub-buffer %llu %s 0x%llx: %u of %u bytes, from ", s->cpu,
		    s->index, s->compressed ? "in the chunk at" : "at", s->offset, s->size,
		    s->capacity);
	text_add_time(out, s->ts, s->clock_counts);
	if (s->missed > 0)
		strbuf_addf(out, ", %lld events lost before it", s->missed);
	else if (s->missed)
		strbuf_addstr(out, ", events lost before it (the number was not recorded)");
	strbuf_addch(out, '\n');
}

/* --- a line, formatted by hand: there are millions --- */

/* The column at which the type ends. */
enum { TYPE_END = 19 };

struct line {
	char s[200];
	size_t n;
};

static void put(struct line *l, const char *s)
{
	while (*s)
		l->s[l->n++] = *s++;
}

/* @v, after @sign if any, right-justified in @width columns. */
static void put_number(struct line *l, u64 v, char sign, size_t width)
{
	char digits[24];
	size_t n = sizeof(digits);

	do {
		digits[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (sign)
		digits[--n] = sign;
	for (size_t have = sizeof(digits) - n; have < width; have++)
		l->s[l->n++] = ' ';
	memcpy(l->s + l->n, digits + n, sizeof(digits) - n);
	l->n += sizeof(digits) - n;
}

static void put_time(struct line *l, u64 ts, bool counts)
{
	u32 rest = (u32)(ts % 1000000000);

	if (counts) {
		put_number(l, ts, 0, 18);
		return;
	}
	put_number(l, ts / 1000000000, 0, 8);
	l->s[l->n++] = '.';
	for (u32 unit = 100000000; unit; unit /= 10)
		l->s[l->n++] = (char)('0' + rest / unit % 10);
}

static void entry(struct dump_out *to, const struct dump_entry *e)
{
	struct strbuf *out = to->text;
	const char *type = dump_entry_type(e->rec);
	struct line l = { .n = 0 };
	const struct ring_buffer_record *rec;
	u64 v;

	static const char digits[] = "0123456789abcdef";
	u32 shift = e->rec->offset > 0xffff ? 20 : 12;

	put(&l, "  0x");
	for (;; shift -= 4) {
		l.s[l.n++] = digits[e->rec->offset >> shift & 0xf];
		if (!shift)
			break;
	}
	put(&l, " ");
	put(&l, type);
	while (l.n < TYPE_END)
		put(&l, " ");
	put_number(&l, e->rec->len, 0, 5);
	rec = e->rec;
	v = rec->type_len < RINGBUF_TYPE_TIME_EXTEND ? rec->delta
						     : ring_buffer_stamp_value(rec, e->big_endian);
	put_number(&l, v, rec->type_len == RINGBUF_TYPE_TIME_STAMP ? '=' : '+', 12);
	put_time(&l, e->rec->ts, e->clock_counts);
	if (e->rec->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX) {
		u64 ts = e->rec->ts;
		bool back = ts < e->before;

		if (e->has_before)
			put_number(&l, back ? e->before - ts : ts - e->before, back ? '-' : '+',
				   13);
		else
			put(&l, "             ");
	}
	strbuf_add(out, l.s, l.n);
	if (e->rec->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX) {
		char flags[CONTEXT_SIZE];

		trace_context(flags, e->flags & ~TRACE_FLAG_RESCHED_LAZY, e->preempt, false);
		strbuf_addstr(out, "  ");
		visible(out, span_of(e->comm ? e->comm : "<...>"));
		strbuf_addch(out, '-');
		text_add_number(out, (u64)(s64)e->pid, true);
		strbuf_addch(out, ' ');
		strbuf_add(out, flags, CONTEXT_SIZE - 1);
		strbuf_addch(out, ' ');
		if (e->system) {
			strbuf_addstr(out, e->system);
			strbuf_addch(out, ':');
			strbuf_add(out, e->name.s, e->name.n);
		} else {
			strbuf_addstr(out, "(unknown event)");
		}
		if (e->text.n) {
			strbuf_addch(out, ' ');
			visible(out, e->text);
		}
	}
	strbuf_addch(out, '\n');
}

static void gap(struct dump_out *to, const struct dump_gap *g)
{
	struct strbuf *out = to->text;

	strbuf_addf(out, "CPU %u, at 0x%llx: %s\n", g->cpu, g->offset, g->why);
}

/* --- audit --- */

static void finding(struct dump_out *to, const struct dump_finding *d)
{
	struct strbuf *out = to->text;
	const struct ring_buffer_finding *f = d->finding;

	strbuf_addf(out, "CPU %u, sub-buffer %llu", d->cpu, f->subbuf);
	if (f->offset)
		strbuf_addf(out, ", offset 0x%x", f->offset);
	strbuf_addstr(out, ", ");
	text_add_time(out, f->ts, d->clock_counts);
	strbuf_addstr(out, ": ");
	switch (f->kind) {
	case RING_BUFFER_BACKWARD:
		strbuf_addf(out, "time goes back by %llu, from ", f->before - f->ts);
		text_add_time(out, f->before, d->clock_counts);
		break;
	case RING_BUFFER_ZERO_DELTAS:
		if (f->n == 1)
			strbuf_addstr(
				out,
				"delta 0: interrupted before it reserved space; its time is not known");
		else
			strbuf_addf(out,
				    "%llu records with delta 0, which old kernels write where %s",
				    f->n,
				    f->nested ? "interrupts write during another write"
					      : "writers are nested");
		break;
	case RING_BUFFER_NEEDLESS_EXTEND:
		strbuf_addf(out,
			    "a time extend of %llu, which fits into a delta: its writer was "
			    "interrupted, %s",
			    f->n, f->n ? "triggers saw an earlier time" : "its time is not known");
		break;
	default:
		if (f->n)
			strbuf_addf(out, "%llu events were lost before it", f->n);
		else
			strbuf_addstr(out,
				      "events were lost before it (the number was not recorded)");
		break;
	}
	strbuf_addch(out, '\n');
}

static void verdict(struct dump_out *to, const u64 counts[RING_BUFFER_FINDINGS])
{
	struct strbuf *out = to->text;
	u64 sum = sum_of(i, RING_BUFFER_FINDINGS, counts[i]);

	if (!sum)
		strbuf_addstr(out, "audit: nothing found");
	else
		strbuf_addf(
			out,
			"audit: time went back %llu times, %llu runs of zero deltas, %llu needless time "
			"extends, events lost at %llu places",
			counts[RING_BUFFER_BACKWARD], counts[RING_BUFFER_ZERO_DELTAS],
			counts[RING_BUFFER_NEEDLESS_EXTEND], counts[RING_BUFFER_LOST]);
	if (counts[RING_BUFFER_DAMAGED])
		strbuf_addf(out, ", %llu part%s damaged or missing", counts[RING_BUFFER_DAMAGED],
			    plural_were(counts[RING_BUFFER_DAMAGED]));
	strbuf_addch(out, '\n');
}

/* --- totals --- */

static void totals(struct dump_out *to, const struct dump_totals *t)
{
	struct strbuf *out = to->text;

	strbuf_addf(out, "CPU %u: %llu sub-buffers, %llu of %llu bytes used", t->cpu, t->subbufs,
		    t->bytes, t->capacity);
	if (t->empty)
		strbuf_addf(out, ", %llu empty", t->empty);
	if (t->damaged)
		strbuf_addf(out, ", %llu damaged", t->damaged);
	if (t->file_missing)
		strbuf_addf(out, ", %llu bytes missing at the end", t->file_missing);
	strbuf_addf(
		out,
		"; %llu records, %llu with delta 0, %llu discarded, %llu time extends, %llu absolute "
		"stamps, ",
		t->records, t->zero, t->discarded, t->extends, t->stamps);
	if (t->missed || !t->missed_unknown)
		strbuf_addf(out, "%llu lost", t->missed);
	if (t->missed_unknown)
		strbuf_addstr(out, t->missed ? " and more" : "some lost");
	if (t->dropped)
		strbuf_addf(out, ", %llu dropped because the buffer was full", t->dropped);
	if (t->commit_overrun)
		strbuf_addf(out, ", %llu lost to commit overrun", t->commit_overrun);
	if (t->records) {
		strbuf_addstr(out, "; from ");
		text_add_time(out, t->first, t->clock_counts);
		strbuf_addstr(out, " to ");
		text_add_time(out, t->last, t->clock_counts);
	}
	strbuf_addch(out, '\n');
}

const struct dump_format dump_text = {
	.file = file,
	.subbuf = subbuf,
	.entry = entry,
	.gap = gap,
	.finding = finding,
	.totals = totals,
	.verdict = verdict,
};
