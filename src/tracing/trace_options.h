/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The options of an instance: options/NAME and trace_options.
 */
#ifndef HIST_TRACING_TRACE_OPTIONS_H
#define HIST_TRACING_TRACE_OPTIONS_H

#include "base/base.h"

struct trace_array;

/* kernel: TRACE_FLAGS, of which only these have an effect here. ORDER trace_options[] */
enum trace_option {
	TRACE_ITER_PRINT_PARENT = 1 << 0,
	TRACE_ITER_SYM_OFFSET = 1 << 1,
	TRACE_ITER_SYM_ADDR = 1 << 2,
	TRACE_ITER_VERBOSE = 1 << 3,
	TRACE_ITER_RAW = 1 << 4,
	TRACE_ITER_HEX = 1 << 5,
	TRACE_ITER_BIN = 1 << 6,
	TRACE_ITER_FIELDS = 1 << 8,
	TRACE_ITER_PRINTK = 1 << 9,
	TRACE_ITER_ANNOTATE = 1 << 10,
	TRACE_ITER_USERSTACKTRACE = 1 << 11,
	TRACE_ITER_PRINTK_MSGONLY = 1 << 13,
	TRACE_ITER_CONTEXT_INFO = 1 << 14,
	TRACE_ITER_LATENCY_FMT = 1 << 15,
	TRACE_ITER_RECORD_TGID = 1 << 17,
	TRACE_ITER_OVERWRITE = 1 << 18,
	TRACE_ITER_IRQ_INFO = 1 << 20,
	TRACE_ITER_MARKERS = 1 << 21,
	TRACE_ITER_EVENT_FORK = 1 << 22,
	TRACE_ITER_HASH_PTR = 1 << 26,
	TRACE_ITER_BITMASK_LIST = 1 << 27,
	TRACE_ITER_STACKTRACE = 1ull << 31,
};

/* The options of a new instance. */
u64 trace_options_default(const struct trace_array *tr);

/* The option with that name; 0 if this kernel does not have it. */
u64 trace_option_find(const struct trace_array *tr, struct span name);

/* The name of an option, "" if this kernel does not have it; NULL after the last one. */
const char *trace_option_name(const struct trace_array *tr, unsigned int i);

/* Whether it has any effect here. */
bool trace_option_works(u64 option);

/* Whether it affects what is recorded, not only the output. */
bool trace_option_records(u64 option);

void trace_option_set(struct trace_array *tr, u64 option, bool on);

/* One write to trace_options: "NAME" or "noNAME". */
int trace_options_write(struct trace_array *tr, struct span text, struct diags *diags);

#endif
