// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes the kept records and the metadata that they need as a trace.dat; times, lost events and
 * the metadata of the machine do not change.
 */
#include "program/tasks.h"
#include "slim/slim.h"
#include "recording/recording.h"

/* --- reading the kept records --- */

/* Whether sub-buffers may be preceded by losses, or be damaged. */
static bool has_losses(const struct slim *s)
{
	const struct replay_account *sum = &s->h->account;

	return sum->missed || sum->missed_unknown || sum->damaged_pages || s->rec->info->cut ||
	       trace_dat_damaged(s->rec->td);
}

/* Whether the script's directory includes the buffer. */
static bool slim_has_buffer(const struct slim *s, size_t buffer)
{
	const char *name = s->rec->buffers[buffer].name;

	if (s->rec->buffers[buffer].text)
		return false;
	for (const struct trace_array *tr = s->h->tracing->top; tr; tr = tr->next)
		if (!strcmp(name, tr->name[0] ? tr->name : s->h->buffer))
			return true;
	return false;
}

/* Iterates over the kept records of one CPU. */
struct walk {
	const struct slim *s;
	const struct slim_visitor *v;
	const struct slim_cpu *cpu;
	size_t next; /* index of the next position */
	bool skips;  /* sub-buffers without a record that is visited are not read */
};

static bool is_visited(const struct walk *w, u64 place)
{
	return (!(place & SLIM_TRACE_ONLY) || w->s->with_trace) &&
	       (!(place & SLIM_LEFT_OUT) || w->v->all);
}

/* Go on at the sub-buffer with the next record that is visited; false: there is none. */
static bool skip_pages(struct walk *w, struct trace_dat_pages *pages)
{
	const u64 *places = w->cpu->kept.v;
	u64 page;

	while (w->next < w->cpu->kept.n && !is_visited(w, places[w->next]))
		w->next++;
	if (w->next == w->cpu->kept.n)
		return false;
	page = slim_place_page(places[w->next]);
	return page <= trace_dat_pages_index(pages) || !trace_dat_pages_seek(pages, page);
}

/* @w: NULL, or what chooses sub-buffers. */
static int each_page(const struct slim *s, size_t buffer, size_t cpu, slim_page_fn fn, void *arg,
		     struct walk *w)
{
	const struct recording *rec = s->rec;
	const struct ring_buffer_layout layout = { rec->info->big_endian, rec->info->long_size,
						   rec->buffers[buffer].subbuf_size };
	const struct slim_cpu *c = &s->cpus[s->first_cpu[buffer] + cpu];
	struct trace_dat_pages *pages;
	struct ring_buffer_page page;
	struct ring_buffer_record r;
	const u8 *bytes;
	size_t len;
	bool gap = false;
	int err;

	if (!slim_has_buffer(s, buffer) ||
	    (!s->derives && !replay_span_has_cpu(&s->h->span, rec->buffers[buffer].cpus[cpu].cpu)))
		return 0;
	err = trace_dat_pages_open(rec->td, buffer, cpu, &pages, s->diags);
	if (err)
		return err;
	trace_dat_pages_seek(pages, c->first);
	while (!err && (!c->end || trace_dat_pages_index(pages) < c->end)) {
		if (w && w->skips && !skip_pages(w, pages))
			break;
		err = trace_dat_pages_next(pages, &bytes, &len);
		if (err == -HIST_EFORMAT) { /* a damaged chunk: reported at the end of the replay */
			err = 0;
			gap = true;
		} else if (!err) {
			bool damaged = ring_buffer_page_open(&page, &layout, bytes, len) ||
				       ring_buffer_page_is_hole(&page);

			if (gap && !page.missed)
				page.missed = -1;
			err = fn(arg, &page, trace_dat_pages_index(pages) - 1);
			while (!damaged && !ring_buffer_page_next(&page, &r))
				;
			gap = damaged || page.damaged;
		}
	}
	page = (struct ring_buffer_page){ .page_ts = UINT64_MAX, .missed = -1 };
	if (err >= 0 && (gap || trace_dat_pages_cut(pages)))
		err = fn(arg, &page, UINT64_MAX) ?: err;
	trace_dat_pages_close(pages);
	return err == 1 ? 0 : err;
}

int slim_each_page(const struct slim *s, size_t buffer, size_t cpu, slim_page_fn fn, void *arg)
{
	return each_page(s, buffer, cpu, fn, arg, NULL);
}

static int visit_page(void *arg, struct ring_buffer_page *page, u64 number)
{
	struct walk *w = arg;
	const u64 *places = w->cpu->kept.v;
	struct ring_buffer_record rec;
	int err = 0;

	if (page->missed && w->v->missed)
		err = w->v->missed(w->v->arg, page);
	while (!err && w->next < w->cpu->kept.n && slim_place_page(places[w->next]) == number &&
	       !ring_buffer_page_next(page, &rec)) {
		const u64 place = places[w->next];

		if (place >> SLIM_FLAG_BITS !=
		    slim_place(number, rec.offset, false) >> SLIM_FLAG_BITS)
			continue;
		if (is_visited(w, place))
			err = w->v->record(w->v->arg, &rec);
		w->next++;
	}
	return err;
}

int slim_visit(const struct slim *s, size_t buffer, size_t cpu, const struct slim_visitor *v)
{
	struct walk w = { .s = s,
			  .v = v,
			  .cpu = &s->cpus[s->first_cpu[buffer] + cpu],
			  .skips = !v->missed || !has_losses(s) };

	return each_page(s, buffer, cpu, visit_page, &w, &w);
}

/* --- metadata of the file --- */

static void add_buffers(const struct slim *s, struct strbuf *out)
{
	for (size_t b = 0; b < s->rec->n_buffers; b++) {
		const char *name = s->rec->buffers[b].name;
		struct recordings_times times;

		if (!slim_has_buffer(s, b) || !buffer_has_data(&s->rec->buffers[b]))
			continue;
		if (recordings_times(&s->h->recordings, name, &times))
			out->failed = true;
		strbuf_addf(out, "span %llu %llu %s\n", times.first, times.last, name);
	}
	if (s->h->span.from || s->h->span.to != UINT64_MAX)
		strbuf_addf(out, "part %llu %llu\n", s->h->span.from, s->h->span.to);
	if (s->derives && s->h->tracing->options.open_intervals)
		strbuf_addf(out, "intervals %d\n", s->h->tracing->options.cut_intervals);
	/* derived events need the records of all CPUs */
	for (u32 cpu = 0, n = 0; s->derives && s->h->span.cpus && cpu < s->h->span.nr_cpus; cpu++)
		if (replay_span_has_cpu(&s->h->span, cpu))
			strbuf_addf(out, n++ ? ",%u" : "cpus %u", cpu);
	if (s->derives && s->h->span.cpus)
		strbuf_addch(out, '\n');
}

/* When records of a CPU are missing: the sub-buffers will not say so exactly. */
static void add_missing(const struct slim *s, struct strbuf *out)
{
	const bool losses = has_losses(s);
	scoped(coverage_release) struct coverage c = { .holes = ARRAY_INIT };

	for (size_t b = 0; b < s->rec->n_buffers; b++)
		for (size_t i = 0; i < s->rec->buffers[b].n_cpus && slim_has_buffer(s, b); i++) {
			const struct recording_cpu of = { (struct recording *)s->rec, b, i };

			c.holes.n = 0;
			out->failed |= recording_coverage(&of, losses, &c) != 0;
			for (size_t k = 0; k < c.holes.n; k++)
				strbuf_addf(out, "missing %u %llu %llu %s\n", c.holes.v[k].cpu,
					    c.holes.v[k].from,
					    min_t(u64, c.holes.v[k].to, INT64_MAX),
					    s->rec->buffers[b].name);
		}
	if (!out->failed)
		strbuf_addstr(out, "missing -1 0 0\n"); /* and no others */
}

static void add_events(const struct slim *s, struct strbuf *out)
{
	for (size_t i = 0; i < s->rec->n_formats; i++) {
		const struct trace_dat_format *f = &s->rec->formats[i];
		char name[256];
		u64 before, n;

		if (!s->formats[i] || f->id > UINT16_MAX || f->name.n >= sizeof(name))
			continue;
		memcpy(name, f->name.s, f->name.n);
		name[f->name.n] = '\0';
		before = slimmed_count(s->rec, f->system, name);
		n = max_t(u64, before, s->seen[f->id]);
		if (n)
			strbuf_addf(out, "event %llu %s:%s\n", n, f->system, name);
	}
}

static void add_glob(const char *kind, int set, const char *glob, struct strbuf *out)
{
	if (!glob)
		return;
	strbuf_addf(out, "%s %d ", kind, set);
	/* no name of a task is longer than a line */
	for (const char *c = glob; *c; c++)
		strbuf_addch(out, *c == '\n' ? '?' : *c);
	strbuf_addch(out, '\n');
}

/* The selected tasks, from the first set. */
static void add_tasks(const struct slim *s, struct strbuf *out)
{
	int number = 0;

	for (const struct task_set *set = s->h->recordings.options.tasks; set; set = set->and) {
		for (u32 pid = 0; pid < set->n_pids; pid++)
			if (task_set_has(set, pid))
				strbuf_addf(out, "task %d %u\n", number, pid);
		add_glob("tasks", number, set->comm, out);
		add_glob("process", number, set->texts[WHO_PROCESS], out);
		add_glob("cgroup", number, set->texts[WHO_CGROUP], out);
		number++;
	}
}

static void add_own_options(const struct slim *s, struct trace_dat_writer *w)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	const char *script = s->options->script_text;

	if (!script)
		script = recording_option(s->rec, TRACE_DAT_HIST_SCRIPT);
	if (script)
		trace_dat_writer_option(w, TRACE_DAT_HIST_SCRIPT, script, (u32)strlen(script) + 1);
	add_buffers(s, &text);
	if (!s->around)
		add_missing(s, &text);
	if (s->used.syscalls_decide)
		strbuf_addstr(&text, "syscalls 1\n");
	add_events(s, &text);
	if (!s->around && !s->observer.asks_comm)
		strbuf_addstr(&text, "names 0\n");
	array_each(const struct slim_name, n, &s->names)
		if (n->from <= n->to && slim_needs_name(s, n) && !strchr(n->name, '\n'))
			strbuf_addf(&text, "%s %lld %llu %llu %s\n", n->guessed ? "guess" : "name",
				    n->key, n->from, n->to, n->name);
	if (s->around) {
		/* the events of all tasks of the input were kept, and who they are is known */
		static const char *const kinds[] = { "task ",     "tasks ", "process ", "cgroup ",
						     "selected ", "name ",  "guess ",   "comm " };
		struct span rest = slimmed_text(s->rec);

		while (rest.s) {
			struct span line = span_sep(&rest, "\n");

			for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
				if (span_starts(line, kinds[i]))
					strbuf_addf(&text, "%.*s\n", (int)line.n, line.s);
		}
	} else {
		add_tasks(s, &text);
		slimmed_add_selection(s->h->selection, &text);
	}
	if (text.len)
		trace_dat_writer_text(w, TRACE_DAT_HIST_SLIM, &text);
	else
		trace_dat_writer_option(w, TRACE_DAT_HIST_SLIM, "", 1);
	strbuf_reset(&text);
	replay_caveats(s->h, &text);
	trace_dat_writer_text(w, TRACE_DAT_HIST_CAVEATS, &text);
}

/* --- records --- */

struct put {
	const struct slim_around *around;
	u64 ts; /* time of the last record; 0: none yet */
	struct trace_dat_writer *w;
	struct ring_buffer_composer composer;
	u64 last; /* time of the last record of all CPUs */
};

static int put_page(void *arg, const u8 *page)
{
	return trace_dat_writer_pages(arg, page, 1);
}

static int put_record(void *arg, const struct ring_buffer_record *rec)
{
	struct put *put = arg;
	int err = 0;

	/* records between two spans are missing */
	if (put->around && put->ts && !slim_around_touches(put->around, put->ts, rec->ts))
		err = ring_buffer_compose_missed(&put->composer, rec->ts, -1);
	put->ts = rec->ts;
	return err ?: ring_buffer_compose(&put->composer, rec);
}

static int put_missed(void *arg, const struct ring_buffer_page *page)
{
	struct put *put = arg;

	return ring_buffer_compose_missed(&put->composer, min_t(u64, page->page_ts, put->last),
					  page->missed);
}

static int put_cpu(const struct slim *s, struct trace_dat_writer *w, size_t b, size_t c)
{
	const struct trace_dat_buffer *buffer = &s->rec->buffers[b];
	const struct ring_buffer_layout layout = { s->rec->info->big_endian,
						   s->rec->info->long_size, buffer->subbuf_size };
	struct put put = { .w = w, .around = s->around };
	const struct slim_visitor v = { .arg = &put, .record = put_record, .missed = put_missed };
	const struct lost lost = lost_of(s->rec, b, buffer->cpus[c].cpu);
	struct recordings_times times;
	int err = ring_buffer_composer_init(&put.composer, &layout, put_page, w);

	err = err ?: trace_dat_writer_cpu(w, buffer->cpus[c].cpu);
	err = err ?: recordings_times(&s->h->recordings, buffer->name, &times);
	/* store losses that are only in the statistics on a CPU with data */
	if (!err && (lost_sum(&lost) || lost.noted_unknown))
		err = ring_buffer_compose_missed(&put.composer, times.first, 0);
	put.last = err ? 0 : times.last;
	err = err ?: slim_visit(s, b, c, &v);
	err = err ?: ring_buffer_compose_end(&put.composer);
	ring_buffer_composer_release(&put.composer);
	return err;
}

/* --- the file --- */

static struct trace_dat_machine machine_of(const struct slim *s)
{
	struct trace_dat_machine m = trace_dat_machine_of(s->rec->td);
	const char *codec = s->options->compression;

	if (s->options->version)
		m.version = s->options->version;
	if (codec)
		m.codec = !strcmp(codec, "zstd")   ? CODEC_ZSTD
			  : !strcmp(codec, "zlib") ? CODEC_ZLIB
						   : CODEC_NONE;
	else if (m.version == 6)
		m.codec = CODEC_NONE;
	return m;
}

int slim_write(struct slim *s, u64 limit)
{
	const struct trace_dat_machine machine = machine_of(s);
	struct trace_dat_writer *w;
	int err = trace_dat_writer_open(s->options->output, &machine, &w, s->diags);
	const struct trace_dat_option *options;
	size_t n;

	if (err)
		return err;
	for (size_t i = 0; i < s->rec->n_formats; i++)
		if (s->formats[i])
			trace_dat_writer_format(w, s->rec->formats[i].system,
						s->rec->formats[i].text);
	trace_dat_writer_section(w, TRACE_DAT_KALLSYMS, strbuf_span(&s->kallsyms));
	trace_dat_writer_section(w, TRACE_DAT_PRINTK, strbuf_span(&s->printk));
	trace_dat_writer_section(w, TRACE_DAT_CMDLINES, strbuf_span(&s->cmdlines));
	/*
	 * Copy options, except the maps of processes, which no event refers to, and results of
	 * other scripts.
	 */
	options = trace_dat_options(s->rec->td, &n);
	array_each_of(const struct trace_dat_option, o, options, n) {
		if (o->id == TRACE_DAT_PROCMAPS || o->id == TRACE_DAT_HIST_SCRIPT ||
		    o->id == TRACE_DAT_HIST_SLIM || o->id == TRACE_DAT_HIST_CAVEATS ||
		    (o->id == TRACE_DAT_HIST_TASKS &&
		     (directory_of(s->h)->drop_tasks || s->tasks.len)) ||
		    (o->id == TRACE_DAT_HIST_LIVE && s->options->script_text))
			continue;
		trace_dat_writer_copy_option(w, o);
	}
	if (s->tasks.len && !directory_of(s->h)->drop_tasks)
		trace_dat_writer_option(w, TRACE_DAT_HIST_TASKS, s->tasks.s, (u32)s->tasks.len);
	add_own_options(s, w);
	for (size_t b = 0; b < s->rec->n_buffers && !err; b++) {
		const struct trace_dat_buffer *buffer = &s->rec->buffers[b];
		bool kept = slim_has_buffer(s, b);

		if (!b || kept) /* the top buffer always exists */
			err = trace_dat_writer_buffer(w, buffer->name, buffer->clock,
						      buffer->subbuf_size);
		for (size_t c = 0; c < buffer->n_cpus && kept && !err; c++)
			err = put_cpu(s, w, b, c);
		if (!err && limit && trace_dat_writer_size(w) > limit)
			err = 1;
	}
	if (!err || trace_dat_writer_failed(w))
		return trace_dat_writer_finish(w, s->diags);
	trace_dat_writer_abort(w);
	return err;
}
