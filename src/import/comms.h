/* SPDX-License-Identifier: LGPL-2.1-only */
/* The names of tasks, each the latest that was given, as saved_cmdlines has them. */
#ifndef HIST_IMPORT_COMMS_H
#define HIST_IMPORT_COMMS_H

#include "base/base.h"

enum { COMM_LEN = 15 };

struct comm_slot {
	s32 pid;
	u8 len; /* 0: not in use */
	char name[COMM_LEN];
	u64 ts;
};

struct comm_table {
	struct comm_slot *slots;
	size_t n, mask; /* mask 0: no slots yet */
};

/* The latest @ts wins. Names are cut as the kernel cuts them; an empty one is not stored. */
int comm_table_set(struct comm_table *t, s32 pid, u64 ts, struct span name);
/* Absent if @pid has none; borrowed until the next one is set. */
struct span comm_table_get(const struct comm_table *t, s32 pid);
/* Append "PID NAME\n" for each. */
void comm_table_text(const struct comm_table *t, struct strbuf *sb);
void comm_table_release(struct comm_table *t);

#endif
