/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * OUTPUT.part.PID: the files of a recording until its trace.dat is complete; OUTPUT.part.PID.N if
 * that name is in use.
 *
 * It is opened once, and its files are opened relative to its descriptor. It is trusted only if it
 * belongs to the caller and no other user can write to it (own.h).
 *
 *	manifest	blocks (blocks.h): all metadata
 *	cpuN		sub-buffers of CPU N, in order; with max-size a ring of them; with keep or
 *			rotate in slots, see kept.h
 *	tasks		the journal of tasks, see task_journal.h
 *	tasks.old	what precedes it, if only the last part is kept
 *	trace.dat	the file, while it is being written
 *	machine.dat	the events of this machine, while a script is checked
 *	reserve		disk space for the end of the recording if the disk is full
 *
 * The manifest is locked until its owner ends. Its blocks:
 *
 *	hist-recording		the first block: this program created the directory
 *	version, codec, buffer, clock, clocks, subbuf, long, cpus, max, kept, uname, header_page,
 *	header_event, "format SYSTEM", kallsyms, printk, script, limits
 *	ready			all of the above is complete: the data can be interpreted
 *	cmdlines, "stats CPU"	written after the recording; the last one wins
 *	"size CPU"		the size of cpuN at that time, to report data that vanishes later
 *	"live PATH"		the kernel's text of that file
 *	stopped			why the recording ended early
 *	"tasks ..."		of the journal of tasks, see task_journal.h
 *	"cut INODE"		with rotate, before a complete trace.dat is renamed to its file:
 *				a line "CPU OFFSET" for each CPU, where the next one begins
 *
 * Before the directory is removed, the manifest is cut to its first word.
 */
#pragma once
#include "base/base.h"

struct workdir {
	char *path; /* for messages, and for recovery */
	int parent; /* the directory of the output */
	int dir;
	int manifest; /* locked */
	u64 manifest_size;
};

#define WORKDIR_INIT                \
	{                           \
		NULL, -1, -1, -1, 0 \
	}

/* Create the work directory for @output. */
int workdir_create(struct workdir *w, const char *output, struct diags *diags);

/**
 * workdir_open() - open a work directory whose owner has ended
 * @parent: the directory that contains it; AT_FDCWD: look up @path
 *
 * Return: 0; 1 if it is in use; -HIST_ENOENT if there is none; -HIST_EFORMAT if this program did
 *         not create it; -HIST_EIO with errno: EACCES, ELOOP or ENOTDIR if it is not the caller's
 *         (own.h); -HIST_ENOMEM
 */
int workdir_open(struct workdir *w, int parent, const char *path);

/* Close it; the files remain, and errno is kept. */
void workdir_close(struct workdir *w);

/**
 * workdir_remove() - remove the directory and its files, and close it
 *
 * A partly removed directory is never taken for a recording.
 *
 * Return: 0, -HIST_EIO with errno if something is left
 */
int workdir_remove(struct workdir *w);

/* The same, and a diagnosis if something is left. */
int workdir_discard(struct workdir *w, enum diag_level level, struct diags *diags);

/* Whether workdir_remove() has begun. */
bool workdir_is_done(struct span manifest);

/* Remove the directory @path of @parent if it is the caller's and empty; 0 or -1 with errno. */
int workdir_remove_empty(int parent, const char *path);

/* Append a block to the manifest, see block_add(). */
int workdir_add(struct workdir *w, struct span data, const char *key, ...) PRINTF_LIKE(3, 4);
int workdir_add_number(struct workdir *w, const char *key, u64 value);
int workdir_append(struct workdir *w, const struct strbuf *blocks);

/* Read the whole manifest. */
int workdir_manifest(const struct workdir *w, struct strbuf *text);

/* Whether any CPU from @first on has data; -HIST_EIO with errno. */
int workdir_has_data(const struct workdir *w, u32 first, bool *has);

/* Open the data of @cpu; -1 with errno. */
int workdir_cpu(const struct workdir *w, u32 cpu, int flags);

/* Open the sub-buffers of the journal of tasks, see task_journal.h; -1 with errno. */
int workdir_tasks(const struct workdir *w, int flags);
int workdir_old_tasks(const struct workdir *w);

/* The journal becomes the old one. -1 with errno */
int workdir_rotate_tasks(const struct workdir *w);

/* Path of the trace.dat to write, in @w->dir. */
extern const char workdir_file[];

/* Path for a temporary description of the machine, in @w->dir; to be freed. */
char *workdir_machine(const struct workdir *w);

/* Open the file that reserves disk space for finishing; -1 with errno. */
int workdir_reserve(const struct workdir *w);

/* Remove everything except the manifest and the data: the reserve, and files being written. */
void workdir_unreserve(const struct workdir *w);

/* The work directories of @output, newest first, of all users, including those in use. */
struct workdir_list {
	int parent; /* the directory that contains all of them */
	ARRAY(char *) paths;
};

#define WORKDIR_LIST_INIT      \
	{                      \
		-1, ARRAY_INIT \
	}

int workdir_find(const char *output, struct workdir_list *list, struct diags *diags);
void workdir_list_release(struct workdir_list *list);

/* PID or PID.N in the path of a work directory. */
const char *workdir_pid(const char *path);

/* Length of the output's path at the start of it. */
size_t workdir_output_length(const char *path);
