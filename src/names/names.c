// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Joins facts to the names over time: for each task the changes of its name, sorted.
 *
 * A name is known where a record states it. If the next record states another one, the task was
 * renamed or has executed a program between them. If an event of that was not recorded, the moment
 * is limited by execve: it is after the last entry, and before the first exit with 0. What remains
 * is a guess: the later name if an execve began, or if it is the first one since the task was
 * forked, because a new task with the name of its parent usually executes its program at once;
 * otherwise the earlier name.
 *
 * kernel: a task can be preempted after the record of its rename and before it has the new name,
 * which it gets when it runs again: directly after the last record with the old one.
 */
#include "names/name_run.h"

/*
 * Facts of a journal of tasks are like those of one more CPU, after records of the same time.
 * ORDER stream_page_at()
 */
#define JOURNAL_AT  (0xffffull << 48)
#define JOURNAL_CPU (1ull << 48)

void names_init(struct names *n, struct event_db *db)
{
	*n = (struct names){ .db = db };
}

static void forget(struct names *n)
{
	indexed_release(&n->changes);
	n->renames = n->built = n->guesses = false;
	memset(n->may_guess, 0, sizeof(n->may_guess));
}

void names_release(struct names *n)
{
	forget(n);
	names_live_free(n->live);
	processes_release(&n->processes);
	array_release(&n->known);
}

int names_know(struct names *n, s64 key, struct names_time time, struct span name, bool guessed)
{
	struct name_run run = { .key = key,
				.first = { time.from, 0 },
				.last = { time.to, UINT64_MAX - 1 },
				.fact = NAME_KNOWN,
				.guessed = guessed };

	memcpy(run.name, name.s, min_t(size_t, name.n, TASK_COMM_LEN - 1));
	return array_push(&n->known, run);
}

int names_state(struct names *n, s32 pid, enum name_fact fact, u64 ts, struct span name)
{
	struct name_run run = { .key = pid, .fact = fact, .stated = true };
	const struct name_run last = n->known.n ? n->known.v[n->known.n - 1] : run;
	u64 at = n->known.n && last.stated ? (last.first.at | 1) + 1 : JOURNAL_AT;

	/* the journal of another file */
	if (at != JOURNAL_AT && ts < last.first.ts)
		at = (at & ~(JOURNAL_CPU - 1)) - JOURNAL_CPU;
	run.first = run.last = (struct name_place){ ts, at | (fact == NAME_BECOMES) };
	memcpy(run.name, name.s, min_t(size_t, name.n, TASK_COMM_LEN - 1));
	if (pid <= 0)
		return 0;
	return n->live ? names_live_name(n, &run) : array_push(&n->known, run);
}

/* The name of the task at the end; false: it was not saved. */
static bool read_saved(const struct names *n, s64 key, char *name)
{
	const char *saved = key > 0 ? event_saved_comm(n->db, (s32)key) : NULL;

	if (saved)
		memcpy(name, saved, strnlen(saved, TASK_COMM_LEN - 1));
	return saved;
}

void names_note_guess(struct names *n, s64 key)
{
	u32 hash = hash_number((u64)key) % NAMES_HASHES;

	n->guesses = true;
	bits_add(n->may_guess, hash);
}

/* --- one task --- */

struct task_walk {
	struct names *names;
	size_t first;             /* the first change of the task */
	struct name_place proved; /* the last place where it certainly had the name ->now */
	/* after that: the last execve, and the first one that succeeded; .at 0: none */
	struct name_place execs, ran;
	bool known;                /* ->proved is from metadata */
	bool named;                /* the execve that will succeed states its name */
	bool renamed;              /* since the fork */
	bool waits;                /* for the name ->soon, which it gets after ->proved */
	bool stated;               /* all of its names are in the journal */
	struct name_place becomes; /* ->waits: since then */
	bool failed;
	char now[TASK_COMM_LEN], soon[TASK_COMM_LEN];
};

static bool same(const char *a, const char *b)
{
	return !memcmp(a, b, TASK_COMM_LEN);
}

static const char unsure[TASK_COMM_LEN] = NAMES_UNSURE;

static struct name_place after(struct name_place place)
{
	place.at |= 1;
	return place;
}

static void change(struct task_walk *w, struct name_place place, const char *name, bool guessed)
{
	struct names *n = w->names;
	const struct name_change *last = &n->changes.v[n->changes.n - 1];
	struct name_change c = { .key = last->key, .place = place, .guessed = guessed };

	if (same(last->name, name) && last->guessed == guessed)
		return;
	if (name_place_before(place, last->place))
		c.place = last->place;
	memcpy(c.name, n->part && guessed ? unsure : name, TASK_COMM_LEN);
	if (guessed)
		names_note_guess(n, c.key);
	w->failed |= array_push(&n->changes, c) != 0;
	n->changes.v[w->first].n = n->changes.n - w->first;
}

static void rename_at(struct task_walk *w, struct name_place place, const char *name, bool guessed)
{
	change(w, place, name, guessed);
	memcpy(w->now, name, TASK_COMM_LEN);
	w->renamed = true;
}

/* The task has another name, and since when is not recorded. */
static void guess(struct task_walk *w, struct name_place known, const char *name)
{
	bool later = w->execs.at || !w->renamed;

	if (w->ran.at)
		known = w->ran;
	if (w->execs.at || !w->ran.at)
		change(w, after(w->execs.at ? w->execs : w->proved), later ? name : w->now, true);
	rename_at(w, known, name, false);
}

/* Before @next, whatever the end of a run of records is. */
static void end_wait(struct task_walk *w, struct name_place next)
{
	struct name_place place = after(w->proved);

	if (w->waits)
		rename_at(w, name_place_before(next, place) ? w->becomes : place, w->soon, false);
	w->waits = false;
}

static void learn(struct task_walk *w, const struct name_run *run)
{
	if (run->fact == NAME_BORN || !same(run->name, w->now))
		end_wait(w, run->first);
	if (same(run->name, w->now))
		change(w, run->first, w->now, run->guessed);
	else if (run->fact == NAME_IS)
		guess(w, run->first, run->name);
	else
		rename_at(w, run->first, run->name, run->guessed);
	/* a run of another CPU may end later */
	if (name_place_before(w->proved, run->last))
		w->proved = run->last;
	w->execs.at = w->ran.at = 0;
	w->known = run->fact == NAME_KNOWN;
	w->named |= run->fact == NAME_EXECED;
	w->renamed = (w->renamed || w->known) && run->fact != NAME_BORN;
}

static void add_run(struct task_walk *w, const struct name_run *run)
{
	bool earlier = name_place_before(run->first, w->proved);

	if (w->stated && !run->stated && run->fact != NAME_KNOWN &&
	    (run->fact != NAME_IS || !w->waits || !same(run->name, w->now)))
		return;
	/* overridden by metadata, or an execve after which the name was still the same */
	if (earlier && ((w->known && run->fact != NAME_KNOWN) || run->fact >= NAME_EXECS))
		return;
	switch (run->fact) {
	case NAME_BECOMES:
		end_wait(w, run->first);
		w->becomes = run->first;
		memcpy(w->soon, run->name, TASK_COMM_LEN);
		w->waits = !same(w->now, w->soon);
		w->named = true;
		break;
	case NAME_EXECS:
		w->named = false;
		if (!w->ran.at)
			w->execs = run->first;
		break;
	case NAME_RAN:
		if (!w->named && !w->ran.at)
			w->ran = run->first;
		w->named = false;
		break;
	default:
		learn(w, run);
	}
}

/* What became of the last program: the name at the end of the recording. */
static void end_task(struct task_walk *w, s64 key)
{
	char name[TASK_COMM_LEN] = "";
	bool saved;

	end_wait(w, (struct name_place){ UINT64_MAX, UINT64_MAX });
	saved = (w->execs.at || w->ran.at) && read_saved(w->names, key, name);
	if (saved && !same(name, w->now))
		guess(w, (struct name_place){ UINT64_MAX, UINT64_MAX }, name);
	else if (w->ran.at && !saved)
		change(w, w->ran, w->now, true);
	if (w->names->part && !w->names->part_ends && !w->stated)
		change(w, after(w->proved), unsure, false);
}

/* The name until the first record; false: it is not known. */
static bool start_task(struct task_walk *w, const struct name_run *run, const struct name_run *end,
		       bool stated)
{
	struct names *n = w->names;
	const struct name_run *named = run;
	struct name_change c = { .key = run->key, .n = 1 };

	for (; named < end && named->fact >= NAME_BECOMES; named++)
		c.guessed |= named->fact != NAME_EXECS;
	c.guessed |= run->fact == NAME_EXECED;
	if (named == end)
		return false;
	if (c.guessed)
		names_note_guess(n, c.key);
	*w = (struct task_walk){ .names = n, .first = n->changes.n };
	if (run->fact != NAME_EXECED || !read_saved(n, c.key, c.name))
		memcpy(c.name, named->name, TASK_COMM_LEN);
	memcpy(w->now, c.name, TASK_COMM_LEN);
	if (n->part && !n->part_begins && !stated)
		memcpy(c.name, unsure, TASK_COMM_LEN);
	w->failed = !indexed_add(&n->changes, hash_number((u64)c.key), c);
	return !w->failed;
}

/* Whether facts of two CPUs contradict each other if a run is taken for all of its records. */
static bool are_in_turns(const struct name_run *run, const struct name_run *end)
{
	const struct name_run *last = NULL;

	for (; run < end; run++) {
		if (run->fact >= NAME_EXECS || run->fact == NAME_KNOWN)
			continue;
		if (last && !name_place_before(last->last, run->first) &&
		    !same(run->name, last->name))
			return true;
		if (!last || name_place_before(last->last, run->last))
			last = run;
	}
	return false;
}

/* 0; 1: all facts are needed; -HIST_ENOMEM */
static int add_task(struct names *n, struct name_run *run, const struct name_run *end)
{
	struct task_walk w = { .names = n };
	s64 key = run->key;
	bool stated = false;

	for (const struct name_run *r = run; r < end && n->complete; r++)
		stated |= r->stated;
	if (!n->every && !stated && are_in_turns(run, end))
		return 1;
	if (stated) {
		const struct name_run *next = run + 1;

		/*
		 * The journal states the name that /proc had as that of its begin. If a rename
		 * comes before /proc was read, the journal also has the name before that.
		 */
		while (next < end && !next->stated)
			next++;
		if (run->stated && run->fact == NAME_IS && next < end && next->fact == NAME_IS)
			memcpy(run->name, next->name, TASK_COMM_LEN);
	}
	if (!start_task(&w, run, end, stated))
		return w.failed ? HIST_NOMEM : 0;
	w.stated = stated;
	for (; run < end; run++)
		add_run(&w, run);
	end_task(&w, key);
	return w.failed ? HIST_NOMEM : 0;
}

/* --- all tasks --- */

typedef ARRAY(struct name_run) name_run_array;

/* As the CPU recorded them: ->at of a CPU's records ascends. */
DEFINE_ORDER(by_record, struct name_run,
	     cmp_int(x->key, y->key) ?:
	     cmp_int(x->first.at, y->first.at) ?:
	     memcmp(x->name, y->name, TASK_COMM_LEN))

/* Of one record, the fact that is the same whichever thread found it first. */
DEFINE_ORDER(by_time, struct name_run, cmp_int(x->key, y->key) ?: name_place_before(y->first, x->first) - name_place_before(x->first, y->first) ?: cmp_int(x->fact, y->fact) ?: memcmp(x->name, y->name, TASK_COMM_LEN))

/* Join the runs that were cut at the ends of ranges, so that they do not depend on ranges. */
static void join_cut(name_run_array *runs)
{
	enum { CPU_SHIFT = 48 }; /* of ->at; ORDER stream_page_at() */
	size_t n = 0;

	qsort(runs->v, runs->n, sizeof(*runs->v), by_record);
	for (size_t i = 0; i < runs->n; i++) {
		struct name_run *last = n ? &runs->v[n - 1] : NULL, *run = &runs->v[i];

		if (last && last->key == run->key && last->fact == NAME_IS &&
		    run->fact == NAME_IS &&
		    last->last.at >> CPU_SHIFT == run->first.at >> CPU_SHIFT &&
		    same(last->name, run->name))
			last->last = run->last;
		else
			runs->v[n++] = *run;
	}
	runs->n = n;
}

static int join(struct names *n, name_run_array *runs)
{
	size_t end;
	int err = 0;

	if (!runs->n)
		return 0;
	if (!n->every)
		join_cut(runs);
	qsort(runs->v, runs->n, sizeof(*runs->v), by_time);
	n->renames |= any_of(i, runs->n,
			     runs->v[i].fact == NAME_BECOMES || runs->v[i].fact == NAME_EXECED);
	for (size_t i = 0; i < runs->n && !err; i = end) {
		for (end = i + 1; end < runs->n && runs->v[end].key == runs->v[i].key;)
			end++;
		err = add_task(n, &runs->v[i], &runs->v[end]);
	}
	return err;
}

int names_build(struct names *n, struct names_seen *const *seen, size_t n_seen)
{
	scoped(free_scoped) name_run_array all = ARRAY_INIT;
	int err = 0;

	forget(n);
	for (size_t k = 0; k < n->known.n && !err; k++)
		err = array_push(&all, n->known.v[k]);
	for (size_t i = 0; i < n_seen && !err; i++) {
		err = seen[i]->failed ? HIST_NOMEM : 0;
		for (size_t k = 0; k < seen[i]->runs.n && !err; k++)
			err = array_push(&all, seen[i]->runs.v[k]);
	}
	err = err ?: join(n, &all);
	n->every |= err > 0;
	n->built = !err;
	return err;
}

/* The first change of a task, which is its name at the start; NULL: it has none. */
static const struct name_change *find(const struct names *n, s64 key)
{
	return indexed_by(&n->changes, key, key);
}

/* kernel: named when its CPU is set up; not in any file */
int names_add_idle(struct names *n, u32 cpu)
{
	struct name_change c = { .key = name_key(0, cpu), .n = 1 };

	if (find(n, c.key))
		return 0;
	snprintf(c.name, sizeof(c.name), "swapper/%u", cpu);
	return indexed_add(&n->changes, hash_number((u64)c.key), c) ? 0 : HIST_NOMEM;
}

static void load_saved(void *db)
{
	event_saved_comm(db, 1);
}

/*
 * The saved names are read by the first thread that needs one: if they are damaged, that is
 * reported only if it changes the result.
 */
const char *names_saved(struct names *n, s32 pid)
{
	const char *saved;

	if (pid > 0)
		thread_once(&n->saved, load_saved, n->db);
	saved = event_saved_comm(n->db, pid);
	return saved ? saved : "<...>";
}

static const struct name_change *names_change_at(const struct names *n, s64 key,
						 struct name_place place)
{
	const struct name_change *c;

	if (n->live)
		return names_live_change(n, key, place);
	c = find(n, key);
	/* the last one that is not after the place, or the first one */
	if (c)
		c += partition_point(i, c->n - 1, !name_place_before(place, c[i + 1].place));
	return c;
}

const struct name_change *names_ask(struct names *n, s64 key, struct name_place place)
{
	const struct name_change *c = names_change_at(n, key, place);

	if (unlikely(n->asked != NULL))
		n->asked->asked(n->asked->arg,
				&(struct name_asked){
					.key = key,
					.ts = place.ts,
					.since = c ? c->place : (struct name_place){ .ts = 0 },
					.name = c ? c->name
						  : names_saved(n, (s32)(key < 0 ? 0 : key)),
					.guessed = c && c->guessed });
	return c;
}

struct who names_at(struct names *n, s32 pid, u32 cpu, struct name_place place)
{
	const struct name_change *c = names_ask(n, name_key(pid, cpu), place);

	const char *name = c ? c->name : n->part && pid > 0 ? unsure : names_saved(n, pid);

	if (unlikely(n->part && same(name, unsure)))
		__atomic_store_n(&n->unsure, true, __ATOMIC_RELAXED);
	return (struct who){ .name = name, .guessed = c && c->guessed };
}
