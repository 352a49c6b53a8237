// SPDX-License-Identifier: LGPL-2.1-only
/*
 * sched_switch and sched_waking of a bundle as lists, in a quarter of the space. What they lack
 * follows from the events before them: the task that was switched away from is the one that the
 * switch before led to. Events of which that is not true are in messages of their own.
 */
#include "events/events_perfetto.h"

enum { PREV_COMM, PREV_PID, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PID, NEXT_PRIO, N_SWITCH };
enum { COMM, PID, PRIO, TARGET_CPU, N_WAKING };

/* Numbers of the lists. */
enum { SWITCH_TIME = 1, SWITCH_STATE, SWITCH_PID, SWITCH_PRIO, NAMES, SWITCH_COMM };
enum { WAKING_TIME = 7, WAKING_PID, WAKING_CPU, WAKING_PRIO, WAKING_COMM, WAKING_FLAGS };

/* Interrupts are always off in a switch, so lists of them have no flags. */
enum { SWITCH_FLAGS = 1 };

void perfetto_compact_choose(struct out_type *t, const struct hist_event_type *type)
{
	static const char *const switches[N_SWITCH] = { "prev_comm",  "prev_pid",  "prev_prio",
							"prev_state", "next_comm", "next_pid",
							"next_prio" };
	static const char *const wakings[N_WAKING] = { "comm", "pid", "prio", "target_cpu" };
	const bool switched = t->number == PERFETTO_SWITCH;
	const size_t n = switched ? N_SWITCH : N_WAKING;

	t->compact = (switched || t->number == PERFETTO_WAKING) && type->n_fields == n;
	for (size_t i = 0; i < n && t->compact; i++)
		t->compact = hist_event_field(type, switched ? switches[i] : wakings[i]) == (int)i;
}

/* Which task runs from now on, as the reader knows it. */
void perfetto_compact_note(struct out_cpu *c, const struct hist_event *e)
{
	struct hist_value v[N_SWITCH];

	for (size_t i = 0; i < N_SWITCH; i++)
		hist_event_value(e, i, &v[i]);
	c->running.known = v[NEXT_COMM].len < sizeof(c->running.comm);
	c->running.pid = (s32)v[NEXT_PID].number;
	c->running.prio = (s32)v[NEXT_PRIO].number;
	if (c->running.known)
		snprintf(c->running.comm, sizeof(c->running.comm), "%.*s", (int)v[NEXT_COMM].len,
			 (const char *)v[NEXT_COMM].data);
}

void perfetto_compact_rename(struct out_cpu *c, const struct hist_event *e)
{
	const int task = hist_event_field(e->type, "pid"),
		  name = hist_event_field(e->type, "newcomm");
	struct hist_value pid = { .number = 0 }, comm;

	if (name < 0)
		return;
	hist_event_value(e, (size_t)name, &comm);
	if (task >= 0)
		hist_event_value(e, (size_t)task, &pid);
	if (((s32)pid.number ?: e->pid) == c->running.pid)
		snprintf(c->running.comm, sizeof(c->running.comm), "%.*s",
			 (int)min_t(size_t, comm.len, sizeof(c->running.comm)),
			 (const char *)comm.data);
}

/* The index of a name among those of the bundle. */
static u64 name_index(struct out_cpu *c, const struct hist_value *name)
{
	const u32 hash = hash_bytes(0, name->data, name->len);
	u16 *slot = &c->name_slots[hash % ARRAY_SIZE(c->name_slots)];
	const struct span text = { name->data, name->len };

	if (*slot && span_eq(text, c->names[*slot - 1]))
		return *slot - 1u;
	for (u32 i = 0; i < c->n_names; i++)
		if (span_eq(text, c->names[i])) {
			*slot = (u16)(i + 1);
			return i;
		}
	snprintf(c->names[c->n_names], sizeof(c->names[0]), "%.*s", (int)text.n, text.s);
	*slot = (u16)++c->n_names;
	return c->n_names - 1;
}

static void add(struct out_cpu *c, u32 list, u64 v)
{
	perfetto_put_varint(&c->lists[list], v);
}

static bool put_switch(struct out_cpu *c, const struct hist_event *e, u32 flags)
{
	struct hist_value v[N_SWITCH];

	for (size_t i = 0; i < N_SWITCH; i++)
		hist_event_value(e, i, &v[i]);
	if (flags != SWITCH_FLAGS || (s32)v[PREV_PID].number != c->running.pid ||
	    (s32)v[PREV_PRIO].number != c->running.prio ||
	    (s32)v[NEXT_PID].number == c->running.pid ||
	    !span_eq((struct span){ v[PREV_COMM].data, v[PREV_COMM].len }, c->running.comm))
		return false;
	add(c, SWITCH_TIME, e->ts - c->switched);
	add(c, SWITCH_STATE, v[PREV_STATE].number);
	add(c, SWITCH_PID, v[NEXT_PID].number);
	add(c, SWITCH_PRIO, v[NEXT_PRIO].number);
	add(c, SWITCH_COMM, name_index(c, &v[NEXT_COMM]));
	c->switched = e->ts;
	perfetto_compact_note(c, e);
	return true;
}

/* Of no deadline task: trace_processor takes the priority in a list for one of 16 bits. */
static bool put_waking(struct out_cpu *c, const struct hist_event *e, u32 flags)
{
	struct hist_value v[N_WAKING];

	for (size_t i = 0; i < N_WAKING; i++)
		hist_event_value(e, i, &v[i]);
	if ((s32)v[PRIO].number < 0)
		return false;
	add(c, WAKING_TIME, e->ts - c->woken);
	add(c, WAKING_PID, v[PID].number);
	add(c, WAKING_CPU, v[TARGET_CPU].number);
	add(c, WAKING_PRIO, v[PRIO].number);
	add(c, WAKING_COMM, name_index(c, &v[COMM]));
	add(c, WAKING_FLAGS, flags);
	c->woken = e->ts;
	return true;
}

bool perfetto_compact_put(struct out_cpu *c, const struct hist_event *e, const struct out_type *t,
			  u32 flags)
{
	if (!t->compact || !c->running.known || e->pid != c->running.pid)
		return false;
	return t->number == PERFETTO_SWITCH ? put_switch(c, e, flags) : put_waking(c, e, flags);
}

void perfetto_compact_flush(struct out_cpu *c, struct strbuf *bundle)
{
	scoped(strbuf_release) struct strbuf lists = STRBUF_INIT;

	for (u32 i = 0; i < c->n_names; i++)
		perfetto_put_text(&lists, NAMES, c->names[i]);
	for (u32 i = 1; i < OUT_LISTS; i++) {
		if (c->lists[i].len)
			perfetto_put_message(&lists, i, &c->lists[i]);
		strbuf_reset(&c->lists[i]);
	}
	if (lists.len)
		perfetto_put_message(bundle, BUNDLE_COMPACT, &lists);
	bundle->failed |= lists.failed;
	memset(c->name_slots, 0, sizeof(c->name_slots));
	c->n_names = 0;
	c->switched = c->woken = 0;
}
