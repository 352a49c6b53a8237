// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A dump as objects, each a type and members that are cells. As json each is a line, complete in
 * itself; in formats of rows those of one table are: entries, or totals, or findings of an audit.
 * Times are numbers of the clock.
 */
#include "inspect/dump.h"

/* ORDER ring_buffer_finding_kind */
static const char *const ring_buffer_finding_names[] = { "backward", "zero_deltas",
							 "needless_extend", "lost", "damaged" };

/* The columns of the entries, the totals and the findings. */
static const char *const entries[] = { "file",        "type",  "cpu",    "index", "offset",
				       "size",        "delta", "ts",     "diff",  "pid",
				       "comm",        "flags", "system", "event", "text",
				       "file_offset", "lost",  "why",    NULL };
static const char *const totals_of_cpus[] = {
	"file",         "cpu",     "subbuffers",     "empty",     "damaged", "size",   "capacity",
	"missing",      "records", "zero_deltas",    "discarded", "extends", "stamps", "lost",
	"lost_unknown", "dropped", "commit_overrun", "from",      "to",      NULL
};
static const char *const findings[] = { "file", "kind",        "cpu",     "index",  "offset",
					"ts",   "before",      "records", "nested", "delta",
					"lost", "file_offset", "why",     NULL };

/* All others are numbers. */
static const char *const texts[] = { "file",  "type", "kind", "comm",         "flags", "system",
				     "event", "text", "why",  "lost_unknown", "nested" };

/* --- objects --- */

/* A cell of the row, if its table has that column: mostly the one after the last. */
static void put_cell(struct dump_out *out, const char *name, struct row_cell cell)
{
	const size_t n = out->rows.n_columns;

	for (size_t i = 0, at = out->next; i < n; i++, at++) {
		at = at < n ? at : 0;
		if (strcmp(out->columns[at].name, name) != 0)
			continue;
		out->cells[at] = cell;
		out->next = at + 1;
		return;
	}
}

static void put(struct dump_out *out, const char *name, struct row_cell cell)
{
	if (out->format == &dump_json)
		row_cell_json(&cell, name, &out->json, false);
	else
		put_cell(out, name, cell);
}

static void put_number(struct dump_out *out, const char *name, u64 v)
{
	put(out, name, (struct row_cell){ .kind = CELL_UNSIGNED, .number = v });
}

static void put_signed(struct dump_out *out, const char *name, u64 v)
{
	put(out, name, (struct row_cell){ .kind = CELL_SIGNED, .number = v });
}

static void put_bool(struct dump_out *out, const char *name, bool v)
{
	put(out, name,
	    (struct row_cell){ .kind = CELL_JSON, .text = span_of(v ? "true" : "false") });
}

static void put_text(struct dump_out *out, const char *name, struct span text)
{
	put(out, name, (struct row_cell){ .kind = text.s ? CELL_TEXT : CELL_ABSENT, .text = text });
}

/* NULL: absent */
static void put_str(struct dump_out *out, const char *name, const char *s)
{
	put_text(out, name, s ? span_of(s) : (struct span){ NULL, 0 });
}

static void begin(struct dump_out *out, const char *type)
{
	memset(out->cells, 0, sizeof(out->cells));
	out->json = (struct json){ .out = out->text };
	if (out->format == &dump_json)
		json_object(&out->json, NULL);
	put_str(out, "type", type);
}

/* Number of lost events; absent: unknown. */
static void put_lost(struct dump_out *out, u64 n, bool unknown)
{
	put(out, "lost",
	    (struct row_cell){ .kind = unknown ? CELL_ABSENT : CELL_UNSIGNED, .number = n });
}

/* @table: a row of it is one of these objects */
static void end(struct dump_out *out, const char *const *table)
{
	if (out->format == &dump_json) {
		json_close(&out->json, '}');
		json_end_line(&out->json);
	} else if (table == out->table) {
		put_text(out, "file", out->path);
		for (size_t i = 0; i < out->rows.n_columns; i++)
			rows_cell(&out->rows, &out->cells[i]);
		rows_end_row(&out->rows);
	}
}

/* --- each kind --- */

static void file(struct dump_out *out, const char *path, bool first UNUSED)
{
	out->path = span_of(path);
	begin(out, "file");
	put_str(out, "file", path);
	end(out, NULL);
}

static void subbuf(struct dump_out *out, const struct dump_subbuf *s)
{
	begin(out, "subbuffer");
	put_number(out, "cpu", s->cpu);
	put_number(out, "index", s->index);
	put_number(out, "file_offset", s->offset);
	put_bool(out, "compressed", s->compressed);
	put_number(out, "size", s->size);
	put_number(out, "capacity", s->capacity);
	put_number(out, "ts", s->ts);
	put_lost(out, (u64)s->missed, s->missed < 0);
	out->index = s->index;
	end(out, entries);
}

static void entry(struct dump_out *out, const struct dump_entry *e)
{
	const struct ring_buffer_record *rec = e->rec;
	const char *type = dump_entry_type(rec);

	begin(out, type);
	put_number(out, "cpu", e->cpu);
	put_number(out, "offset", rec->offset);
	put_number(out, "size", rec->len);
	put_number(out, "delta",
		   rec->type_len < RINGBUF_TYPE_TIME_EXTEND
			   ? rec->delta
			   : ring_buffer_stamp_value(rec, e->big_endian));
	put_number(out, "ts", rec->ts);
	if (rec->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX) {
		trace_context(out->flags, e->flags & ~TRACE_FLAG_RESCHED_LAZY, e->preempt, false);
		if (e->has_before)
			put_signed(out, "diff", e->rec->ts - e->before);
		put_signed(out, "pid", (u64)(s64)e->pid);
		put_str(out, "comm", e->comm);
		put_str(out, "flags", out->flags);
		put_str(out, "system", e->system);
		put_text(out, "event", e->system ? e->name : (struct span){ NULL, 0 });
		if (e->text.n)
			put_text(out, "text", e->text);
	}
	put_cell(out, "index", (struct row_cell){ CELL_UNSIGNED, .number = out->index });
	end(out, entries);
}

static void gap(struct dump_out *out, const struct dump_gap *g)
{
	begin(out, "gap");
	put_number(out, "cpu", g->cpu);
	put_number(out, "file_offset", g->offset);
	put_str(out, "why", g->why);
	put_cell(out, "kind", (struct row_cell){ CELL_TEXT, .text = span_of("damaged") });
	end(out, out->audit ? findings : entries);
}

static void finding(struct dump_out *out, const struct dump_finding *d)
{
	const struct ring_buffer_finding *f = d->finding;

	begin(out, "finding");
	put_str(out, "kind", ring_buffer_finding_names[f->kind]);
	put_number(out, "cpu", d->cpu);
	put_number(out, "index", f->subbuf);
	put_number(out, "offset", f->offset);
	put_number(out, "ts", f->ts);
	switch (f->kind) {
	case RING_BUFFER_BACKWARD:
		put_number(out, "before", f->before);
		break;
	case RING_BUFFER_ZERO_DELTAS:
		put_number(out, "records", f->n);
		put_bool(out, "nested", f->nested);
		break;
	case RING_BUFFER_NEEDLESS_EXTEND:
		put_number(out, "delta", f->n);
		break;
	default:
		put_lost(out, f->n, !f->n);
		break;
	}
	end(out, findings);
}

static void totals(struct dump_out *out, const struct dump_totals *t)
{
	begin(out, "totals");
	put_number(out, "cpu", t->cpu);
	put_number(out, "subbuffers", t->subbufs);
	put_number(out, "empty", t->empty);
	put_number(out, "damaged", t->damaged);
	put_number(out, "size", t->bytes);
	put_number(out, "capacity", t->capacity);
	put_number(out, "missing", t->file_missing);
	put_number(out, "records", t->records);
	put_number(out, "zero_deltas", t->zero);
	put_number(out, "discarded", t->discarded);
	put_number(out, "extends", t->extends);
	put_number(out, "stamps", t->stamps);
	put_number(out, "lost", t->missed);
	put_bool(out, "lost_unknown", t->missed_unknown);
	put_number(out, "dropped", t->dropped);
	put_number(out, "commit_overrun", t->commit_overrun);
	if (t->records) {
		put_number(out, "from", t->first);
		put_number(out, "to", t->last);
	}
	end(out, totals_of_cpus);
}

/* The number of findings of each kind, which a table of them does not repeat. */
static void verdict(struct dump_out *out, const u64 counts[RING_BUFFER_FINDINGS])
{
	struct json j = { .out = out->text };

	if (out->format != &dump_json)
		return;
	json_object(&j, NULL);
	json_str(&j, "type", "audit");
	for (size_t i = 0; i < RING_BUFFER_FINDINGS; i++)
		json_u64(&j, ring_buffer_finding_names[i], counts[i]);
	json_close(&j, '}');
	json_end_line(&j);
}

void dump_rows_begin(struct dump_out *out, bool several)
{
	/* the file is a column if there are several */
	const size_t skipped = !several;
	size_t n = 0;

	out->table = out->audit ? findings : out->totals ? totals_of_cpus : entries;
	for (; out->table[n + skipped]; n++) {
		const char *name = out->table[n + skipped];

		out->columns[n] = (struct row_column){ .name = name, .kind = CELL_UNSIGNED };
		if (!strcmp(name, "pid") || !strcmp(name, "diff"))
			out->columns[n].kind = CELL_SIGNED;
		for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
			if (!strcmp(name, texts[i]))
				out->columns[n].kind = CELL_TEXT;
	}
	rows_begin(&out->rows, out->columns, n);
}

#define DUMP_OBJECTS(format)                                    \
	const struct dump_format format = { .file = file,       \
					    .subbuf = subbuf,   \
					    .entry = entry,     \
					    .gap = gap,         \
					    .finding = finding, \
					    .totals = totals,   \
					    .verdict = verdict }
DUMP_OBJECTS(dump_json);
DUMP_OBJECTS(dump_rows);
