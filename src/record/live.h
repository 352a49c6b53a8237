/* SPDX-License-Identifier: LGPL-2.1-only */
/* Triggers that the kernel runs during the recording, to compare a replay with its output. */
#ifndef HIST_RECORD_LIVE_H
#define HIST_RECORD_LIVE_H

#include "record/session.h"
#include "record/workdir.h"

/* All of these functions do nothing unless plan->live is set. */

/* Whether this kernel supports live triggers; called before anything is changed. */
int live_check(const struct record_plan *plan, struct diags *diags);

/* Write the triggers of @plan; errors are reported in the kernel's words. */
int live_install(struct session *s, const struct record_plan *plan, struct diags *diags);

/*
 * Write the marks that start and stop the triggers, while no other CPU is processing an event: all
 * records earlier than a mark have been counted when the mark is written.
 */
int live_start(struct session *s, const struct record_plan *plan, struct diags *diags);
void live_stop(struct session *s, const struct record_plan *plan, struct diags *diags);

/* Store the kernel's output in blocks "live PATH". */
int live_store(struct workdir *w, const struct session *s, const struct record_plan *plan);

#endif
