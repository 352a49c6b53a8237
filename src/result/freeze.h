/* SPDX-License-Identifier: LGPL-2.1-only */
/* From the engine to a result. */
#ifndef HIST_RESULT_FREEZE_H
#define HIST_RESULT_FREEZE_H

#include "program/version.h"
#include "result/store.h"
#include "tracing/trigger.h"

/**
 * result_freeze() - what the histogram of a trigger is now
 * @info: borrowed by the result; NULL if its reader does not look at it
 *
 * Nothing that happens to the trigger or its map afterwards changes the result.
 *
 * Owns:   @out is to be freed with stored_free()
 * Return: 0, -HIST_ENOMEM
 */
int result_freeze(const struct trigger *trigger, const struct result_info *info,
		  struct stored_result **out);

/* The line of the file trigger, with its newline. */
void trigger_text(struct strbuf *out, const struct trigger *trigger, const struct kernel_quirks *q);

#endif
