// SPDX-License-Identifier: LGPL-2.1-only
/* Collects facts about tasks from the records of ranges of sub-buffers, in any order of ranges. */
#include "names/name_run.h"

enum { REPEATS = 512 };

void names_seen_init(struct names_seen *c, bool big_endian, bool every)
{
	*c = (struct names_seen){ .big_endian = big_endian, .every = every };
}

void names_seen_release(struct names_seen *c)
{
	array_release(&c->runs);
	indexed_release(&c->tasks);
	free(c->repeats);
	array_release(&c->states);
	arena_release(&c->texts);
}

void names_seen_start(struct names_seen *c)
{
	/* a run ends with its range */
	free(c->repeats);
	c->repeats = calloc(REPEATS, sizeof(*c->repeats));
	c->failed |= !c->repeats;
	c->first = c->runs.n;
}

/* NULL if out of memory. */
static struct name_task *task_of(struct names_seen *c, s64 key)
{
	struct name_task *task = indexed_get(&c->tasks, key, key,
					     ((struct name_task){ .key = key, .run = SIZE_MAX }));

	c->failed |= !task;
	return task;
}

/* The run of the task that the name continues; NULL: none. */
static struct name_run *current_run(struct names_seen *c, const struct name_task *task,
				    enum name_fact fact, struct span name)
{
	struct name_run *run;

	if (c->every || fact != NAME_IS || task->run == SIZE_MAX || task->run < c->first)
		return NULL;
	run = &c->runs.v[task->run];
	return run->fact == NAME_IS && !memcmp(run->name, name.s, name.n) && !run->name[name.n]
		       ? run
		       : NULL;
}

static void add_fact(struct names_seen *c, enum name_fact fact, s64 key, const struct hit *hit,
		     struct span name)
{
	struct name_place place = { hit->ts, hit->at | (fact == NAME_BECOMES) };
	struct name_run new = { .key = key, .first = place, .last = place, .fact = fact };
	struct name_task *task = task_of(c, key);
	struct name_run *run = task ? current_run(c, task, fact, name) : NULL;

	if (run) {
		run->last = place;
	} else if (task) {
		memcpy(new.name, name.s, name.n);
		task->run = c->runs.n;
		c->failed |= array_push(&c->runs, new) != 0;
	}
}

/* --- names that repeat --- */

static inline struct name_repeat *repeat_of(const struct names_seen *c, s64 key)
{
	return &c->repeats[hash_number((u64)key) % REPEATS];
}

/* The task and the bytes of its name. */
static inline void read_fixed(const struct names_seen *c, const struct name_field *f,
			      const struct hit *hit, struct name_repeat *name)
{
	name->key = name_key((s32)load_u32(hit->rec + f->pid_at, c->big_endian), hit->cpu);
	memcpy(name->bytes, hit->rec + f->text_at, TASK_COMM_LEN);
}

/* The next record may repeat the name; otherwise, the run of the name before ended here. */
static void note_repeat(struct names_seen *c, const struct name_field *f, const struct hit *hit,
			s64 key)
{
	struct name_repeat name = { .key = 0 };

	if (c->failed)
		return;
	if (f && f->fixed && f->fact == NAME_IS && f->end <= hit->len && !c->every) {
		read_fixed(c, f, hit, &name);
		name.run = task_of(c, key)->run;
	}
	*repeat_of(c, key) = name;
}

/* The name in the record, if it is that of the task's current run. */
static inline bool add_repeat(struct names_seen *c, const struct name_field *f,
			      const struct hit *hit)
{
	const struct name_repeat *last;
	struct name_repeat name;

	read_fixed(c, f, hit, &name);
	last = repeat_of(c, name.key);
	/* one branch, which is mostly taken */
	if (unlikely((u64)(last->key ^ name.key) | (last->bytes[0] ^ name.bytes[0]) |
		     (last->bytes[1] ^ name.bytes[1])))
		return false;
	c->runs.v[last->run].last = (struct name_place){ hit->ts, hit->at };
	return true;
}

/* The first fields of which most records repeat the names: those that do. */
static inline const struct name_field *add_repeats(struct names_seen *c,
						   const struct name_event *event,
						   const struct hit *hit)
{
	const struct name_field *f = event->fields, *end = f + event->n_repeats;

	if (unlikely(event->end > hit->len))
		return f;
	while (f < end && likely(add_repeat(c, f, hit)))
		f++;
	return f;
}

/* --- all facts --- */

static void add_state(struct names_seen *c, const struct name_event *event, const struct hit *hit)
{
	struct task_state state;

	if (!name_state_read(c->big_endian, event, hit, &state))
		return;
	state.text.s = arena_strndup(&c->texts, state.text.s, state.text.n);
	c->failed |= !state.text.s || array_push(&c->states, state) != 0;
}

static __attribute__((noinline)) void add_rest(struct names_seen *c, const struct name_event *event,
					       const struct name_field *f, const struct hit *hit)
{
	struct span name;
	s64 key;

	if (event->state_pid)
		add_state(c, event, hit);
	for (; f < event->fields + event->n; f++) {
		if (c->failed || !name_field_read(c->big_endian, f, hit, &key, &name))
			continue;
		if (name.s)
			add_fact(c, f->fact, key, hit, name);
		else /* a program without a name */
			add_fact(c, NAME_RAN, key, hit, span_of(""));
		note_repeat(c, f, hit, key);
	}
}

static __attribute__((noinline)) void add_call(struct names_seen *c, const struct name_event *event,
					       const struct hit *hit)
{
	s64 key = name_key(hit->pid, hit->cpu);

	if (c->failed)
		return;
	add_fact(c, event->fact, key, hit, span_of(""));
	note_repeat(c, NULL, hit, key);
}

void names_seen_add(struct names_seen *c, const struct name_event *event, const struct hit *hit)
{
	const struct name_field *f;

	if (!event->n) {
		if (unlikely(name_call_read(c->big_endian, event, hit)))
			add_call(c, event, hit);
		return;
	}
	f = add_repeats(c, event, hit);
	if (unlikely(f < event->fields + event->n))
		add_rest(c, event, f, hit);
}
