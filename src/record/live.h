/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Triggers that the kernel runs while we record, so that a replay can be held against it.
 */
#ifndef HIST_RECORD_LIVE_H
#define HIST_RECORD_LIVE_H

#include "record/session.h"
#include "record/workdir.h"

/* All of these do nothing without plan->live. */

/* Whether this kernel can do that; before anything is changed. */
int live_check(const struct record_plan *plan, struct diags *diags);

/* Write the triggers of @plan; what the kernel refuses is told in its words. */
int live_install(struct session *s, const struct record_plan *plan, struct diags *diags);

/*
 * The marks that start and stop them are made while no other CPU is in the middle of an
 * event: what came before a mark in time has then also been counted before it.
 */
int live_start(struct session *s, const struct record_plan *plan, struct diags *diags);
void live_stop(struct session *s, const struct record_plan *plan, struct diags *diags);

/* Blocks "live PATH" with what the kernel prints. */
int live_store(struct workdir *w, const struct session *s, const struct record_plan *plan);

#endif
