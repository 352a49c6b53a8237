/* SPDX-License-Identifier: LGPL-2.1-only */
/* perf.data: what has to be put into the order of time, samples and the names of tasks. */
#ifndef HIST_IMPORT_PERF_ORDER_H
#define HIST_IMPORT_PERF_ORDER_H

#include "import/perf.h"

/* --- perf_order.c: records of a CPU into order of time --- */

struct perf_order;

struct perf_entry {
	u64 ts;
	union {
		const u8 *raw;
		u64 n; /* see PERF_IS_LOSS, PERF_IS_RENAME */
	};
	u32 len;
	u32 ips_back; /* how far before the raw bytes the call chain is; 0: none */
	u32 n_ips;
};

/* Instead of a length: ->n is an index of struct perf_tasks; ->n records were lost. */
enum { PERF_IS_RENAME = 1u << 30, PERF_IS_LOSS };

typedef int (*perf_entry_fn)(void *arg, u32 cpu, const struct perf_entry *entry);

struct perf_order *perf_order_new(perf_entry_fn fn, void *arg);
void perf_order_free(struct perf_order *o);
int perf_order_add(struct perf_order *o, u32 cpu, const struct perf_entry *entry);
/* A change of a name, known before all samples; those of a CPU in the order of time. */
int perf_order_add_rename(struct perf_order *o, u32 cpu, const struct perf_entry *entry);
/* perf's FINISHED_ROUND: nothing older than the last one's latest will come. */
int perf_order_round(struct perf_order *o);
/* Other buffers follow, from their start. */
void perf_order_restart(struct perf_order *o);
int perf_order_end(struct perf_order *o);

/* --- perf_tasks.c: who was called what, and when --- */

enum { PERF_COMM_SIZE = 16 };

/* Somebody took another name; kernel: TRACE_EVENT(task_rename) */
struct perf_rename {
	s32 pid;
	char old[PERF_COMM_SIZE], new[PERF_COMM_SIZE];
};

struct perf_tasks {
	ARRAY(struct perf_rename) renames;
	u32 id; /* of their event; 0: they do not become records */
};

/*
 * Read all records of tasks. The sink gets their last names, @o the renames in time, if
 * the file has no events of them itself.
 */
int perf_tasks_read(struct perf_tasks *t, struct perf_file *f, struct import_sink *s,
		    struct perf_order *o);
/* The record of a rename, with the common fields that are known. */
int perf_tasks_put(const struct perf_tasks *t, const struct perf_file *f, struct import_sink *s,
		   u32 cpu, const struct perf_entry *e);
void perf_tasks_release(struct perf_tasks *t);

#endif
