/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * inspect: the contents of a recording: how many events of which types it has, when records of its
 * CPUs may be missing, and the entries of its sub-buffers. hist_list() and hist_dump() print them.
 */
#pragma once
#include "recording/recording.h"

struct cpu_count {
	u64 events, missed, damaged;
	bool missed_unknown;
	struct trace_dat_lost stats; /* of these, what only the kernel's statistics count */
	u64 unread, unread_subbufs;  /* chunks that cannot be read, and sub-buffers in them */
	u64 about;                   /* events in them, if they are like the others */
	u64 gap_from, gap_to;        /* of all losses that have a place; 0, UINT64_MAX: the ends */
	size_t holes;                /* of its coverage */
};

/* Counts of one pass over a buffer. */
struct buffer_count {
	const struct trace_dat_buffer *buffer;
	struct {
		u64 from, to; /* only these times are counted */
	} part;
	u64 *by_id;
	u32 n_ids;
	u64 events, first, last;
	struct cpu_count *cpus;
	struct coverage coverage; /* of all CPUs */
	u64 *rates; /* rates[i * LIST_RATES + p]: event id i in period p; NULL: not requested */
	u64 start, end;
};

enum { LIST_RATES = 20, LIST_HOLES = 4 };

/*
 * Count the buffer of the first recording that hist_recorded_event() is about, which is also known
 * then. @rates: also ->rates, for times that are about right. Release @c in any case.
 */
int list_count(struct hist *h, bool rates, struct buffer_count *c, struct diags *diags);
void list_count_release(struct buffer_count *c);
