/* SPDX-License-Identifier: LGPL-2.1-only */
/* Lists the contents of a recording: as text, as json, and as rows. */
#pragma once
#include "hist-list.h"
#include "inspect/inspect.h"
#include "print/print.h"

/* --- list_count.c --- */

void list_count_start(struct buffer_count *c, const struct recording *rec, size_t b);
int list_count_rates(struct buffer_count *c, const struct recordings_times *times);
int list_count_buffer(struct recording *rec, size_t b, struct buffer_count *c, struct diags *diags);

const char *list_codec_name(enum codec codec);

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
