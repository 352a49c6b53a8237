// SPDX-License-Identifier: LGPL-2.1-only
/* Which cgroups had a CPU quota, what the kernel counted for them, and what is reported of it. */
#include "replay/begin.h"
#include "replay/quotas.h"

static bool is_counted(const struct task_fact *f)
{
	return f->kind == TASK_QUOTA || f->kind == TASK_STEAL || f->kind == TASK_PRESSURE;
}

/* Of the same cgroup, or the hypervisor. */
static bool is_same_quota(const struct task_fact *a, const struct task_fact *b)
{
	return a->kind == b->kind && (a->kind == TASK_STEAL || span_same(a->text[0], b->text[0]));
}

static void add_quota(struct quotas *c, const struct task_fact *before, const struct task_fact *now)
{
	const u64 first = now->n[1] - min_t(u64, now->n[1], before->n[1]);
	const u64 ns = now->n[2] - min_t(u64, now->n[2], before->n[2]);
	size_t i = 0;

	if (now->kind == TASK_STEAL) {
		c->stolen += first;
		return;
	}
	while (i < c->cgroups.n && !span_same(c->cgroups.v[i].path, now->text[0]))
		i++;
	if (now->kind == TASK_PRESSURE) {
		if (i < c->cgroups.n)
			c->cgroups.v[i].pressed += first;
		return;
	}
	if (!ns || (i == c->cgroups.n &&
		    array_push(&c->cgroups, ((struct quota_sum){ .path = now->text[0] }))))
		return;
	c->cgroups.v[i].max = now->text[1];
	c->cgroups.v[i].ns += ns;
	c->cgroups.v[i].periods += first;
}

/* Whether a cgroup, or one that it is in, had a quota. */
static bool has_limit(const struct quotas *q, struct span path)
{
	for (size_t i = 0; i < q->limits.v.n; i++) {
		const struct span of = span_of(q->limits.v.v[i]);

		if (of.n == 1 ||
		    (span_starts(path, of.s) && (path.n == of.n || path.s[of.n] == '/')))
			return true;
	}
	return false;
}

/*
 * Find ->tasks. @there: cgroups that were there when the recording began or ended, @n; others may
 * have had a quota. 0, -HIST_ENOMEM, or > 0 if they are not known
 */
static int find_limited(struct quotas *q, const struct recording *rec, struct texts *there, u32 n)
{
	enum { PASSES = 8 };
	struct task_facts facts;
	struct task_fact fact;
	bool more = true;

	for (int i = 0; i < PASSES && more; i++) {
		more = false;
		task_facts_init(&facts, rec->td);
		while (task_facts_next(&facts, &fact)) {
			const bool moved = fact.kind == TASK_MOVED;
			const struct quota_task *from = NULL;
			struct quota_task *t;
			bool limited = false;
			u32 number = 0;

			if (moved && n && texts_number(there, fact.text[0], &number))
				return HIST_NOMEM;
			if (moved || fact.kind == TASK_IN)
				limited = !fact.text[0].n || has_limit(q, fact.text[0]) ||
					  (n && number >= n);
			else if (fact.kind == TASK_NEW || fact.kind == TASK_OF ||
				 fact.kind == TASK_IS)
				from = indexed_by(&q->tasks, pid, (s32)fact.n[0]);
			else
				continue;
			limited |= from && from->limited;
			t = indexed_get(&q->tasks, pid, fact.pid,
					((struct quota_task){ .pid = fact.pid }));
			if (!t)
				return HIST_NOMEM;
			more |= limited && !t->limited;
			t->limited |= limited;
		}
	}
	return more;
}

/* Which tasks a quota may hold back. */
static void add_limited(struct quotas *q, const struct recording *rec)
{
	struct texts there = { .v.n = 0 };
	struct task_facts facts;
	struct task_fact fact;
	u32 unused;
	int err = 0;

	task_facts_init(&facts, rec->td);
	while (!err && task_facts_next(&facts, &fact))
		if (fact.kind == TASK_CGROUP || (fact.kind == TASK_PRESSURE && fact.n[0]))
			err = texts_number(&there, fact.text[0], &unused);
	err = err ?: find_limited(q, rec, &there, (u32)there.v.n);
	q->looked &= !err;
	texts_release(&there);
}

/* The last numbers of a journal, less those of when what was recorded began. */
static void count_quotas(const struct recording *rec, struct quotas *c)
{
	scoped(free_scoped) ARRAY(struct task_fact) begins = ARRAY_INIT;
	struct task_facts facts;
	struct task_fact fact;
	struct task_journal journal;
	struct recording_mark mark;
	size_t n_begins = 0;
	bool looked = false, again;
	u64 from, to;
	u32 unused;

	task_facts_init(&facts, rec->td);
	while (task_facts_next(&facts, &fact)) {
		looked |= fact.kind == TASK_STEAL;
		/* if it is lost, any cgroup may have one */
		if (fact.kind == TASK_QUOTA)
			c->looked &= !texts_number(&c->limits, fact.text[0], &unused);
		if (!is_counted(&fact) || fact.n[0])
			continue;
		n_begins += fact.kind == TASK_STEAL;
		if (array_push(&begins, fact))
			break;
	}
	task_journal_read(rec->td, &journal);
	/* of several parts that were kept, each has all before it, too */
	again = n_begins == 1 && journal.begin == c->begin;
	if (n_begins == 1) {
		c->begin = journal.begin;
		c->ns_from_begin = journal.end - min_t(u64, journal.end, journal.begin);
	}
	c->looked &= looked;
	c->kept |= recording_mark(rec, 0, &mark) || slimmed_part(rec, &from, &to);
	task_facts_init(&facts, rec->td);
	while (!again && task_facts_next(&facts, &fact)) {
		struct task_fact before = { .kind = fact.kind };

		if (!is_counted(&fact) || !fact.n[0])
			continue;
		for (size_t i = 0; i < begins.n; i++)
			if (is_same_quota(&begins.v[i], &fact))
				before = begins.v[i];
		add_quota(c, &before, &fact);
	}
}

/* Where an answer is of a part of what was counted: of how much time it is. */
static void print_counted_time(const struct quotas *c, struct hist *h, char text[96])
{
	enum { ABOUT = 10 };
	struct recordings_times times = { .last = 0 };
	u64 from, to, around = 0, counted;

	if (!c->cgroups.n && !c->stolen)
		return;
	(void)recordings_times(&h->recordings, h->buffer, &times);
	counted = c->ns_from_begin ?: times.last - times.first;
	/* while a recording begins and ends, the journal is there already, and still */
	if (!c->kept && h->span.from <= times.first && h->span.to >= times.last)
		around = 1000000000;
	if (slimmed_part(&h->recordings.files.v[0], &from, &to))
		times = (struct recordings_times){ max_t(u64, from, times.first),
						   min_t(u64, to, times.last) };
	from = max_t(u64, times.first, h->span.from);
	to = max_t(u64, from, min_t(u64, times.last, h->span.to));
	if (counted > around + to - from + (to - from) / ABOUT)
		snprintf(text, 96, "in %.3f s, of which the answer is of %.3f s",
			 (double)counted / 1e9, (double)(to - from) / 1e9);
}

/* What the kernel counted while events were recorded. */
static void report_counted(const struct quotas *c, struct hist *h, u64 waited, struct diags *diags)
{
	char path[256] = "", max[64] = "", pressed[64] = "", when[96] = "meanwhile";
	struct quota_sum all = { .ns = 0 }, most = all;

	for (size_t i = 0; i < c->cgroups.n; i++) {
		all.ns += c->cgroups.v[i].ns;
		all.periods += c->cgroups.v[i].periods;
		most = c->cgroups.v[i].ns > most.ns ? c->cgroups.v[i] : most;
	}
	task_text(most.path, path, sizeof(path) - 1);
	task_text(most.max, max, sizeof(max) - 1);
	if (most.pressed)
		snprintf(pressed, sizeof(pressed), "; cpu.pressure: %.6f s",
			 (double)most.pressed / 1e6);
	print_counted_time(c, h, when);
	if (c->cgroups.n)
		diags_add(diags, DIAG_NOTE,
			  "by the kernel's count (cpu.stat), CPU quotas held %zu cgroup%s back for "
			  "%.6f s in %llu periods %s, most of it %s (cpu.max: %s%s)",
			  c->cgroups.n, plural(c->cgroups.n), (double)all.ns / 1e9, all.periods,
			  when, path, max, pressed);
	if (c->stolen > waited / 100 && c->stolen >= 20000000)
		diags_add(diags, DIAG_NOTE,
			  "by the kernel's count (/proc/stat), the hypervisor did not run CPUs for "
			  "%.2f s %s: tasks and interrupts seem to run in that time",
			  (double)c->stolen / 1e9, when);
}

static void read_quotas(struct quotas *q, const struct hist *h)
{
	if (q->read)
		return;
	q->read = q->looked = true;
	for (size_t i = 0; i < h->recordings.files.n; i++)
		count_quotas(&h->recordings.files.v[i], q);
	for (size_t i = 0; i < h->recordings.files.n && q->looked; i++)
		add_limited(q, &h->recordings.files.v[i]);
}

bool quotas_may_hold(struct quotas *q, const struct hist *h, s32 pid)
{
	const struct quota_task *t;

	read_quotas(q, h);
	t = q->looked ? indexed_by(&q->tasks, pid, pid) : NULL;
	return !t || t->limited;
}

void quotas_report(struct quotas *q, struct hist *h, const struct derive_account *sum,
		   struct diags *diags)
{
	const char *const where = sum->of_span ? "that time" : "the recording";

	if (sum->waited_ns) {
		read_quotas(q, h);
		report_counted(q, h, sum->waited_ns, diags);
	}
	if (sum->throttled_ns >= 1000 && sum->throttled_ns > sum->waited_ns / 100)
		diags_add(diags, DIAG_NOTE,
			  "%.6f s, %.1f %% of the waits in %s, are throttled: a quota of "
			  "the cgroup, or the budget of the class, was used up (derived:delay if "
			  "reason == \"throttled\")",
			  (double)sum->throttled_ns / 1e9,
			  100.0 * (double)sum->throttled_ns / (double)sum->waited_ns, where);
	if (sum->frozen_ns >= 1000 && sum->frozen_ns > sum->waited_ns / 100)
		diags_add(diags, DIAG_NOTE,
			  "%.6f s, %.1f %% of the waits in %s, are of tasks that were "
			  "ready and whose cgroup was frozen",
			  (double)sum->frozen_ns / 1e9,
			  100.0 * (double)sum->frozen_ns / (double)sum->waited_ns, where);
	if (sum->doubted_ns > sum->waited_ns / 100)
		diags_add(
			diags, DIAG_NOTE,
			"%.6f s, %.1f %% of the waits in %s, may be throttled by the CPU "
			"quota of a cgroup: meanwhile, a task of no higher priority ran for 10 ms "
			"and more; quotas were not recorded",
			(double)sum->doubted_ns / 1e9,
			100.0 * (double)sum->doubted_ns / (double)sum->waited_ns, where);
}

void quotas_release(struct quotas *q)
{
	array_release(&q->cgroups);
	texts_release(&q->limits);
	indexed_release(&q->tasks);
}
