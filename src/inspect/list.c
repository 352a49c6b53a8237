// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Lists the contents of recordings as text: the machine, the buffers, and each event with its count
 * and (on request) its fields.
 */
#include "hist-list.h"
#include "inspect/list.h"
#include "replay/replay.h"

const char *list_codec_name(enum codec codec)
{
	return codec == CODEC_ZSTD ? "zstd" : codec == CODEC_ZLIB ? "zlib" : "uncompressed";
}

/* An imported recording is in a temporary file, whose size is of no interest. */
u64 list_bytes(const struct recording *rec)
{
	return rec->imported_from ? rec->imported_bytes : rec->info->file_size;
}

void list_print_time(struct strbuf *out, u64 ts, const char *clock)
{
	if (trace_clock_counts(clock))
		strbuf_addf(out, "%llu", ts);
	else
		strbuf_addf(out, "%llu.%06llu s", ts / 1000000000, ts % 1000000000 / 1000);
}

static void print_script(struct strbuf *out, struct span script)
{
	strbuf_addstr(out, "  script\n");
	while (script.n) {
		struct span line = span_sep(&script, "\n");

		strbuf_addf(out, "    %.*s\n", (int)line.n, line.s);
	}
}

/* The journal of tasks; texts have names of addresses there. */
static void print_tasks(struct strbuf *out, const struct recording *rec)
{
	struct task_journal tasks;
	char from[64];
	size_t n;

	task_journal_read(rec->td, &tasks);
	if (!tasks.version || (!tasks.n_tasks && span_eq(tasks.from, "text")))
		return;
	strbuf_addstr(out, "  tasks        ");
	if (tasks.version != TASK_JOURNAL_VERSION)
		strbuf_addf(out, "journal of version %llu, which a later hist reads",
			    tasks.version);
	else
		strbuf_addf(out, "%llu task%s, %s", tasks.n_tasks, plural(tasks.n_tasks),
			    tasks.complete ? "complete" : "incomplete");
	n = task_text(tasks.from, from, sizeof(from));
	if (n)
		strbuf_addf(out, ", from %.*s", (int)n, from);
	if (tasks.lost)
		strbuf_addf(out, ", %llu event%s lost", tasks.lost, plural(tasks.lost));
	if (tasks.unread)
		strbuf_addf(out, ", arguments of %llu program%s not known", tasks.unread,
			    plural(tasks.unread));
	if (tasks.unseen)
		strbuf_addstr(out, ", /proc did not show all tasks");
	strbuf_addch(out, '\n');
}

static void print_file(struct strbuf *out, const struct recording *rec)
{
	const struct trace_dat_info *info = rec->info;
	const char *script = recording_option(rec, TRACE_DAT_HIST_SCRIPT);
	struct span text, limits, rest;
	struct slimmed_line line;
	struct recording_mark mark;
	struct caveat c;

	strbuf_addf(out, "%s: ", rec->path);
	if (rec->imported_from)
		strbuf_addf(out, "%s, imported", rec->imported_from);
	else
		strbuf_addf(out, "trace.dat version %d, %s", info->version,
			    list_codec_name(info->codec));
	strbuf_addf(out, ", %llu bytes%s\n", list_bytes(rec), info->cut ? ", truncated" : "");
	strbuf_addf(out, "  machine      %s, %u CPU%s, %u-bit %s-endian\n",
		    info->uname ? info->uname : "unknown", info->cpu_count, plural(info->cpu_count),
		    info->long_size * 8, info->big_endian ? "big" : "little");
	if (info->version_text)
		strbuf_addf(out, "  recorded by  %s\n", info->version_text);
	strbuf_addf(out, "  clock        %s%s", info->clock, info->clock_known ? "" : " (assumed)");
	if (info->has_tsc2nsec || info->has_date) {
		strbuf_addstr(out, "; times: ");
		trace_dat_times_print(rec->td, out);
	}
	strbuf_addch(out, '\n');
	if (recording_option(rec, TRACE_DAT_HIST_WALL)) {
		strbuf_addstr(out, "  time of day  ");
		recording_wall_print(rec, out);
		strbuf_addch(out, '\n');
	}
	strbuf_addf(out, "  formats      %zu event%s\n", rec->n_formats, plural(rec->n_formats));
	print_tasks(out, rec);
	text = limits = span_of(recording_option(rec, TRACE_DAT_HIST_LIMITS) ?: "");
	while (text.n) {
		struct span limit = span_sep(&text, "\n"), kind = span_sep(&limit, " ");
		u64 cpu, ns;

		/* A line of TRACE_DAT_HIST_LIMITS, of which @limits are all. */
		if (span_eq(kind, "lacks")) {
			struct span late = limit;

			if (span_u64(span_sep(&late, " "), &cpu) && span_u64(late, &ns))
				strbuf_addf(out, "  lacks        the first %.3f s of CPU %llu\n",
					    (double)ns / 1e9, cpu);
		} else if (span_eq(kind, "stopped")) {
			strbuf_addf(out, "  ended early  %.*s\n", (int)limit.n, limit.s ?: "");
		} else if (span_eq(kind, "filter")) {
			strbuf_addf(out, "  filter       %.*s\n", (int)limit.n, limit.s ?: "");
		} else if (span_eq(kind, "pids")) {
			strbuf_addstr(out, "  only         ");
			limits_print_tasks(limits, out);
			strbuf_addch(out, '\n');
		}
	}
	/* what hist_slim() selected */
	text = slimmed_text(rec);
	while (slimmed_next(&text, "selected ", 0, &line))
		strbuf_addf(out, "  only         %.*s\n", (int)line.rest.n, line.rest.s);
	for (size_t i = 0; recording_mark(rec, i, &mark); i++) {
		strbuf_addf(out, "  mark %-7zu %.*s on CPU %u at ", i + 1, (int)mark.event.n,
			    mark.event.s, mark.cpu);
		text_add_time(out, mark.ts, false);
		strbuf_addf(out, ": %.*s\n", (int)mark.text.n, mark.text.s);
	}
	rest = recording_caveats(rec);
	while (caveat_next(&rest, &c)) {
		strbuf_addstr(out, "  caveat       ");
		caveat_print(&c, out);
		strbuf_addch(out, '\n');
	}
	if (script)
		print_script(out, span_of(script));
}

static void print_events(struct hist *h, struct strbuf *out, const struct recording *rec,
			 struct buffer_count *c, unsigned int flags)
{
	u64 known = 0;

	array_each_of(const struct trace_dat_format, f, rec->formats, rec->n_formats) {
		u64 n = f->id < c->n_ids ? c->by_id[f->id] : 0;
		const struct event_format *format;
		char *name;

		known += n;
		if (!n && !(flags & HIST_LIST_FULL))
			continue;
		strbuf_addf(out, "  %12llu  ", n);
		if (c->rates && f->id < c->n_ids) {
			const u64 *rates = c->rates + (size_t)f->id * LIST_RATES;
			u64 most = 0;

			/*
			 * Print the rates of an event relative to its own maximum; periods without
			 * events are blank.
			 */
			for (size_t j = 0; j < LIST_RATES; j++)
				most = max_t(u64, most, rates[j]);
			for (size_t j = 0; j < LIST_RATES; j++)
				if (rates[j])
					text_add_spark(out, (double)(rates[j] - 1) / (double)most);
				else
					strbuf_addch(out, ' ');
			strbuf_addstr(out, "  ");
		}
		strbuf_addf(out, "%s:%.*s\n", f->system, (int)f->name.n, f->name.s);
		if (!(flags & HIST_LIST_EVENTS))
			continue;
		name = strndup(f->name.s, f->name.n);
		if (name && !event_db_find(h->recordings.db, f->system, name, &format))
			for (size_t k = 0; k < format->n_fields; k++)
				strbuf_addf(out, "                    %-32s %s\n",
					    format->fields[k].type, format->fields[k].name);
		free(name);
	}
	if (known < c->events)
		strbuf_addf(out, "  %12llu  of unknown events\n", c->events - known);
}

static void print_buffer(struct hist *h, struct strbuf *out, const struct recording *rec,
			 struct buffer_count *c, unsigned int flags)
{
	const struct trace_dat_buffer *buffer = c->buffer;

	if (buffer->name[0])
		strbuf_addf(out, "instance %s: ", buffer->name);
	else
		strbuf_addstr(out, "top buffer: ");
	if (buffer->text) {
		strbuf_addstr(out, "the text of a trace file, without events\n");
		return;
	}
	strbuf_addf(out, "%llu event%s, sub-buffers of %u bytes", c->events, plural(c->events),
		    buffer->subbuf_size);
	if (c->events) {
		strbuf_addstr(out, "\n  time         ");
		list_print_time(out, c->first, rec->info->clock);
		strbuf_addstr(out, " to ");
		list_print_time(out, c->last, rec->info->clock);
	}
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < buffer->n_cpus; i++) {
		const struct cpu_count *cpu = &c->cpus[i];

		strbuf_addf(out, "  CPU %-3u %12llu events, ", buffer->cpus[i].cpu, cpu->events);
		if (cpu->missed || !cpu->missed_unknown)
			strbuf_addf(out, "%llu lost", cpu->missed);
		if (cpu->missed_unknown)
			strbuf_addf(out, "%ssome lost (the number was not recorded)",
				    cpu->missed ? ", and " : "");
		if (cpu->damaged)
			strbuf_addf(out, ", %llu damaged sub-buffer%s", cpu->damaged,
				    plural(cpu->damaged));
		if (cpu->unread)
			strbuf_addf(out, ", %llu chunk%s with about %llu events cannot be read",
				    cpu->unread, plural(cpu->unread), cpu->about);
		if (buffer->cpus[i].missing)
			strbuf_addf(out, ", %llu bytes missing at the end",
				    buffer->cpus[i].missing);
		if (cpu->holes == 1) {
			/* When events are missing. */
			strbuf_addstr(out, "; missing from ");
			if (cpu->gap_from)
				list_print_time(out, cpu->gap_from, rec->info->clock);
			else
				strbuf_addstr(out, "the beginning");
			strbuf_addstr(out, " to ");
			if (cpu->gap_to == UINT64_MAX)
				strbuf_addstr(out, "the end");
			else
				list_print_time(out, cpu->gap_to, rec->info->clock);
		}
		strbuf_addch(out, '\n');
		if (cpu->holes > 1)
			list_print_holes(out, c, buffer->cpus[i].cpu, rec->info->clock);
	}
	print_events(h, out, rec, c, flags);
}

/* --- events with records --- */

struct recorded {
	const char *name;
	u64 count;
	bool ftrace;
};

DEFINE_ORDER(by_count, struct recorded, cmp_int(x->ftrace, y->ftrace) ?: cmp_int(y->count, x->count) ?: strcmp(x->name, y->name))

/*
 * Keep the events with records, the most frequent first for the example; the system ftrace comes
 * last.
 */
static int keep_recorded(struct hist *h, const struct recording *rec, const struct buffer_count *c)
{
	scoped(free_scoped) ARRAY(struct recorded) found = ARRAY_INIT;
	ARRAY(const char *) names = ARRAY_INIT;
	int err = 0;

	array_each_of_while(const struct trace_dat_format, f, rec->formats, rec->n_formats,
			    c->by_id && !err) {
		char *name = arena_printf(&h->recordings.arena, "%s:%.*s", f->system,
					  (int)f->name.n, f->name.s);
		u64 count = f->id < c->n_ids ? c->by_id[f->id] : 0;

		/* hist slim may have left out those that no filter accepts */
		if (name)
			count = max_t(u64, count,
				      slimmed_count(rec, f->system, strchr(name, ':') + 1));
		if (!name)
			err = HIST_NOMEM;
		else if (count)
			err = array_push(
				&found,
				((struct recorded){ name, count, !strcmp(f->system, "ftrace") }));
	}
	if (found.n)
		qsort(found.v, found.n, sizeof(*found.v), by_count);
	for (size_t i = 0; i < found.n && !err; i++)
		err = array_push(&names, found.v[i].name);
	err = err ?: array_push(&names, NULL);
	h->recorded = names.v;
	return err;
}

/* Whether @b is the buffer that hist_recorded_event() is about. */
static bool is_recorded_buffer(struct hist *h, const struct recording *rec, size_t b)
{
	size_t chosen;

	return rec == &h->recordings.files.v[0] && recording_find_buffer(rec, h->buffer, &chosen) &&
	       chosen == b;
}

/* --- all files --- */

static int list_file(struct list_out *l, struct recording *rec, struct printer *p,
		     struct diags *diags)
{
	const bool text = !l->rows && !(l->flags & HIST_LIST_JSON);
	struct hist *h = l->h;
	int err = 0;

	if (text)
		print_file(&p->buf, rec);
	for (size_t b = 0; b < rec->n_buffers && !err; b++) {
		struct recordings_times times;
		struct buffer_count c;

		list_count_start(&c, rec, b);
		/* rates need the time at the end of the buffer before it is read */
		if (text && l->flags & HIST_LIST_RATES && !rec->buffers[b].text) {
			err = recordings_times(&h->recordings, c.buffer->name, &times);
			err = err ?: list_count_rates(&c, &times);
		}
		err = err ?: list_count_buffer(rec, b, &c, diags);
		if (!err && l->rows)
			list_rows_buffer(l, rec, &c);
		else if (!err && !text)
			list_json_buffer(l, rec, b, &c);
		else if (!err)
			print_buffer(h, &p->buf, rec, &c, l->flags);
		for (size_t i = 0; i < rec->buffers[b].n_cpus && !err; i++)
			replay_warn_damaged(&h->account, rec, rec->buffers[b].cpus[i].cpu,
					    c.cpus[i].damaged, diags);
		if (!err && !h->recorded && is_recorded_buffer(h, rec, b))
			err = keep_recorded(h, rec, &c);
		list_count_release(&c);
		printer_flush(p);
	}
	return err;
}

int list_recording(struct list_out *l, struct printer *p, struct diags *diags)
{
	const bool json = l->flags & HIST_LIST_JSON && !l->rows;
	struct hist *h = l->h;
	int err = recordings_make_all(&h->recordings, diags);

	for (size_t i = 0; i < h->recordings.files.n && !err; i++) {
		struct recording *rec = &h->recordings.files.v[i];

		if (json)
			list_json_begin(l, rec);
		else if (i && !l->rows)
			strbuf_addch(&p->buf, '\n');
		err = list_file(l, rec, p, diags);
		if (json)
			list_json_end(l, rec);
	}
	/* report data that the file does not contain */
	for (size_t i = 0; i < h->recordings.files.n; i++)
		for (unsigned int id = TRACE_DAT_KALLSYMS; id <= TRACE_DAT_CMDLINES; id++) {
			struct span text;

			trace_dat_section(h->recordings.files.v[i].td, id, &text, diags);
		}
	recordings_diagnose_read(&h->recordings, diags);
	return err;
}

int hist_list(struct hist *h, unsigned int flags, hist_sink_fn sink, void *arg, struct diags *diags)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	struct list_out l = { .h = h, .json = { .out = &p.buf }, .flags = flags };
	const int err = list_recording(&l, &p, diags), end = printer_end(&p);

	return err ? err : end;
}

int list_count(struct hist *h, bool rates, struct buffer_count *c, struct diags *diags)
{
	struct recording *rec = &h->recordings.files.v[0];
	struct recordings_times times;
	size_t buffer;
	int err = 0;

	*c = (struct buffer_count){ .by_id = NULL };
	if (recording_find_buffer(rec, h->buffer, &buffer)) {
		list_count_start(c, rec, buffer);
		if (rates)
			err = recordings_start(&h->recordings, h->buffer, &times)
				      ?: list_count_rates(c, &times);
		err = err ?: list_count_buffer(rec, buffer, c, diags);
	}
	return err || h->recorded ? err : keep_recorded(h, rec, c);
}

/* Counted here, unless the recording was listed. */
static int collect_recorded(struct hist *h)
{
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	struct buffer_count c;
	int err = list_count(h, false, &c, &ignored);

	list_count_release(&c);
	return err;
}

const char *hist_recorded_event(struct hist *h, size_t i)
{
	if (!h->recorded && collect_recorded(h))
		return NULL;
	for (size_t n = 0; n < i; n++)
		if (!h->recorded[n])
			return NULL;
	return h->recorded[i];
}

const char *hist_live_file(struct hist *h, size_t i, const char **path)
{
	const struct trace_dat_option *options;
	size_t n;

	options = trace_dat_options(h->recordings.files.v[0].td, &n);
	for (size_t o = 0; o < n; o++) {
		const char *data = (const char *)options[o].data, *end;

		if (options[o].id != TRACE_DAT_HIST_LIVE || !options[o].size ||
		    data[options[o].size - 1])
			continue;
		end = memchr(data, 0, options[o].size - 1);
		if (!end || i--)
			continue;
		*path = data;
		return end + 1;
	}
	return NULL;
}

int hist_mark(struct hist *h, size_t i, struct hist_mark *out)
{
	struct arena *arena = &h->recordings.arena;
	struct recording_mark mark;

	if (!recording_mark(&h->recordings.files.v[0], i, &mark))
		return 0;
	*out = (struct hist_mark){ .ts = mark.ts,
				   .cpu = mark.cpu,
				   .pid = mark.pid,
				   .event = arena_strndup(arena, mark.event.s, mark.event.n),
				   .text = arena_strndup(arena, mark.text.s, mark.text.n) };
	return out->event && out->text ? 1 : HIST_NOMEM;
}

const char *hist_stored_script(struct hist *h)
{
	return recording_option(&h->recordings.files.v[0], TRACE_DAT_HIST_SCRIPT);
}
