// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Joins runs of names to the names over time: for each task the changes of its name, sorted.
 *
 * Runs of one task with different names must not overlap: then each record gives the task the name
 * of its run. After a preempted rename (see comm.c) a record that switches to the task also gives
 * it the new name; a run has only the place of the last such record, so the new name is known only
 * if that is the last record of the run.
 */
#include <stdio.h>
#include <stdlib.h>

#include "recording/comm_run.h"

void comm_times_init(struct comm_times *t, struct event_db *db, bool big_endian)
{
	*t = (struct comm_times){ .by_key = HASH_TABLE_INIT };
	comms_init(&t->initial, db, big_endian);
}

void comm_times_release(struct comm_times *t)
{
	comms_release(&t->initial);
	array_release(&t->changes);
	hash_release(&t->by_key);
}

/* All that the threads have seen, sorted. */
struct all_runs {
	ARRAY(struct comm_run) runs;
	ARRAY(struct comm_range) ranges;
	ARRAY(struct comm_rename) preempted;
	bool backwards;
};

static void all_runs_release(struct all_runs *seen)
{
	array_release(&seen->runs);
	array_release(&seen->ranges);
	array_release(&seen->preempted);
}

static int add_all(struct all_runs *seen, const struct comm_runs *runs)
{
	int err = runs->failed ? HIST_NOMEM : 0;

	for (size_t i = 0; i < runs->runs.n && !err; i++)
		err = array_push(&seen->runs, runs->runs.v[i]);
	for (size_t i = 0; i < runs->ranges.n && !err; i++)
		err = array_push(&seen->ranges, runs->ranges.v[i]);
	for (size_t i = 0; i < runs->preempted.n && !err; i++)
		err = array_push(&seen->preempted, runs->preempted.v[i]);
	seen->backwards |= runs->backwards;
	return err;
}

static int by_task(const void *a, const void *b)
{
	const struct comm_run *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return comm_place_before(x->first, y->first) ? -1 : comm_place_before(y->first, x->first);
}

static int by_stream(const void *a, const void *b)
{
	const struct comm_range *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* --- preempted renames --- */

/* A rename in one range, and the switch in a later one. */
static int join_ranges(struct all_runs *seen)
{
	struct comm_rename open = { .ts = 0 };
	u64 to = 0;
	int err = 0;

	for (size_t i = 0; i < seen->ranges.n && !err; i++) {
		const struct comm_range *r = &seen->ranges.v[i];

		if (!i || r->stream != r[-1].stream) {
			open.ts = 0;
			to = 0;
		}
		if (r->from <= r->to) {
			seen->backwards |= r->from < to;
			to = r->to;
		}
		if (open.ts && r->switched && r->out == open.key &&
		    !memcmp(r->comm, open.comm, sizeof(open.comm)))
			err = array_push(&seen->preempted, open);
		if (r->settled)
			open = r->open;
	}
	return err;
}

static int by_rename(const void *a, const void *b)
{
	const struct comm_rename *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static bool is_preempted(const struct all_runs *seen, const struct comm_run *run)
{
	const struct comm_rename rename = { .key = run->key, .ts = run->first.ts };

	return seen->preempted.n &&
	       bsearch(&rename, seen->preempted.v, seen->preempted.n, sizeof(rename), by_rename);
}

/* --- one task --- */

struct task_walk {
	struct comm_times *t;
	const struct all_runs *seen;
	const struct comm_run *start;  /* the run that tells the name at the start */
	const struct comm_run *before; /* the run before; NULL: none */
	struct comm_place last;        /* of all runs so far */
	size_t first;                  /* the first change of the task */
	char now[TASK_COMM_LEN];
	char pending[TASK_COMM_LEN]; /* the new name of a preempted rename; "": none */
	bool unsure, failed;
};

static bool same_name(const char *a, const char *b)
{
	return !memcmp(a, b, TASK_COMM_LEN);
}

static void change(struct task_walk *w, s64 key, struct comm_place place, const char *comm)
{
	struct comm_change c = { .key = key, .place = place };

	if (same_name(w->now, comm))
		return;
	memcpy(c.comm, comm, TASK_COMM_LEN);
	memcpy(w->now, comm, TASK_COMM_LEN);
	w->failed |= array_push(&w->t->changes, c) != 0;
	w->t->changes.v[w->first].n = w->t->changes.n - w->first;
}

static void walk_rename(struct task_walk *w, const struct comm_run *run)
{
	w->pending[0] = '\0';
	if (is_preempted(w->seen, run))
		memcpy(w->pending, run->comm, TASK_COMM_LEN);
	else
		change(w, run->key, run->first, run->comm);
}

static void walk_run(struct task_walk *w, const struct comm_run *run)
{
	struct comm_place after = { run->in.ts, run->in.at | 1 };

	change(w, run->key, run->first, run->comm);
	if (!w->pending[0])
		return;
	if (same_name(run->comm, w->pending)) {
		if (run->out)
			w->pending[0] = '\0';
	} else if (run->n_in) {
		w->unsure |= run->n_in > 1 || comm_place_before(run->in, run->last);
		change(w, run->key, after, w->pending);
	}
}

/* The first run that tells the name before it; NULL: none. */
static const struct comm_run *earliest(const struct all_runs *seen, const struct comm_run *run)
{
	const struct comm_run *end = seen->runs.v + seen->runs.n, *first = run;

	while (first < end && first->key == run->key && first->executed)
		first++;
	return first < end && first->key == run->key && !first->renamed ? first : NULL;
}

/* The name until the first record. False: out of memory, the task has no first change. */
static bool start_task(struct task_walk *w, const struct comm_run *run)
{
	const struct comm_entry *saved = comms_find(&w->t->initial, run->key);
	struct comm_change c = { .key = run->key, .n = 1 };

	w->start = earliest(w->seen, run);
	w->before = NULL;
	w->last = c.place;
	w->pending[0] = '\0';
	w->unsure |= !w->start;
	w->start = w->start ? w->start : run;
	memcpy(c.comm, saved ? saved->comm : w->start->comm, TASK_COMM_LEN);
	memcpy(w->now, c.comm, TASK_COMM_LEN);
	w->first = w->t->changes.n;
	w->failed = hash_add(&w->t->by_key, hash_number((u64)run->key), w->t->changes.n) ||
		    array_push(&w->t->changes, c);
	return !w->failed;
}

static void add_run(struct task_walk *w, const struct comm_run *run)
{
	bool overlaps;

	if ((!w->before || w->before->key != run->key) && !start_task(w, run))
		return;
	overlaps = w->before && !comm_place_before(w->last, run->first);
	/* which of two names at one time is the first one is only known to the scan in comm.c */
	w->unsure |= run->first.ts == w->start->first.ts && !same_name(run->comm, w->start->comm);
	w->unsure |= overlaps && (w->pending[0] || !same_name(w->before->comm, run->comm));
	if (run->renamed)
		walk_rename(w, run);
	else
		walk_run(w, run);
	w->before = run;
	if (comm_place_before(w->last, run->last))
		w->last = run->last;
}

/* --- all tasks --- */

static int walk_tasks(struct comm_times *t, const struct all_runs *seen)
{
	struct task_walk w = { .t = t, .seen = seen };

	for (size_t i = 0; i < seen->runs.n && !w.failed && !w.unsure; i++)
		add_run(&w, &seen->runs.v[i]);
	return w.failed ? HIST_NOMEM : w.unsure;
}

/* The first change of a task, which is its name at the start; NULL: it has none. */
static const struct comm_change *find(const struct comm_times *t, s64 key)
{
	struct hash_walk walk = hash_walk(hash_number((u64)key));
	size_t i;

	while (hash_next(&t->by_key, &walk, &i))
		if (t->changes.v[i].key == key)
			return &t->changes.v[i];
	return NULL;
}

static int add_constant(struct comm_times *t, s64 key, const char *comm)
{
	struct comm_change c = { .key = key, .n = 1 };

	if (find(t, key))
		return 0;
	memcpy(c.comm, comm, strnlen(comm, TASK_COMM_LEN - 1));
	if (hash_add(&t->by_key, hash_number((u64)key), t->changes.n))
		return HIST_NOMEM;
	return array_push(&t->changes, c);
}

int comm_times_add_idle(struct comm_times *t, u32 cpu)
{
	const struct hit idle = { .cpu = cpu };

	return add_constant(t, comm_key(0, cpu), comms_of(&t->initial, &idle));
}

static int join(struct comm_times *t, struct all_runs *seen)
{
	int err;

	if (seen->ranges.n)
		qsort(seen->ranges.v, seen->ranges.n, sizeof(*seen->ranges.v), by_stream);
	err = join_ranges(seen);
	if (err || seen->backwards)
		return err ? err : 1;
	if (seen->preempted.n)
		qsort(seen->preempted.v, seen->preempted.n, sizeof(*seen->preempted.v), by_rename);
	if (seen->runs.n)
		qsort(seen->runs.v, seen->runs.n, sizeof(*seen->runs.v), by_task);
	err = walk_tasks(t, seen);
	/* tasks that only the metadata of a smaller recording names */
	for (size_t i = 0; i < t->initial.entries.n && !err; i++)
		err = add_constant(t, t->initial.entries.v[i].key, t->initial.entries.v[i].comm);
	return err;
}

int comm_times_build(struct comm_times *t, struct comm_runs *const *runs, size_t n)
{
	struct all_runs seen = { .backwards = false };
	int err = t->initial.failed ? HIST_NOMEM : 0;

	for (size_t i = 0; i < n && !err; i++)
		err = add_all(&seen, runs[i]);
	if (!err)
		err = join(t, &seen);
	all_runs_release(&seen);
	return err;
}

static void read_saved(void *db)
{
	event_saved_comm(db, 1);
}

/*
 * The saved names are read by the first thread that needs one, as in time order: if they are
 * damaged, that is reported only if it changes the result.
 */
static const char *saved_comm(struct comm_times *t, s32 pid)
{
	if (pid > 0)
		thread_once(&t->saved, read_saved, t->initial.db);
	return event_saved_comm(t->initial.db, pid);
}

const char *comm_times_at(void *times, const struct hit *hit)
{
	struct comm_times *t = times;
	const struct comm_place place = { hit->ts, hit->at };
	const struct comm_change *c = find(t, comm_key(hit->pid, hit->cpu));
	const char *saved;
	size_t low = 0, high;

	if (!c) {
		saved = saved_comm(t, hit->pid);
		return saved ? saved : "<...>";
	}
	/* the last one that is not after the record */
	for (high = c->n; high - low > 1;) {
		size_t mid = low + (high - low) / 2;

		if (comm_place_before(place, c[mid].place))
			high = mid;
		else
			low = mid;
	}
	return c[low].comm;
}
