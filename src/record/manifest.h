/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a trace.dat says besides the events, from this machine into the manifest.
 */
#ifndef HIST_RECORD_MANIFEST_H
#define HIST_RECORD_MANIFEST_H

#include "record/session.h"
#include "record/workdir.h"

/**
 * meta_write() - all that is known before the first event; ends with the block "ready"
 *
 * Context: reads every file whole before it writes, since the kernel's texts change
 */
int meta_write(struct workdir *w, const struct session *s, const struct record_plan *plan,
	       const struct selection *sel, struct diags *diags);

/* The block "limits" for @plan, see record.h. */
int meta_write_limits(struct workdir *w, const struct record_plan *plan,
		      const struct selection *sel, const s32 *pids, size_t n_pids);

/* The names of the threads, when the recording has ended. */
int meta_write_cmdlines(struct workdir *w);

#endif
