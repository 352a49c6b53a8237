// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What programs did, from their markers, or from the events with which the script defined that
 * slices begin and end. Slices of a thread are nested: an end is that of the innermost one. Those
 * of a definition are nested in each other alone, and an event that is the end of a slice and the
 * begin of another one is the end first.
 */
#include "derive/marker.h"
#include "derive/task_time.h"

enum event { SLICE };

static const struct derived_event events[] = {
	[SLICE] =
		DERIVED_EVENT(DERIVE_SLICE, "slice",
			      "char[] name; int depth; u64 ns; u64 self_ns; pid_t pid; pid_t tgid; "
			      "char[16] comm; " TASK_PARTS DERIVED_OPEN,
			      .asks = "comm", .uses = { &derive_irq, &derive_sched }),
};

/* ORDER: an event can be both */
enum input { PRINT, EXIT, END, BEGIN };

static const struct deriver_input inputs[] = {
	[PRINT] = { DERIVER_INPUT("ftrace", "print"),
		    { "buf" },
		    true,
		    .use = DERIVER_UNDEFINED,
		    .texts = 1 },
	[EXIT] = { DERIVER_INPUT("sched", "sched_process_exit"), { NULL }, false },
	[END] = { .use = DERIVER_ENDS },
	[BEGIN] = { .use = DERIVER_BEGINS },
};

enum { TEXT_SIZE = 256, NO_SLICE = UINT32_MAX };

/* A slice that did not end yet. */
struct open_slice {
	bool open;
	char kind;
	u32 below; /* the one around it, or the next one that is not used; NO_SLICE: none */
	int depth;
	u32 cpu;
	s32 pid, tgid;
	u64 since, inner;      /* ->inner: time in slices in it */
	struct task_time from; /* of the thread */
	u32 hash;              /* of the whole key of an asynchronous one */
	char *texts;           /* those below, unless they are those of the event */
	const char *name, *key, *cookie;
};

struct slice_thread {
	s32 pid;
	u32 cpu;     /* of an idle task */
	u32 kinds;   /* as in the marker */
	u32 top;     /* the innermost slice */
	u64 certain; /* until then, all of its records are there */
};

struct task_slices {
	struct derive *d;
	struct sched *sched;
	ARRAY(struct open_slice) all;
	u32 unused;
	INDEXED(struct slice_thread) threads;
	struct hash_table by_key;
	u64 texts, markers; /* written to trace_marker; those that begin or end slices */
};

/* --- texts --- */

static u32 hash_of(const struct marker *m)
{
	bool track = m->kind == 'G' || m->kind == 'H';

	return hash_bytes(hash_bytes(track, m->key.s, m->key.n), m->cookie.s, m->cookie.n);
}

/* Copy a text to *@to, which is advanced. */
static const char *put_text(char **to, struct span text)
{
	size_t n = min_t(size_t, text.n, TEXT_SIZE - 1);
	char *copy = *to;

	if (text.s)
		memcpy(copy, text.s, n);
	copy[n] = '\0';
	*to += n + 1;
	return copy;
}

/* False: out of memory */
static bool set_texts(struct open_slice *slice, const struct derive_record *r,
		      const struct marker *m)
{
	const size_t max = TEXT_SIZE - 1;
	char *to;

	slice->texts = NULL;
	slice->name = derive_event_name(r);
	if (m->kinds)
		return true;
	to = slice->texts = malloc(min_t(size_t, m->name.n, max) + min_t(size_t, m->key.n, max) +
				   min_t(size_t, m->cookie.n, max) + 3);
	if (!to)
		return false;
	slice->name = put_text(&to, m->name);
	slice->key = put_text(&to, m->key);
	slice->cookie = put_text(&to, m->cookie);
	return true;
}

static bool is_text(const char *s, struct span text)
{
	size_t n = min_t(size_t, text.n, TEXT_SIZE - 1);

	return !s[n] && (!n || !memcmp(s, text.s, n));
}

/* --- slices --- */

/* NULL: out of memory */
static struct slice_thread *thread_of(struct task_slices *s, const struct derive_record *r,
				      u32 kinds)
{
	const struct slice_thread new = {
		.pid = r->pid, .cpu = r->pid ? 0 : r->cpu, .kinds = kinds, .top = NO_SLICE
	};
	const u32 hash = hash_number(((u64) new.cpu << 32 | (u32)r->pid) + ((u64)kinds << 40));
	struct slice_thread *t = indexed_find(
		&s->threads, hash, e, e->pid == r->pid && e->cpu == new.cpu && e->kinds == kinds);

	t = t ?: indexed_add(&s->threads, hash, new);
	if (!t)
		derive_fail(s->d);
	return t;
}

/* NO_SLICE: out of memory */
static u32 new_slice(struct task_slices *s, const struct derive_record *r, const struct marker *m)
{
	static const struct open_slice none;
	u32 i = s->unused;
	struct open_slice *slice;

	if (i == NO_SLICE) {
		i = (u32)s->all.n;
		if (array_push(&s->all, none)) {
			derive_fail(s->d);
			return NO_SLICE;
		}
	} else {
		s->unused = s->all.v[i].below;
	}
	slice = &s->all.v[i];
	if (!set_texts(slice, r, m)) {
		slice->below = s->unused;
		s->unused = i;
		derive_fail(s->d);
		return NO_SLICE;
	}
	slice->open = true;
	slice->kind = m->kind;
	slice->below = NO_SLICE;
	slice->depth = 0;
	slice->cpu = r->cpu;
	slice->pid = r->pid;
	slice->tgid = m->tgid;
	slice->since = r->ts;
	slice->inner = 0;
	return i;
}

static void remove_slice(struct task_slices *s, u32 i)
{
	struct open_slice *slice = &s->all.v[i];

	if (slice->kind != 'B') {
		hash_remove(&s->by_key, slice->hash, i);
		if (slice->below != NO_SLICE && s->all.v[slice->below].open &&
		    hash_add(&s->by_key, slice->hash, slice->below))
			derive_fail(s->d);
	}
	free(slice->texts);
	slice->texts = NULL;
	slice->open = false;
	slice->below = s->unused;
	s->unused = i;
}

/* The last one that began with this key, as only that is in the table; NO_SLICE: none. */
static u32 find_async(const struct task_slices *s, const struct marker *m)
{
	hash_each(i, &s->by_key, hash_of(m))
		if (is_text(s->all.v[i].key, m->key) && is_text(s->all.v[i].cookie, m->cookie))
			return (u32)i;
	return NO_SLICE;
}

static u64 since(const struct derive_record *r, u64 ts)
{
	return r->ts - min_t(u64, r->ts, ts);
}

/* Whether the record proves that its task runs; it was switched away from by a task switch. */
static bool is_running(const struct derive_record *r)
{
	return r->input == PRINT ||
	       (r->input != EXIT && strcmp(derive_event_name(r), "sched_switch") != 0);
}

/* What its thread did, if its begin was recorded. */
static struct task_parts parts_of(const struct task_slices *s, const struct open_slice *slice,
				  const struct derive_record *r, bool begun)
{
	u64 ns = since(r, slice->since);
	struct task_time to;

	/* the idle tasks of all CPUs have one pid */
	if (!begun || !slice->pid)
		return (struct task_parts){ .unknown_ns = ns };
	/* the record of an end is the thread's own, unless another one ends it */
	if (is_running(r) && r->pid == slice->pid)
		task_time_running(s->sched, slice->pid, r, &to);
	else
		task_time_now(s->sched, slice->pid, r->ts, &to);
	return task_time_parts(s->sched, &slice->from, &to, ns);
}

static void trace_slice(struct task_slices *s, const struct open_slice *slice,
			const struct derive_record *r, const struct task_parts *parts, u64 open)
{
	u64 ns = since(r, slice->since);
	struct derive_comm comm;

	derive_comm_at(s->d, &events[SLICE], derive_moment(r), slice->pid, &comm);
	derive_trace(s->d, &events[SLICE],
		     (u64[]){ (uintptr_t)slice->name, (u64)slice->depth, ns,
			      ns - min_t(u64, ns, slice->inner), (u64)slice->pid, (u64)slice->tgid,
			      (uintptr_t)comm.s, parts->running_ns, parts->waiting_ns,
			      parts->sleeping_ns, parts->irq_ns, parts->unknown_ns, open },
		     r, slice->pid);
}

/* Records are missing that may end it, after @last, if since @certain none are. */
static void lose_slice(struct task_slices *s, u32 i, u64 certain, const struct derive_record *last)
{
	const struct open_slice *slice = &s->all.v[i];
	struct derive_record r = *last;
	struct task_parts parts;

	r.cpu = slice->cpu;
	r.pid = slice->pid;
	r.input = EXIT; /* it need not run */
	if (!derive_opens(s->d)) {
		derive_left_out(s->d, slice->since, r.ts);
	} else if (derive_went_on(s->d, certain)) {
		parts = parts_of(s, slice, &r, true);
		trace_slice(s, slice, &r, &parts, derive_open_word(false, true));
	}
	remove_slice(s, i);
}

/* --- records --- */

static void lose_slices_of(struct task_slices *s, struct slice_thread *t,
			   const struct derive_record *r)
{
	for (u32 i = t->top, below; i != NO_SLICE; i = below) {
		below = s->all.v[i].below;
		lose_slice(s, i, t->certain, r);
	}
	t->top = NO_SLICE;
}

/* The thread of a record that ends or begins one of its own slices; NULL: out of memory */
static struct slice_thread *thread_now(struct task_slices *s, const struct derive_record *r,
				       u32 kinds)
{
	struct slice_thread *t = thread_of(s, r, kinds);

	if (t && !task_time_whole(s->sched, t->certain, r))
		lose_slices_of(s, t, r);
	if (t)
		t->certain = r->ts;
	return t;
}

static void on_begin(struct task_slices *s, const struct derive_record *r, const struct marker *m)
{
	struct slice_thread *t = m->kind == 'B' ? thread_now(s, r, m->kinds) : NULL;
	u32 around = t ? t->top : m->kind == 'B' ? NO_SLICE : find_async(s, m), i;
	struct open_slice *slice;

	i = m->kind == 'B' && !t ? NO_SLICE : new_slice(s, r, m);
	if (i == NO_SLICE)
		return;
	slice = &s->all.v[i];
	if (is_running(r))
		task_time_running(s->sched, r->pid, r, &slice->from);
	else
		task_time_now(s->sched, r->pid, r->ts, &slice->from);
	slice->depth = around == NO_SLICE ? 0 : s->all.v[around].depth + 1;
	slice->below = around;
	if (t) {
		t->top = i;
		return;
	}
	slice->hash = hash_of(m);
	if (around != NO_SLICE)
		hash_remove(&s->by_key, slice->hash, around);
	if (hash_add(&s->by_key, slice->hash, i))
		derive_fail(s->d);
}

/* The end of a slice whose begin was not recorded. */
static void on_unknown_end(struct task_slices *s, const struct derive_record *r,
			   const struct marker *m)
{
	struct task_parts parts;
	u32 i;

	/* one that a filter left out began nothing */
	if (m->kinds && derive_is_filtered(s->d, derive_definition(r)))
		return;
	if (!derive_opens(s->d) || !derive_went_on(s->d, r->ts)) {
		derive_inconsistent(s->d);
		return;
	}
	i = new_slice(s, r, m);
	if (i == NO_SLICE)
		return;
	s->all.v[i].kind = 'B'; /* it has no key */
	s->all.v[i].since = derive_begin(s->d);
	parts = parts_of(s, &s->all.v[i], r, false);
	trace_slice(s, &s->all.v[i], r, &parts, derive_open_word(true, false));
	remove_slice(s, i);
}

static void on_end(struct task_slices *s, const struct derive_record *r, const struct marker *m)
{
	struct slice_thread *t = m->kind == 'E' ? thread_now(s, r, m->kinds) : NULL;
	u32 i = t ? t->top : m->kind == 'E' ? NO_SLICE : find_async(s, m), around;
	struct task_parts parts;

	if (i == NO_SLICE) {
		on_unknown_end(s, r, m);
		return;
	}
	if (!t && !derive_went_on(s->d, s->all.v[i].since)) {
		lose_slice(s, i, s->all.v[i].since, r);
		return;
	}
	around = s->all.v[i].below;
	parts = parts_of(s, &s->all.v[i], r, true);
	trace_slice(s, &s->all.v[i], r, &parts, derive_open_word(false, false));
	if (t && around != NO_SLICE)
		s->all.v[around].inner += since(r, s->all.v[i].since);
	if (t)
		t->top = around;
	remove_slice(s, i);
}

/* The slices of a thread that ends without ending them. */
static void on_exit_of(struct task_slices *s, const struct derive_record *r, u32 kinds)
{
	struct slice_thread *t = thread_of(s, r, kinds);

	while (t && t->top != NO_SLICE) {
		u32 i = t->top;
		struct task_parts parts = parts_of(s, &s->all.v[i], r, true);

		if (derive_opens(s->d))
			trace_slice(s, &s->all.v[i], r, &parts, derive_open_word(false, true));
		t->top = s->all.v[i].below;
		remove_slice(s, i);
	}
}

static void slices_hit(void *state, const struct derive_record *r)
{
	struct task_slices *s = state;
	struct marker m = { .kind = r->input == BEGIN ? 'B' : 'E',
			    .kinds = derive_definition(r) + 1 };

	s->texts += r->input == PRINT;
	if (r->input == EXIT) {
		for (u32 kinds = 0; kinds <= derive_definitions(s->d); kinds++)
			on_exit_of(s, r, kinds);
	} else if (r->input != PRINT || (r->n[0] && read_marker(derive_text(r, 0), &m))) {
		s->markers++;
		if (strchr("BSG", m.kind))
			on_begin(s, r, &m);
		else
			on_end(s, r, &m);
	}
}

static void slices_end(void *state, const struct derive_record *last)
{
	struct task_slices *s = state;

	array_each(struct slice_thread, t, &s->threads)
		if (t->top != NO_SLICE &&
		    (t->pid ? !task_time_keep(s->sched, t->pid, &t->certain, last)
			    : derive_ends(last, t->cpu)))
			lose_slices_of(s, t, last);
	for (u32 i = 0; i < s->all.n; i++)
		if (s->all.v[i].open && s->all.v[i].kind != 'B')
			lose_slice(s, i, s->all.v[i].since, last);
}

static int slices_open(void *state, const char *const *print_fmts UNUSED)
{
	struct task_slices *s = state;

	s->sched = derive_state(s->d, &derive_sched);
	s->unused = NO_SLICE;
	return 0;
}

static void slices_close(void *state)
{
	struct task_slices *s = state;

	for (size_t i = 0; i < s->all.n; i++)
		free(s->all.v[i].texts);
	array_release(&s->all);
	indexed_release(&s->threads);
	hash_release(&s->by_key);
}

static void slices_account(const void *state, struct derive_account *sum)
{
	const struct task_slices *s = state;

	sum->other_texts += s->markers ? 0 : s->texts;
}

const struct deriver derive_slice = {
	DERIVER_OF(struct task_slices, events, inputs),
	.in_holes = true,
	.open = slices_open,
	.hit = slices_hit,
	.end = slices_end,
	.close = slices_close,
	.account = slices_account,
};
