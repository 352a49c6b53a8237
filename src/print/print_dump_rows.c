// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A dump as objects, each a type and members that are cells. As json each is a line, complete in
 * itself; in formats of rows those of one table are: entries, or totals, or findings of an audit.
 * Times are numbers of the clock.
 */
#include "print/print.h"

/* ORDER ring_buffer_finding_kind */
static const char *const ring_buffer_finding_names[] = { "backward", "zero_deltas",
							 "needless_extend", "lost", "damaged" };

#define AS_COLUMN(id, of, cell) [DUMP_##id] = { .name = of, .kind = cell },
static const struct row_column columns[N_DUMP_COLUMNS] = { DUMP_COLUMNS(AS_COLUMN) };

static const enum dump_column entries[] = { DUMP_FILE,   DUMP_TYPE,  DUMP_CPU,   DUMP_INDEX,
					    DUMP_OFFSET, DUMP_SIZE,  DUMP_DELTA, DUMP_TS,
					    DUMP_DIFF,   DUMP_PID,   DUMP_COMM,  DUMP_FLAGS,
					    DUMP_SYSTEM, DUMP_EVENT, DUMP_TEXT,  DUMP_FILE_OFFSET,
					    DUMP_LOST,   DUMP_WHY };
static const enum dump_column totals_of_cpus[] = {
	DUMP_FILE,           DUMP_CPU,         DUMP_SUBBUFFERS,   DUMP_EMPTY,
	DUMP_DAMAGED,        DUMP_SIZE,        DUMP_CAPACITY,     DUMP_MISSING,
	DUMP_RECORDS,        DUMP_ZERO_DELTAS, DUMP_DISCARDED,    DUMP_EXTENDS,
	DUMP_STAMPS,         DUMP_LOST,        DUMP_LOST_UNKNOWN, DUMP_DROPPED,
	DUMP_COMMIT_OVERRUN, DUMP_FROM,        DUMP_TO,
};
static const enum dump_column findings[] = { DUMP_FILE,   DUMP_KIND,  DUMP_CPU,    DUMP_INDEX,
					     DUMP_OFFSET, DUMP_TS,    DUMP_BEFORE, DUMP_RECORDS,
					     DUMP_NESTED, DUMP_DELTA, DUMP_LOST,   DUMP_FILE_OFFSET,
					     DUMP_WHY };

/* --- objects --- */

static void put(struct dump_out *out, enum dump_column column, struct row_cell cell)
{
	out->cells[column] = cell;
	if (out->format == &dump_json)
		row_cell_json(&cell, columns[column].name, &out->json, false);
}

static void put_number(struct dump_out *out, enum dump_column column, u64 v)
{
	put(out, column, (struct row_cell){ .kind = columns[column].kind, .number = v });
}

static void put_bool(struct dump_out *out, enum dump_column column, bool v)
{
	put(out, column,
	    (struct row_cell){ .kind = CELL_JSON, .text = span_of(v ? "true" : "false") });
}

static void put_text(struct dump_out *out, enum dump_column column, struct span text)
{
	put(out, column,
	    (struct row_cell){ .kind = text.s ? CELL_TEXT : CELL_ABSENT, .text = text });
}

/* NULL: absent */
static void put_str(struct dump_out *out, enum dump_column column, const char *s)
{
	put_text(out, column, s ? span_of(s) : (struct span){ NULL, 0 });
}

static void begin(struct dump_out *out, const char *type)
{
	memset(out->cells, 0, sizeof(out->cells));
	out->json = (struct json){ .out = out->text };
	if (out->format == &dump_json)
		json_object(&out->json, NULL);
	put_str(out, DUMP_TYPE, type);
}

/* Number of lost events; absent: unknown. */
static void put_lost(struct dump_out *out, u64 n, bool unknown)
{
	put(out, DUMP_LOST,
	    (struct row_cell){ .kind = unknown ? CELL_ABSENT : CELL_UNSIGNED, .number = n });
}

/* @table: a row of it is one of these objects */
static void end(struct dump_out *out, const enum dump_column *table)
{
	if (out->format == &dump_json) {
		json_close(&out->json, '}');
		json_end_line(&out->json);
	} else if (table == out->table) {
		out->cells[DUMP_FILE] = (struct row_cell){ CELL_TEXT, .text = out->path };
		for (size_t i = 0; i < out->rows.n_columns; i++)
			rows_cell(&out->rows, &out->cells[table[i + out->skipped]]);
		rows_end_row(&out->rows);
	}
}

/* --- each kind --- */

static void file(struct dump_out *out, const char *path, bool first)
{
	(void)first;
	out->path = span_of(path);
	begin(out, "file");
	put_str(out, DUMP_FILE, path);
	end(out, NULL);
}

static void subbuf(struct dump_out *out, const struct dump_subbuf *s)
{
	begin(out, "subbuffer");
	put_number(out, DUMP_CPU, s->cpu);
	put_number(out, DUMP_INDEX, s->index);
	put_number(out, DUMP_FILE_OFFSET, s->offset);
	put_bool(out, DUMP_COMPRESSED, s->compressed);
	put_number(out, DUMP_SIZE, s->size);
	put_number(out, DUMP_CAPACITY, s->capacity);
	put_number(out, DUMP_TS, s->ts);
	put_lost(out, (u64)s->missed, s->missed < 0);
	out->index = s->index;
	end(out, entries);
}

static void entry(struct dump_out *out, const struct dump_entry *e)
{
	const struct ring_buffer_record *rec = e->rec;
	const char *type = dump_entry_type(rec);

	begin(out, type);
	put_number(out, DUMP_CPU, e->cpu);
	put_number(out, DUMP_OFFSET, rec->offset);
	put_number(out, DUMP_SIZE, rec->len);
	put_number(out, DUMP_DELTA,
		   rec->type_len < RINGBUF_TYPE_TIME_EXTEND
			   ? rec->delta
			   : ring_buffer_stamp_value(rec, e->big_endian));
	put_number(out, DUMP_TS, rec->ts);
	if (rec->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX) {
		trace_context(out->flags, e->flags & ~TRACE_FLAG_RESCHED_LAZY, e->preempt, false);
		if (e->has_before)
			put_number(out, DUMP_DIFF, e->rec->ts - e->before);
		put_number(out, DUMP_PID, (u64)(s64)e->pid);
		put_str(out, DUMP_COMM, e->comm);
		put_str(out, DUMP_FLAGS, out->flags);
		put_str(out, DUMP_SYSTEM, e->system);
		put_text(out, DUMP_EVENT, e->system ? e->name : (struct span){ NULL, 0 });
		if (e->text.n)
			put_text(out, DUMP_TEXT, e->text);
	}
	out->cells[DUMP_INDEX] = (struct row_cell){ CELL_UNSIGNED, .number = out->index };
	end(out, entries);
}

static void gap(struct dump_out *out, const struct dump_gap *g)
{
	begin(out, "gap");
	put_number(out, DUMP_CPU, g->cpu);
	put_number(out, DUMP_FILE_OFFSET, g->offset);
	put_str(out, DUMP_WHY, g->why);
	out->cells[DUMP_KIND] = (struct row_cell){ CELL_TEXT, .text = span_of("damaged") };
	end(out, out->table == findings ? findings : entries);
}

static void finding(struct dump_out *out, const struct dump_finding *d)
{
	const struct ring_buffer_finding *f = d->finding;

	begin(out, "finding");
	put_str(out, DUMP_KIND, ring_buffer_finding_names[f->kind]);
	put_number(out, DUMP_CPU, d->cpu);
	put_number(out, DUMP_INDEX, f->subbuf);
	put_number(out, DUMP_OFFSET, f->offset);
	put_number(out, DUMP_TS, f->ts);
	switch (f->kind) {
	case RING_BUFFER_BACKWARD:
		put_number(out, DUMP_BEFORE, f->before);
		break;
	case RING_BUFFER_ZERO_DELTAS:
		put_number(out, DUMP_RECORDS, f->n);
		put_bool(out, DUMP_NESTED, f->nested);
		break;
	case RING_BUFFER_NEEDLESS_EXTEND:
		put_number(out, DUMP_DELTA, f->n);
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
	put_number(out, DUMP_CPU, t->cpu);
	put_number(out, DUMP_SUBBUFFERS, t->subbufs);
	put_number(out, DUMP_EMPTY, t->empty);
	put_number(out, DUMP_DAMAGED, t->damaged);
	put_number(out, DUMP_SIZE, t->bytes);
	put_number(out, DUMP_CAPACITY, t->capacity);
	put_number(out, DUMP_MISSING, t->file_missing);
	put_number(out, DUMP_RECORDS, t->records);
	put_number(out, DUMP_ZERO_DELTAS, t->zero);
	put_number(out, DUMP_DISCARDED, t->discarded);
	put_number(out, DUMP_EXTENDS, t->extends);
	put_number(out, DUMP_STAMPS, t->stamps);
	put_number(out, DUMP_LOST, t->missed);
	put_bool(out, DUMP_LOST_UNKNOWN, t->missed_unknown);
	put_number(out, DUMP_DROPPED, t->dropped);
	put_number(out, DUMP_COMMIT_OVERRUN, t->commit_overrun);
	if (t->records) {
		put_number(out, DUMP_FROM, t->first);
		put_number(out, DUMP_TO, t->last);
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
	size_t n = ARRAY_SIZE(entries);

	out->table = entries;
	if (out->audit) {
		out->table = findings;
		n = ARRAY_SIZE(findings);
	} else if (out->totals) {
		out->table = totals_of_cpus;
		n = ARRAY_SIZE(totals_of_cpus);
	}
	/* the file is a column if there are several */
	out->skipped = !several;
	n -= out->skipped;
	for (size_t i = 0; i < n; i++)
		out->columns[i] = columns[out->table[i + out->skipped]];
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
