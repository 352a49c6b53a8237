/* SPDX-License-Identifier: LGPL-2.1-only */
/* perf.data: an import, from the first look at the file to the records. */
#pragma once
#include "import/perf_unwind.h"

struct perf_import {
	struct import_job *job;
	struct perf_file f;
	struct perf_scan scan;
	struct import_machine machine;
	struct perf_tasks tasks;
	struct perf_unwind unwind;
	bool has_stacks;
	u64 lost, lost_samples;
	u64 bytes; /* of all records */
	unsigned int threads;
	u64 kernel_text;
	struct trace_dat_later later; /* if records are made later */
	const u8 *wanted;             /* ids of the records to make; NULL: all */
	u32 n_wanted;
};

/* Lost samples whose CPU and time are not known. */
static inline u64 perf_lost_more(const struct perf_import *p)
{
	return p->lost_samples > p->lost ? p->lost_samples - p->lost : 0;
}

/* --- perf_put.c --- */

/* Make the records that job->want asks for, in job->sink. */
int perf_put_records(struct perf_import *p);

/* --- perf_notes.c --- */

/* Describe the result, and what is missing. */
void perf_report(struct perf_import *p);
