/* SPDX-License-Identifier: LGPL-2.1-only */
/* The replayed recordings: files, and the properties of their machine. */
#pragma once
#include "hist.h"
#include "program/machine.h"
#include "program/replay_options.h"
#include "recording/moment.h"
#include "trace_dat/trace_dat.h"

struct names;

/* One file. */
struct recording {
	const char *path;
	struct trace_dat *td;
	const struct trace_dat_info *info;
	const struct trace_dat_buffer *buffers;
	size_t n_buffers;
	const struct trace_dat_format *formats;
	size_t n_formats;
	bool shrank_reported;
	const char *imported_from;   /* what it was, such as "perf.data"; NULL: a trace.dat */
	u64 imported_bytes;          /* the size of what it was */
	struct cpu_times *times;     /* of all CPUs of all buffers; times.c */
	const struct task_set *only; /* the tasks that were recorded (-F, -P); NULL: all */
	bool only_found;
};

/* All files, as one recording of a machine. */
struct recordings {
	struct arena arena;
	ARRAY(struct recording) files;
	struct event_text *texts; /* formats of all files, each event once */
	size_t n_texts;
	struct event_db *db;
	struct code *code;
	struct machine machine;
	struct replay_options options;
	struct kernel_quirks quirks, exact;    /* rules of the machine, and the exact ones */
	struct kernel_version kernel;          /* that --kernel or the recording names */
	const struct event_text *kernel_proof; /* limits an unknown version; NULL: nothing does */
	bool rules_noted;
	const char *buffer;    /* that is read; NULL: not chosen yet */
	struct strbuf caveats; /* of all files; see base/caveat.h */
	struct diags *diags;   /* receives errors of the event sources; set during a call */
	struct diags repeated; /* names of fields; not reported yet */
};

/**
 * recordings_open() - open files as one timeline
 *
 * Return: 0; -HIST_EUNSUPPORTED if they are not of one machine; what trace_dat_open() returns
 */
int recordings_open(struct recordings *r, const struct hist_options *options, struct diags *diags);
void recordings_close(struct recordings *r);

/* Name the rules that are used if the kernel is unknown or was not compared, once. */
void recordings_note_rules(struct recordings *r, struct diags *diags);

/* The id of @format's records in file @rec; 0 if the file does not have the event. */
u32 recording_event_id(const struct recording *rec, const struct event_format *format);

/* The buffer with that name; false if there is none. */
bool recording_find_buffer(const struct recording *rec, const char *name, size_t *index);

/* An event for which the recording was written; texts are borrowed from the recording. */
struct recording_mark {
	u64 ts;
	u32 cpu;
	s32 pid;
	struct span event, text; /* "system:event", its fields */
};

/* The @i-th mark, from 0; false if there is none. */
bool recording_mark(const struct recording *rec, size_t i, struct recording_mark *mark);

/* Whether a buffer has any sub-buffers. */
bool buffer_has_data(const struct trace_dat_buffer *buffer);

/*
 * Report the damaged chunks of a CPU. Reads the CPU again, because threads may have read parts of
 * it.
 */
void recording_diagnose_chunks(const struct recording *rec, size_t buffer, size_t cpu,
			       struct diags *diags);

struct recordings_times {
	u64 first, last; /* of the records; 0 without records */
};

/* The times in the given buffers of all files; r->diags gets damage. Return: 0, -HIST_ENOMEM */
int recordings_times(struct recordings *r, const char *buffer, struct recordings_times *times);

/*
 * The same before a replay. Large data is not decoded: ->last is about right, and a record that is
 * earlier because a time steps back within a sub-buffer is not found. Return: as above
 */
int recordings_start(struct recordings *r, const char *buffer, struct recordings_times *times);

/* Sub-buffers, excluding ->end. */
struct page_span {
	u64 first, end;
};

/*
 * Find what recording_select_pages() needs of all CPUs of the given buffers, once: 0, -HIST_ENOMEM
 */
int recordings_find_times(struct recordings *r, const char *buffer);

/*
 * The records of file @i are made later, see trace_dat_set_later(). Their times are known.
 * Return: 0, -HIST_ENOMEM
 */
int recordings_set_later(struct recordings *r, size_t i, struct trace_dat_later *later);

/* Make those of all files now. Return: 0, an error with a diagnosis */
int recordings_make_all(struct recordings *r, struct diags *diags);

/* A CPU of a buffer of a file. */
struct recording_cpu {
	struct recording *rec;
	size_t buffer, cpu;
};

/* All records of a CPU were read, and have these times. */
void recordings_set_times(struct recordings *r, const struct recording_cpu *cpu, u64 first,
			  u64 last);

/* As page_times_select(); all, if less needs all inflated. @pages: any cursor of it, which moves */
struct page_span recording_select_pages(const struct recording_cpu *cpu,
					struct trace_dat_pages *pages, u64 from, u64 to);

/* Report, once, truncated files, and formats in use with two fields of one name. */
void recordings_diagnose_read(struct recordings *r, struct diags *diags);

/* Add the names of the journal of tasks of a file, the first of all. 0, -HIST_ENOMEM */
int recording_task_names(const struct recording *rec, bool first, struct names *names);

/* Which files processes mapped, in the journals of tasks of all files; see struct code_sources */
int recordings_code_facts(void *recordings, struct code *code);

/* The next lines of a journal that is recorded now; first, what /proc knew. 0, -HIST_ENOMEM */
int recording_follow_tasks(struct names *names, const u32 *cpus, size_t n_cpus, struct span lines);

/* Whether nothing is missing in the journal of tasks of a file. */
bool recording_has_all_tasks(const struct recording *rec);

/* Text of an option, NUL-terminated; NULL if the file has none. */
const char *recording_option(const struct recording *rec, u16 id);

/* Set ->only of each file, unless its children are not known: 0, -HIST_ENOMEM */
int recordings_find_only(struct recordings *r);

/* What the file itself reports, see base/caveat.h. */
struct span recording_caveats(const struct recording *rec);

/* --- holes.c: its coverage, see base/coverage.h; also from counters, and what limited it --- */

/**
 * recording_watch_coverage() - let an iterator add the holes of a CPU
 * @it: of this CPU, before its first sub-buffer; reads all of them
 * @c:  the holes are added to it as soon as the iterator is after them
 *
 * After the last sub-buffer, all are in @c. If an iterator starts later, there is a hole before.
 *
 * Return: 0, -HIST_ENOMEM
 */
int recording_watch_coverage(const struct recording_cpu *of, struct ring_buffer_iter *it,
			     struct coverage *c);

/* All holes of a CPU, by reading it; without @losses, those that its sub-buffers do not state. */
int recording_coverage(const struct recording_cpu *of, bool losses, struct coverage *c);

/* slimmed_text(), ... */
#include "recording/slimmed.h"
