/* SPDX-License-Identifier: LGPL-2.1-only */
/* perf.data: sorts samples and changes of task names by time. */
#ifndef HIST_IMPORT_PERF_ORDER_H
#define HIST_IMPORT_PERF_ORDER_H

#include "import/comms.h"
#include "import/perf.h"

/* --- perf_order.c: sorts the records of each CPU --- */

struct perf_order;

struct perf_entry {
	u64 ts;
	union {
		const u8 *raw;
		u64 n; /* its meaning depends on PERF_IS_LOSS and PERF_IS_RENAME */
	};
	u32 len;
	u32 ips_back; /* distance from the raw data back to the call chain; 0: none */
	u32 n_ips;
};

/*
 * Special values of the length: ->n is an index of struct perf_tasks, or a number of lost records;
 * ->raw is the body of a sample that is not a tracepoint's, with its length added, ->n_ips its
 * misc.
 */
enum { PERF_IS_SAMPLE = 1u << 29, PERF_IS_RENAME = 1u << 30, PERF_IS_LOSS };

typedef int (*perf_entry_fn)(void *arg, u32 cpu, const struct perf_entry *entry);

struct perf_order *perf_order_new(perf_entry_fn fn, void *arg);
void perf_order_free(struct perf_order *o);
int perf_order_add(struct perf_order *o, u32 cpu, const struct perf_entry *entry);
/* Add a change of name. All are added before the first sample, those of a CPU in time order. */
int perf_order_add_rename(struct perf_order *o, u32 cpu, const struct perf_entry *entry);
/*
 * perf's FINISHED_ROUND: later entries are not older than the latest entry of the previous round.
 */
int perf_order_round(struct perf_order *o);
/* The next entries come from other buffers, which start again at an earlier time. */
void perf_order_restart(struct perf_order *o);
int perf_order_end(struct perf_order *o);

/* --- perf_pids.c: pids of the namespace in which perf ran --- */

struct pid_pair;

struct perf_pids {
	bool differ; /* from those of the kernel */
	bool same, outside;
	struct hash_table by_pair;
	ARRAY(struct pid_pair) pairs; /* sorted by pid of the namespace and time */
};

int perf_pids_read(struct perf_pids *p, const struct perf_file *f);
/* The kernel's pid of a task with perf's pid @tid at @ts; -1: no sample shows it. */
s32 perf_pids_of(const struct perf_pids *p, s32 tid, u64 ts);
void perf_pids_release(struct perf_pids *p);

/* --- perf_maps.c: files that processes mapped --- */

/* A mapping of code; numbers are those of the record. */
struct perf_map {
	s32 tgid;
	u64 addr, size, offset;
	u8 id[20]; /* build id of the file */
	u32 id_len;
	const char *path;
};

struct perf_file_id {
	const char *path;
	u8 id[20];
	u32 id_len;
};

/* Build ids that perf stored after the samples. */
struct perf_file_ids {
	ARRAY(struct perf_file_id) list;
	struct hash_table by_path;
};

/* Whether the record is about code that a process mapped. */
bool perf_map_read(const struct perf_file *f, const struct perf_event *ev, struct perf_map *map);
int perf_file_ids_read(struct perf_file_ids *ids, const struct perf_file *f);
int perf_file_ids_add(struct perf_file_ids *ids, const struct perf_event *ev);
void perf_file_ids_release(struct perf_file_ids *ids);
/* Append the line of the journal of tasks about a mapping of @pid. */
void perf_map_print(const struct perf_map *map, const struct perf_file_ids *ids, s32 pid, u64 ts,
		    struct strbuf *out);

/* --- perf_tasks.c: tasks over time --- */

enum { PERF_COMM_SIZE = 16 };

/* A change of a task's name; kernel: TRACE_EVENT(task_rename) */
struct perf_rename {
	s32 pid;
	char old[PERF_COMM_SIZE], new[PERF_COMM_SIZE];
};

struct perf_tasks {
	ARRAY(struct perf_rename) renames;
	u32 id; /* id of the rename event; 0: renames do not become records */
	struct perf_pids pids;
	struct comm_table names; /* by perf's pids, if they differ from those of the kernel */
	struct strbuf facts;     /* a journal of tasks, see trace_dat/task_fact.h */
};

/*
 * Read all records about tasks. The sink gets their last names. @o gets the renames with their
 * times, unless the file has rename events.
 */
int perf_tasks_read(struct perf_tasks *t, struct perf_file *f, struct import_sink *s,
		    struct perf_order *o);
/*
 * Add to t->facts in which cgroups tasks were, from samples with ids of cgroups (perf_cgroups.c).
 * 0, -HIST_ENOMEM
 */
int perf_cgroups_read(struct perf_tasks *t, const struct perf_file *f);
/* Write the record of a rename with the common fields that are known. */
int perf_tasks_put(const struct perf_tasks *t, const struct perf_file *f, struct import_sink *s,
		   u32 cpu, const struct perf_entry *e);
void perf_tasks_release(struct perf_tasks *t);

#endif
