/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reading the kernel's ring buffer into per-CPU files, one thread per CPU. */
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "record/disk_space.h"
#include "record/rest.h"

struct cpu_reader {
	u32 cpu, subbuf;
	int raw; /* trace_pipe_raw, non-blocking */
	int out;
	int pipe[2];
	size_t batch;      /* capacity of the pipe in whole sub-buffers, in bytes */
	bool copies;       /* the file system of @out cannot splice */
	u64 ring;          /* @out is a ring of this many bytes; 0: unlimited */
	struct kept *kept; /* @out has slots; NULL: it has not */
	struct ring_rest rest;
	bool stuck;              /* there was no room in ->kept the last time */
	size_t number;           /* of this reader in ->kept */
	u64 pos;                 /* offset in @out of the next sub-buffer */
	bool wrapped;            /* the ring was filled once, so all of it has data */
	u64 room;                /* end of the disk space allocated for @out */
	struct reserve *reserve; /* shared by all readers */
	u64 limit;               /* maximum size of @out */
	u64 lost;                /* bytes that had left the kernel when a write to @out failed */
	_Atomic u64 moved;       /* number of all bytes moved */
	int error;               /* errno that ended the thread; 0: none */
	int stop, failed;        /* eventfds of all readers */
	bool running;
	pthread_t thread;
	char *page; /* one sub-buffer */
};

struct readers {
	const struct session *session;
	struct cpu_reader *v;
	size_t n;
	struct reserve reserve;
	int stop;   /* eventfd: all readers must end */
	int failed; /* eventfd: a reader failed; polled by the caller */
};

#define READERS_INIT                                              \
	{                                                         \
		.reserve = { .fd = -1 }, .stop = -1, .failed = -1 \
	}

/* Size of a ring for max-size @kb in bytes: whole sub-buffers, at least one; 0 for 0. */
u64 reader_ring_size(u64 kb, u32 subbuf);

/* Index of the oldest of @n sub-buffers in a ring, 0 if it did not wrap around; -1 with errno. */
int reader_ring_start(int fd, u64 n, u32 subbuf, u64 *start);

/* Parameters of the files. */
struct reader_files {
	u64 ring;          /* from reader_ring_size() */
	u64 rest;          /* size of the trace.dat without events */
	bool compress;     /* the trace.dat will be compressed */
	struct kept *kept; /* only the last part is kept; initialised, but without files; or NULL */
	bool memory;       /* with ->kept: in memory */
};

/* Open the buffers of @s and the files in @w, to append to their contents. */
int readers_open(struct readers *rs, const struct session *s, const struct workdir *w,
		 const struct reader_files *files, struct diags *diags);

/* Start the threads. */
int readers_start(struct readers *rs, struct diags *diags);

/*
 * Call after tracing is off: reads the rest, including partial sub-buffers, and joins the threads.
 * If there are no threads, the calling thread reads. May be called again to retry.
 */
void readers_finish(struct readers *rs);

u64 readers_moved(const struct readers *rs);

/* Size that the file of @r must have after readers_finish(). */
u64 reader_file_size(const struct cpu_reader *r);

/* Warn of bytes that had left the kernel but could not be written. */
void readers_report_lost(const struct readers *rs, struct diags *diags);

/* The first reader that failed; NULL if none did. */
const struct cpu_reader *readers_failure(const struct readers *rs);

void readers_close(struct readers *rs);
