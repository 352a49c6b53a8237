/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * OUTPUT.part.PID: what a recording is made of until its trace.dat is complete.
 *
 *	manifest	blocks (blocks.h): all that is needed besides the data
 *	cpuN		sub-buffers of CPU N, in order; with max-size a ring of them
 *	trace.dat	the file, while it is being written
 *	machine.dat	the events of this machine, while a script is judged
 *	reserve		disk space to finish with when the disk is full
 *
 * The manifest is locked while its owner lives. Its blocks:
 *
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
	char *path;
	int manifest; /* locked */
	u64 manifest_size;
};

#define WORKDIR_INIT        \
	{                   \
		NULL, -1, 0 \
	}

/* Make one for @output. */
int workdir_create(struct workdir *w, const char *output, struct diags *diags);

/* Open one whose owner is dead; 0, 1 if it is in use, -HIST_ENOENT if it is none. */
int workdir_open(struct workdir *w, const char *path);

/* Let go of it; the files stay. */
void workdir_close(struct workdir *w);

/* Remove its files and itself. */
void workdir_remove(struct workdir *w);

/* Append a block to the manifest. */
int workdir_add(struct workdir *w, const char *key, struct span data);
int workdir_add_number(struct workdir *w, const char *key, u64 value);

/* The whole manifest. */
int workdir_manifest(const struct workdir *w, struct strbuf *text);

/* Open the data of @cpu; -1 with errno. */
int workdir_cpu(const struct workdir *w, u32 cpu, int flags);

/* Where to write the trace.dat; to be freed. */
char *workdir_file(const struct workdir *w);

/* Where to describe the machine for a while; to be freed. */
char *workdir_machine(const struct workdir *w);

/* Set disk space aside for the end; -HIST_EIO with errno ENOSPC if there is none. */
int workdir_reserve(const struct workdir *w, u64 size);
void workdir_unreserve(const struct workdir *w);

/* The work directories of @output, newest first, in use or not. To be freed, each and all. */
struct workdir_list {
	ARRAY(char *) paths;
};
int workdir_find(const char *output, struct workdir_list *list);
void workdir_list_release(struct workdir_list *list);

/* PID in the name of a work directory. */
const char *workdir_pid(const char *path);

#endif
