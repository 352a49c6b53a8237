// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Comms over time. Enters: records of the events that name tasks. Leaves: the comm that a
 * task has at the record that is being replayed.
 *
 * A first pass keeps the earliest comm of every task, which is what it was called until
 * then. The replay itself goes on from there. Without such events the saved comms hold.
 */
#include <stdio.h>
#include <stdlib.h>

#include "replay/comm.h"

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
		f.comm = event_find_field(format, span_of(rules[i].comm), GENERICS_6_1);
		if (f.pid && f.pid->size == 4 && f.comm && event->n < COMM_FIELDS_MAX)
			event->fields[event->n++] = f;
	}
	return event->n > 0;
}

/* --- the table --- */

enum { FIRST_SIZE = 256 };

int comms_init(struct comms *c, struct event_db *db, bool big_endian)
{
	*c = (struct comms){ .db = db, .big_endian = big_endian, .mask = FIRST_SIZE - 1 };
	c->entries = calloc(FIRST_SIZE, sizeof(*c->entries));
	return c->entries ? 0 : HIST_NOMEM;
}

void comms_release(struct comms *c)
{
	free(c->entries);
	c->entries = NULL;
}

static struct comm_entry *slot_of(struct comm_entry *entries, size_t mask, s64 key)
{
	size_t i = (size_t)((u64)key * 0x9e3779b97f4a7c15ull >> 32) & mask;

	while (entries[i].used && entries[i].key != key)
		i = (i + 1) & mask;
	return &entries[i];
}

static bool grow(struct comms *c)
{
	size_t mask = c->mask * 2 + 1;
	struct comm_entry *entries = calloc(mask + 1, sizeof(*entries));

	if (!entries)
		return false;
	for (size_t i = 0; i <= c->mask; i++)
		if (c->entries[i].used)
			*slot_of(entries, mask, c->entries[i].key) = c->entries[i];
	free(c->entries);
	c->entries = entries;
	c->mask = mask;
	return true;
}

/* The entry of a task, made if need be; NULL without memory. */
static struct comm_entry *entry_of(struct comms *c, s64 key)
{
	struct comm_entry *e = slot_of(c->entries, c->mask, key);

	if (e->used)
		return e;
	if (c->n >= c->mask / 2) {
		if (!grow(c)) {
			c->failed = true;
			return NULL;
		}
		e = slot_of(c->entries, c->mask, key);
	}
	*e = (struct comm_entry){ .key = key, .ts = UINT64_MAX, .used = true };
	c->n++;
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

const struct comm_entry *comms_find(const struct comms *c, s64 key)
{
	const struct comm_entry *e = slot_of(c->entries, c->mask, key);

	return e->used ? e : NULL;
}

const char *comms_of(struct comms *c, const struct hit *hit)
{
	const struct comm_entry *e = comms_find(c, comm_key(hit->pid, hit->cpu));
	const char *saved;

	if (e)
		return e->comm;
	if (!hit->pid) { /* kernel: named when its CPU is set up; no file need tell */
		snprintf(c->idle, sizeof(c->idle), "swapper/%u", hit->cpu);
		return c->idle;
	}
	saved = event_saved_comm(c->db, hit->pid);
	return saved ? saved : "<...>";
}
