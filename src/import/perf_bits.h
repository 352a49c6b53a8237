/* SPDX-License-Identifier: LGPL-2.1-only */
/* What a sample of perf.data contains. Source: include/uapi/linux/perf_event.h */
#pragma once

enum { /* bits of sample_type */
       PERF_IP = 1 << 0,
       PERF_TID = 1 << 1,
       PERF_TIME = 1 << 2,
       PERF_ADDR = 1 << 3,
       PERF_READ = 1 << 4,
       PERF_CALLCHAIN = 1 << 5,
       PERF_ID = 1 << 6,
       PERF_CPU = 1 << 7,
       PERF_PERIOD = 1 << 8,
       PERF_STREAM_ID = 1 << 9,
       PERF_RAW = 1 << 10,
       PERF_BRANCH_STACK = 1 << 11,
       PERF_REGS_USER = 1 << 12,
       PERF_STACK_USER = 1 << 13,
       PERF_WEIGHT = 1 << 14,
       PERF_DATA_SRC = 1 << 15,
       PERF_IDENTIFIER = 1 << 16,
       PERF_TRANSACTION = 1 << 17,
       PERF_REGS_INTR = 1 << 18,
       PERF_PHYS_ADDR = 1 << 19,
       PERF_IN_CGROUP = 1 << 21,
       PERF_WEIGHT_STRUCT = 1 << 24,
};
