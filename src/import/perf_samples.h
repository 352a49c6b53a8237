/* SPDX-License-Identifier: LGPL-2.1-only */
/* perf.data: samples of events that are not tracepoints. */
#pragma once
#include "import/perf.h"

enum { PERF_SAMPLE_RECORD = 80 };

/* The name of the event, as perf has it. */
void perf_attr_name(const struct perf_attr *a, char *name, size_t size);
/* Add the format of perf:NAME for samples of @a. 0, -HIST_ENOMEM */
int perf_samples_format(const struct perf_file *f, struct perf_attr *a, struct import_sink *s);
/* Make a record of at most PERF_SAMPLE_RECORD bytes. @mode: what ran. Return: its length */
u32 perf_samples_record(const struct perf_file *f, const struct perf_sample *s, s32 pid, u8 mode,
			u8 *rec);

/* --- perf_stacks.c: call chains --- */

enum { PERF_KERNEL_STACK = 4, PERF_USER_STACK = 12 }; /* ids of their records */

/* kernel: the entries of call chains that announce the kind of those after them */
#define PERF_CONTEXT_KERNEL ((u64)-128)
#define PERF_CONTEXT_USER   ((u64)-512)

/* A call chain of a record: entries of 8 bytes, with those that announce the next ones. */
struct perf_stack {
	u64 ts;
	const u8 *common; /* the record, for its common fields */
	u32 skipped;      /* frames at the beginning that readers leave out */
	const u8 *ips;
	u32 n_ips;
	const u64 *user; /* frames of the program, if they are not in ->ips */
	u32 n_user;
	s32 tgid; /* 0: unknown */
};

/* Add the formats of kernel_stack and user_stack. 0, -HIST_ENOMEM */
int perf_stacks_formats(struct import_sink *s, u32 long_size);
/* Add the records of both parts that are not empty. */
int perf_stacks_put(struct import_sink *s, u32 cpu, const struct perf_stack *stack);
