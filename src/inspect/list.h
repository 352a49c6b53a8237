/* SPDX-License-Identifier: LGPL-2.1-only */
/* Lists the contents of a recording: as text, as json, and as rows. */
#pragma once
#include "hist-list.h"
#include "print/print.h"
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

/* --- list_count.c --- */

void list_count_start(struct buffer_count *c, const struct recording *rec, size_t b);
int list_count_rates(struct buffer_count *c, const struct recordings_times *times);
int list_count_buffer(struct recording *rec, size_t b, struct buffer_count *c, struct diags *diags);

const char *list_codec_name(enum trace_dat_codec codec);

/* The size of the input. */
u64 list_bytes(const struct recording *rec);

void list_print_time(struct strbuf *out, u64 ts, const char *clock);

/* When records of a CPU may be missing. */
void list_print_holes(struct strbuf *out, const struct buffer_count *c, u32 cpu, const char *clock);

/* Whether it is a time at which records of the CPU may be missing. */
static inline bool list_shows_hole(const struct coverage_hole *hole, const struct buffer_count *c,
				   u32 cpu)
{
	return hole->cpu == cpu && hole->from < c->last && hole->to > c->first;
}

/* A list that is being written: as text, as json, or a table in a format of rows. */
struct list_out {
	struct hist *h;
	struct json json;
	unsigned int flags; /* flags of hist_list() */
	bool damaged;       /* parts of a CPU of this file cannot be read */

	enum hist_list_table table;
	struct row_writer *rows; /* NULL: text or json */
	struct span file;        /* of the next rows */
	const char *instance;
};

/* Print the files of ->h. Return: 0, or a negative code */
int list_recording(struct list_out *l, struct printer *p, struct diags *diags);

/* Print a recording as one object on one line: its start, each buffer, its end. */
void list_json_begin(struct list_out *l, const struct recording *rec);
void list_json_buffer(struct list_out *l, const struct recording *rec, size_t b,
		      const struct buffer_count *c);
void list_json_end(struct list_out *l, const struct recording *rec);

void list_rows_buffer(struct list_out *l, const struct recording *rec,
		      const struct buffer_count *c);
