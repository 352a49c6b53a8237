/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writes a smaller recording: the parts of hist_slim().
 *
 * The script is run on the whole recording while slim_keep.c observes the replay and stores the
 * records that had an effect. Then slim_needs.c determines which texts these records and the script
 * need, and slim_write.c writes both.
 */
#pragma once
#include "hist-save.h"
#include "tracefs/tracefs.h"
#include "slim/slim_around.h"

/* The lowest bits of a position: only trace shows the record; it is left out, see slim_window.c. */
enum { SLIM_TRACE_ONLY = 1, SLIM_LEFT_OUT = 2, SLIM_FLAG_BITS = 2 };

/* Position of a record among those of its CPU; offsets are aligned to 4. */
static inline u64 slim_place(u64 page, u32 offset, bool trace_only)
{
	return page << 24 | offset | trace_only;
}

static inline u64 slim_place_page(u64 place)
{
	return place >> 24;
}

/* One CPU of a buffer. */
struct slim_cpu {
	ARRAY(u64) kept;
	u64 first, end; /* sub-buffers that replays read, excluding ->end; 0, 0: all */
};

/* A name of a task, and from when to when kept records needed it. */
struct slim_name {
	s64 key; /* name_key() */
	struct name_place since;
	u64 from, to;
	u64 need_from, need_to; /* that the script needed */
	bool guessed;
	char name[TASK_COMM_LEN];
};

/* Where records of an event name a task. */
struct pid_field {
	u32 id, at;
};

/* What derived events are, in whatever order. */
struct slim_derived {
	u64 n, sum;
};

struct slim {
	struct hist *h;
	const struct script *script;
	const struct hist_slim_options *options;
	struct diags *diags;
	const struct recording *rec;
	const struct slim_around *around; /* NULL: keep what the script needs */

	/* slim_keep.c */
	struct replay_observer observer;
	struct names_observer names_observer;
	struct slim_cpu *cpus; /* CPUs of all buffers */
	size_t *first_cpu;     /* for each buffer, the index of its first CPU */
	size_t n_cpus;
	INDEXED(struct slim_name) names; /* by the place of ->since */
	u64 *seen;            /* for each event id, the number of records of events with triggers */
	u8 *derived;          /* for each event id: 1: only derivers need its records */
	u64 since;            /* names that were needed only before it are not */
	struct strbuf answer; /* what the script prints */
	struct slim_derived derived_events;
	u64 effects;  /* number of effects before the current record */
	bool unasked; /* the name of a task is stored, which the script did not need */
	bool traced;  /* the current record was written to a buffer */
	bool listed;  /* the current record is one of ->all */
	ARRAY(struct slim_name) asked; /* by the current record */
	ARRAY(u64) stacks;             /* positions of the stacks that it needed */
	bool needs_who;                /* processes, command lines or cgroups of tasks are needed */
	bool derives;                  /* derived events are needed */
	bool all;                      /* without a script: all events are kept */
	bool again;                    /* with all records */
	bool same_time;                /* a task had two names at one time */
	bool failed;

	/* slim_needs.c */
	struct event_used used;
	ARRAY(struct pid_field) pid_fields; /* of the ids in ->pids_found */
	u8 *pids_found;
	size_t n_asked; /* symbols of addresses needed by the script */
	u8 *formats;    /* indexed like the recording's formats: 1 is needed */
	struct strbuf kallsyms, printk, cmdlines, tasks;
	bool with_trace; /* also keep events that only trace shows */
};

/* --- slim_keep.c --- */

int slim_keep_init(struct slim *s);
void slim_keep_release(struct slim *s);

/* Call before and after the script runs. */
void slim_keep_begin(struct slim *s);
void slim_keep_end(struct slim *s);

u64 slim_hash(const void *bytes, size_t n);

/* Add an event if it is a derived one. Return: whether it is */
bool slim_derived_add(struct slim_derived *d, const struct hit *hit);

/* Keep a record that no replay selected. Not to be called during a replay. 0, -HIST_ENOMEM */
int slim_keep_record(struct slim *s, size_t cpu, u64 place);

/* Whether there are kept records that only trace shows. */
bool slim_has_trace_only(const struct slim *s);

/* --- slim_needs.c --- */

/* Determine formats and metadata for the kept records. */
int slim_needs(struct slim *s);

/* Have the fields of an event in ->pid_fields. */
void slim_find_pids(struct slim *s, u32 id);

/* Whether the smaller recording needs the name. */
static inline bool slim_needs_name(const struct slim *s, const struct slim_name *n)
{
	return !s->since || (n->to >= s->since && n->from <= s->h->span.to);
}

void slim_needs_release(struct slim *s);

/* --- slim_write.c --- */

/* Called for each sub-buffer, with its number on its CPU; a result other than 0 stops. */
typedef int (*slim_page_fn)(void *arg, struct ring_buffer_page *page, u64 number);

/* Call @fn for all sub-buffers of a CPU, if the script's directory and --cpu include it. */
int slim_each_page(const struct slim *s, size_t buffer, size_t cpu, slim_page_fn fn, void *arg);

/* Called for each kept record; a result other than 0 stops. */
typedef int (*slim_record_fn)(void *arg, const struct ring_buffer_record *rec);
/* Called if records were lost before the sub-buffer. */
typedef int (*slim_missed_fn)(void *arg, const struct ring_buffer_page *page);

struct slim_visitor {
	void *arg;
	slim_record_fn record;
	slim_missed_fn missed; /* NULL: not called */
	bool all;              /* also records that are left out */
};

/* Visit all kept records of a CPU in order. */
int slim_visit(const struct slim *s, size_t buffer, size_t cpu, const struct slim_visitor *v);

/* --- slim_window.c --- */

/* Choose what derived events need of the records outside the span of time, from @since on. */
int slim_window_choose(struct slim *s, u64 since);

/* Whether the file that was written has the same answer. */
bool slim_window_answers(const struct slim *s, const struct hist_script *script);

/* --- slim_write.c --- */

/* Write the file; 1: it would exceed @limit bytes, and nothing was written. */
int slim_write(struct slim *s, u64 limit);
