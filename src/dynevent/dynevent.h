/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * dynevent: the kernel's functions for modules, on a struct hist. Their public headers are
 * hist-dynevent.h and hist-synth.h; this header is for the code that they share.
 */
#pragma once
#include "hist-synth.h"
#include "tracefs/tracefs.h"
#include "tracing/traced_queue.h"

/* How the kernel prints a string that is NULL. */
#define NULL_TEXT "(null)"

/* The result of trace_get_event_file(); the caller only gets .pub. */
struct held_event {
	struct trace_event_file pub;
	struct event_file *file;
	struct held_event *next;
};

/* Called by hist_close(): release the files that the program did not put. */
void held_events_release(struct hist *h);

/* Convert one of our codes to the kernel's errno. */
int dynevent_errno(int err);
