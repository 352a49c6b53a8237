// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Comms over time: derives the comm of a task at the current record from the records of events that
 * contain names.
 *
 * sched_process_exec contains the path of the program, from which the kernel has just taken the
 * name of the task. It does not tell the name before.
 *
 * A first pass stores the earliest comm of every task, which is its name until then. The replay
 * itself continues from there. Without such events the saved comms are used.
 *
 * kernel: a task can be preempted after the record of its rename and before it has the new name,
 * which it gets when it runs again. The first pass finds these renames: the next sched_switch still
 * has the old name.
 */
#include <stdio.h>
#include <stdlib.h>

#include "recording/comm.h"

static const struct {
	const char *system, *event, *pid, *comm;
	bool after;
	enum comm_use is;
} rules[] = {
	{ "sched", "sched_switch", "prev_pid", "prev_comm", false, COMM_SWITCHED_OUT },
	{ "sched", "sched_switch", "next_pid", "next_comm", false, COMM_SWITCHED_IN },
	{ "sched", "sched_waking", "pid", "comm", false, COMM_STAYS },
	{ "sched", "sched_wakeup", "pid", "comm", false, COMM_STAYS },
	{ "sched", "sched_process_fork", "parent_pid", "parent_comm", false, COMM_STAYS },
	{ "sched", "sched_process_fork", "child_pid", "child_comm", false, COMM_STAYS },
	{ "sched", "sched_process_exit", "pid", "comm", false, COMM_STAYS },
	{ "sched", "sched_process_exec", "pid", "filename", false, COMM_EXECUTED },
	{ "task", "task_rename", "pid", "oldcomm", false, COMM_OLD },
	{ "task", "task_rename", "pid", "newcomm", true, COMM_STAYS },
};

bool comm_event_find(const struct event_format *format, struct comm_event *event)
{
	bool repeats = true;

	*event = (struct comm_event){ .n = 0 };
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct comm_field f = { .after = rules[i].after, .is = rules[i].is };

		if (strcmp(format->name, rules[i].event) || strcmp(format->system, rules[i].system))
			continue;
		f.pid = event_find_field(format, span_of(rules[i].pid), GENERICS_6_1);
		/* kernel: some events have no pid, because a task usually names itself */
		if (!f.pid && !strcmp(format->name, "task_rename"))
			f.pid = event_find_field(format, span_of("common_pid"), GENERICS_6_1);
		f.comm = event_find_field(format, span_of(rules[i].comm), GENERICS_6_1);
		f.fixed = f.comm && f.comm->filter_type != FILTER_DYN_STRING &&
			  f.comm->size == TASK_COMM_LEN;
		if (!f.pid || f.pid->size != 4 || !f.comm || event->n == COMM_FIELDS_MAX)
			continue;
		f.pid_at = f.pid->offset;
		f.comm_at = f.comm->offset;
		f.end = max_t(u64, f.pid_at + 4ull, (u64)f.comm_at + TASK_COMM_LEN);
		repeats &= f.fixed && !f.after && f.is != COMM_OLD;
		event->end = max_t(u64, event->end, f.end);
		event->is_switched |= f.is == COMM_SWITCHED_OUT;
		event->fields[event->n++] = f;
	}
	event->n_repeats = repeats ? event->n : 0;
	return event->n > 0;
}

/* --- the table --- */

void comms_init(struct comms *c, struct event_db *db, bool big_endian)
{
	*c = (struct comms){ .db = db, .big_endian = big_endian };
}

void comms_release(struct comms *c)
{
	array_release(&c->entries);
	hash_release(&c->by_key);
	array_release(&c->preempted);
	hash_release(&c->by_rename);
}

static struct comm_entry *find(const struct comms *c, s64 key)
{
	struct hash_walk walk = hash_walk(hash_number((u64)key));
	size_t i;

	while (hash_next(&c->by_key, &walk, &i))
		if (c->entries.v[i].key == key)
			return &c->entries.v[i];
	return NULL;
}

const struct comm_entry *comms_find(const struct comms *c, s64 key)
{
	return find(c, key);
}

/* The entry of a task, created if needed; NULL if out of memory. */
static struct comm_entry *entry_of(struct comms *c, s64 key)
{
	struct comm_entry *e = find(c, key);

	if (e)
		return e;
	if (array_reserve(&c->entries) ||
	    hash_add(&c->by_key, hash_number((u64)key), c->entries.n)) {
		c->failed = true;
		return NULL;
	}
	e = &c->entries.v[c->entries.n++];
	*e = (struct comm_entry){ .key = key, .ts = UINT64_MAX };
	return e;
}

/* --- records --- */

/*
 * The name of a program, which is the last part of its path. kernel: a program that is executed by
 * its descriptor has the path /dev/fd/N; its name depends on the kernel. False: it is not known.
 */
static bool program_name(struct span *path)
{
	struct span rest = *path;
	bool by_fd = span_starts(rest, "/dev/fd/");

	while (rest.s)
		*path = span_sep(&rest, "/");
	for (size_t i = 0; i < path->n && by_fd; i++)
		by_fd = path->s[i] >= '0' && path->s[i] <= '9';
	return path->n && !by_fd;
}

bool comm_field_read(bool big, const struct comm_field *f, const struct hit *hit, s64 *key,
		     struct span *comm)
{
	u32 at = f->comm->offset, loc;

	if (f->pid->offset + 4 > hit->len || at + 4 > hit->len)
		return false;
	*key = comm_key((s32)load_u32(hit->rec + f->pid->offset, big), hit->cpu);
	comm->n = f->comm->size;
	if (f->comm->filter_type == FILTER_DYN_STRING) {
		loc = load_u32(hit->rec + at, big);
		at = loc & 0xffff;
		comm->n = loc >> 16;
	}
	if (at >= hit->len)
		return false;
	comm->s = (const char *)hit->rec + at;
	comm->n = strnlen(comm->s, min_t(size_t, comm->n, hit->len - at));
	if (f->is == COMM_EXECUTED && !program_name(comm))
		return false;
	comm->n = min_t(size_t, comm->n, TASK_COMM_LEN - 1);
	return true;
}

static void copy_comm(char *to, struct span comm)
{
	memset(to, 0, TASK_COMM_LEN);
	memcpy(to, comm.s, comm.n);
}

static void set_comm(struct comm_entry *e, struct span comm, u64 ts)
{
	e->ts = ts;
	copy_comm(e->comm, comm);
}

/* --- preempted renames --- */

static bool is_preempted(const struct comms *c, s64 key, u64 ts)
{
	struct hash_walk walk = hash_walk(hash_number(ts));
	size_t i;

	while (hash_next(&c->by_rename, &walk, &i))
		if (c->preempted.v[i].ts == ts && c->preempted.v[i].key == key)
			return true;
	return false;
}

static void add_preempted(struct comms *c, const struct comm_rename *rename)
{
	if (array_reserve(&c->preempted) ||
	    hash_add(&c->by_rename, hash_number(rename->ts), c->preempted.n))
		c->failed = true;
	else
		c->preempted.v[c->preempted.n++] = *rename;
}

/* Records of one CPU arrive in sequence. */
static void scan_rename(struct comms *c, const struct comm_field *f, const struct hit *hit, s64 key,
			struct span comm)
{
	struct comm_rename *last = &c->last;

	if (f->is == COMM_OLD && key == comm_key(hit->pid, hit->cpu)) {
		*last = (struct comm_rename){ .key = key, .ts = hit->ts, .cpu = hit->cpu };
		copy_comm(last->comm, comm);
	} else if (f->is == COMM_SWITCHED_OUT) {
		if (last->ts && last->key == key && last->cpu == hit->cpu &&
		    span_eq(comm, last->comm))
			add_preempted(c, last);
		last->ts = 0;
	}
}

void comms_scan(struct comms *c, const struct comm_event *event, const struct hit *hit)
{
	for (size_t i = 0; i < event->n; i++) {
		struct comm_entry *e;
		struct span comm;
		s64 key;

		if (!comm_field_read(c->big_endian, &event->fields[i], hit, &key, &comm))
			continue;
		scan_rename(c, &event->fields[i], hit, key, comm);
		if (!comm_is_earlier(&event->fields[i]))
			continue;
		e = entry_of(c, key);
		if (e && hit->ts < e->ts)
			set_comm(e, comm, hit->ts);
	}
}

void comms_start_as(struct comms *c, s64 key, struct span comm)
{
	struct comm_entry *e = entry_of(c, key);

	comm.n = min_t(size_t, comm.n, TASK_COMM_LEN - 1);
	if (e)
		set_comm(e, comm, 0);
}

static void learn_before(struct comm_entry *e, const struct comm_field *f, const struct hit *hit,
			 struct span comm)
{
	if (f->after)
		return;
	set_comm(e, comm, hit->ts);
	if (f->is == COMM_SWITCHED_OUT && span_eq(comm, e->renamed))
		e->renamed[0] = '\0';
}

static void learn_after(const struct comms *c, struct comm_entry *e, const struct comm_field *f,
			const struct hit *hit, struct span comm)
{
	if (f->after && is_preempted(c, e->key, hit->ts)) {
		copy_comm(e->renamed, comm);
	} else if (f->after) {
		set_comm(e, comm, hit->ts);
		e->renamed[0] = '\0';
	} else if (f->is == COMM_SWITCHED_IN && e->renamed[0]) {
		set_comm(e, span_of(e->renamed), hit->ts);
	}
}

static void learn(struct comms *c, const struct comm_event *event, const struct hit *hit,
		  bool after)
{
	for (size_t i = 0; i < event->n; i++) {
		struct comm_entry *e;
		struct span comm;
		s64 key;

		if (!comm_field_read(c->big_endian, &event->fields[i], hit, &key, &comm))
			continue;
		e = entry_of(c, key);
		if (e && after)
			learn_after(c, e, &event->fields[i], hit, comm);
		else if (e)
			learn_before(e, &event->fields[i], hit, comm);
	}
}

void comms_before(struct comms *c, const struct comm_event *event, const struct hit *hit)
{
	learn(c, event, hit, false);
}

void comms_after(struct comms *c, const struct comm_event *event, const struct hit *hit)
{
	learn(c, event, hit, true);
}

const char *comms_of(struct comms *c, const struct hit *hit)
{
	const struct comm_entry *e = comms_find(c, comm_key(hit->pid, hit->cpu));
	const char *saved;

	if (e)
		return e->comm;
	if (!hit->pid) { /* kernel: named when its CPU is set up; not in any file */
		snprintf(c->idle, sizeof(c->idle), "swapper/%u", hit->cpu);
		return c->idle;
	}
	saved = event_saved_comm(c->db, hit->pid);
	return saved ? saved : "<...>";
}
