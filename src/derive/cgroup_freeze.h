/* SPDX-License-Identifier: LGPL-2.1-only */
/* Which cgroups are frozen (cgroup.freeze): what other derivers ask the one of cgroup_freeze.c. */
#pragma once
#include "derive/deriver.h"

/*
 * The answers about a task then, and about tasks of the cgroup with this id, see program/who.h; its
 * path, or its number, which is written to @number. Context: some event ->uses derive_throttle or
 * derive_freeze
 */
enum { CGROUP_NUMBER = 32 };
u64 derive_cgroup_at(const struct derive *d, struct derive_moment when, s32 task);
/* Whether the CPU quota of a cgroup may hold the task back, as far as the journal of tasks knows.
 */
bool derive_limits(const struct derive *d, s32 task);
u64 derive_cgroup(const struct derive *d, u64 id);
const char *derive_cgroup_path(const struct derive *d, u64 id, char number[CGROUP_NUMBER]);
/* Whether a field ASKS_CGROUP of the event is read. */
bool derive_wants_cgroups(const struct derive *d, const struct derived_event *event);

/* The state of derive_freeze. */
struct freezes;

struct frozen {
	u64 id;     /* of the cgroup */
	u64 cgroup; /* the answer about its tasks, see program/who.h */
	u64 since;
};

/* The frozen cgroup that the task is in; NULL: none is known. @q: NULL: it is not used */
const struct frozen *freeze_of(const struct freezes *q, s32 pid, struct derive_moment when);
