// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Who tasks are while their events are recorded: facts of the journal come in the order of time, a
 * moment before the questions about that time. The changes of a task are a list, from the last one
 * back; what no question can be about any more is forgotten from time to time.
 *
 * The numbers of texts are in the order in which they were needed.
 */
#include "names/process_table.h"

/* Of a task that has ended: a last record of another one can name it. */
#define FORGET_NS 30000000000ull

enum { FORGET_CHANGES = 1 << 14 };

/* After all records of its time. ORDER stream_page_at() */
#define LIVE_AT (0xffffull << 48)

struct names_live {
	struct process_table table; /* each task, also an idle one */
	text_owner_array owners;
	u64 at;           /* of the last fact */
	size_t forget_at; /* changes */
	/* the last program: its arguments are of the time at which the task was renamed for it */
	s32 exec_pid;
	u64 exec_ts;
	struct name_place exec_place;
};

static int push_name(struct names *n, struct task_now *task, struct name_change c)
{
	c.key = task->pid;
	c.n = task->name;
	c.life = task->life;
	if (array_push(&n->changes, c))
		return HIST_NOMEM;
	task->name = (u32)n->changes.n;
	return 0;
}

/* Texts may have moved. */
static void note_texts(struct processes *p)
{
	p->sorted.v = p->texts.v.v;
	p->sorted.n = (u32)p->texts.v.n;
}

int names_go_live(struct names *n, const u32 *cpus, size_t n_cpus)
{
	struct processes *p = &n->processes;
	struct names_live *live = calloc(1, sizeof(*live));
	int err = live ? processes_first_texts(p) : HIST_NOMEM;

	n->live = live;
	n->built = true;
	if (err)
		return err;
	*live = (struct names_live){ .table = { .p = p, .exits = true, .live = true },
				     .at = LIVE_AT,
				     .forget_at = FORGET_CHANGES };
	p->sorted = (struct who_texts){ .db = n->db, .unsorted = true };
	note_texts(p);
	for (size_t i = 0; i < n_cpus && !err; i++) {
		struct task_now *task =
			process_table_get(&n->live->table, (s32)name_key(0, cpus[i]));
		struct name_change c = { .n = 0 };

		/* kernel: named when its CPU is set up; not in any file */
		snprintf(c.name, sizeof(c.name), "swapper/%u", cpus[i]);
		err = task ? push_name(n, task, c) : HIST_NOMEM;
	}
	return err ?: processes_choose_hierarchy(p, &p->stated);
}

void names_live_free(struct names_live *live)
{
	if (!live)
		return;
	process_table_release(&live->table);
	array_release(&live->owners);
	free(live);
}

/* --- stating --- */

int names_live_name(struct names *n, const struct name_run *run)
{
	struct names_live *live = n->live;
	struct task_now *task = process_table_get(&live->table, (s32)run->key);
	struct name_change c = { .place = { run->first.ts, ++live->at } }, *last;

	if (!task)
		return HIST_NOMEM;
	last = task->name ? &n->changes.v[task->name - 1] : NULL;
	memcpy(c.name, run->name, TASK_COMM_LEN);
	if (last && last->life == task->life && !memcmp(last->name, c.name, TASK_COMM_LEN) &&
	    run->fact != NAME_BECOMES)
		return 0;
	/* a rename while /proc was read, which had the later name already */
	if (last && !last->n && !last->place.ts && run->fact == NAME_IS) {
		memcpy(last->name, c.name, TASK_COMM_LEN);
		return 0;
	}
	return push_name(n, task, c);
}

/*
 * kernel: a task that executes a program is renamed directly before sched_process_exec, and the
 * journal sees that event later than the recording does.
 */
static void place_exec(struct names *n, struct task_state *fact)
{
	struct names_live *live = n->live;
	const struct task_now *task = process_table_find(&live->table, fact->pid);
	const struct process_change *last =
		task && task->last ? &n->processes.changes.v[task->last - 1] : NULL;

	if (task && task->name && n->changes.v[task->name - 1].life == task->life)
		fact->place = n->changes.v[task->name - 1].place;
	/* changes are in order */
	if (last && name_place_before(fact->place, last->place))
		fact->place = last->place;
	live->exec_pid = fact->pid;
	live->exec_place = fact->place;
}

int names_live_learn(struct names *n, const struct task_state *fact)
{
	struct names_live *live = n->live;
	struct processes *p = &n->processes;
	struct task_state f = *fact;
	const u64 ts = f.place.ts;

	/* texts that are not asked are not stored */
	if (!p->asked && (f.kind == STATE_ARGS || f.kind == STATE_IN || f.kind == STATE_MOVED ||
			  f.kind == STATE_EXECED))
		return 0;
	f.place.at = ++live->at;
	if (is_below_root(&f)) {
		p->hierarchy = p->hierarchies || p->chosen ? p->hierarchy : f.hierarchy;
		p->hierarchies |= 1u << f.hierarchy;
	}
	if (f.kind == STATE_EXECED)
		place_exec(n, &f);
	else if (f.kind == STATE_ARGS && f.pid == live->exec_pid && ts == live->exec_ts)
		f.place = live->exec_place;
	live->exec_ts = f.kind == STATE_EXECED ? ts : live->exec_ts;
	process_table_apply(&live->table, &f);
	note_texts(p);
	return live->table.err;
}

/* --- asking --- */

const struct name_change *names_live_change(const struct names *n, s64 key, struct name_place place)
{
	const struct task_now *task = process_table_find(&n->live->table, (s32)key);
	const struct name_change *c = task && task->name ? &n->changes.v[task->name - 1] : NULL;

	while (c && c->n && name_place_before(place, c->place))
		c = &n->changes.v[c->n - 1];
	return c;
}

const struct process_change *names_live_process(const struct names *n, s32 pid,
						struct name_place place)
{
	const struct task_now *task = process_table_find(&n->live->table, pid);
	const struct process_change *c =
		task && task->last ? &n->processes.changes.v[task->last - 1] : NULL;

	while (c && c->n && name_place_before(place, c->place))
		c = &n->processes.changes.v[c->n - 1];
	return c;
}

int names_live_texts(struct names *n, const struct name_change *c)
{
	struct processes *p = &n->processes;
	int err = task_texts_of_name(&p->texts, &n->changes.v[c - n->changes.v], &n->live->owners);

	note_texts(p);
	return err;
}

/* --- forgetting --- */

typedef ARRAY(struct name_change) name_array;
typedef ARRAY(struct process_change) process_array;

/* Copy a list up to the change that is valid at @ts; its new last one. */
static int keep_names(const struct names *n, u64 ts, name_array *kept, u32 *last)
{
	const size_t first = kept->n;
	int err = 0;

	for (size_t i = *last; i && !err;
	     i = n->changes.v[i - 1].place.ts < ts ? 0 : n->changes.v[i - 1].n)
		err = array_push(kept, n->changes.v[i - 1]);
	for (size_t i = first; i < kept->n; i++)
		kept->v[i].n = i + 1 < kept->n ? i + 2 : 0;
	*last = kept->n > first ? (u32)first + 1 : 0;
	return err;
}

static int keep_processes(const struct processes *p, u64 ts, process_array *kept, u32 *last)
{
	const size_t first = kept->n;
	int err = 0;

	for (size_t i = *last; i && !err;
	     i = p->changes.v[i - 1].place.ts < ts ? 0 : p->changes.v[i - 1].n)
		err = array_push(kept, p->changes.v[i - 1]);
	for (size_t i = first; i < kept->n; i++)
		kept->v[i].n = i + 1 < kept->n ? (u32)i + 2 : 0;
	*last = kept->n > first ? (u32)first + 1 : 0;
	return err;
}

/* Remove the tasks that ended before @ts; those that are kept move. */
static int remove_ended(struct process_table *t, u64 ts)
{
	u32 *moved = calloc(t->tasks.n + 1, sizeof(*moved)), n = 0;
	int err = moved ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < t->tasks.n && !err; i++) {
		struct task_now *task = &t->tasks.v[i];

		if (task->ended && !task->first && add_saturated(task->end, FORGET_NS) < ts)
			process_table_leave(t, task);
		else
			moved[i + 1] = ++n;
	}
	hash_release(&t->tasks.index);
	for (size_t i = 0; i < t->tasks.n && !err; i++) {
		struct task_now task = t->tasks.v[i];

		if (!moved[i + 1])
			continue;
		task.first = moved[task.first];
		task.next = moved[task.next];
		task.before = moved[task.before];
		err = hash_add(&t->tasks.index, hash_number((u64)task.pid), moved[i + 1] - 1);
		t->tasks.v[moved[i + 1] - 1] = task;
	}
	t->tasks.n = err ? t->tasks.n : n;
	free(moved);
	return err;
}

int names_forget_before(struct names *n, u64 ts)
{
	struct processes *p = &n->processes;
	struct names_live *live = n->live;
	name_array names = ARRAY_INIT;
	process_array processes = ARRAY_INIT;
	int err;

	if (!live || n->changes.n + p->changes.n < live->forget_at)
		return 0;
	err = remove_ended(&live->table, ts);
	array_each_while(struct task_now, task, &live->table.tasks, !err) {
		err = keep_names(n, ts, &names, &task->name);
		err = err ?: keep_processes(p, ts, &processes, &task->last);
	}
	array_release(&n->changes);
	array_release(&p->changes);
	memcpy(&n->changes, &names, sizeof(names));
	memcpy(&p->changes, &processes, sizeof(processes));
	live->forget_at = 2 * (names.n + processes.n) + FORGET_CHANGES;
	return err;
}
