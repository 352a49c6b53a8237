/* SPDX-License-Identifier: LGPL-2.1-only */
/* Random numbers and changes of a mutator: the same seed gives the same ones. */
#ifndef TESTS_MUTATOR_H
#define TESTS_MUTATOR_H

#include "base/base.h"

/* defined by libFuzzer; a program without it never calls a mutator */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
__attribute__((visibility("default"))) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
								      size_t max,
								      unsigned int seed);

static u32 mutator_state;

static inline u32 mutator_random(size_t n)
{
	mutator_state = mutator_state * 1664525 + 1013904223;
	return n ? (u32)((mutator_state >> 8) % n) : 0;
}

static inline u32 mutate_number(u32 n)
{
	switch (mutator_random(4)) {
	case 0:
		return n + 1;
	case 1:
		return n - 1;
	case 2:
		return n + (1u << mutator_random(1 + mutator_random(32)));
	default:
		return n ^ (1u << mutator_random(1 + mutator_random(32)));
	}
}

#endif
