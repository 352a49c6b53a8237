// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints the recorded ring buffer: every sub-buffer and entry of the selected buffer, or the
 * findings of an audit of the time stamps; then totals.
 *
 * Processes one sub-buffer at a time, CPU by CPU, so memory does not grow with the file.
 */
#include "inspect/dump.h"
#include "replay/replay.h"

/* An event of one file, by its id in that file. */
struct dump_event {
	const struct trace_dat_format *format;
	struct event_print *print;
	bool print_parsed;
};

struct dump {
	struct hist *h;
	const struct hist_dump_options *options;
	struct dump_out out;
	struct printer p;
	struct diags *diags;
	struct ring_buffer_layout layout;
	bool clock_counts, old_kernel;
	struct arena arena; /* cleared for each file */
	struct dump_event *events;
	u32 n_events;
	struct strbuf text;
	u64 found[RING_BUFFER_FINDINGS];

	/* audit of the current CPU */
	struct ring_buffer_audit audit;
	struct dump_totals totals;
	struct dump_subbuf subbuf;
	bool announced; /* the header of the sub-buffer was printed */
	bool any;
	u64 before;
};

static bool in_span(const struct dump *d, u64 ts)
{
	return ts >= d->h->span.from && ts <= d->h->span.to;
}

static bool shows_entries(const struct dump *d)
{
	return !d->options->audit && !d->options->totals;
}

/* --- events --- */

static int note_events(struct dump *d, const struct recording *rec)
{
	u32 max = 0;

	for (size_t i = 0; i < rec->n_formats; i++)
		if (rec->formats[i].id <= UINT16_MAX)
			max = max_t(u32, max, rec->formats[i].id);
	d->n_events = max + 1;
	d->events = arena_alloc(&d->arena, d->n_events * sizeof(*d->events));
	if (!d->events)
		return HIST_NOMEM;
	for (size_t i = 0; i < rec->n_formats; i++)
		if (rec->formats[i].id <= max && !d->events[rec->formats[i].id].format)
			d->events[rec->formats[i].id].format = &rec->formats[i];
	return 0;
}

/* Print the fields of a data record that describe its event. */
static void describe_event(struct dump *d, struct dump_entry *e)
{
	const struct ring_buffer_record *rec = e->rec;
	struct dump_event *event;
	u32 id;

	if (rec->len < 8)
		return;
	id = load_u16(rec->data, e->big_endian);
	e->flags = rec->data[2];
	e->preempt = rec->data[3];
	e->pid = (s32)load_u32(rec->data + 4, e->big_endian);
	e->comm = event_saved_comm(d->h->recordings.db, e->pid);
	if (id >= d->n_events || !d->events[id].format)
		return;
	event = &d->events[id];
	e->system = event->format->system;
	e->name = event->format->name;
	if (!d->options->text)
		return;
	if (!event->print_parsed) {
		struct event_db *db = d->h->recordings.db;
		const struct event_format *format;
		char *name = arena_strndup(&d->arena, event->format->name.s, event->format->name.n);

		event->print_parsed = true;
		if (name && !event_db_find(db, event->format->system, name, &format))
			event->print = event_print_parse(db, format, &d->arena);
	}
	strbuf_reset(&d->text);
	if (event->print && event_print(event->print, rec->data, rec->len, &d->text) &&
	    !d->text.failed)
		e->text = (struct span){ d->text.s, d->text.len };
	if (e->text.n && e->text.s[e->text.n - 1] == '\n')
		e->text.n--;
}

/* --- one CPU --- */

static void announce(struct dump *d)
{
	if (!d->announced && shows_entries(d))
		d->out.format->subbuf(&d->out, &d->subbuf);
	d->announced = true;
}

static void count(struct dump *d, const struct ring_buffer_record *rec, bool starts)
{
	struct dump_totals *t = &d->totals;

	switch (rec->type_len) {
	case RINGBUF_TYPE_PADDING:
		t->discarded += rec->delta != 0;
		return;
	case RINGBUF_TYPE_TIME_EXTEND:
		t->extends++;
		return;
	case RINGBUF_TYPE_TIME_STAMP:
		t->stamps++;
		return;
	default:
		t->first = min_t(u64, t->first, rec->ts);
		t->last = max_t(u64, t->last, rec->ts);
		t->records++;
		t->zero += starts && !rec->delta;
		return;
	}
}

static void dump_one(struct dump *d, const struct ring_buffer_record *rec)
{
	struct dump_entry e = {
		.rec = rec,
		.before = d->before,
		.has_before = d->any,
		.big_endian = d->layout.big_endian,
		.clock_counts = d->clock_counts,
		.cpu = d->totals.cpu,
	};

	announce(d);
	if (!shows_entries(d))
		return;
	if (rec->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX)
		describe_event(d, &e);
	d->out.format->entry(&d->out, &e);
	printer_flush(&d->p);
}

/* A damaged part, or one that is missing at the end. */
static void print_gap(struct dump *d, u64 offset, const char *why)
{
	const struct dump_gap gap = { .cpu = d->totals.cpu, .offset = offset, .why = why };

	d->found[RING_BUFFER_DAMAGED]++;
	d->out.format->gap(&d->out, &gap);
}

static void dump_subbuf(struct dump *d, const u8 *bytes, size_t len)
{
	u32 header = ring_buffer_header_size(&d->layout);
	struct ring_buffer_page pg;
	int err = ring_buffer_page_open(&pg, &d->layout, bytes, len);
	struct ring_buffer_record rec;
	bool own;

	d->subbuf.size = (u32)(pg.end - pg.p);
	d->subbuf.capacity = d->layout.subbuf_size - header;
	d->subbuf.ts = pg.page_ts;
	d->subbuf.missed = pg.missed;
	d->announced = false;
	if ((!d->h->span.from && d->h->span.to == UINT64_MAX) || in_span(d, pg.page_ts))
		announce(d);
	if (ring_buffer_page_is_hole(&pg)) {
		pg.damaged = true;
		err = -HIST_EFORMAT;
	}
	ring_buffer_audit_page(&d->audit, &pg, d->subbuf.index);
	/* @own: the time of the record comes from its own delta, which may be zero */
	own = false;
	while (!d->p.err && !ring_buffer_page_raw(&pg, &rec)) {
		bool data = rec.type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX;

		ring_buffer_audit_entry(&d->audit, &rec);
		if (in_span(d, rec.ts)) {
			count(d, &rec, own);
			dump_one(d, &rec);
		}
		own = data || rec.type_len == RINGBUF_TYPE_PADDING;
		if (data) {
			d->any = true;
			d->before = rec.ts;
		}
	}
	d->totals.subbufs++;
	d->totals.empty += !err && !d->subbuf.size;
	d->totals.bytes += d->subbuf.size;
	d->totals.capacity += d->subbuf.capacity;
	if (pg.missed < 0)
		d->totals.missed_unknown = true;
	else
		d->totals.missed += (u64)pg.missed;
	if (err || pg.damaged) {
		d->totals.damaged++;
		print_gap(
			d, d->subbuf.offset,
			err ? "damaged: the header of this sub-buffer is invalid"
			    : "damaged: the next entry does not fit, the rest of the sub-buffer is left out");
	} else if (pg.cut) {
		print_gap(d, d->subbuf.offset, "cut: the file ends within this sub-buffer");
	}
}

static int dump_pages(struct dump *d, struct trace_dat_pages *pages)
{
	const u8 *bytes;
	size_t len;
	int err;

	while (!d->p.err && (err = trace_dat_pages_next(pages, &bytes, &len)) <= 0) {
		d->subbuf.offset = trace_dat_pages_offset(pages);
		if (err == -HIST_EFORMAT) {
			print_gap(d, d->subbuf.offset,
				  "damaged: the chunk after this one cannot be inflated");
			continue;
		}
		if (err)
			return err;
		dump_subbuf(d, bytes, len);
		d->subbuf.index++;
		printer_flush(&d->p);
	}
	return 0;
}

static void found(void *arg, const struct ring_buffer_finding *finding)
{
	struct dump *d = arg;
	const struct dump_finding f = {
		.finding = finding,
		.cpu = d->totals.cpu,
		.clock_counts = d->clock_counts,
	};

	if (!d->options->audit || !in_span(d, finding->ts))
		return;
	d->found[finding->kind]++;
	d->out.format->finding(&d->out, &f);
	printer_flush(&d->p);
}

static int dump_cpu(struct dump *d, const struct recording *rec, size_t b, size_t i)
{
	const struct trace_dat_buffer *buffer = &rec->buffers[b];
	const struct trace_dat_cpu *cpu = &buffer->cpus[i];
	struct trace_dat_pages *pages;
	int err = trace_dat_pages_open(rec->td, b, i, &pages, d->diags);
	struct lost lost;

	if (err)
		return err;
	d->totals = (struct dump_totals){
		.cpu = cpu->cpu,
		.first = UINT64_MAX,
		.file_missing = cpu->missing,
		.clock_counts = d->clock_counts,
	};
	d->subbuf = (struct dump_subbuf){
		.cpu = cpu->cpu,
		.compressed = buffer->compressed,
		.clock_counts = d->clock_counts,
	};
	d->any = false;
	ring_buffer_audit_init(&d->audit, d->layout.big_endian, d->old_kernel, found, d);
	err = dump_pages(d, pages);
	ring_buffer_audit_end(&d->audit);
	trace_dat_pages_diagnose(pages, d->diags);
	trace_dat_pages_close(pages);
	replay_warn_damaged(&d->h->account, rec, cpu->cpu, d->totals.damaged, d->diags);
	/* add losses that sub-buffers do not show to the totals */
	lost = lost_of(rec, b, cpu->cpu);
	d->totals.dropped = lost.stats.dropped;
	d->totals.commit_overrun = lost.stats.commit_overrun;
	d->found[RING_BUFFER_LOST] += !!lost.stats.dropped + !!lost.stats.commit_overrun +
				      (lost.noted || lost.noted_unknown);
	d->found[RING_BUFFER_DAMAGED] += cpu->missing > 0;
	d->out.format->totals(&d->out, &d->totals);
	return err;
}

/* --- all files --- */

static int dump_file(struct dump *d, const struct recording *rec)
{
	const struct trace_dat_buffer *buffer;
	size_t b;
	int err;
	struct kernel_version v;

	if (!recording_find_buffer(rec, d->h->buffer, &b) || rec->buffers[b].text)
		return 0;
	buffer = &rec->buffers[b];
	d->layout = (struct ring_buffer_layout){ rec->info->big_endian, rec->info->long_size,
						 buffer->subbuf_size };
	/* whether the recording may be from a kernel before 5.9 */
	v = kernel_version_parse(rec->info->uname ? rec->info->uname : "");
	d->old_kernel = (v.major < 5 || (v.major == 5 && v.minor < 9));
	err = note_events(d, rec);
	for (size_t i = 0; i < buffer->n_cpus && !err && !d->p.err; i++)
		if (replay_span_has_cpu(&d->h->span, buffer->cpus[i].cpu))
			err = dump_cpu(d, rec, b, i);
	arena_release(&d->arena);
	/* also what has no place in a CPU */
	if (!d->found[RING_BUFFER_DAMAGED])
		d->found[RING_BUFFER_DAMAGED] = rec->info->cut || trace_dat_damaged(rec->td);
	return err;
}

int hist_dump(struct hist *h, const struct hist_dump_options *options, hist_sink_fn sink, void *arg,
	      struct diags *diags)
{
	const char *format = options->format ? options->format : "text";
	struct dump d = {
		.h = h,
		.options = options,
		.p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg },
		.diags = diags,
		.clock_counts = trace_clock_counts(h->recordings.machine.clock),
		.arena = ARENA_INIT,
		.text = STRBUF_INIT,
	};
	int err, end;

	d.out = (struct dump_out){ .text = &d.p.buf,
				   .audit = options->audit,
				   .totals = options->totals,
				   .rows = { .format = row_format_find(format),
					     .out = &d.p.buf,
					     .title = options->audit    ? "Findings of the audit"
						      : options->totals ? "Totals of CPUs"
									: "Entries",
					     .creator = "hist " HIST_VERSION } };
	d.out.format = !strcmp(format, "text")   ? &dump_text
		       : !strcmp(format, "json") ? &dump_json
						 : &dump_rows;
	if (!d.out.rows.format)
		return row_format_unknown(format, "", diags);
	h->recordings.diags = diags;
	err = recordings_make_all(&h->recordings, diags);
	if (!err) {
		size_t n = d.h->recordings.files.n;

		if (d.out.format == &dump_rows)
			dump_rows_begin(&d.out, n > 1);
		for (size_t i = 0; i < n && !err && !d.p.err; i++) {
			const struct recording *rec = &d.h->recordings.files.v[i];

			if (n > 1)
				d.out.format->file(&d.out, rec->path, !i);
			err = dump_file(&d, rec);
		}
		recordings_diagnose_read(&d.h->recordings, d.diags);
		if (d.options->audit && !err)
			d.out.format->verdict(&d.out, d.found);
		if (d.out.format == &dump_rows)
			err = rows_end(&d.out.rows, !err) ?: err;
	}
	h->recordings.diags = NULL;
	end = printer_end(&d.p);
	strbuf_release(&d.text);
	if (err || end || !options->audit)
		return err ? err : end;
	for (size_t i = 0; i < RING_BUFFER_FINDINGS; i++)
		if (d.found[i])
			return 1;
	return 0;
}
