// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Comms over time: the comm of a task at the current record, from the records of events that
 * contain names.
 *
 * A first pass stores the earliest comm of every task, which is its name until then. The replay
 * itself continues from there. Without such events the saved comms are used.
 */
#include <stdio.h>
#include <stdlib.h>

#include "recording/comm.h"

static const struct {
	const char *system, *event, *pid, *comm;
	bool after;
} rules[] = {
	{ "sched", "sched_switch", "prev_pid", "prev_comm", false },
	{ "sched", "sched_switch", "next_pid", "next_comm", false },
	{ "sched", "sched_waking", "pid", "comm", false },
	{ "sched", "sched_wakeup", "pid", "comm", false },
	{ "sched", "sched_process_fork", "parent_pid", "parent_comm", false },
	{ "sched", "sched_process_fork", "child_pid", "child_comm", false },
	{ "sched", "sched_process_exit", "pid", "comm", false },
	{ "task", "task_rename", "pid", "oldcomm", false },
	{ "task", "task_rename", "pid", "newcomm", true },
};

bool comm_event_find(const struct event_format *format, struct comm_event *event)
{
	*event = (struct comm_event){ .n = 0 };
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct comm_field f = { .after = rules[i].after };

		if (strcmp(format->name, rules[i].event) || strcmp(format->system, rules[i].system))
			continue;
		f.pid = event_find_field(format, span_of(rules[i].pid), GENERICS_6_1);
		/* kernel: some events have no pid; usually a task names itself */
		if (!f.pid && !strcmp(format->name, "task_rename"))
			f.pid = event_find_field(format, span_of("common_pid"), GENERICS_6_1);
		f.comm = event_find_field(format, span_of(rules[i].comm), GENERICS_6_1);
		if (f.pid && f.pid->size == 4 && f.comm && event->n < COMM_FIELDS_MAX)
			event->fields[event->n++] = f;
	}
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

bool comm_field_read(const struct comms *c, const struct comm_field *f, const struct hit *hit,
		     s64 *key, struct span *comm)
{
	u32 at = f->comm->offset, loc;

	if (f->pid->offset + 4 > hit->len || at + 4 > hit->len)
		return false;
	*key = comm_key((s32)load_u32(hit->rec + f->pid->offset, c->big_endian), hit->cpu);
	comm->n = f->comm->size;
	if (f->comm->filter_type == FILTER_DYN_STRING) {
		loc = load_u32(hit->rec + at, c->big_endian);
		at = loc & 0xffff;
		comm->n = loc >> 16;
	}
	if (at >= hit->len)
		return false;
	comm->s = (const char *)hit->rec + at;
	comm->n = strnlen(comm->s,
			  min_t(size_t, min_t(size_t, comm->n, hit->len - at), TASK_COMM_LEN - 1));
	return true;
}

static void set_comm(struct comm_entry *e, struct span comm, u64 ts)
{
	e->ts = ts;
	memset(e->comm, 0, sizeof(e->comm));
	memcpy(e->comm, comm.s, comm.n);
}

void comms_scan(struct comms *c, const struct comm_event *event, const struct hit *hit)
{
	for (size_t i = 0; i < event->n; i++) {
		struct comm_entry *e;
		struct span comm;
		s64 key;

		if (event->fields[i].after ||
		    !comm_field_read(c, &event->fields[i], hit, &key, &comm))
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

static void learn(struct comms *c, const struct comm_event *event, const struct hit *hit,
		  bool after)
{
	for (size_t i = 0; i < event->n; i++) {
		struct comm_entry *e;
		struct span comm;
		s64 key;

		if (event->fields[i].after != after ||
		    !comm_field_read(c, &event->fields[i], hit, &key, &comm))
			continue;
		e = entry_of(c, key);
		if (e)
			set_comm(e, comm, hit->ts);
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
