/* SPDX-License-Identifier: LGPL-2.1-only */
/* A recording of which only the last part is kept; part of record.h. */
#pragma once
#include "base/base.h"

struct kept;
struct kept_range;
struct record_event;
struct record_probe;
struct record_write;

/* What the kernel can wait for, or count, in an instance of its own (until.h). */
struct record_until {
	bool counts;                       /* its triggers count: then nothing is recorded */
	const struct record_event *events; /* with their filters */
	size_t n_events;
	const struct record_probe *definitions; /* of synthetic events */
	size_t n_definitions;
	const struct record_write *writes; /* of triggers that make them, in this order */
	size_t n_writes;
};

/* A file that contains a part of a recording, which may go on. */
struct record_cut {
	const char *output; /* in the directory of the plan's output */
	u64 from, to;       /* times of the trace clock; it consists of whole sub-buffers */
	struct span marks;  /* TRACE_DAT_HIST_MARKS */
	/* what it has of each CPU, instead of ->from and ->to; the next file follows it */
	const struct kept_range *parts;
	/* set before ->written: the CPU that lacks most after ->from, up to this time; 0: none */
	u64 begin;
	u32 begin_cpu;
};

/* RECORD_FULL: there is no room for more */
enum record_next { RECORD_GO_ON, RECORD_CUT, RECORD_END, RECORD_FULL };

/* Only the last part of a recording is kept, and files are made of it. */
struct record_keep {
	u64 max_bytes;                    /* of all CPUs; 0: half of what the disk has */
	bool memory;                      /* in memory, and not on the disk */
	u64 ns;                           /* the time that is kept; 0: by ->max_bytes */
	const struct record_until *until; /* NULL: the caller looks for the events in @kept */
	void *arg;
	/*
	 * Before the first event: @kept will get the sub-buffers (kept.h), and lasts until ->stop.
	 * 0, or an error with a diagnosis
	 */
	int (*start)(void *arg, struct kept *kept);
	void (*stop)(void *arg); /* called at least once */
	/*
	 * What to do next, asked several times a second; sets @cut, which is borrowed until
	 * ->written. @ended: nothing is recorded any more, and all that was is in @kept
	 */
	enum record_next (*next)(void *arg, bool ended, struct record_cut *cut);
	/* The file of @cut has @bytes; @err: it was not written, which was reported */
	void (*written)(void *arg, const struct record_cut *cut, u64 bytes, int err);
	/* The signal that asks for a file (SIGUSR1). */
	void (*asked)(void *arg);
};

/* One file after the other, without a gap. Each time a file begins when one of the limits is
 * reached. */
struct record_rotate {
	u64 bytes; /* of events; 0: no limit */
	u64 ns;    /* 0: no limit */
	u64 times; /* files that are kept: older ones are removed; 0: all */
	/* a file was written: a line without its newline; NULL: not called */
	void (*report)(void *arg, const char *line);
	void *arg;
};

/* The name of file @number: it replaces %n in @pattern. To be freed; NULL: out of memory */
char *record_output_name(const char *pattern, u64 number);
