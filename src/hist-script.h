/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: what a script shows, and the events that it names and defines.
 */
#ifndef HIST_SCRIPT_H
#define HIST_SCRIPT_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Whether the script shows files, by cat. */
bool hist_script_shows(const struct hist_script *script);

/*
 * hist_find_event(), which also finds the synthetic events and probes that the script defines,
 * and the format file of such an event.
 */
int hist_script_find_event(struct hist *h, const struct hist_script *script, const char *name,
			   char **path, struct diags *diags);
/*
 * All events that @names means: as hist_script_find_event(), a system, globs of either, several
 * with commas. A system and a glob mean events that have records, or all if none has.
 */
int hist_script_find_events(struct hist *h, const struct hist_script *script, const char *names,
			    char ***paths, size_t *n, struct diags *diags);
int hist_script_format(struct hist *h, const struct hist_script *script, const char *path,
		       hist_sink_fn sink, void *arg, struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
