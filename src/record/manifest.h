/* SPDX-License-Identifier: LGPL-2.1-only */
/* Collects metadata of this machine as blocks; workdir.h lists them. */
#ifndef HIST_RECORD_MANIFEST_H
#define HIST_RECORD_MANIFEST_H

#include "record/session.h"
#include "record/workdir.h"

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
struct readers;
int manifest_write_cmdlines(struct workdir *w);
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

#endif
