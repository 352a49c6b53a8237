// SPDX-License-Identifier: LGPL-2.1-only
/* A dump as json: one object per line, each complete in itself. Times are numbers of the clock. */
#include "print/print.h"

/* ORDER ring_buffer_finding_kind */
static const char *const ring_buffer_finding_names[] = { "backward", "zero_deltas",
							 "needless_extend", "lost", "damaged" };

static struct json begin(struct strbuf *out, const char *type)
{
	struct json j = { .out = out };

	json_object(&j, NULL);
	json_str(&j, "type", type);
	return j;
}

static void end(struct json *j)
{
	json_close(j, '}');
	json_end_line(j);
}

static void file(struct strbuf *out, const char *path, bool first)
{
	struct json j = begin(out, "file");

	(void)first;
	json_str(&j, "file", path);
	end(&j);
}

/* Number of lost events; null: unknown. */
static void lost(struct json *j, u64 n, bool unknown)
{
	if (unknown)
		json_null(j, "lost");
	else
		json_u64(j, "lost", n);
}

static void subbuf(struct strbuf *out, const struct dump_subbuf *s)
{
	struct json j = begin(out, "subbuffer");

	json_u64(&j, "cpu", s->cpu);
	json_u64(&j, "index", s->index);
	json_u64(&j, "file_offset", s->offset);
	json_bool(&j, "compressed", s->compressed);
	json_u64(&j, "size", s->size);
	json_u64(&j, "capacity", s->capacity);
	json_u64(&j, "ts", s->ts);
	lost(&j, (u64)s->missed, s->missed < 0);
	end(&j);
}

static void entry(struct strbuf *out, const struct dump_entry *e)
{
	const struct ring_buffer_record *rec = e->rec;
	struct json j = begin(out, dump_entry_type(rec));

	json_u64(&j, "cpu", e->cpu);
	json_u64(&j, "offset", rec->offset);
	json_u64(&j, "size", rec->len);
	json_u64(&j, "delta",
		 rec->type_len < RINGBUF_TYPE_TIME_EXTEND
			 ? rec->delta
			 : ring_buffer_stamp_value(rec, e->big_endian));
	json_u64(&j, "ts", rec->ts);
	if (rec->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX) {
		char flags[CONTEXT_SIZE];

		trace_context(flags, e->flags & ~TRACE_FLAG_RESCHED_LAZY, e->preempt, false);
		if (e->has_before)
			json_s64(&j, "diff", (s64)(e->rec->ts - e->before));
		json_s64(&j, "pid", e->pid);
		json_str(&j, "comm", e->comm);
		json_str(&j, "flags", flags);
		json_str(&j, "system", e->system);
		if (e->system)
			json_text(&j, "event", e->name);
		else
			json_null(&j, "event");
		if (e->text.n)
			json_text(&j, "text", e->text);
	}
	end(&j);
}

static void gap(struct strbuf *out, const struct dump_gap *g)
{
	struct json j = begin(out, "gap");

	json_u64(&j, "cpu", g->cpu);
	json_u64(&j, "file_offset", g->offset);
	json_str(&j, "why", g->why);
	end(&j);
}

static void finding(struct strbuf *out, const struct dump_finding *d)
{
	const struct ring_buffer_finding *f = d->finding;
	struct json j = begin(out, "finding");

	json_str(&j, "kind", ring_buffer_finding_names[f->kind]);
	json_u64(&j, "cpu", d->cpu);
	json_u64(&j, "index", f->subbuf);
	json_u64(&j, "offset", f->offset);
	json_u64(&j, "ts", f->ts);
	switch (f->kind) {
	case RING_BUFFER_BACKWARD:
		json_u64(&j, "before", f->before);
		break;
	case RING_BUFFER_ZERO_DELTAS:
		json_u64(&j, "records", f->n);
		json_bool(&j, "nested", f->nested);
		break;
	case RING_BUFFER_NEEDLESS_EXTEND:
		json_u64(&j, "delta", f->n);
		break;
	default:
		lost(&j, f->n, !f->n);
		break;
	}
	end(&j);
}

static void totals(struct strbuf *out, const struct dump_totals *t)
{
	struct json j = begin(out, "totals");

	json_u64(&j, "cpu", t->cpu);
	json_u64(&j, "subbuffers", t->subbufs);
	json_u64(&j, "empty", t->empty);
	json_u64(&j, "damaged", t->damaged);
	json_u64(&j, "size", t->bytes);
	json_u64(&j, "capacity", t->capacity);
	json_u64(&j, "missing", t->file_missing);
	json_u64(&j, "records", t->records);
	json_u64(&j, "zero_deltas", t->zero);
	json_u64(&j, "discarded", t->discarded);
	json_u64(&j, "extends", t->extends);
	json_u64(&j, "stamps", t->stamps);
	json_u64(&j, "lost", t->missed);
	json_bool(&j, "lost_unknown", t->missed_unknown);
	json_u64(&j, "dropped", t->dropped);
	json_u64(&j, "commit_overrun", t->commit_overrun);
	if (t->records) {
		json_u64(&j, "from", t->first);
		json_u64(&j, "to", t->last);
	}
	end(&j);
}

static void verdict(struct strbuf *out, const u64 counts[RING_BUFFER_FINDINGS])
{
	struct json j = begin(out, "audit");

	for (size_t i = 0; i < RING_BUFFER_FINDINGS; i++)
		json_u64(&j, ring_buffer_finding_names[i], counts[i]);
	end(&j);
}

const struct dump_format dump_json = {
	.name = "json",
	.file = file,
	.subbuf = subbuf,
	.entry = entry,
	.gap = gap,
	.finding = finding,
	.totals = totals,
	.verdict = verdict,
};
