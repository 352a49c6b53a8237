/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * dynevent: the kernel's functions for modules, on a struct hist. The functions are in
 * hist-dynevent.h and hist-synth.h; this is their shared part.
 */
#ifndef HIST_DYNEVENT_DYNEVENT_H
#define HIST_DYNEVENT_DYNEVENT_H

#include "hist-synth.h"
#include "program/synth_event.h"
#include "tracefs/tracefs.h"
#include "tracing/traced_queue.h"

/* The result of trace_get_event_file(): the caller sees .pub. */
struct held_event {
	struct trace_event_file pub;
	struct event_file *file;
	struct held_event *next;
};

/* hist_close(): release what was not put. */
void held_events_release(struct hist *h);

/* The kernel's errno for one of our codes. */
int dynevent_errno(int err);

#endif
