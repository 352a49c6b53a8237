/* SPDX-License-Identifier: LGPL-2.1-only */
/* report --save-events: saves the events traced during a replay as a recording. */
#pragma once
#include "replay/replay.h"

struct save;

/**
 * save_begin() - save the events traced by the following replay of @h
 * @path: borrowed until save_end()
 *
 * Return: 0, -HIST_ENOMEM, -HIST_EIO, -HIST_EINVAL, with a diagnosis
 */
int save_begin(struct hist *h, const char *path, struct save **save, struct diags *diags);

/* Replay, if needed, and write the file if @keep; frees @save, which may be NULL. */
int save_end(struct save *save, bool keep, struct diags *diags);
