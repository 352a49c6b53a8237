// SPDX-License-Identifier: LGPL-2.1-only
/* Collects runs of names from the records of ranges of sub-buffers, in any order of ranges. */
#include <stdlib.h>

#include "recording/comm_run.h"

enum { REPEATS = 512 };

void comm_runs_init(struct comm_runs *c, bool big_endian)
{
	*c = (struct comm_runs){ .big_endian = big_endian };
}

void comm_runs_release(struct comm_runs *c)
{
	array_release(&c->runs);
	array_release(&c->ranges);
	array_release(&c->tasks);
	array_release(&c->preempted);
	free(c->repeats);
	hash_release(&c->by_key);
}

void comm_runs_start(struct comm_runs *c, size_t stream, u64 first)
{
	const struct comm_range range = { .stream = stream, .first = first };

	/* a run ends with its range */
	free(c->repeats);
	c->repeats = calloc(REPEATS, sizeof(*c->repeats));
	c->failed |= !c->repeats || array_push(&c->ranges, range);
	c->quiet = false;
	c->first = c->runs.n;
	c->from = 1;
	c->to = 0;
}

void comm_runs_times(struct comm_runs *c, u64 from, u64 to, bool backwards)
{
	c->backwards |= backwards || (c->from <= c->to && from < c->to);
	c->from = c->from <= c->to ? c->from : from;
	c->to = to;
}

void comm_runs_end(struct comm_runs *c)
{
	if (c->failed)
		return;
	c->ranges.v[c->ranges.n - 1].from = c->from;
	c->ranges.v[c->ranges.n - 1].to = c->to;
}

static struct comm_task *find(const struct comm_runs *c, s64 key)
{
	struct hash_walk walk = hash_walk(hash_number((u64)key));
	size_t i;

	while (hash_next(&c->by_key, &walk, &i))
		if (c->tasks.v[i].key == key)
			return &c->tasks.v[i];
	return NULL;
}

static struct comm_task *task_of(struct comm_runs *c, s64 key)
{
	const struct comm_task new = { .key = key, .run = SIZE_MAX };
	struct comm_task *task = find(c, key);

	if (task)
		return task;
	if (array_reserve(&c->tasks) || hash_add(&c->by_key, hash_number((u64)key), c->tasks.n)) {
		c->failed = true;
		return NULL;
	}
	task = &c->tasks.v[c->tasks.n++];
	*task = new;
	return task;
}

/* --- renames --- */

static void settle_switch(struct comm_runs *c, struct comm_range *range, s64 key, u32 cpu,
			  struct span comm)
{
	const struct comm_rename *open = &range->open;

	if (!range->settled) {
		range->out = key;
		range->switched = true;
		memcpy(range->comm, comm.s, comm.n);
	}
	range->settled = true;
	if (open->ts && open->key == key && open->cpu == cpu && span_eq(comm, open->comm))
		c->failed |= array_push(&c->preempted, *open) != 0;
	range->open.ts = 0;
	c->quiet = true;
}

/* As in comm.c; the first switch of a range may follow a rename in the one before. */
static void note_rename(struct comm_runs *c, const struct comm_field *f, const struct hit *hit,
			s64 key, struct span comm)
{
	struct comm_range *range = &c->ranges.v[c->ranges.n - 1];

	if (f->is == COMM_SWITCHED_OUT) {
		settle_switch(c, range, key, hit->cpu, comm);
	} else if (f->is == COMM_OLD && key == comm_key(hit->pid, hit->cpu)) {
		range->settled = true;
		c->quiet = false;
		range->open = (struct comm_rename){ .key = key, .ts = hit->ts, .cpu = hit->cpu };
		memcpy(range->open.comm, comm.s, comm.n);
	}
}

/* --- runs --- */

/* The run of the task that the name continues; NULL: none. */
static struct comm_run *current_run(struct comm_runs *c, const struct comm_task *task,
				    struct span comm, const struct comm_field *f)
{
	struct comm_run *run;

	if (!comm_is_earlier(f) || task->run == SIZE_MAX || task->run < c->first)
		return NULL;
	run = &c->runs.v[task->run];
	return run->renamed || run->executed || memcmp(run->comm, comm.s, comm.n) != 0 ||
			       run->comm[comm.n]
		       ? NULL
		       : run;
}

static struct comm_run *new_run(struct comm_runs *c, struct comm_task *task, struct span comm,
				struct comm_place first)
{
	struct comm_run run = { .key = task->key, .first = first };

	memcpy(run.comm, comm.s, comm.n);
	task->run = c->runs.n;
	if (array_push(&c->runs, run)) {
		c->failed = true;
		return NULL;
	}
	return &c->runs.v[task->run];
}

static inline void extend(struct comm_run *run, const struct comm_field *f, struct comm_place place)
{
	run->last = place;
	if (f->is == COMM_SWITCHED_IN) {
		run->in = place;
		run->n_in++;
	}
	run->out |= f->is == COMM_SWITCHED_OUT;
}

/* --- runs, of names that repeat --- */

/* The task and the bytes of its name. */
static inline void read_fixed(const struct comm_runs *c, const struct comm_field *f,
			      const struct hit *hit, struct comm_repeat *name)
{
	name->key = comm_key((s32)load_u32(hit->rec + f->pid_at, c->big_endian), hit->cpu);
	memcpy(name->bytes, hit->rec + f->comm_at, TASK_COMM_LEN);
}

static inline struct comm_repeat *repeat_of(const struct comm_runs *c, s64 key)
{
	return &c->repeats[hash_number((u64)key) % REPEATS];
}

static void note_repeat(struct comm_runs *c, const struct comm_field *f, const struct hit *hit,
			const struct comm_task *task)
{
	struct comm_repeat name = { .run = task->run };

	if (f->fixed && !f->after && f->end <= hit->len)
		read_fixed(c, f, hit, &name);
	/* otherwise, the run of the name before ended here */
	*repeat_of(c, task->key) = name;
}

static void add_name(struct comm_runs *c, const struct comm_field *f, const struct hit *hit,
		     s64 key, struct span comm)
{
	const struct comm_place place = { hit->ts, hit->at | f->after };
	struct comm_task *task = task_of(c, key);
	struct comm_run *run = task ? current_run(c, task, comm, f) : NULL;

	if (task && !run)
		run = new_run(c, task, comm, place);
	if (!run)
		return;
	extend(run, f, place);
	run->renamed = f->after;
	run->executed = f->is == COMM_EXECUTED;
	note_repeat(c, f, hit, task);
}

/* The name in the record, if it is that of the task's current run. */
static inline bool add_repeat(struct comm_runs *c, const struct comm_field *f,
			      const struct hit *hit)
{
	const struct comm_repeat *last;
	struct comm_repeat name;

	read_fixed(c, f, hit, &name);
	last = repeat_of(c, name.key);
	/* one branch, which is mostly taken */
	if (unlikely((u64)(last->key ^ name.key) | (last->bytes[0] ^ name.bytes[0]) |
		     (last->bytes[1] ^ name.bytes[1])))
		return false;
	extend(&c->runs.v[last->run], f, (struct comm_place){ hit->ts, hit->at });
	return true;
}

static void add_any(struct comm_runs *c, const struct comm_field *f, const struct hit *hit)
{
	struct span comm;
	s64 key;

	if (c->failed || !comm_field_read(c->big_endian, f, hit, &key, &comm))
		return;
	if (f->is == COMM_OLD || f->is == COMM_SWITCHED_OUT)
		note_rename(c, f, hit, key, comm);
	add_name(c, f, hit, key, comm);
}

/* The first fields of which most records repeat the names: those that do. */
static inline const struct comm_field *add_repeats(struct comm_runs *c,
						   const struct comm_event *event,
						   const struct hit *hit)
{
	const struct comm_field *f = event->fields, *end = f + event->n_repeats;

	if (unlikely(event->end > hit->len || (event->is_switched && !c->quiet)))
		return f;
	while (f < end && likely(add_repeat(c, f, hit)))
		f++;
	return f;
}

static __attribute__((noinline)) void add_rest(struct comm_runs *c, const struct comm_event *event,
					       const struct comm_field *f, const struct hit *hit)
{
	for (; f < event->fields + event->n; f++)
		add_any(c, f, hit);
}

void comm_runs_add(struct comm_runs *c, const struct comm_event *event, const struct hit *hit)
{
	const struct comm_field *f = add_repeats(c, event, hit);

	if (unlikely(f < event->fields + event->n))
		add_rest(c, event, f, hit);
}
