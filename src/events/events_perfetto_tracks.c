// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Intervals of derived events as slices and counters of a trace of Perfetto, on tracks of their
 * task or CPU. Slices of one track do not overlap, unless one is in the other.
 */
#include "events/events_perfetto.h"

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

/*
 * Readers take two that begin at the same time in the order of the file, where the inner one, which
 * ends first, is before that around it.
 */
static bool begins_twice(const struct out_track *track, u64 begin)
{
	return begin == track->first || begin == track->last;
}

/* A track has one slice at a time, or such that are in each other. */
static u64 find_track(struct perfetto_out *o, const struct hist_event *e, const struct out_type *t,
		      u64 begin, bool *is_new)
{
	const u64 of = owner_of(e, t);
	const u32 hash = hash_number(of << 16 | e->type->number);

	struct out_track *track =
		indexed_find(&o->tracks, hash, known,
			     known->type == e->type->number && known->of == of &&
				     !(t->nests ? t->kind == OUT_SLICE && begins_twice(known, begin)
						: known->end > begin));

	*is_new = !track;
	if (!track &&
	    !indexed_add(&o->tracks, hash,
			 ((struct out_track){ e->type->number, of, e->ts, begin, begin })))
		o->err = HIST_NOMEM;
	if (!track)
		return o->tracks.n;
	track->end = e->ts;
	track->first = min_t(u64, track->first, begin);
	track->last = begin;
	return (u64)(track - o->tracks.v) + 1;
}

/* The track of a thread, below which its other tracks are; 0: its process is not known. */
static u64 describe_thread(struct perfetto_out *o, const struct hist_event *e)
{
	const s32 tgid = e->pid > 0 ? hist_event_tgid(e) : 0;
	const u64 uuid = 1ull << 32 | (u32)e->pid;
	scoped(strbuf_release) struct strbuf track = STRBUF_INIT, thread = STRBUF_INIT;

	if (tgid <= 0)
		return 0;
	perfetto_put_number(&thread, 1, (u64)tgid);
	perfetto_put_number(&thread, 2, (u64)e->pid);
	perfetto_put_number(&track, TRACK_UUID, uuid);
	perfetto_put_message(&track, TRACK_THREAD, &thread);
	perfetto_put_number(&o->packet, PACKET_SEQUENCE, KNOWN_SEQUENCE);
	perfetto_put_message(&o->packet, PACKET_TRACK, &track);
	perfetto_out_write(o);
	return uuid;
}

static void describe_track(struct perfetto_out *o, const struct hist_event *e,
			   const struct out_type *t, u64 uuid)
{
	struct hist_value name = { .data = e->type->name, .len = strlen(e->type->name) };
	scoped(strbuf_release) struct strbuf track = STRBUF_INIT, empty = STRBUF_INIT;
	const u64 parent = t->of_cpu ? 0 : describe_thread(o, e);

	strbuf_reset(&o->part);
	perfetto_put_number(&track, TRACK_UUID, uuid);
	if (parent)
		perfetto_put_number(&track, TRACK_PARENT, parent);
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
	perfetto_put_number(&o->packet, PACKET_SEQUENCE, KNOWN_SEQUENCE);
	perfetto_put_message(&o->packet, PACKET_TRACK, &track);
	perfetto_out_write(o);
}

static void put_note(struct strbuf *sb, const char *name, const struct strbuf *text)
{
	scoped(strbuf_release) struct strbuf note = STRBUF_INIT;

	perfetto_put_text(&note, 10, name);
	perfetto_put_message(&note, 6, text);
	perfetto_put_message(sb, SLICE_NOTE, &note);
}

/* The command that explains the interval. */
static void put_why(struct strbuf *sb, const struct hist_event *e, const struct out_type *t)
{
	const char *name = t->kind == OUT_MARK ? "wait" : e->type->name;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (t->of_cpu || t->ns < 0 || e->pid <= 0)
		return;
	strbuf_addf(&text, "hist why -e derived:%s --pid %d --at %llu.%09llu", name, e->pid,
		    (unsigned long long)(e->ts / 1000000000),
		    (unsigned long long)(e->ts % 1000000000));
	put_note(sb, "explained by", &text);
}

/* The other fields, which a click on a slice shows. */
static void put_notes(struct strbuf *sb, const struct hist_event *e, const struct out_type *t)
{
	scoped(strbuf_release) struct strbuf note = STRBUF_INIT;
	struct hist_value v;

	for (size_t i = 0; i < e->type->n_fields; i++) {
		if ((t->kind != OUT_MARK && (int)i == t->ns) || (int)i == t->name)
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
}

/* Write an event of a track, from o->message. */
static void put_on_track(struct perfetto_out *o, u64 ts)
{
	perfetto_put_number(&o->packet, PACKET_TIME, ts);
	perfetto_put_number(&o->packet, PACKET_SEQUENCE, KNOWN_SEQUENCE);
	perfetto_put_message(&o->packet, PACKET_TRACK_EVENT, &o->message);
	perfetto_out_write(o);
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
	} else if (type != SLICE_ENDS) {
		v.kind = HIST_VALUE_ABSENT;
		if (t->name >= 0)
			hist_event_value(e, (size_t)t->name, &v);
		if (v.kind == HIST_VALUE_TEXT)
			perfetto_put_bytes(&o->message, SLICE_NAME, v.data, v.len);
		else
			perfetto_put_text(&o->message, SLICE_NAME, e->type->name);
		put_notes(&o->message, e, t);
		put_why(&o->message, e, t);
	}
	put_on_track(o, ts);
}

int perfetto_out_interval(struct perfetto_out *o, const struct hist_event *e,
			  const struct out_type *t)
{
	struct hist_value ns = { .number = 0 };
	u64 begin, uuid;
	bool is_new;

	if (t->ns >= 0)
		hist_event_value(e, (size_t)t->ns, &ns);
	begin = e->ts - min_t(u64, ns.number, e->ts);
	uuid = find_track(o, e, t, begin, &is_new);
	if (is_new)
		describe_track(o, e, t, uuid);
	if (t->kind == OUT_COUNTER) {
		put_track_event(o, begin, uuid, SLICE_COUNTS, e, t);
	} else if (t->kind == OUT_MARK) {
		put_track_event(o, e->ts, uuid, SLICE_MARKS, e, t);
	} else {
		put_track_event(o, begin, uuid, SLICE_BEGINS, e, t);
		put_track_event(o, e->ts, uuid, SLICE_ENDS, e, t);
	}
	return o->err;
}

void perfetto_out_choose(struct out_type *t, const struct hist_event_type *type)
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
	/* sums of parts of a wait, which have no time of their own: marks at its end */
	if (!strcmp(type->name, "delay")) {
		t->kind = OUT_MARK;
		t->nests = true;
		t->name = hist_event_field(type, "culprit_comm");
	}
}

void perfetto_out_marks(struct perfetto_out *o)
{
	enum { MARKS = 2 }; /* numbers of other tracks are in the lower half, or of threads */
	const struct recordings *recs = &o->ev->h->recordings;
	const u64 uuid = (u64)MARKS << 32;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct recording_mark mark;

	for (size_t i = 0; recs->files.n == 1 && recording_mark(&recs->files.v[0], i, &mark); i++) {
		if (!i) {
			perfetto_put_number(&text, TRACK_UUID, uuid);
			perfetto_put_text(&text, TRACK_NAME, "marks of the recording");
			perfetto_put_number(&o->packet, PACKET_SEQUENCE, KNOWN_SEQUENCE);
			perfetto_put_message(&o->packet, PACKET_TRACK, &text);
			perfetto_out_write(o);
		}
		strbuf_reset(&o->message);
		perfetto_put_number(&o->message, SLICE_TYPE, SLICE_MARKS);
		perfetto_put_number(&o->message, SLICE_TRACK, uuid);
		perfetto_put_bytes(&o->message, SLICE_NAME, mark.event.s, mark.event.n);
		strbuf_reset(&text);
		strbuf_add(&text, mark.text.s, mark.text.n);
		put_note(&o->message, "fields", &text);
		put_on_track(o, mark.ts);
	}
}
