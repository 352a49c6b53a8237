/* SPDX-License-Identifier: LGPL-2.1-only */
/* The comms of tasks over time, derived from events. */
#ifndef HIST_RECORDING_COMM_H
#define HIST_RECORDING_COMM_H

#include "event/event.h"
#include "program/hist_data.h"
#include "program/hit.h"

enum { COMM_FIELDS_MAX = 2 };

/* A pid and a comm in a record. */
struct comm_field {
	const struct event_field *pid, *comm;
	bool after; /* the comm is valid after the record (the new name of a rename) */
	bool fixed; /* the comm is an array of TASK_COMM_LEN bytes */
	u32 pid_at, comm_at;
	u64 end; /* ->fixed: bytes of a record that contains both */
	enum comm_use {
		COMM_STAYS,
		COMM_OLD,
		COMM_SWITCHED_OUT,
		COMM_SWITCHED_IN,
		COMM_EXECUTED, /* the path of a program, after which the task was just named */
	} is;
};

/* An event that contains comms. */
struct comm_event {
	size_t n;
	struct comm_field fields[COMM_FIELDS_MAX];
	size_t n_repeats; /* if most records have the names that the tasks already have: ->n */
	u64 end;          /* bytes of a record that contains all */
	bool is_switched; /* a name is that of a task that is switched out */
};

struct comm_entry {
	s64 key; /* pid; or below zero: the idle task of CPU -1 - key */
	u64 ts;
	char comm[TASK_COMM_LEN];
	char renamed[TASK_COMM_LEN]; /* new name that is not valid yet; "": none */
};

/* A rename during which the task was switched out, still with its old name. */
struct comm_rename {
	s64 key;
	u64 ts;
	u32 cpu;
	char comm[TASK_COMM_LEN]; /* the old name */
};

struct comms {
	struct event_db *db;
	bool big_endian;
	ARRAY(struct comm_entry) entries;
	struct hash_table by_key;
	ARRAY(struct comm_rename) preempted;
	struct hash_table by_rename; /* of ->preempted */
	struct comm_rename last;     /* during the scan: the task may still be renaming itself */
	bool failed;                 /* out of memory */
	char idle[TASK_COMM_LEN];
};

void comms_init(struct comms *c, struct event_db *db, bool big_endian);
void comms_release(struct comms *c);

/* Whether an event contains comms; @event is filled in. */
bool comm_event_find(const struct event_format *format, struct comm_event *event);

/* Before the replay: store the earliest known comm of each task. */
void comms_scan(struct comms *c, const struct comm_event *event, const struct hit *hit);

/* Set the initial comm of task @key, if the records do not contain it. */
void comms_start_as(struct comms *c, s64 key, struct span comm);

/* During the replay: the comms in the record, valid before and after it. */
void comms_before(struct comms *c, const struct comm_event *event, const struct hit *hit);
void comms_after(struct comms *c, const struct comm_event *event, const struct hit *hit);

/* What is currently known of a task; NULL: nothing. */
const struct comm_entry *comms_find(const struct comms *c, s64 key);

/* The task of a record, as ->key. */
static inline s64 comm_key(s32 pid, u32 cpu)
{
	return pid ? pid
		   : -1 - (s64)cpu; /* all idle tasks have pid 0: the CPU distinguishes them */
}

/* Whether the task already had the name before the record. */
static inline bool comm_is_earlier(const struct comm_field *f)
{
	return !f->after && f->is != COMM_EXECUTED;
}

/* The comm and pid in field @f of a record; false if the record is too short. */
bool comm_field_read(bool big, const struct comm_field *f, const struct hit *hit, s64 *key,
		     struct span *comm);

/* The current comm of the record's task; never NULL, valid until the next call. */
const char *comms_of(struct comms *c, const struct hit *hit);

#endif
