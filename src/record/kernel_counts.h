/* SPDX-License-Identifier: LGPL-2.1-only */
/* The kernel's counters of events and of lost events. */
#ifndef HIST_RECORD_KERNEL_COUNTS_H
#define HIST_RECORD_KERNEL_COUNTS_H

#include "record/session.h"

/* Sums over all CPUs, during the recording. */
void session_count(const struct session *s, u64 *events, u64 *lost);

/* Whether all events were read; false if the counters cannot be read. */
bool session_is_empty(const struct session *s);

/* Complete @result after the buffers are drained, and report the losses per CPU and cause. */
void report_lost(const struct session *s, struct record_result *result, struct diags *diags);

#endif
