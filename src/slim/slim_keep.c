// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Selects the records that have an effect: those that changed a histogram, a variable, a counter or
 * a state, and the stacks that they needed.
 *
 * Who a task was when a kept record needed it, or had it as its task, is stored as metadata, from
 * the first such record with the same answer to the last one.
 */
#include "slim/slim.h"

/* --- tasks --- */

/* A kept record needed to know who a task was. */
static void keep_name(struct slim *s, const struct slim_name *asked)
{
	const u64 hash = hash_number((u64)asked->key ^ asked->since.ts ^ asked->since.at);

	struct slim_name *known =
		indexed_find(&s->names, hash, e,
			     e->key == asked->key && e->since.ts == asked->since.ts &&
				     e->since.at == asked->since.at);

	if (known) {
		known->from = min_t(u64, known->from, asked->from);
		known->to = max_t(u64, known->to, asked->to);
		known->need_from = min_t(u64, known->need_from, asked->need_from);
		known->need_to = max_t(u64, known->need_to, asked->need_to);
	} else {
		s->failed |= !indexed_add(&s->names, hash, *asked);
	}
}

static void keep_asked(struct slim *s)
{
	for (size_t i = 0; i < s->asked.n; i++)
		keep_name(s, &s->asked.v[i]);
	s->asked.n = 0;
}

DEFINE_ORDER(by_time, struct slim_name,
	     cmp_int(x->key, y->key) ?: cmp_int(x->from, y->from) ?: cmp_int(x->to, y->to))

/* --- positions --- */

static size_t cpu_of(const struct slim *s, const struct stream *stream)
{
	return s->first_cpu[stream->of.buffer] + stream->of.cpu;
}

/* --- the current record --- */

/* Count a record that triggers receive, or that occupies space in a buffer, even temporarily. */
static void before_record(void *arg, const struct observed *w)
{
	struct slim *s = arg;
	const struct event_file *file = w->dispatch->file;
	u64 ts = w->rec->ts;

	s->effects = s->h->tracing->effects;
	s->traced = s->listed = false;
	s->stacks.n = 0;
	/* what was asked after the record before it: by the script's own events */
	keep_asked(s);
	if (!file || ts < s->h->span.from || ts > s->h->span.to ||
	    !replay_span_has_cpu(&s->h->span, w->stream->cpu))
		return;
	s->seen[load_u16(w->rec->data, w->stream->layout.big_endian)]++;
	s->traced = array_buffer_reserves(file, w->rec->len) && filter_match(file->tasks, w->hit);
}

static void after_record(void *arg, const struct observed *w)
{
	struct slim *s = arg;
	size_t cpu = cpu_of(s, w->stream);
	bool changed = s->listed || s->effects != s->h->tracing->effects;

	s->derives |= w->dispatch->derive != NULL;
	s->derived[load_u16(w->rec->data, w->stream->layout.big_endian)] =
		w->dispatch->derive && !w->dispatch->change &&
		!(s->needs_who && w->dispatch->names && w->dispatch->names->state_pid);
	/* without a journal, who tasks are follows from these records */
	changed |= s->needs_who && w->dispatch->names && w->dispatch->names->state_pid;
	if (!changed && !s->traced) {
		s->asked.n = 0;
		return;
	}
	s->unasked = true;
	if (s->observer.asks_comm)
		w->hit->context->comm(w->hit->context->arg, w->hit);
	s->unasked = false;
	keep_asked(s);
	s->failed |= slim_keep_record(s, cpu, slim_place(w->page, w->rec->offset, !changed)) != 0;
	for (size_t i = 0; i < s->stacks.n; i++)
		s->failed |= slim_keep_record(s, cpu, s->stacks.v[i] | !changed) != 0;
}

static void need_name(void *arg, const struct name_asked *name)
{
	struct slim *s = arg;
	struct slim_name asked = { .key = name->key,
				   .since = name->since,
				   .from = name->ts,
				   .to = name->ts,
				   .need_from = s->unasked ? UINT64_MAX : name->ts,
				   .need_to = s->unasked ? 0 : name->ts,
				   .guessed = name->guessed };

	memcpy(asked.name, name->name, strnlen(name->name, sizeof(asked.name) - 1));
	s->failed |= array_push(&s->asked, asked) != 0;
}

static void need_stack(void *arg, u64 page, u32 offset, bool traced)
{
	struct slim *s = arg;

	s->traced |= traced;
	if (page != NO_STACK)
		s->failed |= array_push(&s->stacks, slim_place(page, offset, traced)) != 0;
}

static void note_traced(void *arg, struct trace_array *tr UNUSED, const struct hit *hit UNUSED)
{
	struct slim *s = arg;

	s->traced = true;
}

u64 slim_hash(const void *bytes, size_t n)
{
	u64 hash = (u64)hash_bytes(0, bytes, n) << 32 | hash_bytes(1, bytes, n);

	/* hashes of two texts that end with 5 differ as much from those that end with 3 */
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdull;
	return hash ^ hash >> 33;
}

bool slim_derived_add(struct slim_derived *d, const struct hit *hit)
{
	const char *name = hit->file->name;
	const u64 event[] = { hit->ts, hit->cpu, (u64)hit->pid, slim_hash(name, strlen(name)),
			      slim_hash(hit->rec + 2, hit->len - 2) };

	if (!hit->file->synth || !hit->file->synth->derived)
		return false;
	d->n++;
	d->sum += slim_hash(event, sizeof(event));
	return true;
}

/* Without a script, each event is kept. */
static void list_event(void *arg, const struct replay_place *place UNUSED, const struct hit *hit)
{
	struct slim *s = arg;

	if (!slim_derived_add(&s->derived_events, hit))
		s->listed = true;
}

static void start(void *arg)
{
	struct slim *s = arg;
	struct run_needs needs;

	tracing_needs(s->h->tracing, &needs);
	s->needs_who |= needs.who || s->all;
}

/* --- around a replay --- */

/* The names of tasks of a part of the time need all records: only if the script needs names. */
static void begin(void *arg)
{
	struct slim *s = arg;
	const bool part = s->h->span.from || s->h->span.to != UINT64_MAX;
	struct run_needs needs;

	tracing_needs(s->h->tracing, &needs);
	/* a smaller recording that lacks names gets no others */
	s->observer.asks_comm = !slimmed_lacks_names(s->rec) && (needs.comm || s->all || !part);
}

static void note_stream(void *arg, const struct stream *stream)
{
	struct slim *s = arg;
	struct slim_cpu *c = &s->cpus[cpu_of(s, stream)];

	c->first = c->end ? min_t(u64, c->first, stream->first) : stream->first;
	c->end = max_t(u64, c->end, stream->end);
}

int slim_keep_init(struct slim *s)
{
	s->names_observer = (struct names_observer){ s, need_name };
	s->observer = (struct replay_observer){
		.arg = s,
		.begin = begin,
		.stream = note_stream,
		.start = start,
		.before = before_record,
		.after = after_record,
		.who = &s->names_observer,
		.stack = need_stack,
		.recorded = note_traced,
		.event = s->all ? list_event : NULL,
		.states = true,
		.unasked = s->all,
	};
	s->first_cpu = calloc(s->rec->n_buffers + 1, sizeof(*s->first_cpu));
	s->seen = calloc(UINT16_MAX + 1, sizeof(*s->seen));
	for (size_t i = 0; s->first_cpu && i < s->rec->n_buffers; i++) {
		s->first_cpu[i] = s->n_cpus;
		s->n_cpus += s->rec->buffers[i].n_cpus;
	}
	s->cpus = calloc(s->n_cpus + 1, sizeof(*s->cpus));
	s->derived = calloc(UINT16_MAX + 1, 1);
	s->pids_found = calloc(UINT16_MAX + 1, 1);
	return s->first_cpu && s->seen && s->cpus && s->derived && s->pids_found ? 0 : HIST_NOMEM;
}

void slim_keep_release(struct slim *s)
{
	for (size_t i = 0; s->cpus && i < s->n_cpus; i++)
		array_release(&s->cpus[i].kept);
	array_release(&s->pid_fields);
	strbuf_release(&s->answer);
	free(s->derived);
	free(s->pids_found);
	array_release(&s->asked);
	array_release(&s->stacks);
	free(s->cpus);
	free(s->first_cpu);
	free(s->seen);
	indexed_release(&s->names);
}

void slim_keep_begin(struct slim *s)
{
	memset(s->seen, 0, (UINT16_MAX + 1) * sizeof(*s->seen));
	s->h->observer = &s->observer;
}

void slim_keep_end(struct slim *s)
{
	s->h->observer = NULL;
	keep_asked(s);
	if (s->names.n)
		qsort(s->names.v, s->names.n, sizeof(*s->names.v), by_time);
	/* of two names at one time, the one that the script needed */
	for (size_t i = 1; i < s->names.n; i++) {
		struct slim_name *a = &s->names.v[i - 1], *b = a + 1;

		if (a->key != b->key || a->to < b->from)
			continue;
		if (a->need_to < b->from)
			a->to = b->from - 1;
		else if (b->need_from > a->to)
			b->from = a->to + 1;
		else
			s->same_time = true;
	}
	for (size_t i = 0; i < s->n_cpus; i++) {
		u64 *kept = s->cpus[i].kept.v;
		size_t n = 0, all = s->cpus[i].kept.n, sorted = 1;

		while (sorted < all && kept[sorted - 1] <= kept[sorted])
			sorted++;
		if (sorted < all)
			qsort(kept, all, sizeof(u64), compare_u64);
		for (size_t k = 0; k < all; k++)
			if (!n || kept[n - 1] >> SLIM_FLAG_BITS != kept[k] >> SLIM_FLAG_BITS)
				kept[n++] = kept[k];
		s->cpus[i].kept.n = n;
	}
}

int slim_keep_record(struct slim *s, size_t cpu, u64 place)
{
	return array_push(&s->cpus[cpu].kept, place);
}

bool slim_has_trace_only(const struct slim *s)
{
	for (size_t i = 0; i < s->n_cpus; i++)
		for (size_t k = 0; k < s->cpus[i].kept.n; k++)
			if (s->cpus[i].kept.v[k] & SLIM_TRACE_ONLY)
				return true;
	return false;
}
