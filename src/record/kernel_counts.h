/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the kernel counted, of events and of lost ones.
 */
#ifndef HIST_RECORD_KERNEL_COUNTS_H
#define HIST_RECORD_KERNEL_COUNTS_H

#include "record/session.h"

/* Sums of all CPUs, while it records. */
void session_count(const struct session *s, u64 *events, u64 *lost);

/* When the buffers have been emptied: complete @result, and say what was lost, per CPU and why. */
void tell_lost(const struct session *s, struct record_result *result, struct diags *diags);

#endif
