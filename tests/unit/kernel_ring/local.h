/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The kernel's local_t: a word that is atomic with respect to interrupts on its own CPU, without
 * ordering between CPUs. Where another CPU reads it, the code uses acquire and release.
 */
#ifndef KERNEL_RING_LOCAL_H
#define KERNEL_RING_LOCAL_H

#include <stdatomic.h>

#include "base/base.h"

typedef _Atomic u64 local_t;

static inline u64 local_read(const local_t *l)
{
	return atomic_load_explicit((local_t *)l, memory_order_relaxed);
}

static inline void local_set(local_t *l, u64 v)
{
	atomic_store_explicit(l, v, memory_order_relaxed);
}

static inline u64 local_add_return(u64 v, local_t *l)
{
	return atomic_fetch_add_explicit(l, v, memory_order_relaxed) + v;
}

static inline void local_add(u64 v, local_t *l)
{
	atomic_fetch_add_explicit(l, v, memory_order_relaxed);
}

static inline void local_sub(u64 v, local_t *l)
{
	atomic_fetch_sub_explicit(l, v, memory_order_relaxed);
}

static inline bool local_try_cmpxchg(local_t *l, u64 old, u64 new)
{
	return atomic_compare_exchange_strong_explicit(l, &old, new, memory_order_relaxed,
						       memory_order_relaxed);
}

/* A compiler barrier at a point at which an interrupt may read. */
static inline void barrier(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

#endif
