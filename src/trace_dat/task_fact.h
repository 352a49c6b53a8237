/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The journal of tasks of a recording: what /proc knew of them when it began, and the events that
 * made, renamed, moved and ended tasks until its end.
 *
 * It is stored in options TRACE_DAT_HIST_TASKS: the options of a file are one text of lines, in
 * time order, each of a word, numbers and texts with one space between them. In a text, bytes up to
 * the space, '\' and DEL are written as \NNN (octal). A reader skips lines with unknown words, and
 * ignores what follows the last text. The journals of files that were combined follow each other.
 *
 *	tasks 1				version; a reader of version 1 uses nothing of a later one
 *	begin TS			from this time of the trace clock the events are complete
 *	is PID TGID PPID START COMM	/proc knew this task; START: ns since the boot
 *	of PID TGID			at some time, it was a thread of this process
 *	args PID TEXT			its arguments, with a NUL after each
 *	in PID HIERARCHY PATH		its cgroup, in the kernel's number of the hierarchy; of a
 *					thread only if its process is in another one
 *	cgroup ID PATH			a cgroup of version 2, or of the controller cpu of version
 *					1; ID: the inode number of its directory
 *	scanned TS			all of /proc was read
 *	new TS PID PARENT FLAGS COMM	the thread PARENT made a task (FLAGS of clone)
 *	name TS PID OLD NEW		a task is renamed directly after this time
 *	exec TS PID OLDPID FILE		a process executed a program
 *	argv TS PID TEXT		its arguments, with a NUL after each; follows "exec", unless
 *					they are not known
 *	moved TS PID HIERARCHY PATH ID	a process, or one thread of it, was moved to another cgroup
 *					or made in it; no text: it is not known which. ID may be
 *					absent
 *	exit TS PID COMM		a task ended
 *	from TEXT			the source of the following lines: another one than the
 *					recording itself
 *	unread N			of N executed programs the arguments are not known
 *	unseen N			N tasks could not be read (0: an unknown number)
 *	lost N				N events were lost
 *	lacks SYSTEM/EVENT		the kernel has no such event; "journal": of files that were
 *					combined, one has no journal
 *	end TS				until this time the events are complete
 *	map TS PID ADDR SIZE OFFSET ID PATH
 *					a process mapped this part of a file, so that it can be
 *					executed; ID: the build id of the file in hexadecimal, may
 *					be empty. A new process has the mappings of that which made
 *					it, until it executes a program. PID 0: a part of the kernel
 *	quota END N NS PATH MAX		a cgroup with a CPU quota (cpu.max) had been held back for
 *					NS in N periods when the recording began (END 0), or ended
 *	pressure END SOME ALL PATH	cpu.pressure of a cgroup then, in us: for how long some of
 *					its tasks, and all that were not idle, waited for a CPU
 *	uid TS PID UID			the process has been that of this user since then; the first
 *					one: since the beginning
 *	steal END NS			for how long the hypervisor had not run CPUs then
 *	code ADDR NAMES PATH		the functions at an address, innermost first, with a NUL
 *					after each: all but the last one are inlined; the file
 */
#pragma once
#include "trace_dat/open.h"

enum { TASK_JOURNAL_VERSION = 1 };

/* ORDER words in task_fact.c */
enum task_fact_kind {
	TASK_VERSION,
	TASK_BEGIN,
	TASK_IS,
	TASK_OF,
	TASK_ARGS,
	TASK_IN,
	TASK_SCANNED,
	TASK_NEW,
	TASK_NAME,
	TASK_EXEC,
	TASK_ARGV,
	TASK_MOVED,
	TASK_EXIT,
	TASK_FROM,
	TASK_UNREAD,
	TASK_UNSEEN,
	TASK_LOST,
	TASK_LACKS,
	TASK_END,
	TASK_MAP,
	TASK_CODE,
	TASK_CGROUP,
	TASK_QUOTA,
	TASK_STEAL,
	TASK_PRESSURE,
	TASK_UID,
	N_TASK_FACTS
};

/*
 * A line. Members that its kind does not have are 0 or absent: ->n are the numbers after the time
 * and the pid, ->text are the texts as they are in the line, see task_text(). ->id follows them.
 */
struct task_fact {
	enum task_fact_kind kind;
	u64 ts;
	s32 pid;
	u64 n[3];
	struct span text[2];
	u64 id;           /* 0: absent */
	struct span line; /* all of it, without its end; set by a reader */
};

/* The name of a task of that in /proc; absent: it is not known. */
struct span task_comm(struct span name);

/* Append the line of @fact, whose texts are any bytes. */
void task_fact_print(const struct task_fact *fact, struct strbuf *out);

/* The next line of a text that is a fact; false after the last one. */
bool task_fact_next(struct span *lines, struct task_fact *fact);

/* Decode a text of a line to at most @max bytes; their number. */
size_t task_text(struct span text, char *out, size_t max);

/* All lines of a file. */
struct task_facts {
	const struct trace_dat_option *options;
	size_t n;
	struct span rest; /* of the option before ->options */
};

/* None if the file has no journal, or one of a later version. */
void task_facts_init(struct task_facts *f, const struct trace_dat *td);
bool task_facts_next(struct task_facts *f, struct task_fact *fact);

/* What the journal of a file contains. */
struct task_journal {
	u64 version; /* 0: there is none */
	u64 n_tasks; /* threads: that /proc knew, and new ones */
	u64 lost;    /* events */
	u64 unseen;  /* tasks that could not be read */
	u64 unread;  /* executed programs whose arguments are not known */
	u64 begin, end;
	struct span from; /* the source; absent: the recording itself */
	bool complete;    /* nothing of it is missing */
};

void task_journal_read(const struct trace_dat *td, struct task_journal *journal);
