/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * replay: the whole chain, from recordings to the files of the tracing directory.
 */
#ifndef HIST_REPLAY_REPLAY_H
#define HIST_REPLAY_REPLAY_H

#include "lang/lang.h"
#include "print/print.h"
#include "replay/output.h"
#include "replay/recording.h"
#include "replay/slice.h"

/* What a replay found out about the recording. */
struct replay_account {
	u64 missed;          /* records that were lost, where the number is known */
	bool missed_unknown; /* some were lost, who knows how many */
	u64 damaged_pages;
	u64 no_stack;      /* hits that wanted a stack that was not recorded */
	u64 short_records; /* shorter than their format says */
};

/* Which part of the recording counts. */
struct replay_span {
	u64 from, to; /* time of the clock, both inclusive */
	u64 *cpus;    /* a bit for each CPU; NULL: all */
	u32 nr_cpus;
};

static inline bool replay_span_has_cpu(const struct replay_span *span, u32 cpu)
{
	return !span->cpus || (cpu < span->nr_cpus && span->cpus[cpu / 64] >> (cpu % 64) & 1);
}

struct hist {
	struct recordings recordings;
	struct tracing *tracing;
	const struct replay_watch *watch; /* NULL: nobody looks on */
	struct held_event *held;          /* by the program, see dynevent/dynevent.h */
	const char *buffer;               /* what the top of the directory stands for */
	struct replay_span span;
	struct replay_account account;
	unsigned int jobs;
	bool replayed;         /* maps and counts are those of the recording's end */
	bool changed;          /* since the replay, so that it no longer holds */
	bool doubtful;         /* see hist_doubtful() */
	const char **recorded; /* for hist_recorded_event() */
	struct output output;  /* of hist_run() */
	struct slicer *slicer; /* while a replay shows slices */
};

/* Replay if need be; says what was lost or missing. */
int replay_if_needed(struct hist *h, struct diags *diags);

/* The replay itself. */
int replay_run(struct hist *h, struct diags *diags);

/* --- files.c --- */

/* One write(2), after open(2) with or without O_TRUNC. */
struct file_write {
	const char *path;
	struct span text;
	bool truncate;
};

int files_write(struct hist *h, struct tracing *t, const struct file_write *write,
		struct diags *diags);
int files_read(struct hist *h, const char *path, struct printer *p, struct diags *diags);

/* Whether files_read() would find the file, in a directory that is not replayed. */
int files_check_read(struct hist *h, struct tracing *t, const char *path, struct diags *diags);

/* Whether the file shows what was recorded, so that a replay must record. */
bool files_needs_record(const char *path);

/* --- script.c --- */

const struct script *hist_script_commands(const struct hist_script *script);

/* --- events.c --- */

/* Instance for the path's beginning; *rest is what follows instances/NAME/. NULL: no such. */
struct trace_array *files_instance(struct hist *h, struct tracing *t, const char *path,
				   const char **rest, struct diags *diags);

int events_unknown(struct hist *h, struct span system, struct span name, struct diags *diags);

/* --- needs.c --- */

/* Tell options->need what the directory @t, which @script made, needs of a recording. */
int needs_tell(struct tracing *t, const struct script *script,
	       const struct hist_run_options *options);

/* --- tracefs_dir.c --- */

/* @dir NULL: everything is worked out and shown to nobody. */
int tracefs_dir_write(struct hist *h, const char *dir, struct diags *diags);

/* Event files with hist triggers, in the order in which they got their first one. */
typedef ARRAY(struct event_file *) event_file_array;
int files_with_hists(struct tracing *t, event_file_array *out);

#endif
