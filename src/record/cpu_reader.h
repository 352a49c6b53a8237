/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * From the kernel's ring buffer into the per-CPU files, one thread a CPU.
 */
#ifndef HIST_RECORD_CPU_READER_H
#define HIST_RECORD_CPU_READER_H

#include <pthread.h>
#include <stdatomic.h>

#include "record/session.h"
#include "record/workdir.h"

/* Disk space that is set aside while events are captured, to write the file with. */
struct reserve {
	int fd;           /* -1: none is needed, or the file system cannot do it */
	unsigned int per; /* one byte for so many bytes of events */
	u64 rest;         /* of size, for what the file has besides events */
	u64 size;
	pthread_mutex_t mutex; /* of size and of all allocations */
};

struct cpu_reader {
	u32 cpu, subbuf;
	int raw; /* trace_pipe_raw, non-blocking */
	int out;
	int pipe[2];
	size_t batch;            /* bytes that fit into the pipe, whole sub-buffers */
	bool copies;             /* the file system of @out cannot splice */
	u64 ring;                /* @out keeps the latest so many bytes; 0: all */
	u64 pos;                 /* in @out, of the next sub-buffer */
	u64 room;                /* up to here the disk has space for @out */
	struct reserve *reserve; /* of all readers */
	u64 limit;               /* the largest size that @out may have */
	u64 lost;                /* bytes that had left the kernel when @out could not take them */
	_Atomic u64 moved;       /* bytes in all */
	int error;               /* errno that ended it; 0: none */
	int stop, failed;        /* eventfds of all readers */
	bool running;
	pthread_t thread;
	char *page; /* one sub-buffer */
};

struct readers {
	struct cpu_reader *v;
	size_t n;
	struct reserve reserve;
	int stop;   /* eventfd: all must come to an end */
	int failed; /* eventfd: one came to an end by itself; to be polled by the caller */
};

#define READERS_INIT                                              \
	{                                                         \
		.reserve = { .fd = -1 }, .stop = -1, .failed = -1 \
	}

/* Bytes of a ring for max-size @kb: whole sub-buffers, one at least; 0 for 0. */
u64 reader_ring_size(u64 kb, u32 subbuf);

/* Index of the oldest of @n sub-buffers, 0 if they do not wrap around; -1 with errno. */
int reader_ring_start(int fd, u64 n, u32 subbuf, u64 *start);

/* What the files are like. */
struct reader_files {
	u64 ring;      /* from reader_ring_size() */
	u64 rest;      /* bytes that the trace.dat has besides events */
	bool compress; /* the trace.dat is to be compressed */
};

/* Open the buffers of @s and the files in @w, behind what they hold. */
int readers_open(struct readers *rs, const struct session *s, const struct workdir *w,
		 const struct reader_files *files, struct diags *diags);

/* Start the threads. */
int readers_start(struct readers *rs, struct diags *diags);

/*
 * Tracing is off: take what is left, partial sub-buffers too, and join the threads. Without
 * threads the caller's thread does it. May be called again: what failed is tried again.
 */
void readers_finish(struct readers *rs);

/* The disk is full: give back what was set aside for all but the events. */
void readers_unreserve(struct readers *rs);

u64 readers_moved(const struct readers *rs);

/* Bytes that had left the kernel and did not get to the disk. */
u64 readers_lost(const struct readers *rs);

/* The first reader that failed; NULL if none did. */
const struct cpu_reader *readers_failure(const struct readers *rs);

void readers_close(struct readers *rs);

#endif
