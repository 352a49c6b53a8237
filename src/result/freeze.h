/* SPDX-License-Identifier: LGPL-2.1-only */
/* Freezing: from a trigger to a result. */
#ifndef HIST_RESULT_FREEZE_H
#define HIST_RESULT_FREEZE_H

#include "program/version.h"
#include "result/store.h"
#include "tracing/trigger.h"

/**
 * result_freeze() - copy the current state of a trigger's histogram
 * @info: borrowed by the result; NULL if its reader does not need it
 *
 * Later changes of the trigger or its map do not change the result.
 *
 * Owns:   free @out with stored_free()
 * Return: 0, -HIST_ENOMEM
 */
int result_freeze(const struct trigger *trigger, const struct result_info *info,
		  struct stored_result **out);

/* The hits that histograms which feed that of @trigger dropped. 0, -HIST_ENOMEM */
int trigger_feeding_drops(const struct trigger *trigger, u64 *drops);

/* The line of the file trigger, with its newline. */
void trigger_text(struct strbuf *out, const struct trigger *trigger, const struct kernel_quirks *q);

#endif
