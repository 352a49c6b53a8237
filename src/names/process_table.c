// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A table of processes: facts in the order of time, each of which changes the state of its task, or
 * of all threads of its process.
 *
 * Nothing is assumed: a task whose birth was not stated has no known process, unless it executed a
 * program as the leader of one. A fork without its flags may have made a thread. An id that is used
 * again begins another life: after an exit, or with another start time in a later journal; if no
 * exits are known, with each birth.
 */
#include "names/process_table.h"

#define CLONE_PARENT      0x8000ull
#define CLONE_THREAD      0x10000ull
#define CLONE_INTO_CGROUP 0x200000000ull

/* The arguments with spaces between them, and without what would end a line. */
static int args_number(struct texts *t, struct span args, u32 *number)
{
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;

	while (args.n && !args.s[args.n - 1])
		args.n--;
	for (size_t i = 0; i < args.n; i++)
		strbuf_addch(&out, (u8)args.s[i] < ' ' || args.s[i] == 0x7f ? ' ' : args.s[i]);
	*number = TEXT_NONE;
	return out.failed ? HIST_NOMEM : out.len ? texts_number(t, strbuf_span(&out), number) : 0;
}

/* The first components of a path. */
static int cgroup_number(struct processes *p, struct span path, u32 *number)
{
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	u32 depth = 0;

	for (size_t i = 0; i < path.n; i++) {
		depth += path.s[i] == '/';
		if (p->cgroup_depth && depth > p->cgroup_depth)
			break;
		strbuf_addch(&out, (u8)path.s[i] < ' ' ? ' ' : path.s[i]);
	}
	if (!out.len)
		strbuf_addch(&out, '/');
	return out.failed ? HIST_NOMEM : texts_number(&p->texts, strbuf_span(&out), number);
}

static int note_cgroup(struct processes *p, u64 id, u32 text)
{
	for (size_t i = 0; i < p->ids.n; i++)
		if (p->ids.v[i].id == id)
			return 0;
	return array_push(&p->ids, ((struct cgroup_id){ id, text }));
}

/* --- the table --- */

struct task_now *process_table_find(const struct process_table *t, s32 pid)
{
	return indexed_by(&t->tasks, pid, pid);
}

/* NULL if out of memory. */
struct task_now *process_table_get(struct process_table *t, s32 pid)
{
	struct task_now *task = indexed_get(&t->tasks, pid, pid, ((struct task_now){ .pid = pid }));

	if (!task)
		t->err = HIST_NOMEM;
	return task;
}

static struct process_change *change_of(const struct process_table *t, const struct task_now *task)
{
	return task->last ? &t->p->changes.v[task->last - 1] : NULL;
}

static struct process_change unknown_task(s32 pid)
{
	return (struct process_change){ .pid = pid, .tgid = -1, .parent = -1 };
}

struct process_change process_change_with(const struct process_change *c,
					  const struct threads_change *t)
{
	struct process_change now = *c;

	if (!t || t->pid != c->of || t->seq < c->texts_seq)
		return now;
	now.place = threads_change_place(c, t);
	now.cmdline = t->cmdline_seq > c->texts_seq ? t->cmdline : c->cmdline;
	now.cgroup = t->cgroup_seq > c->texts_seq ? t->cgroup : c->cgroup;
	now.guessed |= t->guessed_seq > c->texts_seq;
	return now;
}

/* What a task is; if nothing is known, unknown. */
static struct process_change task_now_is(const struct process_table *t, const struct task_now *task)
{
	const struct process_change *c = change_of(t, task);
	const struct task_now *leader = c && c->of ? process_table_find(t, c->of) : NULL;
	const u32 last = leader ? leader->last_of_threads : 0;

	return !c ? unknown_task(task->pid)
		  : process_change_with(c, last ? &t->p->of_threads.v[last - 1] : NULL);
}

/* The task is this from the fact on. */
static void put_change(struct process_table *t, struct task_now *task, struct process_change change,
		       const struct task_state *fact)
{
	change.place = fact->place;
	change.life = task->life;
	change.seq = change.texts_seq = ++t->seq;
	change.of = task->of;
	change.guessed |= fact->guessed;
	/* until they are sorted: the change before it */
	change.n = task->last;
	t->err = t->err ? t->err : array_push(&t->p->changes, change);
	task->last = (u32)t->p->changes.n;
}

static struct task_now *task_at(const struct process_table *t, u32 number)
{
	return number ? &t->tasks.v[number - 1] : NULL;
}

void process_table_leave(struct process_table *t, struct task_now *task)
{
	struct task_now *leader = task->of ? process_table_find(t, task->of) : NULL;
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
	struct task_now *leader = process_table_get(t, tgid), *task = process_table_find(t, pid);

	if (!leader || !task)
		return;
	process_table_leave(t, task);
	if (task->last)
		change_of(t, task)->of = tgid == pid ? 0 : tgid;
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
	const struct task_now *task = process_table_get(t, pid);

	if (!task)
		return false;
	*change = task_now_is(t, task);
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

	if (!current(t, f->other, &maker) || !process_table_get(t, f->pid))
		return;
	task = process_table_find(t, f->pid);
	/* without flags: what is stated of its process; without an exit, of this or another birth
	 */
	if (task->last && !task->ended) {
		new.tgid = task_now_is(t, task).tgid;
		new.parent = task_now_is(t, task).parent;
	}
	if (task->ended || (task->last && !t->exits && !task->stated))
		use_again(t, task);
	task->stated = false;
	new.guessed = maker.guessed;
	new.cgroup = maker.cgroup;
	new.cmdline = maker.cmdline;
	/* of version 2 */
	if (flags && f->flags & CLONE_INTO_CGROUP && !t->p->hierarchy)
		new.cgroup = TEXT_UNKNOWN;
	if (flags && f->flags & CLONE_THREAD) {
		new.tgid = maker.tgid;
		new.parent = maker.parent;
	} else if (flags) {
		new.tgid = f->pid;
		new.parent = f->flags &CLONE_PARENT ? maker.parent : maker.tgid;
	}
	put_change(t, task, new, f);
	join_process(t, f->pid, new.tgid > 0 ? new.tgid : f->pid);
}

static void execute(struct process_table *t, const struct task_state *f)
{
	struct task_now *task = process_table_get(t, f->pid);
	struct process_change now;
	u32 text = TEXT_UNKNOWN;

	if (!task)
		return;
	if (!task->last) {
		/* before its first fact */
		const struct task_state start = { .pid = f->pid };

		put_change(t, task, unknown_task(f->pid), &start);
	}
	if (t->err)
		return;
	if (f->other == f->pid || f->other <= 0) {
		struct process_change *changes = t->p->changes.v;

		/* It was the leader of a process since it was born. */
		for (u32 i = task->last;
		     i && changes[i - 1].life == task->life && changes[i - 1].tgid < 0;
		     i = changes[i - 1].n)
			changes[i - 1].tgid = task->pid;
	}
	now = task_now_is(t, task);
	now.tgid = f->pid;
	if (f->text.n)
		t->err = t->err ? t->err : args_number(&t->p->texts, f->text, &text);
	now.cmdline = text;
	now.guessed = false;
	put_change(t, task, now, f);
}

static void set_text_of(struct process_table *t, struct task_now *task, const struct task_state *f,
			u32 text)
{
	const bool cgroup = f->kind != STATE_ARGS;
	struct process_change now = task_now_is(t, task), *last = change_of(t, task);
	/* what /proc contains is of one time */
	const bool same = last && f->kind != STATE_MOVED && now.place.ts == f->place.ts;

	*(cgroup ? &now.cgroup : &now.cmdline) = text;
	now.texts_seq = ++t->seq;
	if (same && now.place.at == last->place.at)
		*last = now;
	else
		put_change(t, task, now, f);
	if (same && !t->err)
		change_of(t, task)->place = now.place;
}

/* The same for all threads of a process besides its leader. */
static void set_text_of_threads(struct process_table *t, struct task_now *leader,
				const struct task_state *f, u32 text)
{
	const struct threads_change none = { .pid = leader->pid };
	const u32 before = leader->last_of_threads;
	struct threads_change now = before ? t->p->of_threads.v[before - 1] : none;

	now.seq = ++t->seq;
	if (f->kind == STATE_MOVED || !before || now.place.ts != f->place.ts) {
		now.place = f->place;
		now.place_seq = now.seq;
		now.moved = f->kind == STATE_MOVED;
		now.guessed_seq = f->guessed ? now.seq : now.guessed_seq;
	}
	*(f->kind == STATE_ARGS ? &now.cmdline : &now.cgroup) = text;
	*(f->kind == STATE_ARGS ? &now.cmdline_seq : &now.cgroup_seq) = now.seq;
	t->err = array_push(&t->p->of_threads, now);
	leader->last_of_threads = (u32)t->p->of_threads.n;
}

/* Change one text of a task, and if it is a leader of all threads. */
static void set_text(struct process_table *t, const struct task_state *f, u32 text)
{
	struct task_now *leader = process_table_get(t, f->pid);
	struct task_now *next = leader ? task_at(t, leader->first) : NULL;

	if (!leader || t->err)
		return;
	set_text_of(t, leader, f, text);
	if (next && !t->live && !t->err)
		set_text_of_threads(t, leader, f, text);
	for (; next && t->live && !t->err; next = task_at(t, next->next))
		set_text_of(t, next, f, text);
}

void process_table_apply(struct process_table *t, const struct task_state *f)
{
	struct process_change now;
	struct task_now *task;
	u32 text = TEXT_UNKNOWN;

	switch (f->kind) {
	case STATE_IS:
	case STATE_PROCESS:
		if (!current(t, f->pid, &now))
			return;
		task = process_table_find(t, f->pid);
		if (f->kind == STATE_IS) {
			/* in the journal of a later recording */
			if (task->ended || (task->start && f->flags && task->start != f->flags))
				use_again(t, task);
			task->start = f->flags;
		}
		task->stated = !task->last && f->kind == STATE_PROCESS;
		now.tgid = f->other;
		now.parent = f->kind == STATE_IS ? f->parent : now.parent;
		if (f->kind == STATE_IS) {
			/* what /proc does not name is not there: arguments, cgroups of version 1 */
			now.cmdline = TEXT_NONE;
			t->err = t->p->hierarchy ? cgroup_number(t->p, span_of("/"), &now.cgroup)
						 : 0;
		}
		put_change(t, task, now, f);
		join_process(t, f->pid, f->other);
		break;
	case STATE_BORN:
		be_born(t, f);
		break;
	case STATE_ENDED:
		task = process_table_get(t, f->pid);
		if (task) {
			task->ended = true;
			task->end = f->place.ts;
		}
		break;
	case STATE_EXECED:
		execute(t, f);
		break;
	case STATE_ARGS:
		t->err = args_number(&t->p->texts, f->text, &text);
		set_text(t, f, text);
		break;
	case STATE_CGROUP:
		t->err = cgroup_number(t->p, f->text, &text);
		t->err = t->err ?: note_cgroup(t->p, f->id, text);
		break;
	default:
		if (f->hierarchy != t->p->hierarchy)
			return;
		/* without a path it is not known which */
		t->err = f->text.n ? cgroup_number(t->p, f->text, &text) : 0;
		if (f->id && text)
			t->err = t->err ?: note_cgroup(t->p, f->id, text);
		set_text(t, f, text);
	}
}

void process_table_release(struct process_table *t)
{
	indexed_release(&t->tasks);
}
