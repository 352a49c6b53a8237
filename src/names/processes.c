// SPDX-License-Identifier: LGPL-2.1-only
/* Joins facts about tasks to a table of processes over time (process_table.h). */
#include "names/process_table.h"

/* After all records of its time. ORDER stream_page_at() */
#define STATED_AT (0xffffull << 48)

int names_learn(struct names *n, const struct task_state *fact)
{
	struct processes *p = &n->processes;
	struct task_state copy = *fact;

	if (fact->pid <= 0 && fact->kind != STATE_CGROUP)
		return 0;
	if (fact->kind == STATE_UID)
		return array_push(&p->uids,
				  ((struct task_uid){ fact->pid, fact->other, fact->place.ts }));
	if (n->live)
		return names_live_learn(n, fact);
	if (!copy.place.at)
		copy.place.at = STATED_AT | p->stated.n * 2;
	copy.text.s = arena_strndup(&p->arena, fact->text.s, fact->text.n);
	return copy.text.s ? array_push(&p->stated, copy) : HIST_NOMEM;
}

DEFINE_ORDER(by_place, struct task_state,
	     name_place_before(y->place, x->place) - name_place_before(x->place, y->place)
		     ?: cmp_int(x->kind, y->kind))

DEFINE_ORDER(by_pid, struct process_change, cmp_int(x->pid, y->pid) ?: cmp_int(x->seq, y->seq))

/*
 * kernel: of version 1, a process is in one cgroup of each hierarchy. The answer is that of the
 * hierarchy in which one is not in the root first: at one time, the unified one, otherwise that
 * which has the most cgroups. Facts that follow do not change that, so that it can be known early.
 */
int processes_choose_hierarchy(struct processes *p, const task_state_array *facts)
{
	scoped(texts_release) struct texts paths = { .v.n = 0 };
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	u64 n[HIERARCHIES_MAX] = { 0 }, first = 0;
	int err = 0;

	p->hierarchy = NO_HIERARCHY;
	p->hierarchies = 0;
	array_each_while(const struct task_state, f, facts, !err) {
		size_t known = paths.v.n;
		u32 number;

		if (!is_below_root(f))
			continue;
		first = p->hierarchies ? first : f->place.ts;
		p->hierarchies |= 1u << f->hierarchy;
		if (f->place.ts != first)
			continue;
		strbuf_reset(&path);
		strbuf_addf(&path, "%u:%.*s", f->hierarchy, (int)f->text.n, f->text.s);
		err = path.failed ? HIST_NOMEM : texts_number(&paths, strbuf_span(&path), &number);
		n[f->hierarchy] += paths.v.n > known;
	}
	for (u32 i = 0; i < HIERARCHIES_MAX; i++)
		if (n[i] && (p->hierarchy == NO_HIERARCHY || (!n[0] && n[i] > n[p->hierarchy])))
			p->hierarchy = i;
	p->hierarchy = p->chosen ? p->chosen - 1 : p->hierarchy;
	return err;
}

struct rename {
	s64 pid;
	u64 ts;
};

DEFINE_ORDER(by_rename, struct rename, cmp_int(x->pid, y->pid) ?: cmp_int(x->ts, y->ts))

/*
 * A task has the arguments of a new program from the time at which it has its name. kernel: a task
 * that executes a program is renamed directly before sched_process_exec, also if the name is the
 * same; and the journal, an instance of its own, sees that event later than the recording does.
 */
static int place_execs(const struct names *n, task_state_array *journal)
{
	scoped(free_scoped) ARRAY(struct rename) renames = ARRAY_INIT;
	int err = 0;

	array_each_while(const struct name_run, run, &n->known, !err)
		if (run->stated && run->fact == NAME_BECOMES)
			err = array_push(&renames, ((struct rename){ run->key, run->first.ts }));
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
	return err;
}

static int collect(const struct names *n, struct names_seen *const *seen, size_t n_seen,
		   task_state_array *all)
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

DEFINE_ORDER(by_process, struct threads_change, cmp_int(x->pid, y->pid) ?: cmp_int(x->seq, y->seq))

/* Sort the changes by task, and index them. */
static int index_changes(struct names *n)
{
	struct processes *p = &n->processes;
	size_t first = 0;
	int err = 0;

	if (p->changes.n)
		qsort(p->changes.v, p->changes.n, sizeof(*p->changes.v), by_pid);
	if (p->of_threads.n)
		qsort(p->of_threads.v, p->of_threads.n, sizeof(*p->of_threads.v), by_process);
	for (size_t i = 0; i < p->changes.n && !err; i++) {
		if (!i || p->changes.v[i].pid != p->changes.v[first].pid) {
			first = i;
			err = hash_add(&p->changes.index, hash_number((u64)p->changes.v[i].pid), i);
		}
		p->changes.v[i].n = 0;
		if (p->changes.v[i].guessed)
			names_note_guess(n, p->changes.v[i].pid);
		p->changes.v[first].n++;
	}
	return err;
}

int processes_by_uid(const void *a, const void *b)
{
	const struct task_uid *x = a, *y = b;

	return cmp_int(x->pid, y->pid) ?: cmp_int(x->ts, y->ts);
}

int processes_first_texts(struct processes *p)
{
	u32 number;
	int err = texts_number(&p->texts, span_of("?"), &number);

	/* not a text of any task */
	err = err ?: texts_number(&p->texts, span_of(""), &number);
	return err ?: texts_number(&p->texts, span_of("/"), &p->root);
}

int processes_build(struct names *n, struct names_seen *const *seen, size_t n_seen)
{
	struct processes *p = &n->processes;
	scoped(free_scoped) task_state_array all = ARRAY_INIT;
	scoped(process_table_release) struct process_table t = { .p = p };
	bool flags = false;

	processes_forget(p);
	if (p->uids.n)
		qsort(p->uids.v, p->uids.n, sizeof(*p->uids.v), processes_by_uid);
	t.err = processes_first_texts(p);
	t.err = t.err ? t.err : collect(n, seen, n_seen, &all);
	t.err = t.err ? t.err : processes_choose_hierarchy(p, &all);
	/* otherwise it is not known whether there are cgroups */
	p->hierarchy = p->hierarchies || p->chosen ? p->hierarchy : 0;
	/* task_newtask states the same as sched_process_fork, and more */
	for (size_t i = 0; i < all.n; i++) {
		flags |= all.v[i].kind == STATE_BORN && all.v[i].flags != STATE_FLAGS_UNKNOWN;
		t.exits |= all.v[i].kind == STATE_ENDED || all.v[i].kind == STATE_IS;
	}
	for (size_t i = 0; i < all.n && !t.err; i++)
		if (!flags || all.v[i].kind != STATE_BORN || all.v[i].flags != STATE_FLAGS_UNKNOWN)
			process_table_apply(&t, &all.v[i]);
	t.err = t.err ? t.err : index_changes(n);
	return t.err ? t.err : processes_sort_texts(n);
}

void processes_forget(struct processes *p)
{
	indexed_release(&p->changes);
	array_release(&p->of_threads);
	array_release(&p->ids);
	texts_release(&p->texts);
	free(p->ranks);
	p->ranks = NULL;
	p->reused = false;
	p->sorted = (struct who_texts){ .n = 0 };
}

void processes_release(struct processes *p)
{
	processes_forget(p);
	array_release(&p->stated);
	array_release(&p->uids);
	arena_release(&p->arena);
}
