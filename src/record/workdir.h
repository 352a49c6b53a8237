/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * OUTPUT.part.PID: what a recording is made of until its trace.dat is complete.
 *
 * It is opened once, and everything in it by its descriptor; it is believed only if it belongs
 * to the caller and nobody else can write to it (own.h).
 *
 *	manifest	blocks (blocks.h): all that is needed besides the data
 *	cpuN		sub-buffers of CPU N, in order; with max-size a ring of them
 *	trace.dat	the file, while it is being written
 *	machine.dat	the events of this machine, while a script is judged
 *	reserve		disk space to finish with when the disk is full
 *
 * The manifest is locked while its owner lives. Its blocks:
 *
 *	hist-recording		the first one: this program made the directory
 *	version, codec, buffer, clock, clocks, subbuf, long, cpus, max, uname, header_page,
 *	header_event, "format SYSTEM", kallsyms, printk, script, limits
 *	ready			all of the above is there: the data can be understood
 *	cmdlines, "stats CPU"	when the recording has ended; the last one counts
 *	"live PATH"		what the kernel printed there
 *	stopped			why it ended before its time
 */
#ifndef HIST_RECORD_WORKDIR_H
#define HIST_RECORD_WORKDIR_H

#include "base/base.h"

struct workdir {
	char *path; /* for messages, and for others to find it */
	int parent; /* the directory of the output */
	int dir;
	int manifest; /* locked */
	u64 manifest_size;
};

#define WORKDIR_INIT                \
	{                           \
		NULL, -1, -1, -1, 0 \
	}

/* Make one for @output. */
int workdir_create(struct workdir *w, const char *output, struct diags *diags);

/**
 * workdir_open() - open one whose owner is dead
 * @parent: the directory that it is in, AT_FDCWD to find it by @path
 *
 * Return: 0; 1 if it is in use; -HIST_ENOENT if there is none; -HIST_EFORMAT if this program
 *         did not make it; -HIST_EIO with errno: EACCES, ELOOP or ENOTDIR if it is not the
 *         caller's (own.h); -HIST_ENOMEM
 */
int workdir_open(struct workdir *w, int parent, const char *path);

/* Let go of it; the files stay. */
void workdir_close(struct workdir *w);

/**
 * workdir_remove() - remove its files and itself, and close it
 *
 * What is removed in part is never taken for a recording.
 *
 * Return: 0, -HIST_EIO with errno if something is left
 */
int workdir_remove(struct workdir *w);

/* Remove the directory @path of @parent if it is the caller's and empty; 0 or -1 with errno. */
int workdir_remove_empty(int parent, const char *path);

/* Append a block to the manifest. */
int workdir_add(struct workdir *w, const char *key, struct span data);
int workdir_add_number(struct workdir *w, const char *key, u64 value);

/* The whole manifest. */
int workdir_manifest(const struct workdir *w, struct strbuf *text);

/* Whether the data of some CPU is there; -HIST_EIO with errno. */
int workdir_has_data(const struct workdir *w, bool *has);

/* Open the data of @cpu; -1 with errno. */
int workdir_cpu(const struct workdir *w, u32 cpu, int flags);

/* Where to write the trace.dat, in @w->dir. */
extern const char workdir_file[];

/* Where to describe the machine for a while; to be freed. */
char *workdir_machine(const struct workdir *w);
void workdir_remove_machine(const struct workdir *w);

/* Open the file that has disk space for the end; -1 with errno. */
int workdir_reserve(const struct workdir *w);

/* Remove all but the manifest and the data: the reserve, and what was being written. */
void workdir_unreserve(const struct workdir *w);

/* The work directories of @output, newest first, in use or not, of anybody. */
struct workdir_list {
	int parent; /* the directory that all are in */
	ARRAY(char *) paths;
};

#define WORKDIR_LIST_INIT      \
	{                      \
		-1, ARRAY_INIT \
	}

int workdir_find(const char *output, struct workdir_list *list, struct diags *diags);
void workdir_list_release(struct workdir_list *list);

/* PID in the name of a work directory. */
const char *workdir_pid(const char *path);

/* What is behind the last slash. */
const char *workdir_base(const char *path);

#endif
