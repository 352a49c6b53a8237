/* SPDX-License-Identifier: LGPL-2.1-only */
/* The steps of a recording that are files of their own. */
#pragma once
#include "record/cpu_reader.h"
#include "record/description.h"

/* --- manifest.c: metadata of this machine as blocks; workdir.h lists them --- */

/**
 * manifest_write() - store all metadata known before the first event, then the block "ready"
 *
 * Context: reads each file completely before writing it, because the kernel's texts change
 */
int manifest_write(struct workdir *w, const struct session *s, const struct record_plan *plan,
		   const struct selection *sel, struct diags *diags);

/* Write the block "limits" for @plan, see record.h. */
int manifest_write_limits(struct workdir *w, const struct record_plan *plan,
			  const struct selection *sel, const s32 *pids, size_t n_pids);

/* After the recording: the names of the threads, the statistics of each CPU, the sizes of files. */
int manifest_write_cmdlines(struct workdir *w);
void manifest_add_cmdlines(struct strbuf *blocks);
int manifest_write_stats(struct workdir *w, const struct session *s);
int manifest_write_sizes(struct workdir *w, const struct readers *rs);

/**
 * machine_write() - write a trace.dat with the formats of all events of this machine
 * @clock:   clock of the recording; NULL: the current clock
 * @symbols: include /proc/kallsyms
 *
 * It has no records; the code that reads recordings can check a script with it before anything is
 * recorded.
 */
int machine_write(const char *path, const struct event_list *list, const char *clock, bool symbols,
		  struct diags *diags);

/* --- keep.c: files of the last part of a recording --- */

/* Prepare @kept, with the limit of @keep or of the disk. 0, < 0 with a diagnosis */
int keep_open(struct kept *kept, const struct record_keep *keep, const struct session *s,
	      const struct workdir *w, struct diags *diags);

struct tasks;
struct assemble_options;
struct assembled;

/* Where the parts of a file come from. */
struct keep_parts {
	struct kept *kept;
	struct workdir *work;
	struct tasks *tasks;
};

/* Write the file of @cut; completes both, and @options. Return: as assemble() */
int keep_write(const struct keep_parts *parts, struct record_cut *cut,
	       struct assemble_options *options, struct assembled *done, struct diags *diags);

/*
 * --- live_triggers.c: triggers that the kernel runs during the recording, to compare a replay with
 * them ---
 */

bool has_hist_triggers(void);

/* Write triggers, which are logged first; errors are reported in the kernel's words. */
int triggers_install(struct session *s, const struct record_write *writes, size_t n,
		     struct diags *diags);

/* All of the following functions do nothing unless plan->live is set. */

/* Whether this kernel supports live triggers; called before anything is changed. */
int live_check(const struct record_plan *plan, struct diags *diags);

/* Write the triggers of @plan. */
int live_install(struct session *s, const struct record_plan *plan, struct diags *diags);

/*
 * Write the marks that start and stop the triggers, while no other CPU is processing an event: all
 * records earlier than a mark have been counted when the mark is written.
 */
int live_start(struct session *s, const struct record_plan *plan, struct diags *diags);
void live_stop(struct session *s, const struct record_plan *plan, struct diags *diags);

/* Store the kernel's output in blocks "live PATH". */
int live_store(struct workdir *w, const struct session *s, const struct record_plan *plan);

/* --- losses.c: events lost by the kernel, which counts them, or between the kernel and the disk
 * ---
 */

/* The kernel's counters: sums over all CPUs, during the recording. @kept: NULL if all is kept */
void session_count(const struct session *s, struct kept *kept, u64 *events, u64 *lost);

/* Whether all events were read; false if the counters cannot be read. */
bool session_is_empty(const struct session *s);

/* Complete @result after the buffers are drained, and report the losses per CPU and cause. */
void report_lost(const struct session *s, struct kept *kept, struct record_result *result,
		 struct diags *diags);

/**
 * missing_find() - events that left the kernel, but are not in the work directory
 * @caveats: gets a caveat for each CPU of which events are or may be missing; @diags: a warning
 *
 * Nothing is read if the recording ended normally.
 *
 * Return: 0, -HIST_EIO (errno), -HIST_ENOMEM
 */
int missing_find(const struct workdir *w, const struct description *m, struct strbuf *caveats,
		 struct diags *diags);

/* --- rescue.c: the data of a recording whose work directory was removed or renamed --- */

/**
 * rescue_work() - copy the data to a new work directory if the old one was removed
 * @w:      complete, except for the file; replaced by the new one
 * @output: the file that is wanted
 * @moved:  set to the file that will be written instead; NULL: nothing was removed
 *
 * Return: 0, < 0 with a diagnosis: the data is lost
 */
int rescue_work(struct workdir *w, const struct readers *readers, const char *output, char **moved,
		struct diags *diags);

/*
 * Where the file @path is now, which is in the open directory @dir; NULL if it is still there, or
 * the place is unknown.
 */
char *rescue_path(int dir, const char *path);

/* --- recover.c: cleaning up after killed recordings --- */

/* A work directory whose recording has data in the kernel that was not saved. */
struct unsaved_work {
	u64 dev, ino;
};

struct unsaved {
	ARRAY(struct unsaved_work) works;
	bool unknown; /* a journal could not be read, so any directory may be affected */
};

#define UNSAVED_INIT              \
	{                         \
		ARRAY_INIT, false \
	}

/**
 * sweep() - undo the changes of dead recordings
 * @start:   for a recording that starts: report how to recover their data; do not wait long for
 *           another process that does this, and then leave it to a later recording
 * @unsaved: set to the recordings with data left in the kernel; NULL: not needed
 *
 * The data in their instances is moved to their work directories first. If that fails, the instance
 * and the journal remain for the next attempt.
 */
void sweep(bool start, struct unsaved *unsaved, struct diags *diags);

/* Report the recordings of @output that an earlier sweep found dead; call before sweep(). */
void sweep_note_dead(const char *output, struct diags *diags);

/* --- ring_map.c: the ring buffer of a CPU, mapped: read without taking it out --- */

/**
 * ring_map_copy() - write the sub-buffers of a CPU, in order
 * @raw: its trace_pipe_raw
 * @out: the file to append to
 * @bytes: the number of bytes is added
 *
 * Nothing may be recorded meanwhile. A sub-buffer that a reader has begun is complete.
 *
 * Return: 0; 1 if it cannot be mapped, and nothing was written; -1 with errno
 * Source: kernel: since 6.10, unless the instance has a snapshot;
 * Documentation/trace/ring-buffer-map.rst
 */
int ring_map_copy(int raw, int out, u64 *bytes);
