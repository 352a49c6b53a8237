/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs of names, between the threads that collect them and the names over time. */
#ifndef HIST_NAMES_NAME_RUN_H
#define HIST_NAMES_NAME_RUN_H

#include "names/names.h"

/* Records of one CPU that state the same, without another fact about the task between them. */
struct name_run {
	s64 key; /* of the task, see name_key() */
	struct name_place first, last;
	enum name_fact fact;
	bool guessed, stated; /* in the journal of tasks */
	char name[TASK_COMM_LEN];
};

/* A task in a thread. */
struct name_task {
	s64 key;
	size_t run; /* its last one */
};

/*
 * The last name of a task, as it is in the records: with the bytes after its NUL. Most records
 * repeat it.
 */
struct name_repeat {
	s64 key; /* 0: none */
	u64 bytes[TASK_COMM_LEN / 8];
	size_t run; /* index of ->runs */
};

/* The name of a task from a place on. */
struct name_change {
	s64 key;
	size_t n; /* in the first one of a task: the number of its changes */
	struct name_place place;
	bool guessed;
	char name[TASK_COMM_LEN];
};

/**
 * name_field_read() - the task and the name in a field of a record
 *
 * Shape:  @name has less than TASK_COMM_LEN bytes; its ->s is NULL if the record does not tell it
 * Return: false if the record is too short
 */
bool name_field_read(bool big_endian, const struct name_field *f, const struct hit *hit, s64 *key,
		     struct span *name);

/* Whether a record of the event states its fact. */
bool name_call_read(bool big_endian, const struct name_event *event, const struct hit *hit);

#endif
