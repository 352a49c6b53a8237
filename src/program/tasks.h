/* SPDX-License-Identifier: LGPL-2.1-only */
/* The tasks to whose events triggers are limited, if the user selected some. */
#pragma once
#include "program/who.h"

struct task_set {
	u64 *pids; /* one bit per pid; NULL: not by pid */
	u32 n_pids;
	const char *comm;              /* globs, separated by commas; NULL: not by name */
	struct who_choice *who[N_WHO]; /* WHO_PROCESS, WHO_CGROUP; NULL: not by that */
	const char *texts[N_WHO];      /* of ->who */
	const struct task_set *and;    /* the task must be in this set, too; NULL: no other set */
};

static inline bool task_set_has(const struct task_set *set, u32 pid)
{
	return pid < set->n_pids && bits_has(set->pids, pid);
}
