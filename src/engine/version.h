/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What differs between kernel versions, all of it, in one table (version.c).
 *
 * Only major.minor decides. A version that is newer than the table, or unknown, gets the
 * newest behaviour.
 */
#ifndef HIST_ENGINE_VERSION_H
#define HIST_ENGINE_VERSION_H

#include "base/base.h"
#include "event/event.h"
#include "tracing_map/tracing_map.h"

struct kernel_version {
	unsigned int major, minor; /* 0.0: unknown */
};

struct kernel_quirks {
	struct kernel_version version;
	enum tracing_map_heapsort heapsort; /* the order of ties */
	bool nohitcount;         /* nohitcount, and hitcount is a field that takes modifiers */
	bool common_stacktrace;  /* that name; .stacktrace; stack variables; the generic fields */
	bool dollar_inside;      /* system.event.$var; before: $system.event.var */
	bool typed_hidden_keys;  /* hidden histograms take the keys with their modifiers */
	bool expr_text_checked;  /* an expression text over 255 bytes is refused */
	bool filter_function;    /* FIELD.function */
	bool filter_cpus;        /* CPUS{} */
	bool trigger_filter_log; /* bad filters of triggers reach error_log */
	bool glob_class_ends;    /* [!x] does not match the end of a text */
	bool nesting_limit;      /* at most 4 histograms at once on a CPU */
	bool resched_lazy;  /* need-resched has a lazy kind, whose flag meant no support before */
	bool common_comm;   /* a field of every event, for filters and histograms */
	bool set_event_mod; /* set_event takes :mod:MODULE */
	u8 nested_preempt;  /* preempt count of a synthetic event beyond that of its cause */
};

/* "6.12.117-1", "Linux host 6.1.0-30-amd64 x86_64": the last word with number.number; else 0.0. */
struct kernel_version kernel_version_parse(const char *text);

const struct kernel_quirks *kernel_quirks_of(struct kernel_version version);

/* Which fields every event has beside its own. */
enum event_generics kernel_generics(const struct kernel_quirks *q);

#endif
