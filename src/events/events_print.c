// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints events in a format. One thread at a time reads a batch of events, in order; it copies
 * their records and asks who their tasks are. Any thread makes text of a batch, and the calling
 * thread passes the texts on in order.
 */
#include "events/events_print.h"
#include "hist-list.h"

/* --- formats --- */

/* Text is that of trace-cmd report; all others are formats of rows. */
static int find_format(struct events_printer *p, struct diags *diags)
{
	const char *name = p->print->format ?: "text";

	p->perfetto = !strcmp(name, "perfetto");
	if (!strcmp(name, "text") || p->perfetto)
		return 0;
	p->format = row_format_find(name);
	p->parquet = p->format == &row_parquet;
	return p->format ? 0 : row_format_unknown(name, ", perfetto, timeline", diags);
}

/* The columns for a writer. Return: 0, -HIST_ENOMEM */
static int describe_columns(struct events_printer *p, const struct hist_events *ev)
{
	p->row_columns = arena_alloc(&p->arena, (p->columns.n + 1) * sizeof(*p->row_columns));
	for (size_t i = 0; i < p->columns.n && p->row_columns; i++) {
		const struct events_column *c = &p->columns.v[i];
		struct row_column *to = &p->row_columns[i];

		/* several types may have different fields of that name */
		for (size_t k = 0; c->kind == COLUMN_FIELD && k < ev->types.n; k++)
			if (c->fields[k] >= 0)
				events_field_column(&ev->types.v[k]->public.fields[c->fields[k]],
						    to);
		if (c->kind != COLUMN_FIELD)
			to->kind = c->kind < N_COLUMNS ? events_common_columns[c->kind].kind
						       : CELL_TEXT;
		to->name = c->name;
		to->bare = true;
	}
	return p->row_columns ? 0 : HIST_NOMEM;
}

/* --- rows --- */

int events_rows_add(struct events_rows *rows, const struct events_printer *p,
		    struct events_row *row)
{
	if (p->asks_comm)
		row->comm = hist_event_comm(&row->e);
	if (p->asks_text)
		events_parse_print(row->e.events, events_type_of(&row->e));
	if (p->asks_who & 1u << COLUMN_TGID)
		row->tgid = hist_event_tgid(&row->e);
	for (int what = HIST_WHO_PROCESS; p->asks_who && what <= HIST_WHO_CGROUP; what++)
		if (p->asks_who & 1u << (COLUMN_PROCESS + what))
			row->who[what] = events_who_answer(&row->e, (enum hist_who)what);
	row->at = rows->bytes.len;
	strbuf_add(&rows->bytes, row->e.record, row->e.size);
	for (size_t i = 0; i < row->e.events->code.n; i++) {
		const u64 answer = events_code_answer(&row->e, i);

		strbuf_add(&rows->bytes, &answer, sizeof(answer));
	}
	return rows->bytes.failed || array_push(&rows->v, *row) ? HIST_NOMEM : 0;
}

struct events_row *events_rows_at(const struct events_rows *rows, size_t i)
{
	struct events_row *row = &rows->v.v[i];

	row->e.record = rows->bytes.s + row->at;
	return row;
}

u64 events_row_code(const struct events_row *r, size_t i)
{
	u64 answer;

	memcpy(&answer, (const u8 *)r->e.record + r->e.size + i * sizeof(answer), sizeof(answer));
	return answer;
}

void events_rows_release(struct events_rows *rows)
{
	array_release(&rows->v);
	strbuf_release(&rows->bytes);
}

/* --- batches --- */

enum { BATCH_ROWS = 1024, BATCH_BYTES = 1 << 17, SLOTS_PER_THREAD = 4, THREADS_MAX = 16 };

struct events_batch {
	const struct events_printer *printer;
	const struct hist_events *events;
	struct events_rows rows;
	struct strbuf cell, text;
	bool first, last;
};

struct events_reading {
	const struct events_printer *printer;
	struct hist_events *ev;
	u64 n;   /* events so far */
	int err; /* of hist_events_next(): <= 0 at the end */
	bool begun, ended;
};

static bool read_batch(void *arg, void *slot)
{
	struct events_reading *r = arg;
	const struct events_printer *p = r->printer;
	struct events_batch *b = slot;

	if (r->ended)
		return false;
	b->rows.v.n = 0;
	b->first = !r->begun;
	b->events = r->ev;
	r->begun = true;
	strbuf_reset(&b->rows.bytes);
	while (b->rows.v.n < BATCH_ROWS && b->rows.bytes.len < BATCH_BYTES && !r->ended) {
		struct events_row row = { .number = r->n };

		r->err = p->print->max && r->n == p->print->max ? 0
								: hist_events_next(r->ev, &row.e);
		r->ended = r->err <= 0;
		if (r->ended)
			break;
		r->n++;
		if (events_rows_add(&b->rows, p, &row))
			r->err = HIST_NOMEM;
		r->ended = r->err <= 0;
	}
	b->last = r->ended && r->err >= 0;
	return true;
}

/* The part of the table that is in a batch. */
static void add_rows(struct events_batch *b)
{
	const struct events_printer *p = b->printer;
	struct row_writer w = { .format = p->format,
				.out = &b->text,
				.title = "Events",
				.u64_as_string = p->print->json_u64_as_string,
				.clock_counts = p->clock_counts };
	struct events_cell_room room;

	if (b->first)
		rows_begin(&w, p->row_columns, p->columns.n);
	else
		rows_continue(&w, p->row_columns, p->columns.n,
			      b->rows.v.n ? b->rows.v.v[0].number : 1);
	for (size_t k = 0; k < b->rows.v.n; k++) {
		struct events_row *row = events_rows_at(&b->rows, k);

		row->cell = &b->cell;
		for (size_t c = 0; c < p->columns.n; c++) {
			const struct row_cell cell = events_cell(p, row, &p->columns.v[c], &room);

			rows_cell(&w, &cell);
		}
		rows_end_row(&w);
	}
	if (b->last)
		rows_end(&w, true);
}

static void make_text(void *slot, size_t i UNUSED)
{
	struct events_batch *b = slot;
	const struct events_printer *p = b->printer;

	strbuf_reset(&b->text);
	if (!p->format && b->first && b->rows.v.n)
		events_text_begin(b->events, &b->text);
	if (p->format) {
		add_rows(b);
		return;
	}
	for (size_t k = 0; k < b->rows.v.n; k++)
		events_text_line(p, events_rows_at(&b->rows, k), &b->text);
}

static int take_text(void *arg, const void *slot)
{
	const struct events_reading *r = arg;
	const struct events_batch *b = slot;
	const struct hist_events_print *print = r->printer->print;

	if (b->text.failed || b->cell.failed)
		return HIST_NOMEM;
	return b->text.len ? print->sink(print->arg, b->text.s, b->text.len) : 0;
}

/* --- all events --- */

/* With little to print, starting threads takes longer than what they save. */
static unsigned int count_threads(const struct events_printer *p, const struct hist_events *ev)
{
	enum { SMALL = 1 << 22 };
	const struct recordings *recs = &ev->h->recordings;
	u64 bytes = 0;

	array_each(const struct recording, rec, &recs->files) {
		size_t b;

		if (recording_find_buffer(rec, ev->h->buffer, &b))
			for (size_t c = 0; c < rec->buffers[b].n_cpus; c++)
				bytes += rec->buffers[b].cpus[c].size;
	}
	if (bytes < SMALL || (p->print->max && p->print->max < BATCH_ROWS) ||
	    event_db_share(recs->db))
		return 1;
	return min_t(u32, thread_count(ev->h->jobs), THREADS_MAX);
}

static int print_all(const struct events_printer *p, struct hist_events *ev, unsigned int threads,
		     u64 *printed)
{
	struct events_reading reading = { .printer = p, .ev = ev };
	size_t n = (size_t)threads * SLOTS_PER_THREAD;
	struct events_batch *slots = calloc(n, sizeof(*slots));
	const struct ordered_work work = { .n = SIZE_MAX,
					   .read = read_batch,
					   .make = make_text,
					   .take = take_text,
					   .arg = &reading,
					   .slots = slots,
					   .slot_size = sizeof(*slots),
					   .n_slots = n,
					   .threads = threads };
	int err;

	if (!slots)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		slots[i] = (struct events_batch){ .printer = p,
						  .rows.bytes = STRBUF_INIT,
						  .cell = STRBUF_INIT,
						  .text = STRBUF_INIT };
	err = threads_run_ordered(&work);
	for (size_t i = 0; i < n; i++) {
		events_rows_release(&slots[i].rows);
		strbuf_release(&slots[i].cell);
		strbuf_release(&slots[i].text);
	}
	free(slots);
	*printed = reading.n;
	return err ? err : min_t(int, reading.err, 0);
}

/* Name the recorded events that are nearest to one that was not recorded. */
static void note_nearest(struct hist *h, const char *event, struct diags *diags)
{
	const bool full = strchr(event, ':');
	struct near near = NEAR_INIT(event);
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	const char *recorded;

	for (size_t i = 0; (recorded = hist_recorded_event(h, i)); i++) {
		const char *name = full ? recorded : strchr(recorded, ':') + 1;

		if (!strcmp(name, event))
			return;
		near_offer(&near, name, recorded);
	}
	near_text(&near, &names);
	if (near.n)
		diags_add(diags, DIAG_NOTE, "%s is not in the recording; nearest: %s", event,
			  names.s);
}

/* Nothing is often the result of a wrong word. */
static void note_none(struct hist *h, const struct hist_events_options *options,
		      struct diags *diags)
{
	bool filtered = false;

	array_each_of(const struct hist_event_choice, c, options->choices, options->n_choices) {
		if (c->filter)
			diags_add(diags, DIAG_NOTE, "no %s event passes the filter %s", c->event,
				  c->filter);
		note_nearest(h, c->event, diags);
		filtered |= c->filter != NULL;
	}
	if (!filtered)
		diags_add(
			diags, DIAG_NOTE,
			"no event was found: none that was chosen is in the recording, or in the part "
			"of it that options select");
}

int hist_events_print(struct hist *h, const struct hist_events_options *options,
		      const struct hist_events_print *print, struct diags *diags)
{
	struct events_printer p = {
		.print = print, .clock_counts = trace_clock_counts(h->recordings.machine.clock)
	};
	struct hist_events_options asked = *options;
	struct hist_events *ev;
	u64 printed = 1;
	bool text;
	int err, end;

	if (print->format && !strcmp(print->format, "timeline") && !print->fields) {
		err = print->max ? diags_error(diags, -HIST_EINVAL,
					       "--top is for formats with a row for each event")
				 : events_timeline_print(h, options, print, &printed, diags);
		if (!err && !printed)
			note_none(h, options, diags);
		return err;
	}
	if (find_format(&p, diags))
		return -HIST_EINVAL;
	text = !p.format && !p.perfetto;
	if (!p.format && print->fields)
		return diags_error(
			diags, -HIST_EINVAL,
			"--fields chooses columns of csv, tsv, json, ndjson and parquet; name "
			"one with --format");
	p.asks_comm = !print->fields || events_list_has(print->fields, COLUMN_COMM);
	p.asks_text = text || events_list_has(print->fields, COLUMN_TEXT);
	for (int kind = COLUMN_TGID; kind <= COLUMN_CGROUP; kind++)
		p.asks_who |=
			(unsigned int)events_list_has(print->fields, (enum events_column_kind)kind)
			<< kind;
	if (p.perfetto)
		p.asks_who = 1u << COLUMN_TGID | 1u << COLUMN_CMDLINE;
	if (p.parquet && !print->fields)
		p.asks_who = 1u << COLUMN_TGID | 1u << COLUMN_PROCESS | 1u << COLUMN_CGROUP;
	asked.comm = p.asks_comm;
	asked.who = p.asks_who;
	asked.code = print->fields;
	asked.stacks = !text && (!print->fields || strstr(print->fields, "_stack"));
	err = hist_events_open(h, &asked, &ev, diags);
	if (err)
		return err;
	err = !p.format || (p.parquet && !print->fields) ? 0 : events_choose_columns(&p, ev);
	err = err ?: describe_columns(&p, ev);
	if (!err && p.perfetto)
		err = events_perfetto_print(print, ev, &printed);
	else if (!err)
		err = p.parquet ? events_parquet_print(&p, ev, options, count_threads(&p, ev))
				: print_all(&p, ev, count_threads(&p, ev), &printed);
	if (!err && !printed)
		note_none(h, options, diags);
	end = hist_events_close(ev, min_t(int, err, 0));
	array_release(&p.columns);
	arena_release(&p.arena);
	return err ? err : end;
}
