/* SPDX-License-Identifier: LGPL-2.1-only */
/* Kernel stacks that were recorded with the records of inputs. */
#pragma once
#include "derive/deriver.h"

/* Whether anyone reads a field of an event that is a stack. */
bool derive_wants_stacks(const struct derive *d);

/*
 * The kernel stack of a record of an input with ->stack, which is the field @field, as the value of
 * a stack; NULL: it was not recorded. It stays until the end.
 */
static inline const u64 *derive_stack(const struct derive_record *r, size_t field)
{
	return (const u64 *)(uintptr_t)r->n[field];
}

/* Whether stacks are read that show what a quota held back; see tracing.throttle_code. */
bool derive_wants_causes(const struct derive *d);

/* Whether a task with this stack leaves the CPU because of a quota. */
static inline bool derive_stack_throttles(const u64 *stack)
{
	return stack && stack[stack[0] + 2];
}
