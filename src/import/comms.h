/* SPDX-License-Identifier: LGPL-2.1-only */
/* The latest name of each task, as in saved_cmdlines. */
#pragma once
#include "base/base.h"

enum { COMM_LEN = 15 };

struct comm {
	s32 pid;
	u8 len;
	char name[COMM_LEN];
	u64 ts;
};

struct comm_table {
	INDEXED(struct comm) comms;
};

/*
 * The name with the latest @ts wins. Names are cut as the kernel cuts them; an empty name is not
 * stored.
 */
int comm_table_set(struct comm_table *t, s32 pid, u64 ts, struct span name);
/* The name of @pid, absent if there is none; borrowed until the next comm_table_set(). */
struct span comm_table_get(const struct comm_table *t, s32 pid);
/* Append a line "PID NAME\n" for each task. */
void comm_table_text(const struct comm_table *t, struct strbuf *sb);
void comm_table_release(struct comm_table *t);
