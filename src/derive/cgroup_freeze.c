// SPDX-License-Identifier: LGPL-2.1-only
/*
 * When cgroups of version 2 were frozen.
 *
 * kernel: cgroup_do_freeze() has an event for each cgroup whose tasks it then signals, also for
 * those below the one that a user froze. A task goes to sleep when it would return to user space,
 * and is woken when its cgroup is no longer frozen.
 */
#include "derive/cgroup_freeze.h"

static const struct derived_event events[] = {
	DERIVED_EVENT(DERIVE_FREEZE, "freeze", "u64 id; char[] cgroup; u64 ns; " DERIVED_OPEN),
};

enum input { FREEZE, UNFREEZE };

static const struct deriver_input inputs[] = {
	[FREEZE] = { DERIVER_INPUT("cgroup", "cgroup_freeze"), { "id" }, true },
	[UNFREEZE] = { DERIVER_INPUT("cgroup", "cgroup_unfreeze"), { "id" }, true },
};

struct freezes {
	struct derive *d;
	ARRAY(struct frozen) all;
	bool any; /* was frozen */
};

const struct frozen *freeze_of(const struct freezes *q, s32 pid, struct derive_moment when)
{
	u64 cgroup;

	if (!q || !q->all.n)
		return NULL;
	cgroup = derive_cgroup_at(q->d, when, pid);
	for (size_t i = 0; i < q->all.n && cgroup != WHO_UNKNOWN; i++)
		if (q->all.v[i].cgroup == cgroup)
			return &q->all.v[i];
	return NULL;
}

static void trace(struct freezes *q, const struct frozen *g, bool ends,
		  const struct derive_record *r)
{
	char number[CGROUP_NUMBER];

	derive_trace(q->d, &events[0],
		     (u64[]){ g->id, (uintptr_t)derive_cgroup_path(q->d, g->id, number),
			      r->ts - g->since, derive_open_word(false, ends) },
		     r, 0);
}

static void freeze_hit(void *state, const struct derive_record *r)
{
	struct freezes *q = state;
	size_t i = 0;

	q->any = true;
	while (i < q->all.n && q->all.v[i].id != r->n[0])
		i++;
	if (r->input == UNFREEZE && i < q->all.n) {
		trace(q, &q->all.v[i], false, r);
		q->all.v[i] = q->all.v[--q->all.n];
	} else if (r->input == FREEZE && i == q->all.n &&
		   array_push(&q->all,
			      ((struct frozen){ r->n[0], derive_cgroup(q->d, r->n[0]), r->ts }))) {
		derive_fail(q->d);
	}
}

static void freeze_end(void *state, const struct derive_record *last)
{
	struct freezes *q = state;

	for (size_t i = 0; i < q->all.n; i++)
		if (derive_opens(q->d))
			trace(q, &q->all.v[i], true, last);
		else
			derive_left_out(q->d, q->all.v[i].since, last->ts);
	q->all.n = 0;
}

static void freeze_account(const void *state, struct derive_account *sum)
{
	const struct freezes *q = state;

	sum->held |= q->any;
}

static void freeze_close(void *state)
{
	struct freezes *q = state;

	array_release(&q->all);
}

const struct deriver derive_freeze = {
	DERIVER_OF(struct freezes, events, inputs),
	.rare = true,
	.hit = freeze_hit,
	.end = freeze_end,
	.account = freeze_account,
	.close = freeze_close,
};
