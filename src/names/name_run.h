/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs of names, between the threads that collect them and the names over time. */
#pragma once
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
	/* numbers: "NAME-PID" (of a later task "NAME-PID (2)"), "[NAME]"; 0: not yet */
	u32 texts[2];
	bool guessed;
	char name[TASK_COMM_LEN];
};

/* The name at the end, or one that tells that it is unknown. */
const char *names_saved(struct names *n, s32 pid);

/* Some answers about the task are guesses. */
void names_note_guess(struct names *n, s64 key);

/* "?", and others that are not texts of a task. 0, -HIST_ENOMEM */
int processes_first_texts(struct processes *p);
int processes_by_uid(const void *a, const void *b);

/* While ->hierarchy is not known, all processes are in the root of each. */
enum { HIERARCHIES_MAX = 32, NO_HIERARCHY };

/* Whether a process is in a cgroup of ->hierarchy that is not its root. */
static inline bool is_below_root(const struct task_state *f)
{
	return (f->kind == STATE_IN || f->kind == STATE_MOVED) && f->text.n > 1 &&
	       f->hierarchy < HIERARCHIES_MAX;
}

/* Find ->hierarchy, of facts in the order of time. 0, -HIST_ENOMEM */
int processes_choose_hierarchy(struct processes *p, const task_state_array *facts);

/* Which of the tasks that had a text, one after the other, its last change is of. */
struct text_owner {
	u32 life, n;
};

typedef ARRAY(struct text_owner) text_owner_array;

/* Set the texts of a name: that of a task, and that of one without arguments. 0, -HIST_ENOMEM */
int task_texts_of_name(struct texts *t, struct name_change *c, text_owner_array *owners);

/* --- while events are recorded, see names_go_live() --- */

int names_live_name(struct names *n, const struct name_run *run);
int names_live_learn(struct names *n, const struct task_state *fact);
void names_live_free(struct names_live *live);

/* What is valid at a place; NULL: nothing is known. */
const struct name_change *names_live_change(const struct names *n, s64 key,
					    struct name_place place);
const struct process_change *names_live_process(const struct names *n, s32 pid,
						struct name_place place);

/* Set the texts of a change of a name. 0, -HIST_ENOMEM */
int names_live_texts(struct names *n, const struct name_change *c);

/* Sort all texts of answers: of changes, and of names. 0, -HIST_ENOMEM */
int processes_sort_texts(struct names *n);

/* The change of the name of a task at a place, for an answer: n->asked is called; NULL: none */
const struct name_change *names_ask(struct names *n, s64 key, struct name_place place);

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
