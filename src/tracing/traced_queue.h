/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Synthetic events traced by a program: records that the replay will run, in time order; records
 * with equal times in the order in which they were traced.
 */
#pragma once
#include "program/synth_record.h"

#define TRACED_AT_END UINT64_MAX /* after the last record of the recording */

/* kernel: MAX_STRING_SIZE, including the NUL */
enum { TRACED_TEXT_MAX = 4096 };

struct traced_event {
	struct event_file *file;
	u64 ts;
	u32 cpu;
	s32 pid;
	bool open;     /* reserved, not yet committed */
	bool recorded; /* the event was enabled, not only for its triggers */
	struct synth_record record;
	u8 rec[];
};

/**
 * traced_event_reserve() - reserve a record, at tracing->place
 * @dynamic: bytes in addition to the slots
 *
 * Protects the event from removal until the record is committed.
 * Return: 0, -HIST_ELIMIT: no sub-buffer has room for it; -HIST_ENOMEM
 * Source: trace_event_buffer_reserve(), max_data_size in ring_buffer.c @ v6.12
 */
int traced_event_reserve(struct event_file *file, u32 dynamic, struct traced_event **te);
void traced_event_commit(struct traced_event *te);

/* Drop the records of an event before it is removed, or those of the whole directory. */
void traced_events_forget(struct tracing *t, const struct synth_event *event);
void traced_events_release(struct tracing *t);
