/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Coverage: where records of the CPUs of a buffer may be missing, as the holes between the spans of
 * time in which nothing is.
 *
 * That something happened needs a record. That something went on needs that no CPU that could have
 * ended it has a hole. recording/holes.c finds holes; readers of sub-buffers add those that they
 * find (struct ring_buffer_iter).
 */
#pragma once
#include "base/array.h"
#include "base/span.h"

/* ORDER words in coverage.c */
enum coverage_reason {
	COVERAGE_BEGIN,   /* older records were overwritten, or are in an earlier file */
	COVERAGE_LOST,    /* noted in a sub-buffer */
	COVERAGE_DROPPED, /* new events were dropped, some time between two sub-buffers */
	COVERAGE_DAMAGED, /* sub-buffers are damaged, or cannot be read */
};

/* Records of a CPU may be missing after ->from and before ->to. */
struct coverage_hole {
	u32 cpu;
	enum coverage_reason reason;
	u64 from; /* the last record before it; 0: there is none */
	u64 to;   /* the sub-buffer after it; UINT64_MAX: there is none */
	u64 n;    /* records that are missing; 0: unknown */
};

/* In order of time for each CPU. */
struct coverage {
	ARRAY(struct coverage_hole) holes;
	bool failed; /* out of memory */
};

/* "begin", "lost", "dropped", "damaged" */
const char *coverage_word(enum coverage_reason reason);

/* Sum of the lengths of the holes of a CPU from @first to @last, and their number. */
u64 coverage_missing(const struct coverage *c, u32 cpu, u64 first, u64 last, size_t *n);

void coverage_release(struct coverage *c);
