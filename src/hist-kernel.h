/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: the few names of the kernel that its examples for hist-synth.h and hist-dynevent.h use
 * besides those of these headers, so that they compile in a program as in a module.
 */
#ifndef HIST_KERNEL_H
#define HIST_KERNEL_H

#include <stdint.h>
#include <stdlib.h>

typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif

#define GFP_KERNEL           0
#define kzalloc(size, flags) calloc(1, (size) + (flags))
#define kfree(p)             free(p)

/* A replay has no running CPU; values of fields come from the program. */
#define smp_processor_id() 0

#endif
