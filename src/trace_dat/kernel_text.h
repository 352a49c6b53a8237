/* SPDX-License-Identifier: LGPL-2.1-only */
/* Small texts of the kernel's tracing directory, which recordings contain, too. */
#pragma once
#include "base/base.h"

/* Of the ring buffer of a CPU: per_cpu/cpuN/stats. */
struct ring_stats {
	u64 entries;        /* events still in the buffer */
	u64 overrun;        /* lost: overwritten before they were read */
	u64 commit_overrun; /* lost: the buffer was full of unfinished writes */
	u64 dropped;        /* lost: the buffer was full, without overwriting */
	u64 read;           /* events read by a consumer */
	u64 bytes;          /* of the events still in the buffer */
	u64 oldest, now;    /* times of the first of them, and of the text; with a clock of ns */
};

/* Parse stats; numbers missing in the text become 0. */
void ring_stats_parse(struct span text, struct ring_stats *stats);

struct trace_dat;

/* Of a CPU, when the recording ended; 0 if the file has none. */
void trace_dat_stats_of(const struct trace_dat *td, const char *buffer, u32 cpu,
			struct ring_stats *stats);

static inline u64 ring_stats_lost(const struct ring_stats *s)
{
	return s->overrun + s->commit_overrun + s->dropped;
}

/*
 * Get the sub-buffer size and the size of the kernel's long from the text of events/header_page; 0
 * is set for one that is not described. Return: 0, -HIST_EFORMAT
 */
int header_page_parse(struct span text, u32 *subbuf_size, u32 *long_size);

/* The clock in brackets in the text of trace_clock; absent without one. */
struct span clock_selected(struct span text);
