// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Saves the events traced during a replay as a recording: every record that is written to the
 * buffer of an instance (of enabled events, including synthetic ones of the script, markers,
 * stacks), with the formats, symbols and comms of the replayed recording and the formats of the
 * synthetic events.
 */
#include "save/save.h"

/* The records of an instance. */
struct save_buffer {
	const struct trace_array *tr;
	struct trace_dat_cpus cpus;
};

/* A record that must be written after earlier records that are not generated yet. */
struct save_record {
	const struct trace_array *tr;
	u32 cpu, len;
	u64 ts;
	size_t at; /* of its bytes */
	bool first;
};

/* The lost events of a stream that were already written. */
struct save_lost {
	const struct stream *stream;
	u64 missed;
	u64 unknown;
};

/* The format of an event that the replay made. */
struct save_format {
	u32 id;
	const char *system; /* static */
	struct span text;
};

struct save {
	struct hist *h;
	const char *path;
	const struct recording *rec;
	struct replay_observer observer;
	ARRAY(struct save_buffer *) buffers;
	ARRAY(struct save_record) waiting;
	struct strbuf bytes; /* of those */
	ARRAY(struct save_lost) lost;
	const u8 *now; /* the record being replayed; NULL: none */
	struct arena arena;
	ARRAY(struct save_format) formats; /* of synthetic and derived events */
	u64 too_long;
	int err, errnum; /* the first one that occurred */
};

/* --- sub-buffers --- */

static u32 subbuf_size(const struct save *s, const struct trace_array *tr)
{
	size_t b = 0;

	recording_find_buffer(s->rec, tr->name[0] ? tr->name : s->h->buffer, &b);
	return s->rec->buffers[b].subbuf_size;
}

static void note(struct save *s, int err)
{
	if (err == -HIST_EIO && !s->err)
		s->errnum = errno;
	if (!s->err)
		s->err = err;
}

static struct save_buffer *find_buffer(const struct save *s, const struct trace_array *tr)
{
	for (size_t i = 0; i < s->buffers.n; i++)
		if (s->buffers.v[i]->tr == tr)
			return s->buffers.v[i];
	return NULL;
}

/* NULL if out of memory, with ->err set. */
static struct trace_dat_cpus *cpus_of(struct save *s, const struct trace_array *tr)
{
	const struct ring_buffer_layout layout = { s->rec->info->big_endian,
						   s->rec->info->long_size, subbuf_size(s, tr) };
	struct save_buffer *b = find_buffer(s, tr);

	if (b)
		return &b->cpus;
	b = calloc(1, sizeof(*b));
	if (!b || array_push(&s->buffers, b)) {
		free(b);
		note(s, HIST_NOMEM);
		return NULL;
	}
	b->tr = tr;
	trace_dat_cpus_init(&b->cpus, &layout);
	return &b->cpus;
}

static void forget_buffers(struct save *s)
{
	for (size_t i = 0; i < s->buffers.n; i++) {
		trace_dat_cpus_release(&s->buffers.v[i]->cpus);
		free(s->buffers.v[i]);
	}
	s->buffers.n = 0;
}

/* --- records --- */

static void put(struct save *s, const struct save_record *r)
{
	const struct ring_buffer_record rec = {
		.ts = r->ts, .data = (const u8 *)s->bytes.s + r->at, .len = r->len, .type_len = 1
	};
	struct trace_dat_cpus *cpus = cpus_of(s, r->tr);
	int err = cpus ? trace_dat_cpus_record(cpus, r->cpu, &rec) : 0;

	if (err == -HIST_ELIMIT)
		s->too_long++;
	else
		note(s, err);
}

/*
 * Write the event itself, then the events that it generated, because the kernel's buffer reserved
 * it first.
 */
static void put_waiting(struct save *s)
{
	for (size_t i = 0; i < s->waiting.n; i++)
		if (s->waiting.v[i].first)
			put(s, &s->waiting.v[i]);
	for (size_t i = 0; i < s->waiting.n; i++)
		if (!s->waiting.v[i].first)
			put(s, &s->waiting.v[i]);
	s->waiting.n = 0;
	strbuf_reset(&s->bytes);
}

static void note_format(struct save *s, const struct synth_event *synth)
{
	struct save_format f = { synth->id, synth->format.system, synth->format.text };

	for (size_t i = 0; i < s->formats.n; i++)
		if (s->formats.v[i].id == synth->id)
			return;
	f.text.s = arena_strndup(&s->arena, f.text.s, f.text.n);
	if (!f.text.s || array_push(&s->formats, f))
		note(s, HIST_NOMEM);
}

static void recorded(void *arg, struct trace_array *tr, const struct hit *hit)
{
	static const u8 zeros[4];
	struct save *s = arg;
	struct save_record r = { .tr = tr, .cpu = hit->cpu, .ts = hit->ts };

	if (s->err)
		return;
	if (hit->file && hit->file->synth)
		note_format(s, hit->file->synth);
	r.at = s->bytes.len;
	r.len = ALIGN_UP(hit->len, 4);
	r.first = s->now && hit->rec == s->now;
	strbuf_add(&s->bytes, hit->rec, hit->len);
	strbuf_add(&s->bytes, zeros, r.len - hit->len);
	if (s->bytes.failed || array_push(&s->waiting, r))
		note(s, HIST_NOMEM);
	if (!s->now)
		put_waiting(s);
}

/* --- lost records --- */

static struct save_lost *lost_of_stream(struct save *s, const struct stream *stream)
{
	struct save_lost lost = { .stream = stream };

	for (size_t i = 0; i < s->lost.n; i++)
		if (s->lost.v[i].stream == stream)
			return &s->lost.v[i];
	if (array_push(&s->lost, lost)) {
		note(s, HIST_NOMEM);
		return NULL;
	}
	return &s->lost.v[s->lost.n - 1];
}

/* Events lost since the last record of the CPU. */
static void report_lost(struct save *s, const struct observed *w)
{
	struct save_lost *lost = w->missed || w->missed_unknown ? lost_of_stream(s, w->stream)
								: NULL;
	struct trace_dat_cpus *cpus;

	if (!lost || (lost->missed == w->missed && lost->unknown == w->missed_unknown))
		return;
	cpus = cpus_of(s, w->stream->tr);
	if (cpus && w->missed > lost->missed)
		note(s, trace_dat_cpus_lost(cpus, w->stream->cpu, w->rec->ts,
					    (s64)(w->missed - lost->missed)));
	if (cpus && w->missed_unknown > lost->unknown)
		note(s, trace_dat_cpus_lost(cpus, w->stream->cpu, w->rec->ts, -1));
	lost->missed = w->missed;
	lost->unknown = w->missed_unknown;
}

static void before_record(void *arg, const struct observed *w)
{
	struct save *s = arg;

	s->now = w->rec->data;
	if (!s->err)
		report_lost(s, w);
}

static void after_record(void *arg, const struct observed *w UNUSED)
{
	struct save *s = arg;

	s->now = NULL;
	put_waiting(s);
}

/* Called when a replay starts again. */
static void begin(void *arg)
{
	struct save *s = arg;

	forget_buffers(s);
	s->lost.n = 0;
}

/* --- the file --- */

static bool is_replaced(const struct save *s, const struct trace_dat_format *f)
{
	for (size_t i = 0; i < s->formats.n; i++)
		if (s->formats.v[i].id == f->id)
			return !strcmp(f->system, s->formats.v[i].system);
	return false;
}

static void put_texts(const struct save *s, struct trace_dat_writer *w, struct diags *diags)
{
	for (size_t i = 0; i < s->rec->n_formats; i++)
		if (!is_replaced(s, &s->rec->formats[i]))
			trace_dat_writer_format(w, s->rec->formats[i].system,
						s->rec->formats[i].text);
	for (size_t i = 0; i < s->formats.n; i++)
		trace_dat_writer_format(w, s->formats.v[i].system, s->formats.v[i].text);
	for (unsigned int id = TRACE_DAT_KALLSYMS; id <= TRACE_DAT_CMDLINES; id++) {
		struct span text;

		if (!trace_dat_section(s->rec->td, id, &text, diags) && text.s)
			trace_dat_writer_section(w, id, text);
	}
}

/* The replay's caveats, and the lost events that no saved record follows or sub-buffer shows. */
static void put_caveats(const struct save *s, struct trace_dat_writer *w)
{
	struct caveat lost = { .kind = CAVEAT_LOST, .n = s->h->account.missed };
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	bool unknown = s->h->account.missed_unknown;

	for (size_t i = 0; i < s->lost.n; i++) {
		lost.n -= s->lost.v[i].missed;
		unknown &= !s->lost.v[i].unknown;
	}
	caveat_add_all(&text, (struct span){ s->h->caveats.s, s->h->caveats.len });
	if (lost.n || unknown)
		caveat_add(&text, &lost);
	trace_dat_writer_text(w, TRACE_DAT_HIST_CAVEATS, &text);
}

/* Metadata of the recording, without its script. */
static void put_options(const struct save *s, struct trace_dat_writer *w)
{
	const struct trace_dat_option *options;
	scoped(strbuf_release) struct strbuf selection = STRBUF_INIT;
	size_t n;

	options = trace_dat_options(s->rec->td, &n);
	array_each_of(const struct trace_dat_option, o, options, n) {
		if (o->id != TRACE_DAT_HIST_SCRIPT && o->id != TRACE_DAT_HIST_SLIM &&
		    o->id != TRACE_DAT_HIST_LIVE && o->id != TRACE_DAT_CPUSTAT &&
		    o->id != TRACE_DAT_HIST_CAVEATS)
			trace_dat_writer_copy_option(w, o);
	}
	/* only selected events were saved */
	slimmed_add_selection(s->h->selection, &selection);
	trace_dat_writer_text(w, TRACE_DAT_HIST_SLIM, &selection);
	put_caveats(s, w);
}

static int put_instance(const struct save *s, struct trace_dat_writer *w,
			const struct trace_array *tr)
{
	struct save_buffer *b = find_buffer(s, tr);
	int err;

	if (tr->name[0] && !b)
		return 0;
	err = trace_dat_writer_buffer(w, tr->name, s->rec->info->clock, subbuf_size(s, tr));
	return err || !b ? err : trace_dat_cpus_write(&b->cpus, w);
}

static int write_file(struct save *s, struct diags *diags)
{
	struct trace_dat_machine machine = trace_dat_machine_of(s->rec->td);
	struct trace_dat_writer *w;
	int err;

	machine.page_size = subbuf_size(s, s->h->tracing->top);
	err = trace_dat_writer_open(s->path, &machine, &w, diags);
	if (err)
		return err;
	put_texts(s, w, diags);
	put_options(s, w);
	for (struct trace_array *tr = s->h->tracing->top; tr && !err; tr = tr->next)
		err = put_instance(s, w, tr);
	if (!err || trace_dat_writer_failed(w))
		return trace_dat_writer_finish(w, diags);
	trace_dat_writer_abort(w);
	return err;
}

/* --- the whole --- */

static int check(const struct hist *h, const char *path, struct diags *diags)
{
	if (h->recordings.files.n != 1)
		return diags_error(diags, -HIST_EINVAL,
				   "events of one recording at a time can be saved");
	return input_file_check_output(h->recordings.files.v[0].path, path, diags);
}

int save_begin(struct hist *h, const char *path, struct save **out, struct diags *diags)
{
	struct save *s;
	int err = check(h, path, diags);

	if (err)
		return err;
	s = calloc(1, sizeof(*s));
	if (!s)
		return HIST_NOMEM;
	*s = (struct save){
		.h = h, .path = path, .rec = &h->recordings.files.v[0], .bytes = STRBUF_INIT
	};
	s->observer = (struct replay_observer){ .arg = s,
						.begin = begin,
						.before = before_record,
						.after = after_record,
						.recorded = recorded };
	h->observer = &s->observer;
	h->tracing->record = true;
	*out = s;
	return 0;
}

static int complete(struct save *s, struct diags *diags)
{
	int err = replay_if_needed(s->h, diags);

	if (err)
		return err;
	if (s->err == -HIST_EIO)
		diags_error(diags, s->err, "events to be saved: %s", strerror(s->errnum));
	if (s->err)
		return s->err;
	if (s->too_long)
		diags_add(diags, DIAG_WARNING,
			  "%s: %llu records are longer than a sub-buffer and are left out", s->path,
			  s->too_long);
	return write_file(s, diags);
}

int save_end(struct save *s, bool keep, struct diags *diags)
{
	int err;

	if (!s)
		return 0;
	err = keep ? complete(s, diags) : 0;
	s->h->observer = NULL;
	forget_buffers(s);
	array_release(&s->buffers);
	array_release(&s->waiting);
	array_release(&s->lost);
	array_release(&s->formats);
	strbuf_release(&s->bytes);
	arena_release(&s->arena);
	free(s);
	return err;
}
