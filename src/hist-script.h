/* SPDX-License-Identifier: LGPL-2.1-only */
/* libhist: the files that a script shows, and the events that it names and defines. */
#ifndef HIST_SCRIPT_H
#define HIST_SCRIPT_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Whether the script shows files with cat. */
bool hist_script_shows(const struct hist_script *script);

/*
 * Like hist_find_event(), but also finds the synthetic events and probes that the script defines,
 * and the format file of such an event.
 */
int hist_script_find_event(struct hist *h, const struct hist_script *script, const char *name,
			   char **path, struct diags *diags);
/*
 * All events that match @names: as in hist_script_find_event(), or a system, a glob of either, or
 * several with commas. A system or glob selects events with records, or all if none has records.
 */
int hist_script_find_events(struct hist *h, const struct hist_script *script, const char *names,
			    char ***paths, size_t *n, struct diags *diags);
/*
 * Look up the events of the script's tables and triggers: an error names one that neither the
 * recording nor the script describes. Return: 0, -HIST_EREJECTED, -HIST_ENOMEM
 */
int hist_script_look_up(struct hist *h, const struct hist_script *script, struct diags *diags);
/**
 * hist_script_check() - whether the commands of a script, and its questions, would be accepted
 * @every: for a user: the commands after a rejected one, too, and whose rules these are
 *
 * Nothing is replayed or printed.
 *
 * Return: 0; -HIST_EREJECTED; another code for trouble
 */
int hist_script_check(struct hist *h, const struct hist_script *script, bool every,
		      struct diags *diags);

typedef int (*hist_need_fn)(void *arg, enum hist_need need, const char *name);

/*
 * Call @fn for everything that a script needs in a recording, maybe repeatedly, if its commands
 * would be accepted; what it shows is not looked at. Return: as hist_script_check(), or the first
 * error of @fn
 */
int hist_script_needs(struct hist *h, const struct hist_script *script, hist_need_fn fn, void *arg,
		      struct diags *diags);
int hist_script_format(struct hist *h, const struct hist_script *script, const char *path,
		       hist_sink_fn sink, void *arg, struct diags *diags);

/*
 * A filter of a question as kernels take it: names (prev_state == D, ret == -EAGAIN) and units
 * (10ms, 4K) become numbers, and words that are compared with texts get quotes.
 * @path: as hist_script_find_event() returns it, of an event that the recording describes
 * @text: to be freed
 *
 * Return: 0, -HIST_EREJECTED (the field has no such name), -HIST_ENOENT, -HIST_ENOMEM
 */
int hist_kernel_filter(struct hist *h, const char *path, const char *filter, char **text,
		       struct diags *diags);

enum hist_selection {
	HIST_SELECT_PROCESS, /* "sh,cc*,1234": names of leaders of processes, or their ids */
	HIST_SELECT_CGROUP,  /* "/system.slice": a path or a glob; those below it, too */
};

/*
 * Limit triggers that are written later, and the trace, to the events of tasks that belong to these
 * processes or cgroups at the time of the event; beside those that struct hist_options selects.
 * Return: 0, -HIST_EINVAL, -HIST_ENOMEM
 */
int hist_select(struct hist *h, enum hist_selection what, const char *text, struct diags *diags);

/*
 * Cgroups in keys and filters are the first @depth components of their paths; 0, the default: all.
 */
void hist_cgroup_depth(struct hist *h, unsigned int depth);

/*
 * Cgroups are those of this hierarchy, as /proc/self/cgroup numbers them; 0: the unified one. By
 * default it is the unified one if it has cgroups, otherwise that which has the most.
 */
void hist_cgroup_hierarchy(struct hist *h, unsigned int number);

/*
 * The memory that the process may use for histograms that are not limited, as those of questions
 * are. If they need more, a replay fails. 0: all; the default is half of the machine's.
 */
void hist_limit_memory(struct hist *h, uint64_t bytes);

/* Where symbols of programs are from; zeros: from / and ~/.debug. */
struct hist_symbol_files {
	const char *symfs;       /* a directory that contains all files */
	const char *buildid_dir; /* perf's cache of files */
	/* Files that are not here are asked of the servers that DEBUGINFOD_URLS names. */
	bool debuginfod;
	bool no_inline; /* stacks have no functions that are inlined into their callers */
};

/* Before the first replay; texts are copied. Return: 0, -HIST_ENOMEM */
int hist_symbol_files(struct hist *h, const struct hist_symbol_files *files);

/*
 * Derived events have also intervals that were already running at the start of the recording, or
 * after lost events, and those that still run at the end or when events are lost.
 */
void hist_open_intervals(struct hist *h);

/* The same, and intervals of derived events are cut to the span of time that is replayed. */
void hist_clip_intervals(struct hist *h);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
