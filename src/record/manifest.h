/* SPDX-License-Identifier: LGPL-2.1-only */
/* Stores metadata of this machine in the manifest of a recording. */
#ifndef HIST_RECORD_MANIFEST_H
#define HIST_RECORD_MANIFEST_H

#include "record/session.h"
#include "record/workdir.h"

/**
 * meta_write() - store all metadata known before the first event, then the block "ready"
 *
 * Context: reads each file completely before writing it, because the kernel's texts change
 */
int meta_write(struct workdir *w, const struct session *s, const struct record_plan *plan,
	       const struct selection *sel, struct diags *diags);

/* Write the block "limits" for @plan, see record.h. */
int meta_write_limits(struct workdir *w, const struct record_plan *plan,
		      const struct selection *sel, const s32 *pids, size_t n_pids);

/* Store the names of the threads after the recording. */
int meta_write_cmdlines(struct workdir *w);

#endif
