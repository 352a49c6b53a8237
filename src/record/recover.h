/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What recordings left behind that could not clean up.
 */
#ifndef HIST_RECORD_RECOVER_H
#define HIST_RECORD_RECOVER_H

#include "record/record.h"

/**
 * sweep() - undo what dead recordings changed
 *
 * What their instances still hold goes into their work directories first. @tell: say how
 * to recover it.
 */
void sweep(bool tell, struct diags *diags);

/* Say which recordings of @output an earlier sweep found dead; before sweep(). */
void sweep_mention(const char *output, struct diags *diags);

/* Store the kernel's statistics of each CPU of @s in @w. */
struct session;
struct workdir;
int store_stats(struct workdir *w, const struct session *s);

#endif
