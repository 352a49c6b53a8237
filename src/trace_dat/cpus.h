/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Composes the sub-buffers of the CPUs of a buffer from records, for a trace.dat.
 *
 * Records of different CPUs may come in any order, those of one CPU come in time order. A trace.dat
 * stores the sub-buffers of a CPU contiguously. So they are kept in pieces of one CPU: the first
 * ones in memory, the others in an unnamed file. They are written at the end.
 */
#pragma once
#include "ring_writer/ring_writer.h"
#include "trace_dat/writer.h"

/* Data up to this size is in memory, more is on a disk. */
enum { SPOOL_MEMORY = 1 << 26 };

/* Open an unnamed file for about @size bytes, in memory or in $TMPDIR; -1 and errno on failure. */
int spool_open(u64 size);

struct trace_dat_composed;

struct trace_dat_cpus {
	struct ring_buffer_layout layout;
	ARRAY(struct trace_dat_composed *) cpus; /* by number; NULL: no records */
	struct thread_once spool_opened;
	int spool, spool_errno;
	u64 spooled, in_memory; /* atomic */
	int direct;             /* the output file, to which regions are written; < 0: spool */
	u64 region;             /* size of each region; 0: regions are not used */
	u64 next_region;
	bool overran; /* -HIST_ELIMIT was returned because a CPU had more than its region */
};

void trace_dat_cpus_init(struct trace_dat_cpus *s, const struct ring_buffer_layout *layout);
void trace_dat_cpus_release(struct trace_dat_cpus *s);

/*
 * All records together have at most @bytes bytes, before the first one. If that is much, their
 * sub-buffers are written directly to their location in @fd, the unnamed file that the trace.dat is
 * written to: each CPU has a region of the file that has room for all records, at a distance from
 * the others and from the metadata. Holes take no space on the disk.
 */
void trace_dat_cpus_direct(struct trace_dat_cpus *s, int fd, u64 bytes);

/*
 * Add a record. As ring_buffer_compose(), and -HIST_ENOMEM, -HIST_EIO with errno, -HIST_ELIMIT.
 * Threads may add records of different CPUs if these have a record or loss before.
 */
int trace_dat_cpus_record(struct trace_dat_cpus *s, u32 cpu, const struct ring_buffer_record *rec);
/* Note that @n records were lost before @ts; < 0: unknown number. */
int trace_dat_cpus_lost(struct trace_dat_cpus *s, u32 cpu, u64 ts, s64 n);
/* Add a complete sub-buffer. */
int trace_dat_cpus_page(struct trace_dat_cpus *s, u32 cpu, const u8 *page);

/* Write all to the current buffer of @w. */
int trace_dat_cpus_write(struct trace_dat_cpus *s, struct trace_dat_writer *w);
