// SPDX-License-Identifier: LGPL-2.1-only
/* The time, and the clocks of a trace. */
#include <string.h>
#include <time.h>

#include "base/clock.h"

u64 monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

bool trace_clock_counts(const char *clock)
{
	static const char *const counts[] = { "counter", "uptime", "x86-tsc", "ppc-tb" };

	return any_of(i, ARRAY_SIZE(counts), !strcmp(clock, counts[i]));
}
