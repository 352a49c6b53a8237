// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Events as a trace of Perfetto, which ui.perfetto.dev and trace_processor read.
 *
 * Events of the kernel become bundles of a CPU, in messages of their own where Perfetto has one,
 * otherwise in such that the bundle describes. Intervals of derived events become slices and
 * counters, on tracks of their task or CPU. Packets may be in any order, so nothing is kept but the
 * last events of each CPU, and which tasks and tracks were described.
 */
#include <stdlib.h>

#include "event/perfetto_known.h"
#include "events/events_print.h"

/* Numbers of fields of messages, by the message. */
enum { BUNDLE_CPU = 1, BUNDLE_EVENT, BUNDLE_LOST, BUNDLE_DESCRIPTION = 11 };
enum { EVENT_TIME = 1, EVENT_PID, EVENT_FLAGS = 5 };
enum { TYPE_INT64 = 3, TYPE_UINT64, TYPE_STRING = 9, TYPE_BYTES = 12 };

enum { BUNDLE_BYTES = 1 << 16, KNOWN_SEQUENCE = 1 };

/* Where an event has its place. */
enum out_role { OUT_EVENT, OUT_SLICE, OUT_COUNTER, OUT_NONE };

struct out_type {
	enum out_role kind;
	u32 number;          /* of its message; 0: not chosen yet */
	ARRAY(u32) fields;   /* the number of each field; 0: it has none */
	int ns, name, value; /* indices of fields of derived events; -1: there are none */
	bool of_cpu;         /* its track is that of a CPU, not of a task */
	bool nests;          /* one that overlaps another one is inside it */
	u32 flags;           /* where common_flags is in a record; 0: nowhere */
};

struct out_cpu {
	struct strbuf events; /* of the next bundle */
	bool lost;
};

/* What follows each other on a track. */
struct out_track {
	size_t type;
	u64 of; /* a task or CPU */
	u64 end;
};

struct perfetto_out {
	const struct hist_events_print *print;
	struct hist_events *ev;
	ARRAY(struct out_type) types;
	ARRAY(struct out_cpu) cpus;
	ARRAY(struct out_track) tracks;
	struct hash_table by_track, by_pid;
	ARRAY(s32) pids;
	struct strbuf message, part, packet;
	u32 n_described;
	int err;
};

/* --- messages --- */

/* Write ->packet. */
static void write_packet(struct perfetto_out *o)
{
	strbuf_reset(&o->part);
	perfetto_put_message(&o->part, TRACE_PACKET, &o->packet);
	if (o->part.failed)
		o->err = HIST_NOMEM;
	if (!o->err)
		o->err = o->print->sink(o->print->arg, o->part.s, o->part.len);
	strbuf_reset(&o->packet);
}

/* --- events of the kernel --- */

static const struct perfetto_known *find_known(const struct hist_event_type *type)
{
	for (const struct perfetto_known *k = perfetto_known; k->name; k++)
		if (!strcmp(k->name, type->name) && !strcmp(k->system, type->system))
			return k;
	return NULL;
}

/* Fields of a message of Perfetto; another field of the event is not in it. */
static int map_fields(struct out_type *t, const struct hist_event_type *type,
		      const struct perfetto_known *known)
{
	for (size_t i = 0; i < type->n_fields; i++) {
		struct span rest = span_of(known->fields);
		struct perfetto_known_field f;
		u32 number = 0;

		while ((f = perfetto_known_next(&rest)).type)
			if (span_eq(f.name, type->fields[i].name))
				number = f.number;
		if (array_push(&t->fields, number))
			return HIST_NOMEM;
	}
	t->number = known->number;
	return 0;
}

static u32 described_type(const struct hist_event_field *f)
{
	switch (f->kind) {
	case HIST_VALUE_TEXT:
		return TYPE_STRING;
	case HIST_VALUE_SIGNED:
		return TYPE_INT64;
	case HIST_VALUE_UNSIGNED:
	case HIST_VALUE_POINTER:
		return TYPE_UINT64;
	default:
		return TYPE_BYTES;
	}
}

/* A message that the trace describes: its number, name, system, and its fields. */
static int describe(struct perfetto_out *o, struct out_type *t, const struct hist_event_type *type)
{
	struct strbuf fields = STRBUF_INIT, field = STRBUF_INIT;
	int err = 0;

	t->number = PERFETTO_DENSE + o->n_described++;
	perfetto_put_text(&fields, 1, type->name);
	for (size_t i = 0; i < type->n_fields && !err; i++) {
		strbuf_reset(&field);
		perfetto_put_text(&field, 1, type->fields[i].name);
		perfetto_put_number(&field, 3, i + 1);
		perfetto_put_number(&field, 4, 1);
		perfetto_put_number(&field, 5, described_type(&type->fields[i]));
		perfetto_put_message(&fields, 2, &field);
		err = array_push(&t->fields, (u32)i + 1);
	}
	strbuf_reset(&field);
	perfetto_put_number(&field, 1, t->number);
	perfetto_put_message(&field, 2, &fields);
	perfetto_put_text(&field, 3, type->system);
	strbuf_reset(&fields);
	perfetto_put_number(&fields, BUNDLE_CPU, 0);
	perfetto_put_message(&fields, BUNDLE_DESCRIPTION, &field);
	perfetto_put_number(&o->packet, PACKET_SEQUENCE, KNOWN_SEQUENCE);
	perfetto_put_message(&o->packet, PACKET_BUNDLE, &fields);
	write_packet(o);
	strbuf_release(&fields);
	strbuf_release(&field);
	return err;
}

static void put_value(struct strbuf *sb, const struct hist_event *e, size_t i, u32 number)
{
	const char *type = e->type->fields[i].type;
	struct hist_value v;

	hist_event_value(e, i, &v);
	if (v.kind == HIST_VALUE_LIST && v.len && number < PERFETTO_DENSE) {
		for (size_t k = 0; k < v.len; k++)
			perfetto_put_number(sb, number, hist_value_element(&v, k));
		return;
	}
	if (v.kind >= HIST_VALUE_TEXT) {
		perfetto_put_bytes(sb, number, v.data, v.len);
	} else if (v.kind != HIST_VALUE_ABSENT) {
		if (!strcmp(type, "dev_t"))
			v.number = perfetto_device_of_kernel(v.number);
		perfetto_put_number(sb, number, v.number);
	}
}

static void flush_cpu(struct perfetto_out *o, u32 cpu)
{
	struct out_cpu *c = &o->cpus.v[cpu];
	struct strbuf bundle = STRBUF_INIT;

	if (!c->events.len)
		return;
	perfetto_put_number(&bundle, BUNDLE_CPU, cpu);
	if (c->lost)
		perfetto_put_number(&bundle, BUNDLE_LOST, 1);
	strbuf_add(&bundle, c->events.s, c->events.len);
	bundle.failed |= c->events.failed;
	perfetto_put_number(&o->packet, PACKET_SEQUENCE, KNOWN_SEQUENCE);
	perfetto_put_message(&o->packet, PACKET_BUNDLE, &bundle);
	write_packet(o);
	strbuf_release(&bundle);
	strbuf_reset(&c->events);
	c->lost = false;
}

static int cpu_of(struct perfetto_out *o, u32 cpu, struct out_cpu **c)
{
	while (o->cpus.n <= cpu)
		if (array_push(&o->cpus, ((struct out_cpu){ .events = STRBUF_INIT })))
			return HIST_NOMEM;
	*c = &o->cpus.v[cpu];
	return 0;
}

static int put_event(struct perfetto_out *o, const struct hist_event *e, const struct out_type *t)
{
	struct out_cpu *c;

	if (cpu_of(o, e->cpu, &c))
		return HIST_NOMEM;
	if (e->lost || e->lost_unknown) {
		flush_cpu(o, e->cpu);
		c->lost = true;
	}
	strbuf_reset(&o->part);
	for (size_t i = 0; i < e->type->n_fields; i++)
		if (t->fields.v[i])
			put_value(&o->part, e, i, t->fields.v[i]);
	strbuf_reset(&o->message);
	perfetto_put_number(&o->message, EVENT_TIME, e->ts);
	perfetto_put_number(&o->message, EVENT_PID, (u64)(s64)e->pid);
	if (t->flags)
		perfetto_put_number(&o->message, EVENT_FLAGS, ((const u8 *)e->record)[t->flags]);
	perfetto_put_message(&o->message, t->number, &o->part);
	perfetto_put_message(&c->events, BUNDLE_EVENT, &o->message);
	if (c->events.len >= BUNDLE_BYTES)
		flush_cpu(o, e->cpu);
	return c->events.failed ? HIST_NOMEM : o->err;
}

/* --- intervals --- */

/* Whose track it is: of a CPU, a task, or a counter of a task. */
static u64 owner_of(const struct hist_event *e, const struct out_type *t)
{
	struct hist_value name;

	if (t->of_cpu)
		return e->cpu;
	if (t->kind != OUT_COUNTER || t->name < 0)
		return (u32)e->pid;
	hist_event_value(e, (size_t)t->name, &name);
	return (u64)hash_bytes(1, name.data, name.len) << 32 | (u32)e->pid;
}

/* A track has one slice at a time, or such that are in each other. */
static u64 find_track(struct perfetto_out *o, const struct hist_event *e, const struct out_type *t,
		      u64 begin, bool *is_new)
{
	const u64 of = owner_of(e, t);
	const u32 hash = hash_number(of << 16 | e->type->number);
	struct hash_walk walk = hash_walk(hash);
	size_t i;

	*is_new = false;
	while (hash_next(&o->by_track, &walk, &i)) {
		struct out_track *track = &o->tracks.v[i];

		if (track->type != e->type->number || track->of != of ||
		    (!t->nests && track->end > begin))
			continue;
		track->end = e->ts;
		return i + 1;
	}
	*is_new = true;
	if (array_push(&o->tracks, ((struct out_track){ e->type->number, of, e->ts })) ||
	    hash_add(&o->by_track, hash, o->tracks.n - 1))
		o->err = HIST_NOMEM;
	return o->tracks.n;
}

static void describe_track(struct perfetto_out *o, const struct hist_event *e,
			   const struct out_type *t, u64 uuid)
{
	struct hist_value name = { .data = e->type->name, .len = strlen(e->type->name) };
	struct strbuf track = STRBUF_INIT, empty = STRBUF_INIT;

	perfetto_put_number(&track, TRACK_UUID, uuid);
	if (t->kind == OUT_COUNTER && t->name >= 0)
		hist_event_value(e, (size_t)t->name, &name);
	if (t->of_cpu)
		strbuf_addf(&o->part, "%s of CPU %u", e->type->name, e->cpu);
	else
		strbuf_addf(&o->part, "%.*s of %s-%d", (int)name.len, (const char *)name.data,
			    hist_event_comm(e), e->pid);
	perfetto_put_message(&track, TRACK_NAME, &o->part);
	if (t->kind == OUT_COUNTER)
		perfetto_put_message(&track, TRACK_COUNTER, &empty);
	perfetto_put_message(&o->packet, PACKET_TRACK, &track);
	write_packet(o);
	strbuf_release(&track);
}

/* The other fields, which a click on a slice shows. */
static void put_notes(struct strbuf *sb, const struct hist_event *e, const struct out_type *t)
{
	struct strbuf note = STRBUF_INIT;
	struct hist_value v;

	for (size_t i = 0; i < e->type->n_fields; i++) {
		if ((int)i == t->ns || (int)i == t->name)
			continue;
		strbuf_reset(&note);
		perfetto_put_text(&note, 10, e->type->fields[i].name);
		hist_event_value(e, i, &v);
		if (v.kind == HIST_VALUE_TEXT)
			perfetto_put_bytes(&note, 6, v.data, v.len);
		else if (v.kind == HIST_VALUE_SIGNED)
			perfetto_put_number(&note, 4, v.number);
		else
			perfetto_put_number(&note, v.kind == HIST_VALUE_POINTER ? 7 : 3, v.number);
		perfetto_put_message(sb, SLICE_NOTE, &note);
	}
	strbuf_release(&note);
}

static void put_track_event(struct perfetto_out *o, u64 ts, u64 uuid, u32 type,
			    const struct hist_event *e, const struct out_type *t)
{
	struct hist_value v;

	strbuf_reset(&o->message);
	perfetto_put_number(&o->message, SLICE_TYPE, type);
	perfetto_put_number(&o->message, SLICE_TRACK, uuid);
	if (type == SLICE_COUNTS) {
		hist_event_value(e, (size_t)t->value, &v);
		perfetto_put_number(&o->message, SLICE_VALUE, v.number);
	} else if (type == SLICE_BEGINS) {
		v.kind = HIST_VALUE_ABSENT;
		if (t->name >= 0)
			hist_event_value(e, (size_t)t->name, &v);
		if (v.kind == HIST_VALUE_TEXT)
			perfetto_put_bytes(&o->message, SLICE_NAME, v.data, v.len);
		else
			perfetto_put_text(&o->message, SLICE_NAME, e->type->name);
		put_notes(&o->message, e, t);
	}
	perfetto_put_number(&o->packet, PACKET_TIME, ts);
	perfetto_put_number(&o->packet, PACKET_SEQUENCE, KNOWN_SEQUENCE);
	perfetto_put_message(&o->packet, PACKET_TRACK_EVENT, &o->message);
	write_packet(o);
}

static int put_interval(struct perfetto_out *o, const struct hist_event *e,
			const struct out_type *t)
{
	struct hist_value ns = { .number = 0 };
	u64 begin, uuid;
	bool is_new;

	if (t->ns >= 0)
		hist_event_value(e, (size_t)t->ns, &ns);
	begin = e->ts - min_t(u64, ns.number, e->ts);
	uuid = find_track(o, e, t, begin, &is_new);
	strbuf_reset(&o->part);
	if (is_new)
		describe_track(o, e, t, uuid);
	if (t->kind == OUT_COUNTER) {
		put_track_event(o, begin, uuid, SLICE_COUNTS, e, t);
	} else {
		put_track_event(o, begin, uuid, SLICE_BEGINS, e, t);
		put_track_event(o, e->ts, uuid, SLICE_ENDS, e, t);
	}
	return o->err;
}

/* --- tasks --- */

/* The name, process and arguments of a task at its first event. */
static int put_task(struct perfetto_out *o, const struct hist_event *e)
{
	const u32 hash = hash_number((u32)e->pid);
	struct hash_walk walk = hash_walk(hash);
	struct strbuf tree = STRBUF_INIT, task = STRBUF_INIT;
	const char *args;
	s32 tgid;
	size_t i;

	while (hash_next(&o->by_pid, &walk, &i))
		if (o->pids.v[i] == e->pid)
			return 0;
	if (array_push(&o->pids, e->pid) || hash_add(&o->by_pid, hash, o->pids.n - 1))
		return HIST_NOMEM;
	tgid = hist_event_tgid(e);
	if (e->pid <= 0 || tgid <= 0)
		return 0;
	args = tgid == e->pid ? hist_event_who(e, HIST_WHO_CMDLINE) : NULL;
	perfetto_put_number(&task, 1, (u64)e->pid);
	if (tgid == e->pid) {
		perfetto_put_text(&task, 3,
				  args && *args && *args != '[' ? args : hist_event_comm(e));
		perfetto_put_message(&tree, 1, &task);
		strbuf_reset(&task);
		perfetto_put_number(&task, 1, (u64)e->pid);
	}
	perfetto_put_text(&task, 2, hist_event_comm(e));
	perfetto_put_number(&task, 3, (u64)tgid);
	perfetto_put_message(&tree, 2, &task);
	perfetto_put_message(&o->packet, PACKET_TREE, &tree);
	write_packet(o);
	strbuf_release(&tree);
	strbuf_release(&task);
	return o->err;
}

static void put_system(struct perfetto_out *o)
{
	const struct machine *m = &o->ev->h->tracing->machine;
	struct strbuf names = STRBUF_INIT, info = STRBUF_INIT;

	perfetto_put_text(&names, 1, "Linux");
	if (m->release)
		perfetto_put_text(&names, 3, m->release);
	if (m->arch)
		perfetto_put_text(&names, 4, m->arch);
	perfetto_put_message(&info, 1, &names);
	perfetto_put_message(&o->packet, PACKET_SYSTEM, &info);
	write_packet(o);
	strbuf_release(&names);
	strbuf_release(&info);
}

/* --- all --- */

static void choose_derived(struct out_type *t, const struct hist_event_type *type)
{
	static const char *const names[] = { "kind", "state", "name", "function" };

	t->ns = hist_event_field(type, "ns");
	t->value = hist_event_field(type, !strcmp(type->name, "runqueue") ? "depth" : "value");
	t->name = -1;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (hist_event_field(type, names[i]) >= 0)
			t->name = hist_event_field(type, names[i]);
	t->of_cpu = !strcmp(type->name, "irq") || !strcmp(type->name, "runqueue") ||
		    !strcmp(type->name, "softirq_wait");
	t->kind = t->value >= 0 ? OUT_COUNTER : OUT_SLICE;
	t->nests = !strcmp(type->name, "slice") || !strcmp(type->name, "irq") ||
		   !strcmp(type->name, "function") || t->kind == OUT_COUNTER;
	/* sums of parts of a wait, which have no time of their own */
	if (!strcmp(type->name, "delay"))
		t->kind = OUT_NONE;
}

/* Fields that Perfetto has no place for. */
static void note_left_out(struct perfetto_out *o, const struct out_type *t,
			  const struct hist_event_type *type)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < t->fields.n; i++)
		if (!t->fields.v[i])
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", type->fields[i].name);
	if (names.len && !names.failed)
		diags_add(o->ev->diags, DIAG_NOTE,
			  "Perfetto has no place for these fields of %s:%s: %s", type->system,
			  type->name, names.s);
	strbuf_release(&names);
}

static void find_flags(struct out_type *t, const struct event_format *format)
{
	for (size_t i = 0; i < format->n_common; i++)
		if (!strcmp(format->fields[i].name, "common_flags") && format->fields[i].size == 1)
			t->flags = format->fields[i].offset;
}

static int type_of(struct perfetto_out *o, const struct hist_event *e, struct out_type **found)
{
	static const struct perfetto_known print = { PERFETTO_PRINT, "ftrace", "print",
						     "1L ip 2s buf" };
	const struct perfetto_known *known;
	struct out_type *t;

	while (o->types.n <= e->type->number)
		if (array_push(&o->types, ((struct out_type){ .number = 0 })))
			return HIST_NOMEM;
	t = *found = &o->types.v[e->type->number];
	if (t->number)
		return 0;
	t->number = PERFETTO_PRINT;
	if (!strcmp(e->type->system, "derived")) {
		choose_derived(t, e->type);
		return 0;
	}
	if (!strcmp(e->type->name, "print") && !strcmp(e->type->system, "ftrace"))
		known = &print;
	else
		known = find_known(e->type);
	find_flags(t, events_type_of(e)->format);
	if (!known)
		return describe(o, t, e->type);
	if (map_fields(t, e->type, known))
		return HIST_NOMEM;
	note_left_out(o, t, e->type);
	return 0;
}

static int put_all(struct perfetto_out *o, u64 *printed)
{
	struct hist_event e;
	struct out_type *t;
	int err = 0;

	put_system(o);
	while (!err && (!o->print->max || *printed < o->print->max)) {
		err = hist_events_next(o->ev, &e);
		if (err <= 0)
			break;
		++*printed;
		err = type_of(o, &e, &t);
		err = err ?: put_task(o, &e);
		if (!err && t->kind == OUT_EVENT)
			err = put_event(o, &e, t);
		else if (!err && t->kind != OUT_NONE)
			err = put_interval(o, &e, t);
	}
	for (u32 i = 0; i < o->cpus.n && !err; i++)
		flush_cpu(o, i);
	return err ?: o->err;
}

int events_perfetto_print(const struct hist_events_print *print, struct hist_events *ev,
			  u64 *printed)
{
	struct perfetto_out o = { .print = print,
				  .ev = ev,
				  .message = STRBUF_INIT,
				  .part = STRBUF_INIT,
				  .packet = STRBUF_INIT };
	int err;

	*printed = 0;
	err = put_all(&o, printed);
	for (size_t i = 0; i < o.types.n; i++)
		array_release(&o.types.v[i].fields);
	for (size_t i = 0; i < o.cpus.n; i++)
		strbuf_release(&o.cpus.v[i].events);
	array_release(&o.types);
	array_release(&o.cpus);
	array_release(&o.tracks);
	array_release(&o.pids);
	hash_release(&o.by_track);
	hash_release(&o.by_pid);
	strbuf_release(&o.message);
	strbuf_release(&o.part);
	strbuf_release(&o.packet);
	return err;
}
