/* SPDX-License-Identifier: LGPL-2.1-only */
/* perf.data: samples of events that are not tracepoints. */
#ifndef HIST_IMPORT_PERF_SAMPLES_H
#define HIST_IMPORT_PERF_SAMPLES_H

#include "import/perf.h"

enum { PERF_SAMPLE_RECORD = 80 };

/* The name of the event, as perf has it. */
void perf_attr_name(const struct perf_attr *a, char *name, size_t size);
/* Add the format of perf:NAME for samples of @a. 0, -HIST_ENOMEM */
int perf_samples_format(const struct perf_file *f, struct perf_attr *a, struct import_sink *s);
/* Make a record of at most PERF_SAMPLE_RECORD bytes. @mode: what ran. Return: its length */
u32 perf_samples_record(const struct perf_file *f, const struct perf_sample *s, s32 pid, u8 mode,
			u8 *rec);

#endif
