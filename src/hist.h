/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: hist triggers, replayed on a recording.
 *
 * The interface is the kernel's tracing directory. Open a trace.dat, write to the files
 * that you know from /sys/kernel/tracing, read the ones that you would read there:
 *
 *	struct diags *diags = hist_diags_new();
 *	struct hist *h;
 *
 *	if (!hist_open(&(struct hist_options){ .inputs = &path, .n_inputs = 1 }, &h, diags)) {
 *		hist_write(h, "events/sched/sched_switch/trigger", "hist:keys=next_comm", 19,
 *			   HIST_APPEND, diags);
 *		hist_read(h, "events/sched/sched_switch/hist", sink, NULL, diags);
 *		hist_close(h);
 *	}
 *
 * A function returns 0, or a negative code of hist_strerror() and at least one diagnosis
 * in the list that was passed last. Nothing here prints, exits or aborts. A struct hist
 * belongs to one thread at a time; different ones are independent.
 */
#ifndef HIST_H
#define HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hist-error.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define HIST_VERSION "0.2.0"

/* --- recordings --- */

struct hist;

/* How histograms are counted; for diagnosis. The result is the same, or the replay fails. */
enum hist_plan {
	HIST_PLAN_AUTO,  /* each event in the fastest possible way */
	HIST_PLAN_ORDER, /* all records in time order */
	HIST_PLAN_RANGE, /* by ranges of sub-buffers, by several threads */
	HIST_PLAN_KEY,   /* of earlier versions; HIST_PLAN_ORDER does as well */
	HIST_PLAN_PLAIN, /* in time order, by the plainest code, which all ways must equal */
};

struct hist_options {
	const char *const *inputs; /* trace.dat or importable files; one timeline */
	size_t n_inputs;
	const char *const *names; /* their names in messages; NULL: their paths */
	const char *buffer;    /* an instance; NULL: the top buffer, or the only one with events */
	const char *cpus;      /* list such as "0,2-3"; NULL: all */
	const char *from, *to; /* "SECONDS" of the trace clock or "+SECONDS"; NULL: open */
	const char *kernel;    /* rules: recording, exact, 6.1; NULL: exact for questions alone */
	const char *kallsyms, *formats; /* for imported inputs, see hist-import.h; NULL */
	unsigned int jobs;              /* threads; 0: the number of CPUs */
	const char *pids, *comm, *tree; /* only these tasks: "1,2"; "sh,cc*"; the root of a tree */
	enum hist_plan plan;
	bool explain;       /* add a note for each histogram: how it is counted, and why */
	bool strict_kernel; /* refuse extensions, such as triggers of ftrace:function */
	bool unlimited;     /* without the kernel's limits on keys, values and entries */
};

/**
 * hist_open() - open recordings as one simulated tracing directory; the options are copied
 *
 * Return: 0 (even with parts missing: see hist_input_cut()), or < 0
 */
int hist_open(const struct hist_options *options, struct hist **h, struct diags *diags);
void hist_close(struct hist *h);

/*
 * Let the program survive a recording that shrinks while it is read: missing data is treated as
 * absent, and hist_input_cut() returns true. Installs a handler for SIGBUS. Return: 0, -HIST_EIO
 */
int hist_survive_shrinking(void);

/* Whether parts that an input announces are missing or damaged. */
bool hist_input_cut(const struct hist *h);

/*
 * Whether a result is uncertain, so that --strict refuses it: events lost or dropped, needed events
 * not recorded, text that a recording cannot contain.
 */
bool hist_doubtful(const struct hist *h);

/* --- the tracing directory --- */

/* like the shell's > and >>; questions are the same, >> and >, and may use what kernels refuse */
enum hist_write_mode { HIST_TRUNCATE, HIST_APPEND };

/**
 * hist_write() - one write(2) to a file of the tracing directory
 * @path: relative to the tracing directory, such as "events/sched/sched_switch/trigger"
 *
 * Return: 0; -HIST_EREJECTED if the kernel would refuse; -HIST_ENOENT for an unknown path
 */
int hist_write(struct hist *h, const char *path, const void *text, size_t len,
	       enum hist_write_mode mode, struct diags *diags);

/* Receives output: 0 to continue, any other value stops and is returned. */
typedef int (*hist_sink_fn)(void *arg, const void *data, size_t len);

/**
 * hist_read() - read a file of the tracing directory, as the kernel would show it
 *
 * If events change the contents of the file, the recording is replayed first, once.
 */
int hist_read(struct hist *h, const char *path, hist_sink_fn sink, void *arg, struct diags *diags);

/* Replay now, if a write since the last time requires it. */
int hist_replay(struct hist *h, struct diags *diags);

/**
 * hist_find_event() - "system:event", "system/event" or an event name that only one system has
 * @path: set to "events/SYSTEM/EVENT" (to be freed)
 *
 * Return: 0; -HIST_ENOENT with the nearest names; -HIST_EINVAL if several systems have it
 */
int hist_find_event(struct hist *h, const char *name, char **path, struct diags *diags);

/* --- scripts --- */

struct hist_script;

struct hist_script *hist_script_new(void);
void hist_script_free(struct hist_script *script);

/* Append the commands of a shell script; errors have line and column. */
int hist_script_parse(struct hist_script *script, const char *name, const char *text, size_t len,
		      struct diags *diags);

/* Append one write; @origin is its name in messages, such as "-R". All strings are copied. */
int hist_script_write(struct hist_script *script, const char *origin, const char *path,
		      const char *text, enum hist_write_mode mode);

/* The @i-th write of a script, borrowed until the script changes; false if there are no more. */
bool hist_script_get(const struct hist_script *script, size_t i, const char **path,
		     const char **text);

/* What a script needs in a recording; each has a name. */
enum hist_need {
	HIST_NEED_EVENT,    /* "system:event": it has triggers, or an action refers to it */
	HIST_NEED_STACK,    /* "system:event": a kernel stack with each of its records */
	HIST_NEED_OPTIONAL, /* "system:event": its records need the comms at their time */
	HIST_NEED_CLOCK,    /* "global": the kernel would switch to this clock */
	HIST_NEED_BYTES,    /* "synthetic:event": this kernel's keys have bytes of its records */
	HIST_NEED_OPTION,   /* "stacktrace", "userstacktrace": the option records more */
};

enum { HIST_EXEMPLARS_MAX = 1000 };

struct hist_run_options {
	bool keep_going; /* continue after a rejected line, as a shell would */
	/* of version 0.2: hist_script_check() and, with ->need, hist_script_needs() instead */
	bool check_only;
	int (*need)(void *arg, enum hist_need need, const char *name);
	void *need_arg;
	const char *show;     /* only this event's histograms, or "N": only the Nth of the output */
	const char *interval; /* "SECONDS": a histogram for each slice of time; NULL: one */
	bool stats;           /* also statistics of values, variables and numeric keys */
	unsigned int exemplars;   /* number of hits with the largest value per row; 0: none */
	const char *exemplars_of; /* a value, variable or key; NULL: the first quantity */
	const char *save_events;  /* save the traced events as this trace.dat; NULL: no */
	const char *tracefs;      /* write the resulting tracing directory here */
	const char *format; /* "json", "parquet:DIR", "over-time:csv"; NULL, "text": the kernel's */
	bool colour;        /* for formats for a terminal: use more than ASCII */
	unsigned int width; /* width of that terminal; 0: unknown */
	bool json_u64_as_string;            /* quote all numbers of keys and values */
	const struct hist_plugins *plugins; /* see hist-plugins.h; NULL: none */
	const char *const *modifiers;       /* "FIELD=NAME" of plugins */
	size_t n_modifiers;
	const char *const *names; /* of keys: "FIELD NUMBER=NAME SYSTEM:EVENT.FIELD ..." */
	size_t n_names;
	size_t top;             /* only the largest rows of each histogram; 0, SIZE_MAX: all */
	const char *sort_stats; /* column or statistic that sorts rows; NULL: as the trigger */
	const char *command;    /* pages: what repeats them in a shell; NULL: not shown */
};

/**
 * hist_run() - run a script and print the files of its cat commands
 *
 * Without cat, prints the hist file of every event with hist triggers, in the order of the first.
 *
 * Return: 0; -HIST_EREJECTED if a line was rejected; another code for trouble
 */
int hist_run(struct hist *h, const struct hist_script *script,
	     const struct hist_run_options *options, hist_sink_fn sink, void *arg,
	     struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
