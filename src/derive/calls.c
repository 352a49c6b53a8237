// SPDX-License-Identifier: LGPL-2.1-only
/*
 * System calls: how long each took, and what its task did meanwhile.
 *
 * They are known from raw_syscalls, or from the events of single system calls; where both were
 * recorded, a call has two records of its beginning, and the first one of its end ends it.
 *
 * kernel: exit and exit_group do not return; the first record of a new process is the end of the
 * call that created it; after rt_sigreturn the number is -1.
 */
#include "derive/sched_tasks.h"
#include "derive/task_time.h"

enum { NAME_SIZE = 32, NAMES_MAX = 1024 };

static const struct derived_event events[] = {
	DERIVED_EVENT(DERIVE_SYSCALL, "syscall",
		      "pid_t pid; char[16] comm; long id; char[32] name; long ret; "
		      "u64 ns; " TASK_PARTS "unsigned int cpu; " DERIVED_OPEN,
		      .asks = "comm", .uses = { &derive_irq, &derive_sched }, .cuts = true,
		      .windows = true),
};

enum input { RAW_ENTER, RAW_EXIT, ENTER, EXIT };

static const struct deriver_input inputs[] = {
	[RAW_ENTER] = { DERIVER_INPUT("raw_syscalls", "sys_enter"), { "id" }, true },
	[RAW_EXIT] = { DERIVER_INPUT("raw_syscalls", "sys_exit"), { "id", "ret" }, true },
	[ENTER] = { DERIVER_INPUT("syscalls", "sys_enter_*"),
		    { "__syscall_nr", "ret", "nr" },
		    .perhaps = 7,
		    .instead = "raw_syscalls:sys_enter",
		    .unasked = true },
	[EXIT] = { DERIVER_INPUT("syscalls", "sys_exit_*"),
		   { "__syscall_nr", "ret", "nr" },
		   .perhaps = 7,
		   .instead = "raw_syscalls:sys_exit",
		   .unasked = true },
};

/* Indices of their fields. */
enum { ID, RET, OLD_ID };

struct call_name {
	_Alignas(8) char s[NAME_SIZE];
};

/* The system call that a task is in. */
struct call {
	bool open;
	bool seen;  /* the task had records since derive_begin() */
	bool sure;  /* what was before a window does not matter */
	bool raw;   /* its beginning is known from raw_syscalls */
	bool twice; /* and from the event of the call, or the other way round */
	u32 life;   /* of the task, see struct sched_task */
	s64 id;
	u64 since, certain; /* until ->certain, it surely went on */
	struct task_time from;
};

struct calls {
	struct derive *d;
	struct sched *sched;
	ARRAY(struct call) of_tasks; /* by index of the task, see sched_task() */
	struct call_name *names;     /* those below NAMES_MAX; empty: not looked up yet */
	s64 exit, exit_group, creates[4];
};

static void set_name(const struct calls *s, s64 id, struct call_name *to)
{
	const struct machine *machine = derive_machine(s->d);
	const char *name = event_syscall_name(machine->db, machine->arch, (u64)id);

	*to = (struct call_name){ .s = "" };
	if (name)
		memcpy(to->s, name + strlen("sys_"), strnlen(name + strlen("sys_"), NAME_SIZE - 1));
	else
		snprintf(to->s, sizeof(to->s), "%lld", id);
}

static u64 length(const struct call *c, const struct derive_record *r)
{
	return r->ts > c->since ? r->ts - c->since : 0;
}

static void trace(struct calls *s, const struct call *c, s64 ret, const struct task_parts *parts,
		  const struct derive_record *r)
{
	struct call_name own, *name = &own;
	struct derive_comm comm;

	if (c->id >= 0 && c->id < NAMES_MAX)
		name = &s->names[c->id];
	if (name == &own || !name->s[0])
		set_name(s, c->id, name);
	derive_comm_at(s->d, &events[0], derive_moment(r), r->pid, &comm);
	derive_trace(s->d, &events[0],
		     (u64[]){ (u64)r->pid, (uintptr_t)comm.s, (u64)c->id, (uintptr_t)name->s,
			      (u64)ret, length(c, r), parts->running_ns, parts->waiting_ns,
			      parts->sleeping_ns, parts->irq_ns, parts->unknown_ns, r->cpu,
			      derive_open_word(!c->open, r->at == UINT64_MAX) },
		     r, r->pid);
}

/* --- records --- */

/* Whether what the task does is known, if that is recorded. */
static bool is_sure(const struct calls *s, s32 pid)
{
	const u32 task = sched_task(s->sched, pid);

	return !s->sched->has_switch || (task != NO_TASK && s->sched->tasks.v[task].sure);
}

/* Others may be left from before a window. */
static void contradict(const struct calls *s)
{
	derive_unsure(s->d, UINT64_MAX);
	derive_inconsistent(s->d);
}

static void on_enter(struct calls *s, struct call *c, s64 id, const struct derive_record *r)
{
	const bool raw = r->input == RAW_ENTER;

	if (c->open && c->id == id && c->raw != raw && !c->twice) {
		c->twice = true;
		return;
	}
	if (c->open && c->id != s->exit && c->id != s->exit_group &&
	    task_time_whole(s->sched, c->certain, r))
		contradict(s);
	*c = (struct call){ .open = true,
			    .seen = true,
			    .sure = c->seen && is_sure(s, r->pid),
			    .raw = raw,
			    .life = c->life,
			    .id = id,
			    .since = r->ts,
			    .certain = r->ts };
	task_time_running(s->sched, r->pid, r, &c->from);
}

static bool creates_process(const struct calls *s, s64 id, s64 ret)
{
	for (size_t i = 0; !ret && i < ARRAY_SIZE(s->creates); i++)
		if (id == s->creates[i])
			return true;
	return false;
}

static void on_exit_of(struct calls *s, struct call *c, s64 id, const struct derive_record *r)
{
	const s64 ret = (s64)r->n[RET];
	struct task_parts parts;
	struct task_time to;

	if (c->open ? !c->sure : !c->seen)
		derive_unsure(s->d, r->ts);
	if (c->open && !task_time_whole(s->sched, c->certain, r)) {
		derive_left_out(s->d, c->since, r->ts);
	} else if (c->open && (c->id == id || id == -1)) {
		task_time_running(s->sched, r->pid, r, &to);
		parts = task_time_parts(s->sched, &c->from, &to, length(c, r));
		trace(s, c, ret, &parts, r);
	} else if (c->open && !creates_process(s, id, ret)) {
		contradict(s);
	} else if (!c->seen && derive_opens(s->d) && derive_went_on(s->d, r->ts) &&
		   !creates_process(s, id, ret)) {
		/* it began before the recording */
		c->id = id;
		c->since = derive_begin(s->d);
		parts = (struct task_parts){ .unknown_ns = length(c, r) };
		trace(s, c, ret, &parts, r);
	}
	c->open = false;
	c->seen = true;
}

/* What the last task with this pid did is not what this one does. */
static struct call *call_of(struct calls *s, u32 task)
{
	struct call *c = &s->of_tasks.v[task];
	const u32 life = s->sched->tasks.v[task].life;

	if (c->life != life)
		*c = (struct call){ .seen = true, .life = life };
	return c;
}

static void calls_hit(void *state, const struct derive_record *r)
{
	static const struct call none;
	struct calls *s = state;
	const u32 task = sched_task(s->sched, r->pid);
	const size_t id = r->known & 1U << ID ? ID : OLD_ID;

	while (task != NO_TASK && s->of_tasks.n <= task)
		if (array_push(&s->of_tasks, none)) {
			derive_fail(s->d);
			return;
		}
	if (task == NO_TASK || !(r->known & 1U << id))
		return;
	if (r->input == RAW_ENTER || r->input == ENTER)
		on_enter(s, call_of(s, task), (s64)r->n[id], r);
	else
		on_exit_of(s, call_of(s, task), (s64)r->n[id], r);
}

/* --- start and end --- */

static void calls_end(void *state, const struct derive_record *last)
{
	struct calls *s = state;
	struct derive_record r = *last;

	r.at = UINT64_MAX;
	for (u32 i = sched_first_met(s->sched, 0); i < s->of_tasks.n;
	     i = sched_first_met(s->sched, i + 1)) {
		const struct sched_task *t = &s->sched->tasks.v[i];
		struct call *c = call_of(s, i);
		struct task_parts parts;
		struct task_time to;

		r.pid = t->pid;
		r.cpu = t->cpu;
		if (c->open && task_time_keep(s->sched, t->pid, &c->certain, last))
			continue;
		if (c->open && derive_opens(s->d) && task_time_whole(s->sched, c->certain, &r) &&
		    c->id != s->exit && c->id != s->exit_group) {
			task_time_now(s->sched, t->pid, r.ts, &to);
			parts = task_time_parts(s->sched, &c->from, &to, length(c, &r));
			trace(s, c, 0, &parts, &r);
		}
		if (c->open && !derive_opens(s->d))
			derive_left_out(s->d, c->since, r.ts);
		c->open = c->seen = false;
	}
}

static void calls_close(void *state)
{
	struct calls *s = state;

	array_release(&s->of_tasks);
	free(s->names);
}

static int calls_open(void *state, const char *const *print_fmts UNUSED)
{
	static const char *const creates[] = { "sys_clone", "sys_clone3", "sys_fork", "sys_vfork" };
	struct calls *s = state;
	const char *arch = derive_machine(s->d)->arch;

	s->sched = derive_state(s->d, &derive_sched);
	s->names = calloc(NAMES_MAX, sizeof(*s->names));
	s->exit = event_syscall_number(arch, "sys_exit");
	s->exit_group = event_syscall_number(arch, "sys_exit_group");
	for (size_t i = 0; i < ARRAY_SIZE(creates); i++)
		s->creates[i] = event_syscall_number(arch, creates[i]);
	return s->names ? 0 : HIST_NOMEM;
}

const struct deriver derive_syscall = {
	DERIVER_OF(struct calls, events, inputs),
	.in_holes = true,
	.open = calls_open,
	.hit = calls_hit,
	.end = calls_end,
	.close = calls_close,
};
