/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * record: records events of this machine into a trace.dat.
 *
 * Data flows one way. A plan defines what to record (record.h). A session sets it up in an instance
 * of tracefs (session.h). Readers move sub-buffers to one file per CPU (cpu_reader.h) in a work
 * directory next to the output, which also contains the metadata (workdir.h, steps.h). The
 * trace.dat is assembled from the work directory alone (assemble.h), after a normal end as well as
 * after a kill -9. Every change to tracefs that is not undone by removing the instance is first
 * logged in a journal (undo.h).
 */
#pragma once
#include "record/keep.h"
#include "record/progress.h"
#include "trace_dat/trace_dat.h"

/* A request for events. Requests apply in order; later ones add to earlier ones. */
struct record_event {
	const char *pattern; /* system:event, system/event, event, system, globs, comma list */
	const char *filter;  /* applies to every matching event; NULL: none */
	bool try_filter;     /* all events are recorded if the kernel refuses ->filter */
	bool exclude;        /* exclude these events (after -v) */
	bool stack;          /* record a kernel stack with each, by a stacktrace trigger */
	bool optional;       /* not requested by name: not an error if the kernel has none */
};

/* A probe: @text is written to @file (kprobe_events, uprobe_events, dynamic_events). */
struct record_probe {
	const char *file;
	const char *text;
};

/*
 * Live triggers are started by a write to the trace_marker of the instance, and stopped by a system
 * call that no other program makes: getpgid() of an impossible process. kernel: one event cannot
 * both start and stop a histogram.
 */
#define RECORD_LIVE_START      "START"
#define RECORD_LIVE_STOP_EVENT "syscalls:sys_enter_getpgid"
enum { RECORD_LIVE_STOP_PID = 0x48495354 };

/* A write to a file of the instance; @path is relative to it. */
struct record_write {
	const char *path;
	const char *text;
};

/* What to record. Everything is borrowed until record_run() returns. */
struct record_plan {
	const struct record_event *events;
	size_t n_events;
	const struct record_probe *probes;
	size_t n_probes;

	const char *output;
	const char *version; /* version of this program, for TRACE_DAT_VERSION */
	enum codec codec;
	const char *instance; /* name of the instance; NULL: a private one */
	const char *clock;    /* NULL: the kernel's default */
	u64 buffer_kb;        /* per CPU; 0: a default that depends on the machine */
	u64 max_kb;           /* keep only the latest KB per CPU; 0: everything */
	bool no_overwrite;    /* a full buffer drops new events, not old ones */
	bool stacks;          /* record a kernel stack with every event */
	bool user_stacks;     /* and a stack of the program */

	const char *tracer; /* such as function; NULL: none */
	/* for files of the instance; further ones of the same file add to it */
	const struct record_write *settings;
	size_t n_settings;
	bool no_tasks;   /* without the journal of tasks, see task_journal.h */
	bool no_cmdline; /* the journal does not contain arguments of programs */

	char *const *command; /* argv; NULL: until a signal, the duration, or the end of ->pids */
	const char *user;     /* user to run the command as; NULL: the caller */
	bool only_command;
	bool children;   /* include children of the command or of the pids */
	const s32 *pids; /* only these processes, with all their current threads */
	size_t n_pids;
	double max_cpu;                 /* per cent of a CPU that it may take; 0: no limit */
	u64 min_free;                   /* bytes that the disk must have left; 0: no limit */
	u64 duration_ns;                /* 0: no limit */
	const struct record_keep *keep; /* NULL: everything is kept, in one file */
	bool stream;                    /* to ->stream_fd; ->output is for the work directory */
	int stream_fd;
	const struct record_rotate *rotate; /* NULL: one file; not with ->keep */

	/*
	 * Called when the probes exist and before anything is recorded, with a trace.dat that
	 * contains the formats of all events of this machine and no records. May change the plan's
	 * events, clock and script. NULL: nothing to change.
	 */
	int (*resolve)(void *arg, const char *machine, struct diags *diags);
	void *resolve_arg;

	/*
	 * Triggers that the kernel runs during the recording: lines for trigger files, written in
	 * this order, and the files to store at the end. ->live_script is the equivalent script,
	 * which is stored with them.
	 */
	bool live;
	const struct record_write *live_writes;
	size_t n_live_writes;
	const char *const *live_files;
	size_t n_live_files;
	struct span live_script;

	/* stored in the file, not interpreted here */
	struct span script; /* TRACE_DAT_HIST_SCRIPT; absent: none */
	bool symbols;       /* the script needs symbols */
	bool syscalls;      /* the script needs names of system calls */
	bool markers;       /* the script needs writes to trace_marker */

	/* called about once a second, or in this time; NULL: never */
	u64 progress_ns;
	void (*progress)(void *arg, const struct record_progress *progress);
	void *arg;
};

/*
 * Result of a recording. TRACE_DAT_HIST_LIMITS is a text that lists what the recording leaves out:
 *
 *	filter SYSTEM:EVENT FILTER
 *	pids PID...		only these threads were recorded
 *	children		and their children
 *	max-size KB		only the latest data per CPU
 *	stopped REASON		ended early
 *	lacks CPU NS		the first of the events that were to be kept, for this long
 *
 * TRACE_DAT_HIST_MARKS is a text with a line for each event for which the file was written:
 *
 *	TS CPU PID EVENT TEXT	TS: ns of the trace clock
 */
struct record_result {
	const char *output; /* the file, which lives as long as the diagnoses; NULL: none */
	int command_errno;  /* why the command could not be run; 0: it ran */
	bool command_ended; /* ->wait_status is valid, see wait(2) */
	int wait_status;
	int signal;    /* the signal that ended it before or during the recording; 0: none */
	bool started;  /* events were recorded */
	bool complete; /* the file is complete, except for lost events */
	u64 events, lost, bytes, file_size;
	u64 vanished; /* bytes of events that others removed before the file was written */
	size_t n_cpus;
	size_t files; /* with ->keep, ->rotate: those that were written; ->file_size is their sum */
	double seconds;
};

/**
 * record_find_event() - find the directory of one event of this machine
 * @name: system:event, system/event, or an event name that only one system has
 * @path: set to "events/SYSTEM/EVENT" (to be freed)
 *
 * A name with a system is not looked up: the event may be a probe to be created later.
 * Return: 0, -HIST_ENOENT with the nearest names, -HIST_EINVAL
 */
int record_find_event(const char *name, char **path, struct diags *diags);

struct record_dumped {
	const char *instance; /* its path, which lives as long as the diagnoses */
	u64 bytes;            /* of all files */
	u64 paused_ns;        /* the instance did not record for this time */
	bool moved; /* it does not have its events any more: its buffer could not be mapped */
};

/**
 * record_dump() - copy the parts of the tracing directory that hist import needs
 * @dir:      must not exist
 * @instance: NULL: the top level
 * @done:     also set after an error
 *
 * Return: 0 or < 0, with a diagnosis
 */
int record_dump(const char *dir, const char *instance, struct record_dumped *done,
		struct diags *diags);

/* Write a trace.dat with the formats of this machine's events and no records. */
int record_machine(const char *path, struct diags *diags);

/**
 * record_run() - record, write the file, and restore the machine
 *
 * Return: 0 if a file was written (even if @result->complete is false); otherwise 1 if a signal
 *         arrived before anything was recorded, or a negative code. @result is always filled in.
 * Context: one at a time in a process: it blocks signals and starts threads
 */
int record_run(const struct record_plan *plan, struct record_result *result, struct diags *diags);

/**
 * record_recover() - write the trace.dat files of killed recordings in the directory of @output
 * @codec: NULL: that of the recording
 *
 * The newest becomes @output, others @output.PID.
 * Return: 0, -HIST_ENOENT if there is nothing to recover
 */
int record_recover(const char *output, const enum codec *codec, struct diags *diags);
