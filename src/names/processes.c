// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Joins facts about tasks to a table of processes over time: in the order of time, each fact
 * changes the state of its task, or of all threads of its process.
 *
 * Nothing is assumed: a task whose birth was not stated has no known process, unless it executed a
 * program as the leader of one. A fork without its flags may have made a thread. An id that is used
 * again begins another life: after an exit, or with another start time in a later journal; if no
 * exits are known, with each birth.
 *
 * kernel: of version 1, a process is in one cgroup of each hierarchy. The answer is that of the
 * unified hierarchy; if all processes are in its root, that of the one that has the most cgroups.
 */
#include <stdlib.h>

#include "names/name_run.h"

#define CLONE_PARENT      0x8000ull
#define CLONE_THREAD      0x10000ull
#define CLONE_INTO_CGROUP 0x200000000ull

enum { HIERARCHIES_MAX = 32 };

/* --- stating --- */

/* After all records of its time. ORDER stream_page_at() */
#define STATED_AT (0xffffull << 48)

int names_learn(struct names *n, const struct task_state *fact)
{
	struct processes *p = &n->processes;
	struct task_state copy = *fact;

	if (fact->pid <= 0)
		return 0;
	if (!copy.place.at)
		copy.place.at = STATED_AT | p->stated.n * 2;
	copy.text.s = arena_strndup(&p->arena, fact->text.s, fact->text.n);
	return copy.text.s ? array_push(&p->stated, copy) : HIST_NOMEM;
}

/* --- texts --- */

int task_text_number(struct task_texts *t, const char *text, u32 *number)
{
	struct hash_walk walk = hash_walk(hash_text(text));
	const char *copy;
	size_t i;

	while (hash_next(&t->index, &walk, &i))
		if (!strcmp(t->v.v[i], text)) {
			*number = (u32)i;
			return 0;
		}
	copy = arena_strdup(&t->arena, text);
	if (!copy || hash_add(&t->index, hash_text(text), t->v.n))
		return HIST_NOMEM;
	*number = (u32)t->v.n;
	return array_push(&t->v, copy);
}

static void task_texts_release(struct task_texts *t)
{
	array_release(&t->v);
	hash_release(&t->index);
	arena_release(&t->arena);
	*t = (struct task_texts){ .index = HASH_TABLE_INIT };
}

/* The arguments with spaces between them, and without what would end a line. */
static int args_number(struct task_texts *t, struct span args, u32 *number)
{
	struct strbuf out = STRBUF_INIT;
	int err;

	while (args.n && !args.s[args.n - 1])
		args.n--;
	for (size_t i = 0; i < args.n; i++)
		strbuf_addch(&out, (u8)args.s[i] < ' ' || args.s[i] == 0x7f ? ' ' : args.s[i]);
	*number = TEXT_NONE;
	err = out.failed ? HIST_NOMEM : out.len ? task_text_number(t, out.s, number) : 0;
	strbuf_release(&out);
	return err;
}

/* The first components of a path. */
static int cgroup_number(struct processes *p, struct span path, u32 *number)
{
	struct strbuf out = STRBUF_INIT;
	u32 depth = 0;
	int err;

	for (size_t i = 0; i < path.n; i++) {
		depth += path.s[i] == '/';
		if (p->cgroup_depth && depth > p->cgroup_depth)
			break;
		strbuf_addch(&out, (u8)path.s[i] < ' ' ? ' ' : path.s[i]);
	}
	if (!out.len)
		strbuf_addch(&out, '/');
	err = out.failed ? HIST_NOMEM : task_text_number(&p->texts, out.s, number);
	strbuf_release(&out);
	return err;
}

/* --- the table --- */

/* A task now; indices are + 1. */
struct task_now {
	s32 pid;
	u32 last; /* its last change */
	/* threads of process ->of besides the leader: the first one is stored in the leader */
	s32 of;
	u32 first, next, before;
	u32 life;
	bool ended;
	u64 start; /* STATE_IS */
};

struct process_table {
	struct processes *p;
	ARRAY(struct task_now) tasks;
	struct hash_table by_pid;
	u32 hierarchy;
	bool exits; /* of tasks are among the facts */
	int err;
};

static struct task_now *table_find(const struct process_table *t, s32 pid)
{
	struct hash_walk walk = hash_walk(hash_number((u64)pid));
	size_t i;

	while (hash_next(&t->by_pid, &walk, &i))
		if (t->tasks.v[i].pid == pid)
			return &t->tasks.v[i];
	return NULL;
}

/* NULL if out of memory. */
static struct task_now *table_get(struct process_table *t, s32 pid)
{
	const struct task_now new = { .pid = pid };
	struct task_now *found = table_find(t, pid);

	if (found)
		return found;
	t->err = hash_add(&t->by_pid, hash_number((u64)pid), t->tasks.n);
	t->err = t->err ? t->err : array_push(&t->tasks, new);
	return t->err ? NULL : &t->tasks.v[t->tasks.n - 1];
}

static struct process_change *change_of(const struct process_table *t, const struct task_now *task)
{
	return task->last ? &t->p->changes.v[task->last - 1] : NULL;
}

static struct process_change unknown_task(s32 pid)
{
	return (struct process_change){ .pid = pid, .tgid = -1, .parent = -1 };
}

/* The task is this from the fact on; @birth: it is another task than before. */
static void put_change(struct process_table *t, struct task_now *task, struct process_change change,
		       const struct task_state *fact, bool birth)
{
	change.place = fact->place;
	change.life = task->life;
	change.seq = t->p->changes.n;
	change.guessed |= fact->guessed;
	/* until they are sorted: the change before it in this life */
	change.n = birth ? 0 : task->last;
	t->err = t->err ? t->err : array_push(&t->p->changes, change);
	task->last = (u32)t->p->changes.n;
}

static struct task_now *task_at(const struct process_table *t, u32 number)
{
	return number ? &t->tasks.v[number - 1] : NULL;
}

static void leave_process(struct process_table *t, struct task_now *task)
{
	struct task_now *leader = task->of ? table_find(t, task->of) : NULL;
	const u32 number = (u32)(task - t->tasks.v) + 1;

	if (leader && leader->first == number)
		leader->first = task->next;
	if (task->before)
		task_at(t, task->before)->next = task->next;
	if (task->next)
		task_at(t, task->next)->before = task->before;
	task->of = 0;
	task->next = task->before = 0;
}

/* Enter the task in the list of threads of its process. */
static void join_process(struct process_table *t, s32 pid, s32 tgid)
{
	/* a new leader may move the array */
	struct task_now *leader = table_get(t, tgid), *task = table_find(t, pid);

	if (!leader || !task)
		return;
	leave_process(t, task);
	if (tgid == pid)
		return;
	task->of = tgid;
	task->next = leader->first;
	leader->first = (u32)(task - t->tasks.v) + 1;
	if (task->next)
		task_at(t, task->next)->before = leader->first;
}

/* What it is now, and a task for it; false: out of memory. */
static bool current(struct process_table *t, s32 pid, struct process_change *change)
{
	const struct task_now *task = table_get(t, pid);

	if (!task)
		return false;
	*change = task->last ? *change_of(t, task) : unknown_task(pid);
	return true;
}

/* Another task has the id now. */
static void use_again(struct process_table *t, struct task_now *task)
{
	task->life++;
	task->ended = false;
	task->start = 0;
	t->p->reused = true;
}

static void be_born(struct process_table *t, const struct task_state *f)
{
	const bool flags = f->flags != STATE_FLAGS_UNKNOWN;
	struct process_change maker, new = unknown_task(f->pid);
	struct task_now *task;

	if (!current(t, f->other, &maker) || !table_get(t, f->pid))
		return;
	task = table_find(t, f->pid);
	/* without an exit: what /proc knew already, or a second statement of this birth */
	if (task->ended || (task->last && !t->exits))
		use_again(t, task);
	new.guessed = maker.guessed;
	new.cgroup = maker.cgroup;
	new.cmdline = maker.cmdline;
	/* of version 2 */
	if (flags && f->flags & CLONE_INTO_CGROUP && !t->hierarchy)
		new.cgroup = TEXT_UNKNOWN;
	if (flags && f->flags & CLONE_THREAD) {
		new.tgid = maker.tgid;
		new.parent = maker.parent;
	} else if (flags) {
		new.tgid = f->pid;
		new.parent = f->flags &CLONE_PARENT ? maker.parent : maker.tgid;
	}
	put_change(t, task, new, f, true);
	join_process(t, f->pid, new.tgid > 0 ? new.tgid : f->pid);
}

/* It was the leader of a process since it was born. */
static void prove_leader(struct process_table *t, const struct task_now *task)
{
	for (u32 i = task->last; i && t->p->changes.v[i - 1].tgid < 0; i = t->p->changes.v[i - 1].n)
		t->p->changes.v[i - 1].tgid = task->pid;
}

static void execute(struct process_table *t, const struct task_state *f)
{
	struct task_now *task = table_get(t, f->pid);
	struct process_change now;
	u32 text = TEXT_UNKNOWN;

	if (!task)
		return;
	if (!task->last) {
		/* before its first fact */
		const struct task_state start = { .pid = f->pid };

		put_change(t, task, unknown_task(f->pid), &start, true);
	}
	if (t->err)
		return;
	if (f->other == f->pid || f->other <= 0)
		prove_leader(t, task);
	now = *change_of(t, task);
	now.tgid = f->pid;
	if (f->text.n)
		t->err = t->err ? t->err : args_number(&t->p->texts, f->text, &text);
	now.cmdline = text;
	now.guessed = false;
	put_change(t, task, now, f, false);
}

/* Change one text of a task, and if it is a leader of all threads. */
static void set_text(struct process_table *t, const struct task_state *f, u32 text)
{
	const bool cgroup = f->kind != STATE_ARGS;
	struct task_now *leader = table_get(t, f->pid);
	struct task_now *task = leader, *next = leader ? task_at(t, leader->first) : NULL;

	for (; task && !t->err; task = next, next = task ? task_at(t, task->next) : NULL) {
		struct process_change *last = change_of(t, task);
		struct process_change now = last ? *last : unknown_task(task->pid);
		/* what /proc contains is of one time */
		bool same = last && f->kind != STATE_MOVED && last->place.ts == f->place.ts;

		*(cgroup ? &now.cgroup : &now.cmdline) = text;
		if (same)
			*(cgroup ? &last->cgroup : &last->cmdline) = text;
		else
			put_change(t, task, now, f, false);
	}
}

static void apply(struct process_table *t, const struct task_state *f)
{
	struct process_change now;
	struct task_now *task;
	u32 text = TEXT_UNKNOWN;

	switch (f->kind) {
	case STATE_IS:
	case STATE_PROCESS:
		if (!current(t, f->pid, &now))
			return;
		task = table_find(t, f->pid);
		if (f->kind == STATE_IS) {
			/* in the journal of a later recording */
			if (task->ended || (task->start && f->flags && task->start != f->flags))
				use_again(t, task);
			task->start = f->flags;
		}
		now.tgid = f->other;
		now.parent = f->kind == STATE_IS ? f->parent : now.parent;
		if (f->kind == STATE_IS) {
			/* what /proc does not name is not there: arguments, cgroups of version 1 */
			now.cmdline = TEXT_NONE;
			t->err = t->hierarchy ? cgroup_number(t->p, span_of("/"), &now.cgroup) : 0;
		}
		put_change(t, task, now, f, f->kind == STATE_IS);
		join_process(t, f->pid, f->other);
		break;
	case STATE_BORN:
		be_born(t, f);
		break;
	case STATE_ENDED:
		task = table_get(t, f->pid);
		if (task)
			task->ended = true;
		break;
	case STATE_EXECED:
		execute(t, f);
		break;
	case STATE_ARGS:
		t->err = args_number(&t->p->texts, f->text, &text);
		set_text(t, f, text);
		break;
	default:
		if (f->hierarchy != t->hierarchy)
			return;
		/* without a path it is not known which */
		t->err = f->text.n ? cgroup_number(t->p, f->text, &text) : 0;
		set_text(t, f, text);
	}
}

/* --- all facts --- */

typedef ARRAY(struct task_state) state_array;

static int by_place(const void *a, const void *b)
{
	const struct task_state *x = a, *y = b;

	if (name_place_before(x->place, y->place) || name_place_before(y->place, x->place))
		return name_place_before(x->place, y->place) ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static int by_pid(const void *a, const void *b)
{
	const struct process_change *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* The hierarchy whose paths are the answer. */
static int choose_hierarchy(const state_array *facts, u32 *best)
{
	struct task_texts paths = { .index = HASH_TABLE_INIT };
	struct strbuf path = STRBUF_INIT;
	u64 n[HIERARCHIES_MAX] = { 0 };
	int err = 0;

	for (size_t i = 0; i < facts->n && !err; i++) {
		const struct task_state *f = &facts->v[i];
		size_t known = paths.v.n;
		u32 number;

		if ((f->kind != STATE_IN && f->kind != STATE_MOVED) ||
		    f->hierarchy >= HIERARCHIES_MAX || f->text.n < 2)
			continue;
		strbuf_reset(&path);
		strbuf_addf(&path, "%u:%.*s", f->hierarchy, (int)f->text.n, f->text.s);
		err = path.failed ? HIST_NOMEM : task_text_number(&paths, path.s, &number);
		n[f->hierarchy] += paths.v.n > known;
	}
	for (u32 i = 1; i < HIERARCHIES_MAX && !n[0]; i++)
		if (n[i] > n[*best])
			*best = i;
	strbuf_release(&path);
	task_texts_release(&paths);
	return err;
}

struct rename {
	s64 pid;
	u64 ts;
};

static int by_rename(const void *a, const void *b)
{
	const struct rename *x = a, *y = b;

	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : (x->ts > y->ts) - (x->ts < y->ts);
}

/*
 * A task has the arguments of a new program from the time at which it has its name. kernel: a task
 * that executes a program is renamed directly before sched_process_exec, also if the name is the
 * same; and the journal, an instance of its own, sees that event later than the recording does.
 */
static int place_execs(const struct names *n, state_array *journal)
{
	ARRAY(struct rename) renames = ARRAY_INIT;
	int err = 0;

	for (size_t i = 0; i < n->known.n && !err; i++) {
		const struct name_run *run = &n->known.v[i];

		if (run->stated && run->fact == NAME_BECOMES)
			err = array_push(&renames, ((struct rename){ run->key, run->first.ts }));
	}
	if (renames.n)
		qsort(renames.v, renames.n, sizeof(*renames.v), by_rename);
	for (size_t i = 0; i < journal->n && !err; i++) {
		const struct rename exec = { journal->v[i].pid, journal->v[i].place.ts };
		const bool is_exec = journal->v[i].kind == STATE_EXECED;
		const size_t at = partition_point(k, is_exec ? renames.n : 0,
						  by_rename(&renames.v[k], &exec) <= 0);

		if (!at || renames.v[at - 1].pid != exec.pid)
			continue;
		/* the arguments follow */
		for (size_t k = i; k < journal->n && journal->v[k].place.ts == exec.ts; k++)
			if (journal->v[k].pid == exec.pid)
				journal->v[k].place.ts = renames.v[at - 1].ts;
	}
	array_release(&renames);
	return err;
}

static int collect(const struct names *n, struct names_seen *const *seen, size_t n_seen,
		   state_array *all)
{
	int err = 0;

	for (size_t i = 0; i < n->processes.stated.n && !err; i++)
		err = array_push(all, n->processes.stated.v[i]);
	if (n->complete)
		err = err ?: place_execs(n, all);
	/* a complete journal has all that records state */
	for (size_t s = 0; s < n_seen && !(n->complete && n->processes.stated.n); s++)
		for (size_t i = 0; i < seen[s]->states.n && !err; i++)
			err = array_push(all, seen[s]->states.v[i]);
	if (all->n)
		qsort(all->v, all->n, sizeof(*all->v), by_place);
	return err;
}

/* Sort the changes by task, and index them. */
static int index_changes(struct names *n)
{
	struct processes *p = &n->processes;
	size_t first = 0;
	int err = 0;

	if (p->changes.n)
		qsort(p->changes.v, p->changes.n, sizeof(*p->changes.v), by_pid);
	for (size_t i = 0; i < p->changes.n && !err; i++) {
		if (!i || p->changes.v[i].pid != p->changes.v[first].pid) {
			first = i;
			err = hash_add(&p->by_pid, hash_number((u64)p->changes.v[i].pid), i);
		}
		p->changes.v[i].n = 0;
		if (p->changes.v[i].guessed)
			names_note_guess(n, p->changes.v[i].pid);
		p->changes.v[first].n++;
	}
	return err;
}

int processes_build(struct names *n, struct names_seen *const *seen, size_t n_seen)
{
	struct processes *p = &n->processes;
	state_array all = ARRAY_INIT;
	struct process_table t = { .p = p };
	bool flags = false;
	u32 number;

	processes_forget(p);
	t.err = task_text_number(&p->texts, "?", &number);
	/* not a text of any task */
	t.err = t.err ? t.err : task_text_number(&p->texts, "", &number);
	t.err = t.err ? t.err : task_text_number(&p->texts, "/", &p->root);
	t.err = t.err ? t.err : collect(n, seen, n_seen, &all);
	t.err = t.err ? t.err : choose_hierarchy(&all, &t.hierarchy);
	/* task_newtask states the same as sched_process_fork, and more */
	for (size_t i = 0; i < all.n; i++) {
		flags |= all.v[i].kind == STATE_BORN && all.v[i].flags != STATE_FLAGS_UNKNOWN;
		t.exits |= all.v[i].kind == STATE_ENDED || all.v[i].kind == STATE_IS;
	}
	for (size_t i = 0; i < all.n && !t.err; i++)
		if (!flags || all.v[i].kind != STATE_BORN || all.v[i].flags != STATE_FLAGS_UNKNOWN)
			apply(&t, &all.v[i]);
	t.err = t.err ? t.err : index_changes(n);
	array_release(&t.tasks);
	hash_release(&t.by_pid);
	array_release(&all);
	return t.err ? t.err : processes_sort_texts(n);
}

void processes_forget(struct processes *p)
{
	array_release(&p->changes);
	hash_release(&p->by_pid);
	task_texts_release(&p->texts);
	p->by_pid = (struct hash_table)HASH_TABLE_INIT;
	p->of_names = NULL;
	p->reused = false;
	p->sorted = (struct who_texts){ .n = 0 };
}

void processes_release(struct processes *p)
{
	processes_forget(p);
	array_release(&p->stated);
	arena_release(&p->arena);
}
