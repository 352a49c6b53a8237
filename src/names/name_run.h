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
	u32 life; /* see struct process_change */
	bool guessed;
	char name[TASK_COMM_LEN];
};

/* The name at the end, or one that tells that it is unknown. */
const char *names_saved(struct names *n, s32 pid);

/* Some answers about the task are guesses. */
void names_note_guess(struct names *n, s64 key);

/* The number of a text of answers, a new one if there is none. 0, -HIST_ENOMEM */
int task_text_number(struct task_texts *t, const char *text, u32 *number);

/* Sort all texts of answers: of changes, and of names. 0, -HIST_ENOMEM */
int processes_sort_texts(struct names *n);

/* The changes of the name of a task, n->changes.v[*@first] first, and that at a place; NULL: none
 */
const struct name_change *names_change_at(const struct names *n, s64 key, struct name_place place);

/**
 * name_field_read() - the task and the name in a field of a record
 *
 * Shape:  @name has less than TASK_COMM_LEN bytes; its ->s is NULL if the record does not tell it
 * Return: false if the record is too short
 */
bool name_field_read(bool big_endian, const struct name_field *f, const struct hit *hit, s64 *key,
		     struct span *name);

/* What a record states besides names, whose text is in it; false: nothing. */
bool name_state_read(bool big_endian, const struct name_event *event, const struct hit *hit,
		     struct task_state *state);

/* Whether a record of the event states its fact. */
bool name_call_read(bool big_endian, const struct name_event *event, const struct hit *hit);

#endif
