// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Selects the records that have an effect: those that changed a histogram, a variable, a counter or
 * a state, and the stacks that they needed.
 *
 * A record is also kept if it contains the comm of a task that a later kept record needs. The comm
 * of a task at its first use is stored separately. If the comm changed later and no kept record
 * contains the change, the record that contains it is also kept. The script is then run once more,
 * because this record may change the comms of other tasks at the wrong time.
 */
#include <stdlib.h>

#include "slim/slim.h"

#define NOTHING_KNOWN UINT32_MAX

/* --- tasks --- */

/* The task in its state before the current record; NULL if out of memory. */
static struct slim_task *task_of(struct slim *s, s64 key)
{
	struct hash_walk walk = hash_walk(hash_number((u64)key));
	const struct comm_entry *e;
	struct slim_task *task;
	size_t i;

	while (hash_next(&s->task_by_key, &walk, &i))
		if (s->tasks.v[i].key == key)
			return &s->tasks.v[i];
	if (array_reserve(&s->tasks) ||
	    hash_add(&s->task_by_key, hash_number((u64)key), s->tasks.n)) {
		s->failed = true;
		return NULL;
	}
	task = &s->tasks.v[s->tasks.n++];
	*task = (struct slim_task){ .key = key, .known = { NOTHING_KNOWN, NOTHING_KNOWN } };
	e = comms_find(s->comms, key);
	if (e)
		memcpy(task->comm, e->comm, sizeof(task->comm));
	return task;
}

/* --- positions --- */

static size_t cpu_of(const struct slim *s, const struct stream *stream)
{
	return s->first_cpu[stream->buffer] + stream->cpu_index;
}

static int compare_places(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void keep(struct slim *s, size_t cpu, u64 place)
{
	s->failed |= array_push(&s->cpus[cpu].kept, place) != 0;
}

static bool kept_before(const struct slim *s, size_t cpu, u64 place)
{
	const struct slim_cpu *c = &s->cpus[cpu];

	return c->n_before &&
	       bsearch(&place, c->kept.v, c->n_before, sizeof(place), compare_places);
}

/* --- the current record --- */

static u64 place_of(const struct observed *w)
{
	return slim_place(w->page, w->rec->offset, false);
}

/* To what extent a record is kept. */
enum kept { KEPT, KEPT_FOR_TRACE, LEFT_OUT };

/*
 * Update the comms of tasks from the record; if it is kept, the smaller recording contains them,
 * too.
 */
static void update_comms(struct slim *s, const struct observed *w, bool after, enum kept kept)
{
	const struct comm_event *event = w->dispatch->comm;

	for (size_t i = 0; event && i < event->n; i++) {
		struct slim_task *task;
		struct span comm;
		char text[TASK_COMM_LEN] = "";
		s64 key;

		if (event->fields[i].after != after ||
		    !comm_field_read(s->comms->big_endian, &event->fields[i], w->hit, &key, &comm))
			continue;
		task = task_of(s, key);
		if (!task)
			return;
		memcpy(text, comm.s, comm.n);
		if (memcmp(text, task->comm, sizeof(text)) != 0) {
			memcpy(task->comm, text, sizeof(text));
			task->change++;
			task->place = place_of(w);
			task->cpu = cpu_of(s, w->stream);
		}
		if (kept == KEPT)
			task->known[0] = task->change;
		if (kept != LEFT_OUT)
			task->known[1] = task->change;
	}
}

/* A kept record needs the comm of a task: also keep the record that contains it. */
static void require_comm(struct slim *s, s64 key, enum kept kept)
{
	struct slim_task *task = task_of(s, key);
	bool first;

	if (!task || (task->known[1] == task->change &&
		      (kept == KEPT_FOR_TRACE || task->known[0] == task->change)))
		return;
	first = task->known[0] == NOTHING_KNOWN && !task->at_start;
	if (first) {
		memcpy(task->first, task->comm, sizeof(task->first));
		task->at_start = true;
	}
	/* the initial comm is useless if a record contains another one */
	if (task->change &&
	    (!first || (task->known[1] != NOTHING_KNOWN && task->known[1] != task->change))) {
		keep(s, task->cpu, task->place);
		s->again = true;
	}
	task->known[0] = task->known[1] = task->change;
}

/* Count a record that triggers receive, or that occupies space in a buffer, even temporarily. */
static void note_seen(struct slim *s, const struct observed *w)
{
	const struct event_file *file = w->dispatch->file;
	u64 ts = w->rec->ts;

	if (!file || ts < s->h->span.from || ts > s->h->span.to)
		return;
	s->seen[load_u16(w->rec->data, w->stream->layout.big_endian)]++;
	s->traced |= array_buffer_reserves(file, w->rec->len) && filter_match(file->tasks, w->hit);
}

static void before_record(void *arg, const struct observed *w)
{
	struct slim *s = arg;

	s->effects = s->h->tracing->effects;
	s->traced = false;
	s->asked.n = s->stacks.n = 0;
	note_seen(s, w);
	update_comms(s, w, false, LEFT_OUT);
}

/*
 * Whether a task was preempted while it renamed itself: its name then follows from these records
 * together.
 */
static bool in_rename(const struct slim *s, const struct observed *w)
{
	const struct comm_event *event = w->dispatch->comm;

	for (size_t i = 0; event && i < event->n; i++) {
		const struct comm_entry *e;
		struct span comm;
		s64 key;

		if (!comm_field_read(s->comms->big_endian, &event->fields[i], w->hit, &key, &comm))
			continue;
		e = comms_find(s->comms, key);
		if (e && e->renamed[0])
			return true;
	}
	return false;
}

static void after_record(void *arg, const struct observed *w)
{
	struct slim *s = arg;
	size_t cpu = cpu_of(s, w->stream);
	bool changed = s->effects != s->h->tracing->effects || in_rename(s, w);
	enum kept kept = changed || kept_before(s, cpu, place_of(w)) ? KEPT : LEFT_OUT;

	if (kept == LEFT_OUT && s->traced)
		kept = KEPT_FOR_TRACE;
	if (kept != LEFT_OUT)
		update_comms(s, w, false, kept);
	/* trace does not show comms of this time, but a filter may have read one */
	for (size_t i = 0; kept != LEFT_OUT && i < s->asked.n; i++)
		require_comm(s, s->asked.v[i], kept);
	update_comms(s, w, true, kept);
	if (kept == LEFT_OUT)
		return;
	keep(s, cpu, slim_place(w->page, w->rec->offset, kept != KEPT));
	for (size_t i = 0; i < s->stacks.n; i++)
		keep(s, cpu, s->stacks.v[i] | (kept != KEPT));
}

static void need_comm(void *arg, const struct hit *hit)
{
	struct slim *s = arg;
	s64 key = comm_key(hit->pid, hit->cpu);

	/* unknown comms are read from the saved comms, in both recordings */
	if (comms_find(s->comms, key))
		s->failed |= array_push(&s->asked, key) != 0;
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

static void start(void *arg, const struct comms *comms)
{
	struct slim *s = arg;
	struct run_needs needs;

	tracing_needs(s->h->tracing, &needs);
	s->needs_names |= needs.comm;
	s->comms = comms;
	/* from earlier replays, only the first comms of tasks remain valid */
	for (size_t i = 0; i < s->tasks.n; i++) {
		struct slim_task *task = &s->tasks.v[i];
		const struct comm_entry *e = comms_find(comms, task->key);

		task->change = 0;
		task->known[0] = task->known[1] = NOTHING_KNOWN;
		memset(task->comm, 0, sizeof(task->comm));
		if (e)
			memcpy(task->comm, e->comm, sizeof(task->comm));
		if (e && task->at_start && !memcmp(task->comm, task->first, sizeof(task->comm)))
			task->known[0] = task->known[1] = 0;
	}
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
		.comm = need_comm,
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
	array_release(&s->tasks);
	hash_release(&s->task_by_key);
}

void slim_keep_begin(struct slim *s)
{
	s->again = false;
	memset(s->seen, 0, (UINT16_MAX + 1) * sizeof(*s->seen));
	s->h->observer = &s->observer;
}

/* Sort positions and remove duplicates. "Has an effect" takes precedence over "only for trace". */
static void sort_places(struct slim_cpu *c)
{
	size_t n = 0;

	if (c->kept.n)
		qsort(c->kept.v, c->kept.n, sizeof(u64), compare_places);
	for (size_t i = 0; i < c->kept.n; i++)
		if (!n || c->kept.v[n - 1] >> 1 != c->kept.v[i] >> 1)
			c->kept.v[n++] = c->kept.v[i];
	c->kept.n = n;
}

bool slim_keep_end(struct slim *s)
{
	s->h->observer = NULL;
	for (size_t i = 0; i < s->n_cpus; i++) {
		sort_places(&s->cpus[i]);
		s->cpus[i].n_before = s->cpus[i].kept.n;
	}
	return s->again && !s->failed;
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
