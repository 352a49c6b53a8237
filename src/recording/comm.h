/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which task had which comm when: learnt from the events that tell it.
 */
#ifndef HIST_RECORDING_COMM_H
#define HIST_RECORDING_COMM_H

#include "event/event.h"
#include "program/hist_data.h"
#include "program/hit.h"

enum { COMM_FIELDS_MAX = 2 };

/* A pid and a comm in a record. */
struct comm_field {
	const struct event_field *pid, *comm;
	bool after; /* the comm holds from behind the record on (the new name of a rename) */
};

/* An event that tells comms. */
struct comm_event {
	size_t n;
	struct comm_field fields[COMM_FIELDS_MAX];
};

struct comm_entry {
	s64 key; /* pid; or below zero: the idle task of CPU -1 - key */
	u64 ts;
	char comm[TASK_COMM_LEN];
};

struct comms {
	struct event_db *db;
	bool big_endian;
	ARRAY(struct comm_entry) entries;
	struct hash_table by_key;
	bool failed; /* for want of memory */
	char idle[TASK_COMM_LEN];
};

void comms_init(struct comms *c, struct event_db *db, bool big_endian);
void comms_release(struct comms *c);

/* Whether an event tells comms; @event is filled in. */
bool comm_event_find(const struct event_format *format, struct comm_event *event);

/* Before the replay: remember the earliest that is known of each task. */
void comms_scan(struct comms *c, const struct comm_event *event, const struct hit *hit);

/* What task @key was called at the start, if the records do not tell. */
void comms_start_as(struct comms *c, s64 key, struct span comm);

/* During the replay: what the record tells, before and behind it. */
void comms_before(struct comms *c, const struct comm_event *event, const struct hit *hit);
void comms_after(struct comms *c, const struct comm_event *event, const struct hit *hit);

/* What is known of a task now; NULL: nothing. */
const struct comm_entry *comms_find(const struct comms *c, s64 key);

/* The task that a record is from, as ->key. */
static inline s64 comm_key(s32 pid, u32 cpu)
{
	return pid ? pid : -1 - (s64)cpu; /* all idle tasks have pid 0: tell them apart by CPU */
}

/* What field @f of a record tells; false if the record is too short. */
bool comm_field_read(const struct comms *c, const struct comm_field *f, const struct hit *hit,
		     s64 *key, struct span *comm);

/* The comm of the record's task now; never NULL, good until the next call. */
const char *comms_of(struct comms *c, const struct hit *hit);

#endif
