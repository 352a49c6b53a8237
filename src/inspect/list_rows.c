// SPDX-License-Identifier: LGPL-2.1-only
/* The contents of recordings as one table in a format of rows: events, CPUs, holes or fields. */
#include "hist-list.h"
#include "inspect/list.h"
#include "recording/recording.h"
#include "replay/replay.h"

#define TEXT(of)                              \
	{                                     \
		.name = of, .kind = CELL_TEXT \
	}
#define NUMBER(of)                                \
	{                                         \
		.name = of, .kind = CELL_UNSIGNED \
	}
#define SMALL(of)                              \
	{                                      \
		.name = of, .kind = CELL_SMALL \
	}
#define TIME(of)                              \
	{                                     \
		.name = of, .kind = CELL_TIME \
	}

/* Those of each table come after the file and the instance. ORDER hist_list_table */
static const struct row_column columns[][16] = {
	{ TEXT("file"), TEXT("instance"), TEXT("event"), NUMBER("id"), NUMBER("count") },
	{ TEXT("file"), TEXT("instance"), SMALL("cpu"), NUMBER("events"), NUMBER("lost_events"),
	  TEXT("lost_unknown"), NUMBER("dropped_events"), NUMBER("commit_overrun"),
	  NUMBER("damaged"), NUMBER("unread_chunks"), NUMBER("missing_bytes") },
	{ TEXT("file"), TEXT("instance"), SMALL("cpu"), TEXT("reason"), TIME("from"), TIME("to"),
	  NUMBER("events") },
	{ TEXT("file"), TEXT("instance"), TEXT("event"), TEXT("field"), TEXT("type"),
	  NUMBER("size"), TEXT("signed") },
};

static void add_event(struct list_out *l, const struct trace_dat_format *f, u64 n,
		      const struct event_format *format)
{
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "%s:%.*s", f->system, (int)f->name.n, f->name.s);
	for (size_t i = 0; i < (format ? format->n_fields : 1); i++) {
		rows_text(l->rows, l->file);
		rows_str(l->rows, l->instance);
		rows_text(l->rows, strbuf_span(&name));
		if (format) {
			rows_str(l->rows, format->fields[i].name);
			rows_str(l->rows, format->fields[i].type);
			rows_number(l->rows, CELL_UNSIGNED, format->fields[i].size);
			rows_str(l->rows, format->fields[i].is_signed ? "true" : "false");
		} else {
			rows_number(l->rows, CELL_UNSIGNED, f->id);
			rows_number(l->rows, CELL_UNSIGNED, n);
		}
		rows_end_row(l->rows);
	}
	l->rows->out->failed |= name.failed;
}

static void add_events(struct list_out *l, const struct recording *rec,
		       const struct buffer_count *c)
{
	array_each_of(const struct trace_dat_format, f, rec->formats, rec->n_formats) {
		const u64 n = f->id < c->n_ids ? c->by_id[f->id] : 0;
		const struct event_format *format = NULL;
		char *name;

		if (!n && !(l->flags & HIST_LIST_FULL))
			continue;
		if (l->table == HIST_LIST_OF_FIELDS) {
			name = strndup(f->name.s, f->name.n);
			if (!name || event_db_find(l->h->recordings.db, f->system, name, &format))
				format = NULL;
			free(name);
		}
		if (format || l->table == HIST_LIST_OF_EVENTS)
			add_event(l, f, n, format);
	}
}

static void add_cpu(struct list_out *l, const struct trace_dat_cpu *at, const struct cpu_count *cpu)
{
	const u64 numbers[] = { cpu->stats.dropped, cpu->stats.commit_overrun, cpu->damaged,
				cpu->unread, at->missing };

	rows_text(l->rows, l->file);
	rows_str(l->rows, l->instance);
	rows_number(l->rows, CELL_SMALL, at->cpu);
	rows_number(l->rows, CELL_UNSIGNED, cpu->events);
	rows_number(l->rows, CELL_UNSIGNED, cpu->missed);
	rows_str(l->rows, cpu->missed_unknown ? "true" : "false");
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		rows_number(l->rows, CELL_UNSIGNED, numbers[i]);
	rows_end_row(l->rows);
}

static void add_holes(struct list_out *l, const struct buffer_count *c, u32 cpu)
{
	array_each(const struct coverage_hole, hole, &c->coverage.holes) {
		if (!list_shows_hole(hole, c, cpu))
			continue;
		rows_text(l->rows, l->file);
		rows_str(l->rows, l->instance);
		rows_number(l->rows, CELL_SMALL, cpu);
		rows_str(l->rows, coverage_word(hole->reason));
		rows_cell(l->rows,
			  &(struct row_cell){ hole->from > c->first ? CELL_TIME : CELL_ABSENT,
					      .number = hole->from });
		rows_cell(l->rows,
			  &(struct row_cell){ hole->to <= c->last ? CELL_TIME : CELL_ABSENT,
					      .number = hole->to });
		rows_number(l->rows, CELL_UNSIGNED, hole->n);
		rows_end_row(l->rows);
	}
}

void list_rows_buffer(struct list_out *l, const struct recording *rec, const struct buffer_count *c)
{
	const struct trace_dat_buffer *buffer = c->buffer;

	l->rows->clock_counts = trace_clock_counts(rec->info->clock);
	l->file = span_of(rec->path);
	l->instance = buffer->name[0] ? buffer->name : NULL;
	if (l->table == HIST_LIST_OF_EVENTS || l->table == HIST_LIST_OF_FIELDS)
		add_events(l, rec, c);
	for (size_t i = 0; i < buffer->n_cpus; i++)
		if (l->table == HIST_LIST_OF_CPUS)
			add_cpu(l, &buffer->cpus[i], &c->cpus[i]);
		else if (l->table == HIST_LIST_OF_HOLES)
			add_holes(l, c, buffer->cpus[i].cpu);
}

int hist_list_rows(struct hist *const *h, size_t n, const struct hist_list_options *options,
		   hist_sink_fn sink, void *arg, struct diags *diags)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	/* ORDER hist_list_table */
	static const char *const titles[] = { "Events of recordings", "CPUs of recordings",
					      "When records are missing", "Fields of events" };
	struct row_writer rows = { .format = row_format_find(options->format),
				   .out = &p.buf,
				   .title = titles[options->table],
				   .creator = "hist " HIST_VERSION };
	struct list_out l = { .flags = options->flags, .table = options->table, .rows = &rows };
	const struct row_column *of = columns[options->table];
	size_t n_columns = 0;
	int err = 0, end;

	if (!rows.format)
		return row_format_unknown(options->format, "", diags);
	while (n_columns < ARRAY_SIZE(columns[0]) && of[n_columns].name)
		n_columns++;
	rows_begin(&rows, of, n_columns);
	for (size_t i = 0; i < n && !err; i++) {
		l.h = h[i];
		err = list_recording(&l, &p, diags);
	}
	err = rows_end(&rows, !err) ?: err;
	end = printer_end(&p);
	return err ? err : end;
}
