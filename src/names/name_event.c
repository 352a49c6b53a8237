// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The events that state who a task is, and reading their records.
 *
 * sched_process_exec contains the path of the program, from which the kernel has just taken the
 * name of the task. The entry and the exit of execve() do not contain the new name, but limit the
 * time at which the task got it.
 */
#include "names/name_run.h"
#include "program/load.h"

static const struct {
	const char *system, *event, *pid, *name;
	enum name_fact fact;
} rules[] = {
	{ "sched", "sched_switch", "prev_pid", "prev_comm", NAME_IS },
	{ "sched", "sched_switch", "next_pid", "next_comm", NAME_IS },
	{ "sched", "sched_waking", "pid", "comm", NAME_IS },
	{ "sched", "sched_wakeup", "pid", "comm", NAME_IS },
	{ "sched", "sched_wakeup_new", "pid", "comm", NAME_BORN },
	{ "sched", "sched_process_fork", "parent_pid", "parent_comm", NAME_IS },
	{ "sched", "sched_process_fork", "child_pid", "child_comm", NAME_BORN },
	{ "sched", "sched_process_exit", "pid", "comm", NAME_IS },
	{ "sched", "sched_process_exec", "pid", "filename", NAME_EXECED },
	{ "task", "task_newtask", "pid", "comm", NAME_BORN },
	{ "cgroup", "cgroup_attach_task", "pid", "comm", NAME_IS },
	{ "task", "task_rename", "pid", "oldcomm", NAME_IS },
	{ "task", "task_rename", "pid", "newcomm", NAME_BECOMES },
	/* system calls: the number, and the result */
	{ "raw_syscalls", "sys_enter", "id", NULL, NAME_EXECS },
	{ "raw_syscalls", "sys_exit", "id", "ret", NAME_RAN },
	{ "syscalls", "sys_enter_execve", NULL, NULL, NAME_EXECS },
	{ "syscalls", "sys_exit_execve", NULL, "ret", NAME_RAN },
	{ "syscalls", "sys_enter_execveat", NULL, NULL, NAME_EXECS },
	{ "syscalls", "sys_exit_execveat", NULL, "ret", NAME_RAN },
};

/* What the same events state besides names. */
static const struct {
	const char *event;
	enum task_state_kind state;
	const char *pid, *other, *number, *text;
} states[] = {
	{ "task_newtask", STATE_BORN, "pid", "common_pid", "clone_flags", NULL },
	{ "sched_process_fork", STATE_BORN, "child_pid", "parent_pid", NULL, NULL },
	{ "sched_process_exec", STATE_EXECED, "pid", "old_pid", NULL, "filename" },
	{ "sched_process_exit", STATE_ENDED, "pid", NULL, NULL, NULL },
	{ "cgroup_attach_task", STATE_MOVED, "pid", NULL, "dst_root", "dst_path" },
};

static const struct event_field *find(const struct event_format *format, const char *name)
{
	return name ? event_find_field(format, span_of(name), GENERICS_6_1) : NULL;
}

static bool is_number(const struct event_field *f)
{
	return f && f->size >= 4 && event_field_is_number(f);
}

static bool is_text(const struct event_field *f)
{
	return f && (f->filter_type == FILTER_STATIC_STRING || f->filter_type == FILTER_DYN_STRING);
}

/* False: the format lacks such a field. */
static bool add_field(struct name_event *event, const struct event_format *format, size_t rule)
{
	struct name_field f = { .pid = find(format, rules[rule].pid),
				.text = find(format, rules[rule].name),
				.fact = rules[rule].fact };

	/* kernel: some events have no pid, because a task usually names itself */
	if (!f.pid && !strcmp(rules[rule].event, "task_rename"))
		f.pid = find(format, "common_pid");
	if (!f.pid || f.pid->size != 4 || !is_number(f.pid) || !is_text(f.text))
		return false;
	f.fixed = f.text->filter_type == FILTER_STATIC_STRING && f.text->size == TASK_COMM_LEN;
	f.pid_at = f.pid->offset;
	f.text_at = f.text->offset;
	f.end = max_t(u64, f.pid_at + 4ull, (u64)f.text_at + TASK_COMM_LEN);
	event->end = max_t(u64, event->end, f.end);
	event->fields[event->n++] = f;
	return true;
}

static bool set_call(struct name_event *event, const struct event_format *format, size_t rule,
		     const char *arch, bool big_endian)
{
	*event = (struct name_event){ .fact = rules[rule].fact,
				      .nr = find(format, rules[rule].pid),
				      .ret = find(format, rules[rule].name),
				      .execve = event_syscall_number(arch, "sys_execve"),
				      .execveat = event_syscall_number(arch, "sys_execveat") };
	if (event->nr) {
		event->end = event->nr->offset + event->nr->size;
		event->nr_at = big_endian ? (u32)event->end - 4 : event->nr->offset;
	}
	if (event->ret)
		event->end = max_t(u64, event->end, event->ret->offset + event->ret->size);
	return (!rules[rule].pid || (is_number(event->nr) && event->execve >= 0)) &&
	       (!rules[rule].name || is_number(event->ret));
}

static void set_state(struct name_event *event, const struct event_format *format)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(states) && strcmp(states[i].event, format->name) != 0)
		i++;
	if (i == ARRAY_SIZE(states))
		return;
	event->state = states[i].state;
	event->state_other = find(format, states[i].other);
	event->state_number = find(format, states[i].number);
	event->state_text = find(format, states[i].text);
	if ((!states[i].other || is_number(event->state_other)) &&
	    (!states[i].number || is_number(event->state_number)) &&
	    (!states[i].text ||
	     (event->state_text && event->state_text->filter_type == FILTER_DYN_STRING)))
		event->state_pid = find(format, states[i].pid);
	if (!is_number(event->state_pid))
		event->state_pid = NULL;
}

/* The rules from @i on that are of one event. */
static bool find_event(struct name_event *event, const struct event_format *format, size_t i,
		       size_t end, const struct machine *machine)
{
	bool repeats = true;

	if (rules[i].fact >= NAME_EXECS)
		return set_call(event, format, i, machine->arch, machine->big_endian);
	*event = (struct name_event){ .n = 0 };
	for (; i < end; i++)
		if (add_field(event, format, i))
			repeats &= event->fields[event->n - 1].fixed && rules[i].fact == NAME_IS;
	set_state(event, format);
	/* a repeated name is all that such a record states */
	event->n_repeats = repeats && !event->state_pid ? event->n : 0;
	return event->n > 0;
}

const struct event_format *name_event_next(const struct machine *machine, size_t *i,
					   struct name_event *event)
{
	while (*i < ARRAY_SIZE(rules)) {
		const struct event_format *format;
		size_t first = *i;

		do
			++*i;
		while (*i < ARRAY_SIZE(rules) && !strcmp(rules[*i].event, rules[first].event));
		if (!event_db_find(machine->db, rules[first].system, rules[first].event, &format) &&
		    find_event(event, format, first, *i, machine))
			return format;
	}
	return NULL;
}

/* --- records --- */

/*
 * The name of a program, which is the last part of its path. kernel: a program that is executed by
 * its descriptor has the path /dev/fd/N; its name depends on the kernel.
 */
static struct span program_name(struct span path)
{
	struct span rest = path;
	bool by_fd = span_starts(rest, "/dev/fd/");

	while (rest.s)
		path = span_sep(&rest, "/");
	for (size_t i = 0; i < path.n && by_fd; i++)
		by_fd = path.s[i] >= '0' && path.s[i] <= '9';
	return path.n && !by_fd ? path : (struct span){ NULL, 0 };
}

bool name_field_read(bool big_endian, const struct name_field *f, const struct hit *hit, s64 *key,
		     struct span *name)
{
	u32 at = f->text->offset, loc;

	if (f->pid->offset + 4 > hit->len || at + 4 > hit->len)
		return false;
	*key = name_key((s32)load_u32(hit->rec + f->pid->offset, big_endian), hit->cpu);
	name->n = f->text->size;
	if (f->text->filter_type == FILTER_DYN_STRING) {
		loc = load_u32(hit->rec + at, big_endian);
		at = loc & 0xffff;
		name->n = loc >> 16;
	}
	if (at >= hit->len)
		return false;
	name->s = (const char *)hit->rec + at;
	name->n = strnlen(name->s, min_t(size_t, name->n, hit->len - at));
	if (f->fact == NAME_EXECED)
		*name = program_name(*name);
	name->n = min_t(size_t, name->n, TASK_COMM_LEN - 1);
	return true;
}

static s64 number(const struct event_field *f, const struct hit *hit, bool big_endian)
{
	return (s64)load_int(hit->rec + f->offset, f->size, true, big_endian);
}

static struct span dynamic_text(const struct event_field *f, const struct hit *hit, bool big_endian)
{
	const u32 loc = load_u32(hit->rec + f->offset, big_endian), at = loc & 0xffff;
	struct span text = { (const char *)hit->rec + at, loc >> 16 };

	if (at >= hit->len)
		return span_of("");
	text.n = strnlen(text.s, min_t(size_t, text.n, hit->len - at));
	return text;
}

bool name_state_read(bool big_endian, const struct name_event *event, const struct hit *hit,
		     struct task_state *state)
{
	const struct event_field *fields[] = { event->state_pid, event->state_other,
					       event->state_number, event->state_text };

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i] && fields[i]->offset + fields[i]->size > hit->len)
			return false;
	*state = (struct task_state){ .kind = event->state,
				      .pid = (s32)number(event->state_pid, hit, big_endian),
				      .flags = STATE_FLAGS_UNKNOWN,
				      .place = { hit->ts, hit->at | 1 },
				      .text = span_of("") };
	if (event->state_other)
		state->other = (s32)number(event->state_other, hit, big_endian);
	if (event->state_number)
		state->flags = (u64)number(event->state_number, hit, big_endian);
	if (event->state_text)
		state->text = dynamic_text(event->state_text, hit, big_endian);
	if (event->state == STATE_MOVED)
		state->hierarchy = (u32)state->flags;
	return state->pid > 0;
}

bool name_call_read(bool big_endian, const struct name_event *event, const struct hit *hit)
{
	s64 nr;

	if (unlikely(event->end > hit->len))
		return false;
	nr = event->nr ? number(event->nr, hit, big_endian) : event->execve;
	if (likely(nr != event->execve && (nr != event->execveat || nr < 0)))
		return false;
	return !event->ret || !number(event->ret, hit, big_endian);
}
