/* SPDX-License-Identifier: LGPL-2.1-only */
/* libhist: the files that a script shows, and the events that it names and defines. */
#ifndef HIST_SCRIPT_H
#define HIST_SCRIPT_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Whether the script shows files with cat. */
bool hist_script_shows(const struct hist_script *script);

/*
 * Like hist_find_event(), but also finds the synthetic events and probes that the script defines,
 * and the format file of such an event.
 */
int hist_script_find_event(struct hist *h, const struct hist_script *script, const char *name,
			   char **path, struct diags *diags);
/*
 * All events that match @names: as in hist_script_find_event(), or a system, a glob of either, or
 * several with commas. A system or glob selects events with records, or all if none has records.
 */
int hist_script_find_events(struct hist *h, const struct hist_script *script, const char *names,
			    char ***paths, size_t *n, struct diags *diags);
int hist_script_format(struct hist *h, const struct hist_script *script, const char *path,
		       hist_sink_fn sink, void *arg, struct diags *diags);

/*
 * Cgroups in keys and filters are the first @depth components of their paths; 0, the default: all.
 */
void hist_cgroup_depth(struct hist *h, unsigned int depth);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
