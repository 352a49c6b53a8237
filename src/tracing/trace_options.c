// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The options of an instance.
 *
 * All names of the kernel are accepted, so that its scripts run; most have no effect here, because
 * they concern recording or other tracers.
 *
 * Corresponds to TRACE_FLAGS in trace.h, trace_set_options() and set_tracer_flag() in trace.c.
 */
#include "program/version.h"
#include "tracing/array_buffer.h"
#include "tracing/trace_options.h"
#include "tracing/tracing.h"

enum {
	WORKS = TRACE_ITER_PRINT_PARENT | TRACE_ITER_SYM_OFFSET | TRACE_ITER_SYM_ADDR |
		TRACE_ITER_VERBOSE | TRACE_ITER_RAW | TRACE_ITER_HEX | TRACE_ITER_BIN |
		TRACE_ITER_FIELDS | TRACE_ITER_PRINTK | TRACE_ITER_PRINTK_MSGONLY |
		TRACE_ITER_ANNOTATE | TRACE_ITER_USERSTACKTRACE | TRACE_ITER_CONTEXT_INFO |
		TRACE_ITER_LATENCY_FMT | TRACE_ITER_OVERWRITE | TRACE_ITER_IRQ_INFO |
		TRACE_ITER_MARKERS | TRACE_ITER_BITMASK_LIST | TRACE_ITER_EVENT_FORK |
		TRACE_ITER_HASH_PTR | TRACE_ITER_STACKTRACE | TRACE_ITER_RECORD_TGID,
	TRACE_PRINTK_DEST = 1 << 23,
	TRACE_COPY_MARKER = 1 << 24,
};

/* ORDER enum trace_option; the last two are those of the nop tracer */
static const struct {
	const char *name;
	bool on;
	struct kernel_version since;
} trace_options[] = {
	{ "print-parent", true, { 0 } },
	{ "sym-offset", false, { 0 } },
	{ "sym-addr", false, { 0 } },
	{ "verbose", false, { 0 } },
	{ "raw", false, { 0 } },
	{ "hex", false, { 0 } },
	{ "bin", false, { 0 } },
	{ "block", false, { 0 } },
	{ "fields", false, { 6, 4, 0 } },
	{ "trace_printk", true, { 0 } },
	{ "annotate", true, { 0 } },
	{ "userstacktrace", false, { 0 } },
	{ "sym-userobj", false, { 0 } },
	{ "printk-msg-only", false, { 0 } },
	{ "context-info", true, { 0 } },
	{ "latency-format", false, { 0 } },
	{ "record-cmd", true, { 0 } },
	{ "record-tgid", false, { 0 } },
	{ "overwrite", true, { 0 } },
	{ "disable_on_free", false, { 0 } },
	{ "irq-info", true, { 0 } },
	{ "markers", true, { 0 } },
	{ "event-fork", false, { 0 } },
	{ "trace_printk_dest", true, { 6, 12, 0 } },
	{ "copy_trace_marker", true, { 6, 16, 0 } },
	{ "pause-on-trace", false, { 0 } },
	{ "hash-ptr", true, { 0 } },
	{ "bitmask-list", false, { 7, 0, 0 } },
	{ "function-trace", true, { 0 } },
	{ "function-fork", false, { 0 } },
	{ "display-graph", false, { 0 } },
	{ "stacktrace", false, { 0 } },
	{ "test_nop_accept", false, { 0 } },
	{ "test_nop_refuse", false, { 0 } },
};

static bool has_option(const struct trace_array *tr, size_t i)
{
	struct kernel_version have = tr->tracing->machine.quirks->version,
			      since = trace_options[i].since;

	return have.major > since.major || (have.major == since.major && have.minor >= since.minor);
}

const char *trace_option_name(const struct trace_array *tr, unsigned int i)
{
	if (i >= ARRAY_SIZE(trace_options))
		return NULL;
	return has_option(tr, i) ? trace_options[i].name : "";
}

u64 trace_options_default(const struct trace_array *tr)
{
	u64 flags = 0;

	for (size_t i = 0; i < ARRAY_SIZE(trace_options); i++)
		flags |= (u64)(trace_options[i].on && has_option(tr, i)) << i;
	/* kernel: trace_printk() and trace_marker go to the top instance only */
	return tr->name[0] ? flags & ~(u64)(TRACE_PRINTK_DEST | TRACE_COPY_MARKER) : flags;
}

u64 trace_option_find(const struct trace_array *tr, struct span name)
{
	for (size_t i = 0; i < ARRAY_SIZE(trace_options); i++)
		if (span_eq(name, trace_options[i].name) && has_option(tr, i))
			return 1ull << i;
	return 0;
}

bool trace_option_works(u64 option)
{
	return option & WORKS;
}

bool trace_option_records(u64 option)
{
	return option & (TRACE_ITER_OVERWRITE | TRACE_ITER_MARKERS | TRACE_ITER_STACKTRACE |
			 TRACE_ITER_USERSTACKTRACE);
}

void trace_option_set(struct trace_array *tr, u64 option, bool on)
{
	tr->trace_flags = on ? tr->trace_flags | option : tr->trace_flags & ~option;
	tr->were_on |= tr->trace_flags;
	if (option == TRACE_ITER_OVERWRITE)
		array_buffer_overwrite(tr, on);
}

int trace_options_write(struct trace_array *tr, struct span text, struct diags *diags)
{
	struct span name = span_trim(text);
	bool on = !span_starts(name, "no");
	u64 option;

	if (!on)
		name = span_skip(name, strlen("no"));
	option = trace_option_find(tr, name);
	if (!option)
		return diags_error(diags, -HIST_EREJECTED,
				   "no option has the name %.*s: Invalid argument", (int)name.n,
				   name.s);
	trace_option_set(tr, option, on);
	return 0;
}
