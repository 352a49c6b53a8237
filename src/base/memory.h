/* SPDX-License-Identifier: LGPL-2.1-only */
/* The memory that this process uses, and that the machine has. */
#pragma once
#include "base/types.h"

/*
 * Bytes of memory in use that belong to no file, such as mapped recordings; 0 if unknown. Context:
 * takes some microseconds; any thread
 */
u64 memory_in_use(void);

/* From now on, let this process allocate at most @more bytes; malloc() fails for what is more. */
void memory_limit(u64 more);

/* Bytes of the machine's memory. */
u64 memory_of_machine(void);

/* Take @n bytes of those that are left, if there are as many; give them back. Any thread. */
bool memory_take(u64 *left, u64 n);
void memory_give(u64 *left, u64 n);
