/* SPDX-License-Identifier: LGPL-2.1-only */
/* The time, and the clocks of a trace. */
#pragma once
#include <stdbool.h>

#include "base/types.h"

/* CLOCK_MONOTONIC */
u64 monotonic_ns(void);

/* Whether a clock of ftrace counts something else than nanoseconds. */
bool trace_clock_counts(const char *clock);
