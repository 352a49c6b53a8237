/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Who a task was at any time of a recording.
 *
 * Records of some events name a task (name_event.c lists them), or prove that it executed a
 * program. Threads collect these facts from any part of the recording (name_runs.c); those of the
 * journal of tasks, if there is one, are added to them. Together they determine the names over time
 * (names.c), which any thread can then look up.
 */
#pragma once
#include "names/processes.h"
#include "program/hist_data.h"
#include "program/hit.h"
#include "program/machine.h"

/* --- events --- */

/* What a record states of a task. */
enum name_fact {
	NAME_IS,      /* its name */
	NAME_BORN,    /* the same, of a new task */
	NAME_EXECED,  /* the same: the path of a program after which the task was just named */
	NAME_KNOWN,   /* the same, from metadata of the recording */
	NAME_BECOMES, /* its name after the record, or as soon as it runs again */
	NAME_EXECS,   /* it starts to execute a program */
	NAME_RAN,     /* and succeeded */
};

enum { NAME_FIELDS_MAX = 2 };

/* A pid and a name in a record. */
struct name_field {
	const struct event_field *pid, *text;
	enum name_fact fact;
	bool fixed; /* the name is an array of TASK_COMM_LEN bytes */
	u32 pid_at, text_at;
	u64 end; /* ->fixed: bytes of a record that contains both */
};

/* An event that states something of a task. */
struct name_event {
	size_t n; /* 0: a system call, by the task of the record */
	struct name_field fields[NAME_FIELDS_MAX];
	size_t n_repeats; /* if most records have the names that the tasks already have: ->n */
	u64 end;          /* bytes of a record that contains all */
	enum name_fact fact;
	const struct event_field *nr, *ret; /* of a system call; NULL: any, or it did not end */
	u32 nr_at;                          /* ->nr: its low 32 bits */
	s64 execve, execveat;               /* their numbers; below zero: unknown */
	/* that it states more than the name */
	enum task_state_kind state;
	const struct event_field *state_pid, *state_other, *state_number, *state_text;
};

/* Whether a record is one of the few system calls that count. Context: hot path */
static inline bool name_event_counts(const struct name_event *event, const u8 *rec, u32 len,
				     bool big_endian)
{
	u32 nr;

	if (likely(!event->nr))
		return true;
	if (unlikely(event->end > len))
		return false;
	nr = load_u32(rec + event->nr_at, big_endian);
	return unlikely(nr == (u32)event->execve || nr == (u32)event->execveat);
}

/**
 * name_event_next() - the next event that names tasks, of those that the recording has
 * @i: of the list, 0 at first; set to the next
 *
 * Return: its format; NULL: there are no more
 */
const struct event_format *name_event_next(const struct machine *machine, size_t *i,
					   struct name_event *event);

/* --- facts --- */

struct name_run;
struct name_task;
struct name_repeat;
struct name_change;

/* The facts that one thread has seen. */
struct names_seen {
	bool big_endian;
	bool every;  /* each fact by itself; otherwise runs of those that repeat a name */
	bool failed; /* out of memory */
	ARRAY(struct name_run) runs;
	INDEXED(struct name_task) tasks; /* with their current runs */
	ARRAY(struct task_state) states;
	struct arena texts;          /* of ->states */
	size_t first;                /* of ->runs in the current range */
	struct name_repeat *repeats; /* by a hash of the task */
};

void names_seen_init(struct names_seen *c, bool big_endian, bool every);
void names_seen_release(struct names_seen *c);

/* The records of some sub-buffers of a stream follow. */
void names_seen_start(struct names_seen *c);

/* The facts in a record; hit->at is set. Context: hot path */
void names_seen_add(struct names_seen *c, const struct name_event *event, const struct hit *hit);

/* --- names over time --- */

enum { NAMES_HASHES = 1024 };

/* The name of a task where only a part of the recording was searched, and a fact outside of it may
 * state another one. */
#define NAMES_UNSURE "\1"

struct names {
	struct event_db *db;
	ARRAY(struct name_run) known;        /* from metadata of the recording */
	INDEXED(struct name_change) changes; /* the first one of each task by its key */
	bool guesses;                        /* some names are guesses */
	u64 may_guess[NAMES_HASHES / 64];    /* a bit for each hash of their tasks */
	bool renames;  /* the recording has events of renames or executed programs */
	bool complete; /* the journal of tasks of each file is, as far as it has one */
	struct processes processes;
	/* a part of the recording is searched, see NAMES_UNSURE; with its begin, with its end */
	bool part, part_begins, part_ends;
	bool unsure; /* atomic: a name was asked that is NAMES_UNSURE */
	bool every;  /* the next names_seen must have ->every */
	bool built;
	struct thread_once saved;           /* reads the saved names */
	const struct names_observer *asked; /* NULL: no observer */
	struct names_live *live; /* NULL: all facts are stated before the first question */
};

void names_init(struct names *n, struct event_db *db);
void names_release(struct names *n);

/* Both inclusive. */
struct names_time {
	u64 from, to;
};

/* A task (name_key()) has this name at this time, whatever the records state. */
int names_know(struct names *n, s64 key, struct names_time time, struct span name, bool guessed);

/*
 * The journal of tasks states this fact of a task; facts are added in time order. If n->complete is
 * set, the records only tell how long a task that is being renamed had its old name.
 */
int names_state(struct names *n, s32 pid, enum name_fact fact, u64 ts, struct span name);

/**
 * names_build() - determine all names from the facts of @n_seen threads
 *
 * Return: 0; 1 if a task had two names in turns: n->every is set, and all facts are needed;
 *         -HIST_ENOMEM
 */
int names_build(struct names *n, struct names_seen *const *seen, size_t n_seen);

/* Also name the idle task of a CPU. 0, -HIST_ENOMEM */
int names_add_idle(struct names *n, u32 cpu);

/*
 * From now on facts are stated while questions are asked, in the order of time, and are known at
 * once. Of those that were learned before, only the hierarchy of cgroups is used. @cpus: with idle
 * tasks. 0, -HIST_ENOMEM
 */
int names_go_live(struct names *n, const u32 *cpus, size_t n_cpus);

/* What was true before @ts will not be asked. 0, -HIST_ENOMEM */
int names_forget_before(struct names *n, u64 ts);

/* Who a task was. */
struct who {
	const char *name; /* never NULL */
	bool guessed;     /* the recording does not contain the moment at which the name changed */
};

/* Who @pid was at a place; @cpu is used for pid 0. Context: any number of threads */
struct who names_at(struct names *n, s32 pid, u32 cpu, struct name_place place);

/* Whether that is a guess. Context: hot path */
static inline bool names_guess_at(struct names *n, s32 pid, u32 cpu, struct name_place place)
{
	u32 hash = hash_number((u64)name_key(pid, cpu)) % NAMES_HASHES;

	return unlikely(bits_has(n->may_guess, hash)) &&
	       (names_at(n, pid, cpu, place).guessed ||
		(n->processes.asked && names_task_at(n, pid, cpu, place).guessed));
}
