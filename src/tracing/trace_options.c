// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The options of an instance.
 *
 * All names of the kernel are accepted, so that its scripts run; most have no effect here, because
 * they concern recording or other tracers.
 *
 * Corresponds to TRACE_FLAGS in trace.h, trace_set_options() and set_tracer_flag() in trace.c.
 */
#include "tracing/trace_options.h"
#include "tracing/tracing.h"

static const struct {
	const char *name;
	bool on, works;
	struct kernel_version since;
} trace_options[] = {
#define X(id, name, on, works, major, minor) { name, on, works, { major, minor, 0 } },
	TRACE_OPTIONS(X)
#undef X
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
	return tr->name[0]
		       ? flags & ~(u64)(TRACE_ITER_TRACE_PRINTK_DEST | TRACE_ITER_COPY_TRACE_MARKER)
		       : flags;
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
	return trace_options[__builtin_ctzll(option)].works;
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
