// SPDX-License-Identifier: LGPL-2.1-only
/* The depth of the recorded machine's stacks; its clocks: their names and units. */
#include "program/hist_data.h"
#include "program/machine.h"

u32 rules_stack_depth(const struct kernel_quirks *rules)
{
	return rules->unlimited ? HIST_STACKTRACE_DEPTH_MAX : kernel_stack_depth(rules);
}

bool machine_has_clock(const struct machine *machine, const char *clock)
{
	static const char usual[] =
		"local global counter uptime perf mono mono_raw boot tai x86-tsc";
	const char *clocks = machine->clocks;
	struct span rest;

	/* some writers store only the selected clock */
	rest = span_of(clocks && strchr(clocks, ' ') ? clocks : usual);
	while (rest.s) {
		struct span name = span_trim(span_sep(&rest, " "));

		if (span_starts(name, "[") && name.n > 1)
			name = (struct span){ name.s + 1, name.n - 2 };
		if (span_eq(name, clock))
			return true;
	}
	return false;
}
