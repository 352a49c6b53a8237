// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Track events of a Perfetto trace (slices, instants, counters of programs) as markers, which are
 * texts in ftrace:print: those of a thread begin and end its slices, others are on tracks of a
 * process. A marker is on the CPU on which its thread ran, as far as scheduling tells.
 */
#include "import/perfetto_event.h"

enum { BEGINS = 1, ENDS, INSTANT, COUNTS };

/* --- descriptions --- */

static struct perfetto_track *track_of(struct perfetto *pf, u64 uuid)
{
	return indexed_get(&pf->tracks, uuid, uuid,
			   ((struct perfetto_track){ .uuid = uuid, .unit = 1 }));
}

/* Names of tasks are what programs call them, so that they have no time. */
int perfetto_track_describe(struct perfetto *pf, struct proto description)
{
	const u64 uuid = proto_number(description, TRACK_UUID);
	struct perfetto_track *t = track_of(pf, uuid);
	struct perfetto_task task = { .pid = 0 };
	struct proto_field f;

	while (t && proto_next(&description, &f)) {
		const struct proto part = proto_message(&f);
		const struct proto_field name = proto_find(part, f.number == TRACK_THREAD ? 5 : 6);

		if (f.number == TRACK_NAME || f.number == TRACK_NAME_STATIC ||
		    f.number == TRACK_NAME_ATRACE) {
			t->name = proto_text(&f);
		} else if (f.number == TRACK_PARENT) {
			t->parent = f.v;
		} else if (f.number == TRACK_PROCESS && !task.pid) {
			t->tgid = task.pid = task.tgid = (s32)proto_number(part, 1);
			task.name = proto_text(&name);
		} else if (f.number == TRACK_THREAD) {
			t->tgid = task.tgid = (s32)proto_number(part, 1);
			t->tid = task.pid = (s32)proto_number(part, 2);
			task.name = proto_text(&name);
		} else if (f.number == TRACK_COUNTER) {
			t->unit = (s64)max_t(u64, proto_number(part, 4), 1);
			t->adds = proto_number(part, 5);
		}
	}
	if (!t)
		return HIST_NOMEM;
	return task.pid > 0 && task.tgid > 0 ? array_push(&pf->tasks, task) : 0;
}

int perfetto_track_thread(struct perfetto *pf, struct perfetto_sequence *s, struct proto thread)
{
	const u64 uuid = 1ull << 63 | s->id;
	struct perfetto_track *t = track_of(pf, uuid);

	if (!t)
		return HIST_NOMEM;
	s->thread = uuid;
	t->tgid = (s32)proto_number(thread, 1);
	t->tid = (s32)proto_number(thread, 2);
	return 0;
}

/* --- events --- */

/* Chrome's older form: a phase, and the duration of a complete slice. */
static void read_legacy(struct proto legacy, struct perfetto_track_event *e, u64 *duration)
{
	const u64 phase = proto_number(legacy, 2);

	e->type = phase == 'B' || phase == 'X' ? BEGINS
		  : phase == 'E'               ? ENDS
		  : phase == 'I'               ? INSTANT
					       : e->type;
	if (phase == 'X')
		*duration = proto_number(legacy, 3) * 1000;
}

/* The value of a counter, whose differences add up until the state of their sequence is cleared. */
static int add_value(struct perfetto *pf, u64 state, struct perfetto_track_event *e)
{
	struct perfetto_track *t = track_of(pf, e->track);

	if (!t)
		return HIST_NOMEM;
	if (!t->adds)
		return 0;
	if (t->state != state) {
		t->value = 0;
		t->real = 0;
	}
	t->state = state;
	e->value = t->value = (s64)((u64)t->value + (u64)e->value);
	e->real = t->real += e->real;
	return 0;
}

int perfetto_track_event(struct perfetto *pf, const struct perfetto_sequence *s, u64 state,
			 const struct perfetto_stamp *stamp, struct proto event)
{
	struct perfetto_track_event e = { .track = s->track ?: s->thread, .stamp = *stamp };
	const struct perfetto_key *name = NULL;
	struct proto_field f;
	u64 duration = 0;

	while (proto_next(&event, &f)) {
		if (f.number == 6)
			read_legacy(proto_message(&f), &e, &duration);
		else if (f.number == 9)
			e.type = (u32)f.v;
		else if (f.number == 10)
			name = perfetto_keys_find(&pf->names, state, f.v);
		else if (f.number == 11)
			e.track = f.v;
		else if (f.number == 23)
			e.name = proto_text(&f);
		else if (f.number == 30)
			e.value = (s64)f.v;
		else if (f.number == 44 && f.wire == PROTO_FIXED64)
			memcpy(&e.real, &f.v, sizeof(e.real));
	}
	if (!stamp->has || e.type < BEGINS || e.type > COUNTS) {
		pf->other_packets[PACKET_TRACK_EVENT]++;
		return 0;
	}
	if (name && !e.name.n)
		e.name = name->text;
	if ((e.type == COUNTS && add_value(pf, state, &e)) || array_push(&pf->track_events, e))
		return HIST_NOMEM;
	if (!duration)
		return 0;
	e.type = ENDS;
	e.stamp.ts += duration;
	return array_push(&pf->track_events, e);
}

/* --- where threads ran --- */

struct run {
	u64 ts, end;
	s32 pid;
	u32 cpu;
};

struct run_array {
	struct run *v;
	size_t n, cap;
};

static int note_runs(const struct perfetto_bundle *b, struct run_array *runs)
{
	struct proto rest = proto_of(b->p, b->len);
	struct proto_field f;
	int err = 0;

	while (!err && proto_next(&rest, &f)) {
		struct run r = { .ts = (u64)b->shift, .cpu = b->cpu };
		struct perfetto_event ev;
		struct proto_list times, pids;
		u64 more, pid;

		if (f.number == 2 && perfetto_event_read(proto_message(&f), &ev) &&
		    ev.number == PERFETTO_SWITCH) {
			r.ts += ev.ts;
			r.pid = (s32)proto_number(ev.body, 6);
			err = array_push(runs, r);
		}
		if (f.number != 4)
			continue;
		times = proto_list_of(proto_message(&f), COMPACT_SWITCH_TIME);
		pids = proto_list_of(proto_message(&f), COMPACT_SWITCH_PID);
		while (!err && proto_list_next(&times, &more) && proto_list_next(&pids, &pid)) {
			r.ts += more;
			r.pid = (s32)pid;
			err = array_push(runs, r);
		}
	}
	return err;
}

DEFINE_ORDER(by_cpu, struct run, cmp_int(x->cpu, y->cpu) ?: cmp_int(x->ts, y->ts))

DEFINE_ORDER(by_pid, struct run, cmp_int(x->pid, y->pid) ?: cmp_int(x->ts, y->ts))

/* When each task ran, sorted by task and time. */
static int find_runs(struct perfetto *pf, struct run_array *runs)
{
	int err = 0;

	for (size_t i = 0; i < pf->bundles.n && !err; i++)
		if (!pf->bundles.v[i].machine)
			err = note_runs(&pf->bundles.v[i], runs);
	if (err || !runs->n)
		return err;
	qsort(runs->v, runs->n, sizeof(*runs->v), by_cpu);
	for (size_t i = 0; i < runs->n; i++)
		runs->v[i].end = i + 1 < runs->n && runs->v[i + 1].cpu == runs->v[i].cpu
					 ? runs->v[i + 1].ts
					 : UINT64_MAX;
	qsort(runs->v, runs->n, sizeof(*runs->v), by_pid);
	return 0;
}

static const struct run *find_run(const struct run_array *runs, s32 pid, u64 ts)
{
	const struct run key = { .pid = pid, .ts = ts };
	size_t from = 0, to = runs->n;

	while (from < to) {
		const size_t mid = (from + to) / 2;

		if (by_pid(&runs->v[mid], &key) > 0)
			to = mid;
		else
			from = mid + 1;
	}
	return from && runs->v[from - 1].pid == pid && ts <= runs->v[from - 1].end
		       ? &runs->v[from - 1]
		       : NULL;
}

/* --- markers --- */

/* The text of a name, without ends of lines; @other replaces '|'. */
static void add_name(struct strbuf *sb, struct span name, char other)
{
	for (size_t i = 0; i < name.n; i++)
		strbuf_fill(sb,
			    name.s[i] == '|'      ? other
			    : (u8)name.s[i] < ' ' ? ' '
						  : name.s[i],
			    1);
}

/* A thread, process and name that a track has from one around it. */
static struct perfetto_track whole_track(struct perfetto *pf, u64 uuid)
{
	enum { NESTED_MAX = 16 };
	struct perfetto_track t = { .unit = 1 }, *own = track_of(pf, uuid);

	if (!own)
		return t;
	t = *own;
	for (int i = 0; i < NESTED_MAX && !t.tgid && own && own->parent; i++) {
		own = track_of(pf, own->parent);
		t.tgid = own ? own->tgid : 0;
	}
	return t;
}

static void add_text(struct perfetto *pf, const struct perfetto_track_event *e,
		     const struct perfetto_track *t, struct strbuf *sb)
{
	const struct perfetto_track *known = indexed_by(&pf->tracks, uuid, e->track);
	const struct span name = e->name.n ? e->name : t->name;

	if (e->type == COUNTS || e->type == INSTANT || t->tid) {
		strbuf_addf(sb, "%c|%d", " BEIC"[e->type], t -> tgid);
		strbuf_addstr(sb, e->type == ENDS ? "" : "|");
		if (e->type != ENDS)
			add_name(sb, name, e->type == COUNTS ? '/' : '|');
		if (e->type == COUNTS)
			strbuf_addf(sb, "|%lld", t->value);
		return;
	}
	strbuf_addf(sb, "%c|%d|", e->type == BEGINS ? 'G' : 'H', t->tgid);
	add_name(sb, t->name.n ? t->name : span_of("track"), '/');
	strbuf_addstr(sb, "|");
	if (e->type == BEGINS) {
		add_name(sb, name, '/');
		strbuf_addstr(sb, "|");
	}
	strbuf_addf(sb, "%u", known ? (u32)(known - pf->tracks.v) : 0);
}

static int add_mark(struct perfetto *pf, const struct perfetto_track_event *e,
		    const struct run_array *runs, struct strbuf *sb)
{
	struct perfetto_track *own = track_of(pf, e->track), t;
	struct perfetto_mark m = { .ts = e->stamp.ts };
	const struct run *run;

	if (!own)
		return HIST_NOMEM;
	if (e->type == COUNTS) {
		const double real = e->real * (double)own->unit;
		const u64 whole = real > -0x1p62 && real < 0x1p62 ? (u64)llrint(real) : 0;

		own->value = (s64)((u64)e->value * (u64)own->unit + whole);
	}
	t = whole_track(pf, e->track);
	m.pid = t.tid ? t.tid : t.tgid ? t.tgid : -1;
	run = t.tid ? find_run(runs, t.tid, e->stamp.ts) : NULL;
	m.cpu = run ? run->cpu : pf->unplaced_cpu;
	pf->n_unplaced += !run;
	strbuf_reset(sb);
	add_text(pf, e, &t, sb);
	m.text = (struct span){ arena_strndup(&pf->types.arena, sb->s, sb->len), sb->len };
	return sb->failed || !m.text.s ? HIST_NOMEM : array_push(&pf->marks, m);
}

DEFINE_ORDER(compare_events, struct perfetto_track_event,
	     cmp_int(x->stamp.ts, y->stamp.ts) ?: cmp_int(x->order, y->order))

DEFINE_ORDER(compare_marks, struct perfetto_mark,
	     cmp_int(x->cpu, y->cpu) ?: cmp_int(x->ts, y->ts) ?: cmp_int(x->order, y->order))

int perfetto_marks(struct perfetto *pf)
{
	scoped(free_scoped) struct run_array runs = ARRAY_INIT;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < pf->track_events.n; i++) {
		struct perfetto_track_event e = pf->track_events.v[i];

		if (!perfetto_clocks_boot(pf, &e.stamp, &e.stamp.ts)) {
			pf->other_packets[PACKET_TRACK_EVENT]++;
			continue;
		}
		e.order = (u32)n;
		pf->track_events.v[n++] = e;
	}
	pf->unplaced_cpu = pf->bundles.n ? UINT32_MAX : 0;
	for (size_t i = 0; i < pf->bundles.n; i++)
		if (!pf->bundles.v[i].machine)
			pf->unplaced_cpu = min_t(u32, pf->unplaced_cpu, pf->bundles.v[i].cpu);
	if (n) {
		qsort(pf->track_events.v, n, sizeof(*pf->track_events.v), compare_events);
		err = find_runs(pf, &runs);
	}
	for (size_t i = 0; i < n && !err; i++)
		err = add_mark(pf, &pf->track_events.v[i], &runs, &sb);
	for (size_t i = 0; i < pf->marks.n; i++)
		pf->marks.v[i].order = (u32)i;
	if (pf->marks.n)
		qsort(pf->marks.v, pf->marks.n, sizeof(*pf->marks.v), compare_marks);
	return err;
}
