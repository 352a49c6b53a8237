/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Namespaces of process ids. tracefs only uses the ids of the initial namespace, and its instances
 * are visible from all namespaces: a process in a container has another id there, and its own id is
 * that of another process.
 */
#ifndef HIST_RECORD_PID_NAMESPACE_H
#define HIST_RECORD_PID_NAMESPACE_H

#include "base/base.h"

/* Whether process ids here are those of the kernel; true if that cannot be determined. */
bool pid_namespace_is_initial(void);

/* Whether paths of cgroups here are those of the kernel; true if that cannot be determined. */
bool cgroup_namespace_is_initial(void);

/*
 * Append an id of this process that is unique on the machine: "PID", or "PID.NAMESPACE" in a
 * container.
 */
void pid_namespace_add_id(struct strbuf *sb);

/* Whether @id was made by a process of this namespace that has ended. */
bool pid_namespace_id_is_dead(struct span id);

#endif
