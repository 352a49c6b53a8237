// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Selects the records that have an effect: those that changed a histogram, a variable, a counter or
 * a state, and the stacks that they needed.
 *
 * Who a task was when a kept record needed it is stored as metadata, from the first such record
 * with the same answer to the last one.
 */
#include <stdlib.h>

#include "slim/slim.h"

/* --- tasks --- */

/* A kept record needed to know who a task was. */
static void keep_name(struct slim *s, const struct slim_name *asked)
{
	struct hash_walk walk = hash_walk(hash_number((u64)asked->key));
	struct slim_name *last = NULL;
	size_t i;

	while (hash_next(&s->names_by_key, &walk, &i))
		if (s->names.v[i].key == asked->key)
			last = &s->names.v[i];
	if (last && last->guessed == asked->guessed && !strcmp(last->name, asked->name)) {
		last->to = asked->to;
		return;
	}
	if (last)
		hash_remove(&s->names_by_key, hash_number((u64)asked->key),
			    (size_t)(last - s->names.v));
	s->same_time |= last && last->to == asked->from;
	s->failed |= hash_add(&s->names_by_key, hash_number((u64)asked->key), s->names.n) ||
		     array_push(&s->names, *asked);
}

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
	s->traced = false;
	s->asked.n = s->stacks.n = 0;
	if (!file || ts < s->h->span.from || ts > s->h->span.to)
		return;
	s->seen[load_u16(w->rec->data, w->stream->layout.big_endian)]++;
	s->traced = array_buffer_reserves(file, w->rec->len) && filter_match(file->tasks, w->hit);
}

static void after_record(void *arg, const struct observed *w)
{
	struct slim *s = arg;
	size_t cpu = cpu_of(s, w->stream);
	bool changed = s->effects != s->h->tracing->effects;

	/* without a journal, who tasks are follows from these records */
	changed |= s->needs_who && w->dispatch->names && w->dispatch->names->state_pid;
	if (!changed && !s->traced)
		return;
	for (size_t i = 0; i < s->asked.n; i++)
		keep_name(s, &s->asked.v[i]);
	s->failed |= slim_keep_record(s, cpu, slim_place(w->page, w->rec->offset, !changed)) != 0;
	for (size_t i = 0; i < s->stacks.n; i++)
		s->failed |= slim_keep_record(s, cpu, s->stacks.v[i] | !changed) != 0;
}

static void need_name(void *arg, const struct hit *hit, const struct who *who)
{
	struct slim *s = arg;
	struct slim_name asked = { .key = name_key(hit->pid, hit->cpu),
				   .from = hit->ts,
				   .to = hit->ts,
				   .guessed = who->guessed };

	memcpy(asked.name, who->name, strnlen(who->name, sizeof(asked.name) - 1));
	s->failed |= array_push(&s->asked, asked) != 0;
}

static void need_stack(void *arg, u64 page, u32 offset, bool traced)
{
	struct slim *s = arg;

	s->traced |= traced;
	if (page != NO_STACK)
		s->failed |= array_push(&s->stacks, slim_place(page, offset, traced)) != 0;
}

static void note_traced(void *arg, struct trace_array *tr, const struct hit *hit)
{
	struct slim *s = arg;

	(void)tr;
	(void)hit;
	s->traced = true;
}

static void start(void *arg)
{
	struct slim *s = arg;
	struct run_needs needs;

	tracing_needs(s->h->tracing, &needs);
	s->needs_names |= needs.comm;
	s->needs_who |= needs.who;
	/* its times begin again */
	hash_release(&s->names_by_key);
	s->names_by_key = (struct hash_table)HASH_TABLE_INIT;
}

/* --- around a replay --- */

static void note_stream(void *arg, const struct stream *stream)
{
	struct slim *s = arg;
	struct slim_cpu *c = &s->cpus[cpu_of(s, stream)];

	c->first = c->end ? min_t(u64, c->first, stream->first) : stream->first;
	c->end = max_t(u64, c->end, stream->end);
}

int slim_keep_init(struct slim *s)
{
	s->observer = (struct replay_observer){
		.arg = s,
		.stream = note_stream,
		.start = start,
		.before = before_record,
		.after = after_record,
		.who = need_name,
		.stack = need_stack,
		.recorded = note_traced,
	};
	s->first_cpu = calloc(s->rec->n_buffers + 1, sizeof(*s->first_cpu));
	s->seen = calloc(UINT16_MAX + 1, sizeof(*s->seen));
	for (size_t i = 0; s->first_cpu && i < s->rec->n_buffers; i++) {
		s->first_cpu[i] = s->n_cpus;
		s->n_cpus += s->rec->buffers[i].n_cpus;
	}
	s->cpus = calloc(s->n_cpus + 1, sizeof(*s->cpus));
	return s->first_cpu && s->seen && s->cpus ? 0 : HIST_NOMEM;
}

void slim_keep_release(struct slim *s)
{
	for (size_t i = 0; s->cpus && i < s->n_cpus; i++)
		array_release(&s->cpus[i].kept);
	array_release(&s->asked);
	array_release(&s->stacks);
	free(s->cpus);
	free(s->first_cpu);
	free(s->seen);
	array_release(&s->names);
	hash_release(&s->names_by_key);
}

void slim_keep_begin(struct slim *s)
{
	memset(s->seen, 0, (UINT16_MAX + 1) * sizeof(*s->seen));
	s->h->observer = &s->observer;
}

void slim_keep_end(struct slim *s)
{
	s->h->observer = NULL;
	for (size_t i = 0; i < s->n_cpus; i++) {
		u64 *kept = s->cpus[i].kept.v;
		size_t n = 0, all = s->cpus[i].kept.n;

		if (all)
			qsort(kept, all, sizeof(u64), compare_u64);
		for (size_t k = 0; k < all; k++)
			if (!n || kept[n - 1] >> 1 != kept[k] >> 1)
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
			if (s->cpus[i].kept.v[k] & 1)
				return true;
	return false;
}
