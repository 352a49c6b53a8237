/* SPDX-License-Identifier: LGPL-2.1-only */
/* Events that were lost: by the kernel, which counts them, or between the kernel and the disk. */
#ifndef HIST_RECORD_LOSSES_H
#define HIST_RECORD_LOSSES_H

#include "record/description.h"
#include "record/session.h"
#include "record/workdir.h"

/* The kernel's counters: sums over all CPUs, during the recording. */
void session_count(const struct session *s, u64 *events, u64 *lost);

/* Whether all events were read; false if the counters cannot be read. */
bool session_is_empty(const struct session *s);

/* Complete @result after the buffers are drained, and report the losses per CPU and cause. */
void report_lost(const struct session *s, struct record_result *result, struct diags *diags);

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

#endif
