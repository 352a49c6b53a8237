/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: the code at the addresses of events, and their stacks, by names. See hist-events.h for
 * how an iterator is opened; a question is asked before the first event.
 */
#ifndef HIST_CODE_H
#define HIST_CODE_H

#include "hist-events.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * A question about code, such as "ip.sym", "ip.dso", "ip.srcline", "ustack" or "stack", see
 * hist-triggers(7).
 *
 * Return: its number; -HIST_ENOENT if no open event has such an address or a stack; -HIST_ENOMEM
 */
int hist_events_code(struct hist_events *events, const char *question);

/*
 * The answer for an event, the functions of a stack separated by ";", the innermost first; NULL:
 * it has none. options.code must have been set. Borrowed until the next call.
 */
const char *hist_event_code(const struct hist_event *event, int question);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
