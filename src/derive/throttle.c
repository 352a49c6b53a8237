// SPDX-License-Identifier: LGPL-2.1-only
/*
 * When the CPU quota of a cgroup (cpu.max) was used up: the cgroup and those in it are held back on
 * a CPU, until a period begins.
 *
 * From probes that hist record sets (record/throttle_probes.c). kernel: throttle_cfs_rq() calls
 * tg_throttle_down() for a cgroup and then for each one in it, unthrottle_cfs_rq() calls
 * tg_unthrottle_up() in the opposite order; the times and numbers of cpu.stat are those of the
 * cgroup at these calls.
 */
#include "derive/softirq.h"
#include "derive/cgroup_freeze.h"
#include "derive/throttle.h"
#include "derive/values.h"

static const struct derived_event events[] = {
	DERIVED_EVENT(DERIVE_THROTTLE, "throttle",
		      "u64 id; char[] cgroup; char[] by; unsigned int cpu; u64 ns; "
		      "u64 quota_ns; u64 periods; " DERIVED_OPEN),
};

enum input { DOWN, UP, TASK };
enum { OF_ID, OF_CPU, OF_NS, OF_PERIODS };

static const struct deriver_input inputs[] = {
	[DOWN] = { DERIVER_INPUT("hist", "throttle_down"),
		   { "cgroup", "on_cpu", "ns", "periods" },
		   true },
	[UP] = { DERIVER_INPUT("hist", "throttle_up"),
		 { "cgroup", "on_cpu", "ns", "periods" },
		 true },
	[TASK] = { DERIVER_INPUT("hist", "throttle_task"), { NULL } },
};

/* The numbers of cpu.stat of a cgroup, when they were last read. */
struct quota {
	u64 id, ns, periods;
};

struct throttles {
	struct derive *d;
	bool known, by_task;
	ARRAY(struct throttled) all;
	ARRAY(struct quota) quotas;
	void (*changes)(void *arg, const struct throttled *g, bool begins,
			const struct derive_record *r);
	void *arg;
};

void throttle_watch(struct throttles *q,
		    void (*changes)(void *arg, const struct throttled *g, bool begins,
				    const struct derive_record *r),
		    void *arg)
{
	if (!q)
		return;
	q->changes = changes;
	q->arg = arg;
}

bool throttle_known(const struct throttles *q)
{
	return q && q->known;
}

bool throttle_by_task(const struct throttles *q)
{
	return q && q->by_task;
}

static struct throttled *find(struct throttles *q, u64 id, u32 cpu)
{
	for (size_t i = 0; i < q->all.n; i++)
		if (q->all.v[i].id == id && q->all.v[i].cpu == cpu)
			return &q->all.v[i];
	if (array_push(&q->all, ((struct throttled){ .id = id, .cpu = cpu }))) {
		derive_fail(q->d);
		return NULL;
	}
	return &q->all.v[q->all.n - 1];
}

static struct quota *quota_of(struct throttles *q, const struct derive_record *r)
{
	for (size_t i = 0; i < q->quotas.n; i++)
		if (q->quotas.v[i].id == r->n[OF_ID])
			return &q->quotas.v[i];
	if (array_push(&q->quotas,
		       ((struct quota){ r->n[OF_ID], r->n[OF_NS], r->n[OF_PERIODS] }))) {
		derive_fail(q->d);
		return NULL;
	}
	return &q->quotas.v[q->quotas.n - 1];
}

const struct throttled *throttle_of(const struct throttles *q, s32 pid, u32 cpu,
				    struct derive_moment when)
{
	u64 cgroup = WHO_UNKNOWN;
	bool asked = false;

	for (size_t i = 0; q && i < q->all.n; i++) {
		const struct throttled *g = &q->all.v[i];

		if (!g->depth || g->cpu != cpu || g->cgroup == WHO_UNKNOWN || g->since > when.ts)
			continue;
		if (!asked)
			cgroup = derive_cgroup_at(q->d, when, pid);
		asked = true;
		if (cgroup == g->cgroup)
			return g;
	}
	return NULL;
}

struct irq_name throttle_name(const struct derive *d, u64 id)
{
	struct irq_name name = { .s = "" };
	char number[CGROUP_NUMBER];
	const char *path = derive_cgroup_path(d, id, number), *last = strrchr(path, '/');

	if (last && strlen(path) >= IRQ_NAME_SIZE)
		path = last + 1;
	irq_name_set(&name, span_of(path));
	return name;
}

static void trace(struct throttles *q, const struct throttled *g, u64 ns, u64 periods,
		  const struct derive_record *r)
{
	struct derive_record on = *r;
	char of_id[CGROUP_NUMBER], of_by[CGROUP_NUMBER];

	on.cpu = g->cpu;
	derive_trace(q->d, &events[0],
		     (u64[]){ g->id, (uintptr_t)derive_cgroup_path(q->d, g->id, of_id),
			      (uintptr_t)derive_cgroup_path(q->d, g->by, of_by), g->cpu,
			      r->ts - g->since, ns, periods, derive_open_word(false, false) },
		     &on, 0);
}

/* kernel: the first call is for the cgroup whose quota was used up, those for others follow. */
static u64 cause_of(const struct throttles *q, const struct throttled *g,
		    const struct derive_record *r)
{
	char of_g[CGROUP_NUMBER], of_above[CGROUP_NUMBER];
	const char *path = derive_cgroup_path(q->d, g->id, of_g);
	const struct throttled *best = g;

	array_each(const struct throttled, above, &q->all) {
		const char *other = above->depth && above->cpu == g->cpu && above != g
					    ? derive_cgroup_path(q->d, above->id, of_above)
					    : NULL;
		const size_t n = other ? strlen(other) : 0;

		if (n && !strncmp(path, other, n) && path[n] == '/' && above->since <= r->ts)
			best = above;
	}
	return best == g ? g->id : best->by;
}

static void on_down(struct throttles *q, struct throttled *g, const struct derive_record *r)
{
	if (g->depth++)
		return;
	g->since = r->ts;
	g->cgroup = derive_cgroup(q->d, g->id);
	g->by = cause_of(q, g, r);
	if (q->changes)
		q->changes(q->arg, g, true, r);
}

static void on_up(struct throttles *q, struct throttled *g, const struct derive_record *r)
{
	struct quota *quota = quota_of(q, r);

	if (!g->depth)
		g->cgroup = derive_cgroup(q->d, g->id);
	/* until now it is held back */
	if (g->depth <= 1 && q->changes)
		q->changes(q->arg, g, false, r);
	if (quota && g->depth && --g->depth == 0) {
		trace(q, g, r->n[OF_NS] - quota->ns, r->n[OF_PERIODS] - quota->periods, r);
		*quota = (struct quota){ r->n[OF_ID], r->n[OF_NS], r->n[OF_PERIODS] };
	}
}

static void throttle_hit(void *state, const struct derive_record *r)
{
	struct throttles *q = state;
	struct throttled *g;

	if (r->input == TASK) {
		q->by_task = true;
		if (q->changes)
			q->changes(q->arg, NULL, true, r);
		return;
	}
	g = find(q, r->n[OF_ID], (u32)r->n[OF_CPU]);
	if (!g || (r->input == DOWN && !quota_of(q, r)))
		return;
	if (r->input == DOWN)
		on_down(q, g, r);
	else
		on_up(q, g, r);
}

/* Records are missing: whether it still is held back is not known. */
static void throttle_end(void *state, const struct derive_record *last UNUSED)
{
	struct throttles *q = state;

	q->all.n = 0;
}

static int throttle_open(void *state, const char *const *print_fmts)
{
	struct throttles *q = state;

	q->known = print_fmts[DOWN];
	q->by_task = print_fmts[TASK];
	return 0;
}

static void throttle_account(const void *state, struct derive_account *sum)
{
	const struct throttles *q = state;

	sum->held |= q->quotas.n > 0;
}

static void throttle_close(void *state)
{
	struct throttles *q = state;

	array_release(&q->all);
	array_release(&q->quotas);
}

const struct deriver derive_throttle = {
	DERIVER_OF(struct throttles, events, inputs),
	.rare = true,
	.open = throttle_open,
	.hit = throttle_hit,
	.end = throttle_end,
	.account = throttle_account,
	.close = throttle_close,
};
