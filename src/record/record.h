/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * record: events of this machine into a trace.dat.
 *
 * Data flows one way. A plan says what to record (record.h). A session sets it up in an
 * instance of tracefs (session.h), readers move sub-buffers into one file per CPU
 * (cpu_reader.h) in a work directory beside the output, which also holds what is needed to
 * understand them (workdir.h, manifest.h). From the work directory alone the trace.dat is
 * assembled (assemble.h), after a recording as after a kill -9. Every change to tracefs
 * that the end of the instance does not undo is in a journal first (undo.h).
 */
#ifndef HIST_RECORD_H
#define HIST_RECORD_H

#include "base/base.h"
#include "trace_dat/trace_dat.h"

/* One request for events, in the order given: a later one adds to the earlier ones. */
struct record_event {
	const char *pattern; /* system:event, system/event, event, system, globs, comma list */
	const char *filter;  /* for every event that matches; NULL: none */
	bool exclude;        /* these not (after -v) */
	bool stack;          /* with a kernel stack for each, by the kernel's stacktrace trigger */
	bool optional;       /* nobody asked for it by name: not an error if the kernel has none */
};

/* A probe: @text is written to @file (kprobe_events, uprobe_events, dynamic_events). */
struct record_probe {
	const char *file;
	const char *text;
};

/*
 * Live triggers are started by what is written to the trace_marker of the instance, and
 * stopped by a system call that nobody else makes: getpgid() of a process that cannot be.
 * kernel: one event cannot both start and stop a histogram.
 */
#define RECORD_LIVE_START      "START"
#define RECORD_LIVE_STOP_EVENT "syscalls:sys_enter_getpgid"
enum { RECORD_LIVE_STOP_PID = 0x48495354 };

/* A write to a file of the instance; @path is relative to it. */
struct record_write {
	const char *path;
	const char *text;
};

enum record_phase { RECORD_RUNNING, RECORD_WRITING };

struct record_progress {
	enum record_phase phase;
	u64 events, bytes, lost;
	u64 bytes_done; /* RECORD_WRITING: of bytes */
	double seconds;
};

/* Everything is borrowed until record_run() returns. */
struct record_plan {
	const struct record_event *events;
	size_t n_events;
	const struct record_probe *probes;
	size_t n_probes;

	const char *output;
	const char *version; /* of the program, for TRACE_DAT_VERSION */
	enum trace_dat_codec codec;
	const char *instance; /* NULL: a private one */
	const char *clock;    /* NULL: the kernel's default */
	u64 buffer_kb;        /* of each CPU; 0: a default that suits the machine */
	u64 max_kb;           /* keep only the latest of each CPU; 0: everything */
	bool no_overwrite;    /* a full buffer loses the newest events, not the oldest */
	bool stacks;          /* a kernel stack with every event */

	char *const *command; /* argv; NULL: until a signal, the duration or the end of the pids */
	const char *user;     /* who runs the command; NULL: the caller */
	bool only_command;
	bool children;   /* of the command or of the pids, too */
	const s32 *pids; /* only these processes; all threads that they have */
	size_t n_pids;
	u64 duration_ns; /* 0: no limit */

	/*
	 * Called when the probes are made and before anything is recorded, with a trace.dat that
	 * has the formats of all events of this machine and no records: the last moment to
	 * change the plan's events, clock and script. NULL: nothing to add.
	 */
	int (*resolve)(void *arg, const char *machine, struct diags *diags);
	void *resolve_arg;

	/*
	 * Triggers that the kernel is to run as well: lines for trigger files, written in this
	 * order, and the files that it is to print in the end, which are stored. ->live_script
	 * says the same as a script, and is stored with them.
	 */
	bool live;
	const struct record_write *live_writes;
	size_t n_live_writes;
	const char *const *live_files;
	size_t n_live_files;
	struct span live_script;

	/* what the recording is for; stored in the file and read by nobody here */
	struct span script; /* TRACE_DAT_HIST_SCRIPT; absent: none */
	bool symbols;       /* the script asks for symbols */
	bool syscalls;      /* and for names of system calls */
	bool markers;       /* and for what is written to trace_marker */

	/* called about once a second; NULL: never */
	void (*progress)(void *arg, const struct record_progress *progress);
	void *arg;
};

/*
 * How it went. Text of TRACE_DAT_HIST_LIMITS, which says what the recording leaves out:
 *
 *	filter SYSTEM:EVENT FILTER
 *	pids PID...		only these threads
 *	children		and what they start
 *	max-size KB		per CPU, the latest
 *	stopped REASON		before its time
 */
struct record_result {
	int command_errno;  /* why the command could not be run; 0: it was */
	bool command_ended; /* ->wait_status is what wait(2) said */
	int wait_status;
	int signal;    /* that ended it before or while it recorded; 0: none */
	bool started;  /* events were recorded */
	bool complete; /* all that was asked for is in the file, lost events aside */
	u64 events, lost, bytes, file_size;
	size_t n_cpus;
	double seconds;
};

/**
 * record_find_event() - the directory of one event of this machine
 * @name: system:event, system/event, or an event name that only one system has
 * @path: gets "events/SYSTEM/EVENT" (to be freed)
 *
 * A name with a system is not looked up: it may be that of a probe that is yet to be made.
 * Return: 0, -HIST_ENOENT with the nearest names, -HIST_EINVAL
 */
int record_find_event(const char *name, char **path, struct diags *diags);

/*
 * Copy what hist import needs of the tracing directory into @dir, which must not be there yet. What
 * the buffer (@instance; NULL: the top one) has is consumed. Return: 0 or < 0, with a diagnosis
 */
int record_dump(const char *dir, const char *instance, struct diags *diags);

/* Write a trace.dat with the formats of this machine's events and no records. */
int record_machine(const char *path, struct diags *diags);

/**
 * record_run() - record, write the file, leave the machine as it was
 *
 * Return:  0 if there is a file (also if @result->complete is false); 1 if a signal came
 *          before anything was recorded, a negative code if something else went wrong: then
 *          there is none. @result is filled in any way.
 * Context: one at a time in a process: it blocks signals and starts threads
 */
int record_run(const struct record_plan *plan, struct record_result *result, struct diags *diags);

/**
 * record_recover() - turn what killed recordings left beside @output into trace.dat files
 * @codec: NULL: as the recording was to be
 *
 * The newest becomes @output, others @output.PID.
 * Return: 0, -HIST_ENOENT if nothing was left
 */
int record_recover(const char *output, const enum trace_dat_codec *codec, struct diags *diags);

#endif
