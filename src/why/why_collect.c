// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fills a store with what tasks and CPUs did around an interval: a replay of the whole recording,
 * because a state that began long before it, or ends long after it, is a part of it.
 *
 * States, interrupts and system calls are derived events. Which task a CPU ran is read off
 * sched_switch: from one to the next, if both name the same task and nothing was lost between them.
 */
#include "hist-list.h"
#include "tracefs/tracefs.h"
#include "why/why.h"
#include "why/why_window.h"

enum { FIELDS_MAX = 11, SPANS_MAX = 1 << 22, CPUS_MAX = 1 << 16 };

struct why_gather;

struct why_source {
	const char *event; /* "system:event" */
	const char *fields[FIELDS_MAX];
	int (*hit)(struct why_gather *c, const struct hit *hit);
};

/* An event of the replay; ->fields[i] is NULL if it has no such field. */
struct why_file {
	const struct event_file *file;
	const struct why_source *event;
	const struct event_field *fields[FIELDS_MAX];
};

/* What a CPU does now. */
struct why_cpu {
	bool known;    /* ->pid is */
	bool switched; /* since ->since */
	s32 pid;       /* the task that runs */
	u64 since;     /* it began, or the records of this CPU */
	u64 last;      /* record */
	u64 n_gaps;    /* in its records, until now */
	u32 khz;       /* 0: not known */
	u64 khz_since;
};

struct why_stay {
	bool known; /* ->cpu and ->since are known */
	u32 cpu;
	u64 since;
};

struct why_gather {
	struct hist *h;
	struct why_store *s;
	struct why_piece want;
	ARRAY(struct why_file) files;
	const struct why_file *now; /* of the current record */
	ARRAY(struct why_cpu) cpus;
	ARRAY(struct why_stay) tasks; /* by index of the store */
	u64 last;                     /* time of the last record */
	struct why_watch watch;
	bool ends; /* there are no more records */
	int err;
};

/* --- fields --- */

static u64 number(const struct why_gather *c, const struct hit *hit, size_t i)
{
	const struct event_field *f = c->now->fields[i];

	return f ? load_number(f, hit, c->h->tracing->machine.big_endian) : 0;
}

static struct span text(const struct why_gather *c, const struct hit *hit, size_t i)
{
	const struct event_field *f = c->now->fields[i];

	return f ? load_text(f, hit, c->h->tracing->machine.big_endian) : (struct span){ "", 0 };
}

static u32 word(struct why_gather *c, const struct hit *hit, size_t i)
{
	return why_store_word(c->s, text(c, hit, i));
}

/* --- spans --- */

static int add(struct why_gather *c, enum why_track track, const struct why_span *span)
{
	if (span->from >= span->to || span->to <= c->want.from || span->from >= c->want.to)
		return 0;
	return why_store_add(c->s, track, span);
}

static struct why_cpu *cpu_now(struct why_gather *c, u32 cpu)
{
	while (cpu < CPUS_MAX && c->cpus.n <= cpu)
		if (array_push(&c->cpus, (struct why_cpu){ .known = false }))
			return NULL;
	return cpu < CPUS_MAX ? &c->cpus.v[cpu] : NULL;
}

static struct why_stay *stay_of(struct why_gather *c, u32 task)
{
	while (task != WHY_NO_TASK && c->tasks.n <= task)
		if (array_push(&c->tasks, (struct why_stay){ .known = false }))
			return NULL;
	return task != WHY_NO_TASK ? &c->tasks.v[task] : NULL;
}

static int end_stay(struct why_gather *c, u32 task, u64 ts)
{
	const struct why_stay *t = &c->tasks.v[task];

	return t->known ? add(c, WHY_STAYS,
			      &(struct why_span){
				      .from = t->since, .to = ts, .owner = task, .cpu = t->cpu })
			: 0;
}

/* @comm: of the task that ran; 0: unknown */
static int end_lane(struct why_gather *c, u32 cpu, u64 ts, u32 comm)
{
	const struct why_cpu *now = &c->cpus.v[cpu];
	const struct replay_window *w = &c->h->window;
	const bool cut = (!now->switched && !w->begins) || (c->ends && !w->ends);

	return now->known ? add(c, WHY_LANES,
				&(struct why_span){ .from = now->since,
						    .to = ts,
						    .owner = cpu,
						    .pid = now->pid,
						    .comm = comm,
						    .unsure = w->on && cut })
			  : 0;
}

static int end_freq(struct why_gather *c, u32 cpu, u64 ts)
{
	const struct why_cpu *now = &c->cpus.v[cpu];

	return now->khz ? add(c, WHY_FREQS,
			      &(struct why_span){ .from = now->khz_since,
						  .to = ts,
						  .owner = cpu,
						  .word = now->khz })
			: 0;
}

/* --- events --- */

/* Whether the interval of a derived event ends after its recording was cut. */
static bool is_open(struct span open)
{
	return span_eq(open, "end") || span_eq(open, "both");
}

static struct why_span interval_of(const struct why_gather *c, const struct hit *hit, size_t ns)
{
	u64 length = number(c, hit, ns);

	return (struct why_span){ .from = hit->ts > length ? hit->ts - length : 0, .to = hit->ts };
}

static enum why_state state_of(struct span state)
{
	static const char *const waits[] = { "woken", "preempted", "new", "yielded" };

	if (span_eq(state, "running"))
		return WHY_STATE_RUNS;
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		if (span_eq(state, waits[i]))
			return WHY_STATE_WAITS;
	return WHY_STATE_BLOCKED;
}

/* The field, a stack, as a word: the innermost frame comes first. */
static u32 stack_word(struct why_gather *c, const struct hit *hit, const struct event_field *f)
{
	const bool big = c->h->tracing->machine.big_endian;
	const u32 slot = load_u32(hit->rec + f->offset, big),
		  size = c->h->tracing->machine.long_size;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	u32 word;

	/* its first word is the number of the others */
	for (u32 i = 1; i < (slot >> 16) / size; i++) {
		strbuf_addstr(&text, i > 1 ? "\n" : "");
		event_print_symbol(c->h->recordings.db,
				   load_uint(hit->rec + (slot & 0xffff) + i * size, size, big),
				   false, &text);
	}
	word = why_store_word(c->s, strbuf_span(&text));
	c->s->words.arena.failed |= text.failed;
	return word;
}

enum { S_PID, S_COMM, S_CPU, S_STATE, S_NS, S_WAKER, S_WAKER_COMM, S_IRQ, S_NEXT, S_STACK, S_OPEN };

static int on_state(struct why_gather *c, const struct hit *hit)
{
	struct why_span span = interval_of(c, hit, S_NS);
	u32 task = why_store_task(c->s, (s32)number(c, hit, S_PID)), waker;

	if (task == WHY_NO_TASK)
		return HIST_NOMEM;
	if (span.from >= span.to || span.to <= c->want.from || span.from >= c->want.to)
		return 0;
	c->s->tasks.v[task].comm = word(c, hit, S_COMM);
	span.owner = task;
	span.word = word(c, hit, S_STATE);
	span.state = state_of(text(c, hit, S_STATE));
	/* that it was frozen is what kept it from running */
	if (span_eq(text(c, hit, S_STATE), "frozen") && !span_eq(text(c, hit, S_NEXT), "woken"))
		span.state = WHY_STATE_WAITS;
	/* what it did when the recording began; if it was woken then, it was blocked */
	if (span_eq(text(c, hit, S_STATE), "unknown") && !span_eq(text(c, hit, S_NEXT), "woken"))
		span.state = WHY_STATE_OFF;
	span.cpu = (u32)number(c, hit, S_CPU);
	span.continues = is_open(text(c, hit, S_OPEN));
	span.unsure = why_window_opens(&c->h->window, text(c, hit, S_OPEN));
	span.end_cpu = span.continues ? WHY_NO_CPU : hit->cpu;
	span.chosen = span_eq(text(c, hit, S_STATE), "woken") ||
		      span_eq(text(c, hit, S_STATE), "new");
	if (span.state == WHY_STATE_BLOCKED) {
		span.stack = stack_word(c, hit, c->now->fields[S_STACK]);
		span.cpu = hit->cpu;
		span.pid = (s32)number(c, hit, S_WAKER);
		span.in_irq = number(c, hit, S_IRQ);
		waker = why_store_task(c->s, span.pid);
		if (waker == WHY_NO_TASK)
			return HIST_NOMEM;
		span.comm = word(c, hit, S_WAKER_COMM);
		if (!c->s->tasks.v[waker].comm)
			c->s->tasks.v[waker].comm = span.comm;
	}
	return why_store_add(c->s, WHY_STATES, &span);
}

/* Where the task now waits or was last. */
static int put_task(struct why_gather *c, const struct hit *hit, s32 pid, u32 cpu)
{
	u32 task = why_store_task(c->s, pid);
	struct why_stay *t = stay_of(c, task);
	int err;

	if (!t)
		return HIST_NOMEM;
	err = end_stay(c, task, hit->ts);
	t->known = true;
	t->cpu = cpu;
	t->since = hit->ts;
	return err;
}

enum { W_PREV, W_NEXT, W_PREV_COMM, W_NEXT_COMM };

static int on_switch(struct why_gather *c, const struct hit *hit)
{
	struct why_cpu *now = &c->cpus.v[hit->cpu];
	s32 prev = (s32)number(c, hit, W_PREV), next = (s32)number(c, hit, W_NEXT);
	u32 task = next ? why_store_task(c->s, next) : 0;
	int err = 0;

	if (task == WHY_NO_TASK)
		return HIST_NOMEM;
	if (!now->known || now->pid == prev) {
		now->known = true;
		now->pid = prev;
		err = end_lane(c, hit->cpu, hit->ts, word(c, hit, W_PREV_COMM));
	}
	if (next && hit->ts < c->want.to && !c->s->tasks.v[task].comm)
		c->s->tasks.v[task].comm = word(c, hit, W_NEXT_COMM);
	if (prev)
		err = err ?: put_task(c, hit, prev, hit->cpu);
	now->known = now->switched = true;
	now->pid = next;
	now->since = hit->ts;
	return err;
}

enum { P_PID, P_CPU };

static int on_stay(struct why_gather *c, const struct hit *hit)
{
	return put_task(c, hit, (s32)number(c, hit, P_PID), (u32)number(c, hit, P_CPU));
}

enum { F_KHZ, F_CPU };

static int on_freq(struct why_gather *c, const struct hit *hit)
{
	u32 cpu = (u32)number(c, hit, F_CPU);
	struct why_cpu *now = cpu_now(c, cpu);
	int err;

	if (!now)
		return cpu < CPUS_MAX ? HIST_NOMEM : 0;
	err = end_freq(c, cpu, hit->ts);
	now->khz = (u32)number(c, hit, F_KHZ);
	now->khz_since = hit->ts;
	return err;
}

enum { I_KIND, I_NAME, I_NS, I_OPEN };

static int on_irq(struct why_gather *c, const struct hit *hit)
{
	struct why_span span = interval_of(c, hit, I_NS);
	struct span kind = text(c, hit, I_KIND), name = text(c, hit, I_NAME);
	char both[128];

	span.owner = hit->cpu;
	snprintf(both, sizeof(both), "%.*s %.*s", (int)kind.n, kind.s, (int)name.n, name.s);
	span.word = why_store_word(c->s, span_of(both));
	span.unsure = why_window_opens(&c->h->window, text(c, hit, I_OPEN));
	return add(c, WHY_IRQS, &span);
}

enum { C_PID, C_NAME, C_NS, C_OPEN };

static int on_call(struct why_gather *c, const struct hit *hit)
{
	struct why_span span = interval_of(c, hit, C_NS);

	span.owner = why_store_task(c->s, (s32)number(c, hit, C_PID));
	span.word = word(c, hit, C_NAME);
	span.unsure = why_window_opens(&c->h->window, text(c, hit, C_OPEN));
	if (span.owner == WHY_NO_TASK)
		return HIST_NOMEM;
	c->s->tasks.v[span.owner].called = true;
	return add(c, WHY_CALLS, &span);
}

enum { H_PID, H_BY, H_NS, H_ENDED };

static int on_hold(struct why_gather *c, const struct hit *hit)
{
	const u64 to = hit->ts - number(c, hit, H_ENDED), ns = number(c, hit, H_NS);
	struct why_span span = { .from = to > ns ? to - ns : 0, .to = to };

	span.owner = why_store_task(c->s, (s32)number(c, hit, H_PID));
	span.word = word(c, hit, H_BY);
	return span.owner == WHY_NO_TASK ? HIST_NOMEM : add(c, WHY_HOLDS, &span);
}

static const struct why_source source_events[] = {
	{ "derived:task_state",
	  { "pid", "comm", "cpu", "state", "ns", "waker_pid", "waker_comm", "in_irq", "next_state",
	    "sleep_stack", "open" },
	  on_state },
	{ "sched:sched_switch", { "prev_pid", "next_pid", "prev_comm", "next_comm" }, on_switch },
	{ "sched:sched_waking", { "pid", "target_cpu" }, on_stay },
	{ "sched:sched_wakeup", { "pid", "target_cpu" }, on_stay },
	{ "sched:sched_wakeup_new", { "pid", "target_cpu" }, on_stay },
	{ "sched:sched_migrate_task", { "pid", "dest_cpu" }, on_stay },
	{ "power:cpu_frequency", { "state", "cpu_id" }, on_freq },
	{ "derived:irq", { "kind", "name", "ns", "open" }, on_irq },
	{ "derived:held", { "pid", "by", "ns", "ended_ns" }, on_hold },
	{ "derived:syscall", { "pid", "name", "ns", "open" }, on_call },
};

/* --- the replay --- */

static bool is_recorded(struct hist *h, const char *event)
{
	const char *name;

	/* all of the recording would have to be read */
	if (h->window.on && !h->recorded)
		return why_window_has(h, event);
	if (!strncmp(event, "derived:", 8))
		return hist_can_derive(h, event);
	for (size_t i = 0; (name = hist_recorded_event(h, i)); i++)
		if (!strcmp(name, event))
			return true;
	return false;
}

static void begin(void *arg)
{
	struct why_gather *c = arg;

	why_store_release(c->s);
	c->err = c->err ?: why_store_init(c->s, SPANS_MAX);
	c->cpus.n = c->tasks.n = 0;
	c->last = 0;
	c->s->part = c->h->window.on;
	c->s->part_calls = c->s->part && is_recorded(c->h, "derived:syscall");
	c->s->part_freqs = c->s->part && is_recorded(c->h, "power:cpu_frequency");
}

/* What happened since the last record of the CPU is not known. */
static int note_loss(struct why_gather *c, struct why_cpu *now, const struct observed *w)
{
	int err = end_freq(c, w->hit->cpu, now->last);

	now->khz = 0;
	now->known = now->switched = false;
	now->since = w->rec->ts;
	return err ?: add(c, WHY_LOSSES, &(struct why_span){ .from = now->last, .to = w->rec->ts });
}

static void before(void *arg, const struct observed *w)
{
	struct why_gather *c = arg;
	struct why_cpu *now = c->err ? NULL : cpu_now(c, w->hit->cpu);

	if (!now) {
		c->err = c->err ?: HIST_NOMEM;
		return;
	}
	why_watch_record(&c->watch, w);
	if (!now->last)
		now->since = w->rec->ts;
	if (now->n_gaps != w->n_gaps)
		c->err = note_loss(c, now, w);
	now->n_gaps = w->n_gaps;
	now->last = c->last = w->rec->ts;
}

static void each_stream(void *arg, const struct stream *s)
{
	struct why_gather *c = arg;

	why_watch_stream(&c->watch, s);
}

static void recorded(void *arg, struct trace_array *tr UNUSED, const struct hit *hit)
{
	struct why_gather *c = arg;

	for (size_t i = 0; i < c->files.n && !c->err; i++) {
		if (c->files.v[i].file != hit->file)
			continue;
		c->now = &c->files.v[i];
		if (hit->cpu < c->cpus.n)
			c->err = c->now->event->hit(c, hit);
	}
}

/* --- which events --- */

static int enable(struct why_gather *c, const struct why_source *e, struct diags *diags)
{
	const char *colon = strchr(e->event, ':');
	struct why_file f = { .event = e };
	char path[128];
	int err;

	snprintf(path, sizeof(path), "events/%.*s/%s/enable", (int)(colon - e->event), e->event,
		 colon + 1);
	err = hist_write(c->h, path, "1", 1, HIST_TRUNCATE, diags);
	if (err)
		return err;
	f.file = event_file_known(c->h->tracing->top, span_between(e->event, colon),
				  span_of(colon + 1));
	for (size_t i = 0; f.file && i < FIELDS_MAX && e->fields[i]; i++)
		f.fields[i] = event_find_field(f.file->format, span_of(e->fields[i]), GENERICS_6_1);
	return f.file ? array_push(&c->files, f) : 0;
}

static int set_up(struct why_gather *c, struct diags *diags)
{
	const bool open = c->h->recordings.options.open_intervals;
	int err;

	c->h->recordings.options.open_intervals = true;
	err = directory_restart(c->h);
	c->h->recordings.options.open_intervals = open;
	if (!err && !c->h->window.on && !hist_recorded_event(c->h, 0) && !c->h->recorded)
		err = HIST_NOMEM;
	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(source_events) && !err; i++)
		if (!i || is_recorded(c->h, source_events[i].event))
			err = enable(c, &source_events[i], diags);
	c->h->tracing->record = true;
	return err;
}

int why_collect(struct hist *h, struct why_piece span, struct why_store *s, struct diags *diags)
{
	struct why_gather c = { .h = h, .s = s, .want = span };
	const struct replay_observer observer = { .arg = &c,
						  .begin = begin,
						  .stream = each_stream,
						  .before = before,
						  .recorded = recorded,
						  .reads_stacks =
							  is_recorded(h, "ftrace:kernel_stack") };
	struct diags ignored = DIAGS_INIT; /* they are about a part */
	int err = set_up(&c, diags);

	why_watch_init(&c.watch, h);
	h->observer = &observer;
	err = err ?: hist_replay(h, h->window.on ? &ignored : diags);
	h->observer = NULL;
	diags_release(&ignored);
	err = err ?: c.err;
	c.ends = true;
	/* What still runs at the end, which another event can have. */
	if (!err) {
		struct recordings_times times;

		err = recordings_times(&c.h->recordings, c.h->buffer, &times);
		if (!err)
			c.last = max_t(u64, c.last,
				       h->window.on ? min_t(u64, times.last, h->window.to)
						    : times.last);
		for (u32 cpu = 0; cpu < c.cpus.n && !err; cpu++) {
			const struct why_cpu *now = &c.cpus.v[cpu];
			/* a CPU without further records went on, unless they may be missing */
			u64 end = hist_input_cut(c.h) ? now->last : c.last;

			err = end_lane(&c, cpu, end, 0);
			err = err ?: end_freq(&c, cpu, end);
		}
		for (u32 task = 0; task < c.tasks.n && !err; task++)
			err = end_stay(&c, task, c.last);
		err = err ?: why_store_finish(c.s);
		s->part_unsure = !why_watch_knows(&c.watch, span.from);
	}
	why_watch_release(&c.watch);
	array_release(&c.files);
	array_release(&c.cpus);
	array_release(&c.tasks);
	return err;
}
