/* SPDX-License-Identifier: LGPL-2.1-only */
/* What other derivers ask the one of quotas, if they use it. */
#pragma once
#include "derive/deriver.h"

/* The state of derive_throttle. In all functions NULL: it is not used, so nothing is known. */
struct throttles;

/* A cgroup on a CPU. */
struct throttled {
	u64 id;     /* of the cgroup */
	u64 cgroup; /* the answer about its tasks, see program/who.h */
	u32 cpu;
	u32 depth; /* how many quotas hold it back: its own, those of cgroups that it is in */
	u64 since;
	u64 by; /* id of the cgroup whose quota was used up first */
};

/*
 * @changes is called when a cgroup is held back on a CPU, or no longer is, with ->depth 0 if its
 * beginning was not recorded; with NULL if the current task is, as soon as it leaves the CPU.
 */
void throttle_watch(struct throttles *q,
		    void (*changes)(void *arg, const struct throttled *g, bool begins,
				    const struct derive_record *r),
		    void *arg);

/* Whether quotas were recorded. */
bool throttle_known(const struct throttles *q);

/* kernel: since 6.18, each task is held back on its own, when it would return to user space. */
bool throttle_by_task(const struct throttles *q);

/* The held back cgroup that the task is in, on that CPU; NULL: none is known. */
const struct throttled *throttle_of(const struct throttles *q, s32 pid, u32 cpu,
				    struct derive_moment when);

/* The name of a culprit: the path of a cgroup, or the last part of it if it is long. */
struct irq_name throttle_name(const struct derive *d, u64 id);
