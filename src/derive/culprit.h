/* SPDX-License-Identifier: LGPL-2.1-only */
/* What delays tasks that wait for a CPU. */
#ifndef HIST_DERIVE_CULPRIT_H
#define HIST_DERIVE_CULPRIT_H

#include "derive/irq.h"

/* Who ran while a task waited, or which interrupt did. */
struct sched_culprit {
	s32 pid;              /* 0: not a task */
	u32 life;             /* which of the tasks that had this pid */
	struct irq_name name; /* of others; that of a task is looked up */
	const char *kind;     /* "task", "irq", ...: whole words of 8 bytes */
};

static inline bool sched_same_culprit(const struct sched_culprit *a, const struct sched_culprit *b)
{
	return a->pid == b->pid && a->life == b->life && a->kind == b->kind &&
	       (a->pid || !memcmp(&a->name, &b->name, sizeof(a->name)));
}

/* For how long it delayed a task, the last time until when. */
struct sched_delayed {
	u32 culprit; /* index */
	u64 ns, until;
};

/* From the end of the previous one until then, a CPU did something else than what waits for it. */
struct sched_delay {
	u32 culprit; /* index */
	u64 until;
};

#endif
