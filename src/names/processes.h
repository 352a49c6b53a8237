/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Processes, parents, command lines and cgroups of tasks over time, besides their names.
 *
 * Sources state facts in any order; all together, in the order of time, are the history of a
 * table of processes.
 */
#pragma once
#include "program/who.h"

/*
 * A place between records in time order: of equal times ->at decides (see struct hit), which is
 * even for the place before a record, and one more for that after it.
 */
struct name_place {
	u64 ts, at;
};

static inline bool name_place_before(struct name_place a, struct name_place b)
{
	return a.ts < b.ts || (a.ts == b.ts && a.at < b.at);
}

enum task_state_kind {
	STATE_IS,      /* a thread of process ->other, whose parent is ->parent; since its birth, at
			  ->flags ns since the boot (0: unknown) */
	STATE_BORN,    /* made by thread ->other with ->flags of clone() */
	STATE_EXECED,  /* executed the program ->text; before, the thread was ->other */
	STATE_ARGS,    /* the process has the arguments ->text, with a NUL after each */
	STATE_IN,      /* process or thread, in the cgroup ->text of ->hierarchy; since its birth */
	STATE_MOVED,   /* the same from now on */
	STATE_PROCESS, /* the task is the leader of a process, or a thread of ->other (saved_tgids)
			*/
	STATE_CGROUP,  /* no task: the cgroup ->text has this ->id */
	STATE_UID,     /* the process is that of the user ->other */
	STATE_ENDED,   /* from now on, the id may be used again */
};

#define STATE_FLAGS_UNKNOWN UINT64_MAX

/* A fact. Pids are those of the initial namespace. */
struct task_state {
	enum task_state_kind kind;
	s32 pid, other, parent;
	u64 flags;
	u32 hierarchy;
	u64 id; /* of the cgroup; 0: unknown */
	bool guessed;
	struct name_place place;
	struct span text;
};

/* What a task is from a place on. */
struct process_change {
	s32 pid, tgid, parent; /* -1: unknown */
	s32 of; /* until the next change, it changes with this process; 0: with none */
	u32 n;  /* in the first one of a pid: the number of its changes */
	size_t seq, texts_seq; /* when it was made, and when texts of it were set */
	u32 cmdline, cgroup;   /* of ->texts */
	u32 life;              /* the number of tasks that had this id before */
	bool guessed;
	struct name_place place;
};

/*
 * What changed for all threads of a process ->pid besides its leader: the last texts of each kind,
 * and when they were set. What /proc contains is of one time, and has the place of the change of
 * that time which is ->moved.
 */
struct threads_change {
	s32 pid;
	size_t seq, place_seq, cmdline_seq, cgroup_seq, guessed_seq;
	u32 cmdline, cgroup;
	bool moved;
	struct name_place place;
};

/* Texts by their number: no text, none (it has no arguments), and the others. */
enum task_text_kind { TEXT_UNKNOWN, TEXT_NONE, N_TEXT_KINDS };

typedef ARRAY(struct task_state) task_state_array;

/* The user of a process from a time on. */
struct task_uid {
	s32 pid, uid;
	u64 ts;
};

struct processes {
	bool asked;       /* set by the caller: only then they are joined */
	u32 cgroup_depth; /* components of paths of cgroups; 0: all */
	task_state_array stated;
	struct arena arena;                     /* of their texts */
	INDEXED(struct process_change) changes; /* the first one of each by its pid */
	ARRAY(struct threads_change) of_threads;
	struct texts texts;
	u32 *ranks; /* of ->texts, in their order: the answer of who.h */
	struct who_texts sorted;
	ARRAY(struct cgroup_id {
		u64 id;
		u32 text;
	})
	ids;                         /* of cgroups */
	ARRAY(struct task_uid) uids; /* sorted when they are asked */
	u32 root;                    /* of cgroups */
	u32 hierarchy;   /* of cgroups, whose paths are the answer; 0: the unified one */
	u32 chosen;      /* set by the caller: ->hierarchy + 1; 0: it is found */
	u32 hierarchies; /* a bit for each that has more than a root */
	bool reused;     /* an id was that of several tasks */
};

struct names;
struct names_seen;

/*
 * State a fact of a journal or another source; texts are copied. With ->place.at 0 it is ordered
 * after all records of its time, and after the facts that were stated before. 0, -HIST_ENOMEM
 */
int names_learn(struct names *n, const struct task_state *fact);

/* Join the facts of the sources and of threads, when the names are known. 0, -HIST_ENOMEM */
int processes_build(struct names *n, struct names_seen *const *seen, size_t n_seen);
void processes_forget(struct processes *p);
void processes_release(struct processes *p);

/* --- asking --- */

/* Everything about a task at a place. Texts are valid until the names are built again. */
struct task_who {
	s32 tgid, parent;    /* -1: unknown */
	const char *process; /* the name of its leader; NULL: unknown */
	const char *cmdline; /* "": it has none; NULL: unknown */
	const char *cgroup;  /* NULL: unknown */
	bool guessed;
};

struct task_who names_task_at(struct names *n, s32 pid, u32 cpu, struct name_place place);

/* The name of a task, as names_at(); "" if names are not known yet. Context: as names_who() */
const char *names_comm(struct names *n, struct who_cache *cache, s32 pid, u32 cpu,
		       struct name_place place);

/* The answer about a task (name_key()) as in program/who.h. Context: hot path, any number of
 * threads */
u64 names_who(struct names *n, struct who_cache *cache, enum who_what what, s64 key,
	      struct name_place place);

/* The answer about a task in the cgroup with this id. */
u64 names_cgroup(const struct names *n, u64 id);

/* A task had a name at @ts. */
struct name_asked {
	s64 key;
	u64 ts;
	struct name_place since; /* it had this name from there on; 0, 0: it is a saved one */
	const char *name;        /* borrowed */
	bool guessed;
};

/* Is called for each question about a name; one thread asks. */
struct names_observer {
	void *arg;
	void (*asked)(void *arg, const struct name_asked *asked);
};
