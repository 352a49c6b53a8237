/* SPDX-License-Identifier: LGPL-2.1-only */
/* perf.data: sorts the samples of a CPU by time; tasks over time. */
#pragma once
#include "import/perf_scan.h"

/* --- perf_order.c: sorts the samples and losses of a CPU --- */

struct perf_entry {
	u64 ts;
	union {
		const u8 *raw;
		u64 n; /* of lost records */
	};
	u32 len;
	u32 ips_back; /* distance from the raw data back to the call chain; 0: none */
	u32 n_ips;
};

/*
 * Special values of the length: ->n is a number of lost records; ->raw is the body of a sample that
 * is not a tracepoint's, with its length added, ->n_ips its misc.
 */
enum { PERF_IS_SAMPLE = 1u << 29, PERF_IS_LOSS = 1u << 30 };

struct perf_order {
	int (*fn)(void *arg, const struct perf_entry *entry);
	void *arg;
	ARRAY(struct perf_entry) list;
	size_t first;       /* entries before it were passed on */
	ARRAY(size_t) runs; /* start of each sorted run after the first */
	ARRAY(struct perf_entry) spare;
};

int perf_order_add(struct perf_order *o, const struct perf_entry *entry);
/* Pass on the entries up to that time. */
int perf_order_flush(struct perf_order *o, u64 limit);
void perf_order_release(struct perf_order *o);

/* --- perf_pids.c: pids of the namespace in which perf ran --- */

struct pid_pair;

struct perf_pids {
	bool differ;                    /* from those of the kernel */
	INDEXED(struct pid_pair) pairs; /* sorted by pid of the namespace and time */
};

int perf_pids_read(struct perf_pids *p, const struct perf_scan *s);
/* The kernel's pid of a task with perf's pid @tid at @ts; -1: no sample shows it. */
s32 perf_pids_of(const struct perf_pids *p, s32 tid, u64 ts);
void perf_pids_release(struct perf_pids *p);

/* --- perf_maps.c: files that processes mapped --- */

/* A mapping; numbers are those of the record. */
struct perf_map {
	s32 tgid;  /* 0: of the kernel */
	bool code; /* it can be executed */
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
	INDEXED(struct perf_file_id) list; /* by path */
};

/* Whether the record is about a mapping. */
bool perf_map_read(const struct perf_file *f, const struct perf_event *ev, struct perf_map *map);
int perf_file_ids_read(struct perf_file_ids *ids, const struct perf_file *f);
int perf_file_ids_add(struct perf_file_ids *ids, const struct perf_event *ev);
void perf_file_ids_release(struct perf_file_ids *ids);
/* The build id of the file; NULL: unknown. */
const u8 *perf_map_id(const struct perf_map *map, const struct perf_file_ids *ids, u32 *len);
/* Append the line of the journal of tasks about a mapping of @pid. */
void perf_map_print(const struct perf_map *map, const struct perf_file_ids *ids, s32 pid, u64 ts,
		    struct strbuf *out);

/* --- perf_tasks.c: tasks over time --- */

enum { PERF_COMM_SIZE = 16 };

/*
 * A record that is made: a change of a task's name (kernel: TRACE_EVENT(task_rename)), or how long
 * a task did not run.
 */
struct perf_rename {
	s32 pid;
	bool off, preempted;
	u64 ns;
	char old[PERF_COMM_SIZE], new[PERF_COMM_SIZE];
};

/* Of perf record --switch-events; PERF_SWITCHES_LOST: there may have been others */
enum perf_switch { PERF_NO_SWITCH, PERF_IN, PERF_OUT, PERF_PREEMPTED, PERF_SWITCHES_LOST };

/* Since when a task does not run. */
struct perf_off {
	s32 pid;
	bool preempted;
	u64 since; /* 0: it runs, or this is not known */
};

struct task_event {
	u64 ts, seq;
	u32 cpu;
	s32 pid, tgid;
	s32 parent; /* >= 0: the task is made by this one */
	s32 parent_tgid;
	bool exit, exec;
	enum perf_switch is;
	char name[PERF_COMM_SIZE];
	u32 map;       /* the number of a mapping of ->tgid; 0: none */
	bool replaced; /* a name without a time, of which there is a later one */
};

struct perf_tasks {
	ARRAY(struct task_event) found; /* in time order after perf_tasks_finish() */
	ARRAY(struct perf_map) maps;
	struct perf_file_ids ids;
	ARRAY(struct perf_rename) renames;
	u32 id;                       /* id of the rename event; 0: renames do not become records */
	u32 off_id;                   /* id of perf:off_cpu; 0: there is none */
	size_t n_off;                 /* of ->renames, those that are its events */
	bool events;                  /* there are samples of tracepoints */
	INDEXED(struct perf_off) off; /* by perf's pids */
	u64 off_from;                 /* what was before it may have been lost */
	struct perf_pids pids;
	struct comm_table names; /* by perf's pids, if they differ from those of the kernel */
	struct strbuf facts;     /* a journal of tasks, see trace_dat/task_fact.h */
};

/* Add a record about tasks, in the order of the file; others are ignored. */
int perf_tasks_add(struct perf_tasks *t, const struct perf_file *f, const struct perf_event *ev);
/*
 * After all of them: the sink gets the last names of tasks, @scan the renames with their times,
 * unless the file has rename events.
 */
int perf_tasks_finish(struct perf_tasks *t, struct perf_scan *scan, struct import_sink *s);
/*
 * Add to t->facts in which cgroups tasks were, from samples with ids of cgroups (perf_cgroups.c).
 * 0, -HIST_ENOMEM
 */
int perf_cgroups_read(struct perf_tasks *t, const struct perf_file *f);
/* Write the record of a rename with the common fields that are known. */
int perf_tasks_put(const struct perf_tasks *t, const struct perf_file *f, struct import_sink *s,
		   u32 cpu, struct perf_rename_at at);
void perf_tasks_release(struct perf_tasks *t);
