/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * dynevent: what the kernel offers to modules, on a struct hist. The functions are in
 * hist-dynevent.h and hist-synth.h; this is what they share.
 */
#ifndef HIST_DYNEVENT_DYNEVENT_H
#define HIST_DYNEVENT_DYNEVENT_H

#include "hist-synth.h"
#include "program/synth_event.h"
#include "tracefs/tracefs.h"
#include "tracing/traced_queue.h"

/* What trace_get_event_file() gives out: the caller sees .pub. */
struct held_event {
	struct trace_event_file pub;
	struct event_file *file;
	struct held_event *next;
};

/* hist_close(): what was not put back. */
void held_events_release(struct hist *h);

/* The errno for one of our codes, as the kernel would choose it. */
int dynevent_errno(int err);

#endif
