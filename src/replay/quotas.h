/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the journals of the recordings have of CPU quotas of cgroups, and of stolen time. */
#pragma once
#include "derive/derive.h"
#include "replay/replay.h"

/* Of a cgroup that was held back. */
struct quota_sum {
	struct span path, max;
	u64 ns, periods;
	u64 pressed; /* us for which tasks of it waited */
};

struct quotas {
	bool read;           /* what follows is set */
	bool looked;         /* quotas were looked for in all recordings */
	bool kept;           /* only a part of what was recorded */
	struct texts limits; /* the paths of cgroups that had one, as in the journals */
	/* by pid; whether it, its process, or a task that made it was in such a cgroup at any time,
	   or in one that was there only meanwhile, which may have had one */
	INDEXED(struct quota_task {
		s32 pid;
		bool limited;
	})
	tasks;
	ARRAY(struct quota_sum) cgroups; /* that were held back */
	u64 stolen;
	u64 begin, ns_from_begin; /* of the last journal whose numbers are not those of a part */
};

/* Whether a quota may hold the task back. */
bool quotas_may_hold(struct quotas *q, const struct hist *h, s32 pid);

/* A cause that no task is: how much of the waits it took, or may have taken. */
void quotas_report(struct quotas *q, struct hist *h, const struct derive_account *sum,
		   struct diags *diags);
void quotas_release(struct quotas *q);
