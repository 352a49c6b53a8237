/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A recording to a pipe (trace_dat/stream_out.h): what is moved is in memory until it is written
 * there. The readers never wait for the pipe: if it is too slow, events are lost in the kernel,
 * which counts them.
 */
#pragma once
#include "record/kept.h"
#include "record/keep.h"

struct record_run;

/* What is in memory at most; twice as much while it waits for the pipe. */
#define RECORD_STREAM_BYTES (32ull << 20)

struct record_stream {
	struct record_run *run;
	struct record_keep keep;
	struct trace_dat_stream out;
	struct trace_dat_part *parts;
	u64 *next;   /* of each CPU: the number of the sub-buffer to be written */
	u64 *to;     /* of each CPU: the one after the last one of a batch */
	u64 moved;   /* the last record that was moved until it was looked at */
	u64 latest;  /* that of the moment when ->flushed was asked for */
	u64 flushed; /* CLOCK_MONOTONIC: since when the readers complete a batch; 0: they do not */
	u64 chosen;  /* CLOCK_MONOTONIC: when ->to was; 0: it was not. Names are awaited */
	u64 sent;    /* CLOCK_MONOTONIC: the last batch */
	char *page;  /* a slot */
	bool pipe;   /* writing may have to wait */
	bool begun, ended;
	int error; /* errno of the first failed write */
	pid_t guard;
	int guarded; /* while it is open */
};

void record_stream_init(struct record_stream *s, struct record_run *run);
/* Start a child that removes the work directory if this process is killed, which leaves nothing to
 * recover. */
int record_stream_guard(struct record_stream *s);

void record_stream_release(struct record_stream *s);

/* After the recording: what had no room in memory is still in the kernel; write it, too. */
void record_stream_drain(struct record_stream *s);
