/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Namespaces of process ids. tracefs knows only the ids of the initial one, and instances are seen
 * from all of them: a process in a container has another id there, which is that of another
 * process.
 */
#ifndef HIST_RECORD_PID_NAMESPACE_H
#define HIST_RECORD_PID_NAMESPACE_H

#include "base/base.h"

/* Whether ids of this process are those of the kernel; true if that cannot be determined. */
bool pid_namespace_is_initial(void);

/* Add what identifies this process on the machine: "PID", or "PID.NAMESPACE" in a container. */
void pid_namespace_add_id(struct strbuf *sb);

/* Whether @id was added by a process of this namespace that has ended. */
bool pid_namespace_id_is_dead(struct span id);

#endif
