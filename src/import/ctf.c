// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Imports CTF traces: those of LTTng's kernel tracer and of lttng-ust, and what perf converts.
 *
 * LTTng's events do not tell which task runs, unless a context does: it is the one that the last
 * switch of the CPU began. Records before the first switch of a CPU wait for it, because it names
 * the task that ran before. The list of tasks that LTTng makes at the start (statedump) becomes the
 * journal of tasks.
 */
#include "import/ctf.h"

enum { PENDING_MAX = 1 << 26, REASON_MAX = 400, UNKNOWN_PID = -1 };

/* --- what is known of streams, CPUs and tasks --- */

static struct ctf_stream *stream_of(struct ctf *c, const void *stream)
{
	const u32 hash = hash_number((uintptr_t)stream);
	struct ctf_stream new = { .stream = stream };
	struct ctf_stream *known = indexed_find(&c->streams, hash, e, e->stream == stream);

	if (known)
		return known;
	new.trace = ctf_trace_of(c, stream);
	return new.trace ? indexed_add(&c->streams, hash, new) : NULL;
}

static struct ctf_cpu *cpu_of(struct ctf *c, u32 cpu)
{
	const struct ctf_cpu new = { .nr = -1, .pending = STRBUF_INIT };

	while (c->cpus.n <= cpu)
		if (array_push(&c->cpus, new))
			return NULL;
	return &c->cpus.v[cpu];
}

static struct ctf_task *task_of(struct ctf *c, s32 pid)
{
	return indexed_get(&c->tasks, pid, pid, ((struct ctf_task){ .pid = pid, .nr = -1 }));
}

static s32 known_pid(const struct ctf *c, const struct ctf_type *t, enum ctf_known known)
{
	const s32 i = t->known[known];

	return i < 0 ? -1 : (s32)load_u32(c->rec.data + t->event.fields[i].offset, false);
}

/* --- the journal of tasks --- */

static int add_fact(struct ctf *c, const struct task_fact *fact)
{
	if (!c->facts.len) {
		task_fact_print(&(struct task_fact){ .kind = TASK_VERSION,
						     .n = { TASK_JOURNAL_VERSION } },
				&c->facts);
		task_fact_print(&(struct task_fact){ .kind = TASK_FROM,
						     .text[0] = span_of("LTTng") },
				&c->facts);
	}
	task_fact_print(fact, &c->facts);
	return c->facts.failed ? HIST_NOMEM : 0;
}

/* The name in a record of LTTng's list. */
static struct span listed_name(const struct ctf *c, const struct ctf_type *t)
{
	const s32 i = t->known[CTF_NAME];
	const char *at;
	u32 loc;

	if (i < 0 || t->event.fields[i].type != 's')
		return (struct span){ NULL, 0 };
	loc = load_u32(c->rec.data + t->event.fields[i].offset, false);
	at = (const char *)c->rec.data + (loc & 0xffff);
	return (struct span){ at, strnlen(at, min_t(u32, loc >> 16, COMM_LEN)) };
}

/* A task that LTTng lists; one that was born before, which may have had another name. */
static int note_listed(struct ctf *c, const struct ctf_type *t, u64 ts)
{
	struct task_fact fact = { .kind = TASK_IS, .pid = known_pid(c, t, CTF_TASK_PID) };
	const s32 tgid = known_pid(c, t, CTF_TGID), ppid = known_pid(c, t, CTF_PPID);
	struct ctf_task *task = fact.pid > 0 && tgid > 0 ? task_of(c, fact.pid) : NULL;

	if (!task || task->listed)
		return 0;
	task->listed = true;
	fact.n[0] = (u64)tgid;
	fact.n[1] = ppid > 0 ? (u64)ppid : 0;
	fact.text[0] = listed_name(c, t);
	if (task->born || !fact.text[0].n)
		fact.kind = TASK_OF;
	return add_fact(c, &fact)
		       ?: comm_table_set(&c->job->sink->comms, fact.pid, ts, fact.text[0]);
}

static int note_born(struct ctf *c, const struct ctf_type *t)
{
	const s32 pid = known_pid(c, t, CTF_CHILD_PID), tgid = known_pid(c, t, CTF_CHILD_TGID);
	struct ctf_task *task = pid > 0 ? task_of(c, pid) : NULL;

	if (pid <= 0)
		return 0;
	if (!task)
		return HIST_NOMEM;
	task->nr = -1;
	if (task->born || task->listed || tgid <= 0)
		return 0;
	task->born = true;
	return add_fact(c, &(struct task_fact){ .kind = TASK_OF, .pid = pid, .n = { (u64)tgid } });
}

/* --- records --- */

struct ctf_pending {
	u64 ts;
	s64 lost; /* before it */
	u32 len;
	bool has_pid;
};

static int put_record(struct ctf *c, u32 cpu, const struct ctf_pending *p, void *data)
{
	struct trace_dat_cpus *cpus = &c->job->sink->cpus;
	const int err = p->lost ? trace_dat_cpus_lost(cpus, cpu, p->ts, p->lost) : 0;

	return err ?: import_sink_record(c->job->sink, cpu, p->ts, data, p->len);
}

/* Write the records of a CPU that waited; its task is known now, or stays unknown. */
static int flush(struct ctf *c, u32 cpu, bool known, s32 pid)
{
	struct ctf_cpu *of = cpu_of(c, cpu);
	struct ctf_task *task = known ? task_of(c, pid) : NULL;
	int err = 0;

	for (size_t at = 0; at < of->pending.len && !err;) {
		struct ctf_pending p;
		char *data = of->pending.s + at + sizeof(p);

		memcpy(&p, of->pending.s + at, sizeof(p));
		if (!p.has_pid && known)
			store_u32((u8 *)data + 4, (u32)pid, false);
		c->n_unknown_task += !p.has_pid && !known;
		err = put_record(c, cpu, &p, data);
		at += sizeof(p) + p.len;
	}
	strbuf_release(&of->pending);
	if (task)
		task->nr = of->nr;
	of->known = true;
	of->pid = known ? pid : UNKNOWN_PID;
	return err;
}

static int add_record(struct ctf *c, struct ctf_stream *s, struct ctf_pending *p)
{
	struct ctf_cpu *cpu = cpu_of(c, s->cpu);

	p->len = c->rec.len;
	p->lost = s->lost;
	s->lost = 0;
	c->n_events++;
	if (!s->trace->switches || cpu->known) {
		c->n_unknown_task += !p->has_pid && !cpu->known;
		return put_record(c, s->cpu, p, c->rec.data);
	}
	strbuf_add(&cpu->pending, p, sizeof(*p));
	strbuf_add(&cpu->pending, c->rec.data, c->rec.len);
	if (cpu->pending.failed)
		return HIST_NOMEM;
	return cpu->pending.len > PENDING_MAX ? flush(c, s->cpu, false, UNKNOWN_PID) : 0;
}

/* --- events --- */

/* NULL: the event does not have it */
static const void *fact_field(const struct ctf *c, const struct ctf_type *t, const void *event,
			      enum ctf_fact fact)
{
	const struct babeltrace *bt = &c->bt;
	const struct ctf_source *at = &t->facts[fact];
	const void *part = ctf_part(bt, event, at->part);

	return part ? bt->bt_field_structure_borrow_member_field_by_index_const(part, at->member)
		    : NULL;
}

static bool fact_number(const struct ctf *c, const struct ctf_type *t, const void *event,
			enum ctf_fact fact, u64 *v)
{
	const void *field = fact_field(c, t, event, fact);

	return field && ctf_number(&c->bt, field, v);
}

/* The CPU of an event: that of its packet, or a field of it. */
static u32 event_cpu(const struct ctf *c, const struct ctf_type *t, const void *event, u32 before)
{
	const struct babeltrace *bt = &c->bt;
	const void *packet = bt->bt_event_borrow_packet_const(event);
	const void *context = packet ? bt->bt_packet_borrow_context_field_const(packet) : NULL;
	const void *field = context ? bt->bt_field_structure_borrow_member_field_by_name_const(
					      context, "cpu_id")
				    : NULL;
	u64 cpu = before;

	if (!field || !ctf_number(bt, field, &cpu))
		fact_number(c, t, event, CTF_CPU, &cpu);
	return cpu < IMPORT_MAX_CPUS ? (u32)cpu : before;
}

/* What the system call of the record is, and of which call its end is. */
static int note_call(struct ctf *c, const struct ctf_type *t, struct ctf_cpu *cpu, s32 pid)
{
	struct ctf_task *task = cpu->known ? task_of(c, pid) : NULL;
	s64 *nr = task ? &task->nr : &cpu->nr;

	if (cpu->known && !task)
		return HIST_NOMEM;
	if (t->role == CTF_CALL)
		*nr = t->nr;
	if (t->known[CTF_ID] >= 0)
		made_number(&c->rec, &t->event.fields[t->known[CTF_ID]],
			    (u64)(t->role == CTF_CALL_ENDS ? *nr : t->nr));
	if (t->role == CTF_CALL_ENDS)
		*nr = -1;
	return 0;
}

/* The name of the task in a context; if it had another one, that was its name until now. */
static int note_comm(struct ctf *c, const struct ctf_type *t, const void *event, s32 pid, u64 ts)
{
	const struct babeltrace *bt = &c->bt;
	const void *field = fact_field(c, t, event, CTF_COMM);
	struct task_fact fact = { .kind = TASK_NAME, .ts = ts - (ts > 0), .pid = pid };
	int err = 0;

	if (!field || pid <= 0 || !(bt->bt_field_get_class_type(field) & BT_STRING))
		return 0;
	fact.text[0] = comm_table_get(&c->job->sink->comms, pid);
	fact.text[1] = ctf_text(bt, field);
	fact.text[1].n = min_t(size_t, fact.text[1].n, COMM_LEN);
	if (fact.text[0].n && !span_same(fact.text[0], fact.text[1]))
		err = add_fact(c, &fact);
	return err ?: comm_table_set(&c->job->sink->comms, pid, ts, fact.text[1]);
}

static int note_event(struct ctf *c, const struct ctf_type *t, u64 ts)
{
	if (t->role == CTF_FORK)
		return note_born(c, t);
	return t->role == CTF_LISTED ? note_listed(c, t, ts) : 0;
}

static int put_event(struct ctf *c, struct ctf_stream *s, const struct ctf_type *t,
		     const void *event, u64 ts)
{
	u64 pid, flags = 0, preempt = 0;
	const bool has_pid = fact_number(c, t, event, CTF_PID, &pid);
	struct ctf_cpu *cpu = cpu_of(c, s->cpu);
	struct ctf_pending p = { .has_pid = has_pid };
	int err;

	if (!cpu)
		return HIST_NOMEM;
	p.ts = cpu->ts = max_t(u64, ts, cpu->ts);
	if (!has_pid)
		pid = cpu->known ? (u64)(s64)cpu->pid : (u64)UNKNOWN_PID;
	fact_number(c, t, event, CTF_FLAGS, &flags);
	made_begin(&c->rec, t->event.id, (u32)flags, (s32)pid, t->event.size);
	if (fact_number(c, t, event, CTF_PREEMPT, &preempt))
		c->rec.data[3] = (u8)preempt;
	ctf_put_fields(c, t, event);
	err = note_call(c, t, cpu, (s32)pid);
	err = err ?: has_pid ? note_comm(c, t, event, (s32)pid, ts) : 0;
	err = err ?: note_event(c, t, ts);
	if (err || t->role != CTF_SWITCH)
		return err ?: add_record(c, s, &p);
	/* the task that ran is that of the records before, and of this one */
	if (!cpu->known)
		err = flush(c, s->cpu, true, known_pid(c, t, CTF_PREV_PID));
	if (!has_pid)
		store_u32(c->rec.data + 4, (u32)known_pid(c, t, CTF_PREV_PID), false);
	err = err ?: add_record(c, s, &p);
	cpu_of(c, s->cpu)->pid = known_pid(c, t, CTF_NEXT_PID);
	return err;
}

/*
 * The machine, when its first event has come. LTTng's clock counts from 1970, by a distance to the
 * time of day that was measured when the session began.
 */
static int add_machine(struct ctf *c, const void *snapshot, s64 ns)
{
	enum { DOUBT = 1000000 };
	const struct import_machine machine = { .long_size = 8,
						.clock = snapshot ? "realtime" : "counter" };
	const struct babeltrace *bt = &c->bt;
	char text[80];
	int n = snprintf(text, sizeof(text), "%lld %lld %d", (long long)ns, (long long)ns, DOUBT);
	int err = import_sink_machine(c->job->sink, &machine);

	c->has_machine = true;
	if (!err && snapshot && ns > 0 &&
	    bt->bt_clock_class_origin_is_unix_epoch(
		    bt->bt_clock_snapshot_borrow_clock_class_const(snapshot)))
		err = import_sink_option(c->job->sink, TRACE_DAT_HIST_WALL,
					 (struct span){ text, (size_t)n + 1 });
	return err;
}

static int read_event(struct ctf *c, const void *message)
{
	const struct babeltrace *bt = &c->bt;
	const void *event = bt->bt_message_event_borrow_event_const(message);
	struct ctf_stream *s = stream_of(c, bt->bt_event_borrow_stream_const(event));
	const struct ctf_type *t = s ? ctf_type_of(c, s, bt->bt_event_borrow_class_const(event))
				     : NULL;
	const void *at = NULL;
	s64 ns = (s64)c->n_events; /* without a clock: the order */

	if (!t)
		return HIST_NOMEM;
	if (t->clock)
		at = bt->bt_message_event_borrow_default_clock_snapshot_const(message);
	if (at && bt->bt_clock_snapshot_get_ns_from_origin(at, &ns) != BT_OK) {
		bt->bt_current_thread_clear_error();
		ns = 0;
	}
	s->cpu = event_cpu(c, t, event, s->cpu);
	return (c->has_machine ? 0 : add_machine(c, at, ns))
		       ?: put_event(c, s, t, event, ns < 0 ? 0 : (u64)ns);
}

static int read_lost(struct ctf *c, const void *stream, s64 n)
{
	struct ctf_stream *s = stream_of(c, stream);

	if (!s)
		return HIST_NOMEM;
	s->lost = n < 0 || s->lost < 0 ? -1 : s->lost + n;
	c->n_lost += n > 0 ? (u64)n : 0;
	return 0;
}

static int read_message(void *arg, const void *message)
{
	struct ctf *c = arg;
	const struct babeltrace *bt = &c->bt;
	u64 n;

	switch (bt->bt_message_get_type(message)) {
	case BT_EVENT:
		return read_event(c, message);
	case BT_DISCARDED_EVENTS:
		if (!bt->bt_message_discarded_events_get_count(message, &n))
			n = UINT64_MAX;
		return read_lost(c, bt->bt_message_discarded_events_borrow_stream_const(message),
				 (s64)n);
	case BT_DISCARDED_PACKETS:
		return read_lost(c, bt->bt_message_discarded_packets_borrow_stream_const(message),
				 -1);
	default:
		return 0;
	}
}

/* --- the importer --- */

/* What was lost after the last event of a stream. */
static void add_losses(struct ctf *c)
{
	array_each(const struct ctf_stream, s, &c->streams) {
		scoped(strbuf_release) struct strbuf of = STRBUF_INIT;
		struct caveat lost = { .kind = CAVEAT_LOST, .n = s->lost > 0 ? (u64)s->lost : 1 };

		caveat_cpu(&of, s->cpu, "");
		lost.of = strbuf_span(&of);
		if (s->lost)
			caveat_add(&c->job->sink->caveats, &lost);
	}
}

/* What a user of version 2.0 can do. */
static const char *newer(const struct ctf *c)
{
	return c->bt.bt_version_get_major() == 2 && !c->bt.bt_version_get_minor()
		       ? "; version 2.1 reads more traces, and CTF 2"
		       : "";
}

static void report(struct ctf *c, bool stopped, const struct strbuf *why)
{
	const char *in = c->job->in->name;
	struct diags *diags = c->job->diags;
	size_t n_unread = 0;

	diags_add(diags, DIAG_NOTE, "%s: a CTF trace: %llu event%s in %zu stream%s", in,
		  c->n_events, plural(c->n_events), c->streams.n, plural(c->streams.n));
	if (c->n_lost)
		diags_add(diags, DIAG_WARNING, "%s: %llu event%s lost while they were recorded", in,
			  c->n_lost, plural_were(c->n_lost));
	if (c->n_unknown_task)
		diags_add(diags, DIAG_NOTE,
			  "%s: the task of %llu event%s is not known, and is -1: there is "
			  "neither a switch nor a context before them",
			  in, c->n_unknown_task, plural(c->n_unknown_task));
	for (size_t i = 0; i < c->dirs.n; i++)
		n_unread += !c->dirs.v[i];
	if (n_unread)
		diags_add(diags, DIAG_WARNING,
			  "%s: %zu of %zu traces cannot be opened; their events are missing", in,
			  n_unread, c->dirs.n);
	if (stopped)
		diags_add(
			diags, DIAG_WARNING,
			"%s: libbabeltrace2 %u.%u.%u stopped inside the trace; what it read is kept, the "
			"events after it are missing%s",
			in, c->bt.bt_version_get_major(), c->bt.bt_version_get_minor(),
			c->bt.bt_version_get_patch(), newer(c));
	if (why->len)
		diags_add(diags, DIAG_NOTE, "%s: the reason of libbabeltrace2: %.*s", in,
			  (int)min_t(size_t, why->len, REASON_MAX), why->s);
	c->job->result->cut = stopped || n_unread;
}

static int finish(struct ctf *c)
{
	int err = 0;

	for (u32 i = 0; i < c->cpus.n && !err; i++)
		if (c->cpus.v[i].pending.len)
			err = flush(c, i, false, UNKNOWN_PID);
	if (!err && c->facts.len)
		err = import_sink_option(c->job->sink, TRACE_DAT_HIST_TASKS,
					 strbuf_span(&c->facts));
	add_losses(c);
	return err;
}

static int read_traces(struct ctf *c)
{
	struct import_job *job = c->job;
	const struct babeltrace_reader reader = { read_message, c };
	scoped(strbuf_release) struct strbuf why = STRBUF_INIT;
	int err;

	if (!babeltrace_load(&c->bt))
		return diags_error(job->diags, -HIST_EUNSUPPORTED,
				   "%s: is a CTF trace, which libbabeltrace2 reads; it is not "
				   "installed (Debian: libbabeltrace2-0, Fedora: libbabeltrace2)",
				   job->in->name);
	err = ctf_find(c);
	if (err)
		return err;
	err = babeltrace_read(&c->bt, c->dirs.v, c->dirs.n, &reader, &why);
	if (err >= 0 && !c->n_events && why.len)
		err = diags_error(
			job->diags, -HIST_EUNSUPPORTED,
			"%s: a CTF trace that libbabeltrace2 %u.%u.%u cannot read: %.*s%s",
			job->in->name, c->bt.bt_version_get_major(), c->bt.bt_version_get_minor(),
			c->bt.bt_version_get_patch(), (int)min_t(size_t, why.len, REASON_MAX),
			why.s, newer(c));
	else if (err >= 0 && !c->n_events)
		err = diags_error(job->diags, -HIST_EFORMAT, "%s: is a CTF trace without events",
				  job->in->name);
	if (err >= 0) {
		const bool stopped = err > 0;

		err = finish(c);
		report(c, stopped, &why);
	}
	return err;
}

static int run(struct import_job *job)
{
	struct ctf *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return HIST_NOMEM;
	c->job = job;
	c->next_id = MADE_FIRST_ID;
	c->facts = c->text = (struct strbuf)STRBUF_INIT;
	err = read_traces(c);
	for (size_t i = 0; i < c->cpus.n; i++)
		strbuf_release(&c->cpus.v[i].pending);
	array_release(&c->dirs);
	array_release(&c->traces);
	indexed_release(&c->types);
	indexed_release(&c->streams);
	array_release(&c->cpus);
	indexed_release(&c->tasks);
	strbuf_release(&c->facts);
	strbuf_release(&c->text);
	free(c);
	return err;
}

const struct importer import_ctf = {
	.what = "CTF trace",
	.apart = true,
	.recognises_dir = ctf_recognises,
	.run = run,
};
