/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The options of an instance: options/NAME and trace_options.
 */
#pragma once
#include "base/base.h"

struct trace_array;

/*
 * kernel: TRACE_FLAGS, then those of the nop tracer. Name, default, whether it has any effect here,
 * first version (0: before 6.1)
 */
#define TRACE_OPTIONS(X)                                              \
	X(PRINT_PARENT, "print-parent", true, true, 0, 0)             \
	X(SYM_OFFSET, "sym-offset", false, true, 0, 0)                \
	X(SYM_ADDR, "sym-addr", false, true, 0, 0)                    \
	X(VERBOSE, "verbose", false, true, 0, 0)                      \
	X(RAW, "raw", false, true, 0, 0)                              \
	X(HEX, "hex", false, true, 0, 0)                              \
	X(BIN, "bin", false, true, 0, 0)                              \
	X(BLOCK, "block", false, false, 0, 0)                         \
	X(FIELDS, "fields", false, true, 6, 4)                        \
	X(PRINTK, "trace_printk", true, true, 0, 0)                   \
	X(ANNOTATE, "annotate", true, true, 0, 0)                     \
	X(USERSTACKTRACE, "userstacktrace", false, true, 0, 0)        \
	X(SYM_USEROBJ, "sym-userobj", false, false, 0, 0)             \
	X(PRINTK_MSGONLY, "printk-msg-only", false, true, 0, 0)       \
	X(CONTEXT_INFO, "context-info", true, true, 0, 0)             \
	X(LATENCY_FMT, "latency-format", false, true, 0, 0)           \
	X(RECORD_CMD, "record-cmd", true, false, 0, 0)                \
	X(RECORD_TGID, "record-tgid", false, true, 0, 0)              \
	X(OVERWRITE, "overwrite", true, true, 0, 0)                   \
	X(DISABLE_ON_FREE, "disable_on_free", false, false, 0, 0)     \
	X(IRQ_INFO, "irq-info", true, true, 0, 0)                     \
	X(MARKERS, "markers", true, true, 0, 0)                       \
	X(EVENT_FORK, "event-fork", false, true, 0, 0)                \
	X(TRACE_PRINTK_DEST, "trace_printk_dest", true, false, 6, 12) \
	X(COPY_TRACE_MARKER, "copy_trace_marker", true, false, 6, 16) \
	X(PAUSE_ON_TRACE, "pause-on-trace", false, false, 0, 0)       \
	X(HASH_PTR, "hash-ptr", true, true, 0, 0)                     \
	X(BITMASK_LIST, "bitmask-list", false, true, 7, 0)            \
	X(FUNCTION_TRACE, "function-trace", true, false, 0, 0)        \
	X(FUNCTION_FORK, "function-fork", false, false, 0, 0)         \
	X(DISPLAY_GRAPH, "display-graph", false, false, 0, 0)         \
	X(STACKTRACE, "stacktrace", false, true, 0, 0)                \
	X(TEST_NOP_ACCEPT, "test_nop_accept", false, false, 0, 0)     \
	X(TEST_NOP_REFUSE, "test_nop_refuse", false, false, 0, 0)

enum trace_option_bit {
#define X(id, name, on, works, major, minor) TRACE_BIT_##id,
	TRACE_OPTIONS(X)
#undef X
};

enum trace_option {
#define X(id, name, on, works, major, minor) TRACE_ITER_##id = 1ull << TRACE_BIT_##id,
	TRACE_OPTIONS(X)
#undef X
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
