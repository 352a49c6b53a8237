/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The kernel's ring buffer, with interrupts and readers at any instruction: part of a test, which
 * can define rb_step() to act between two steps.
 */
#ifndef KERNEL_RING_WHOLE_H
#define KERNEL_RING_WHOLE_H

#include "kernel_ring/commit.c"
#include "kernel_ring/kernel_ring.c"
#include "kernel_ring/reader.c"
#include "kernel_ring/reserve.c"
#include "kernel_ring/tail.c"

#endif
