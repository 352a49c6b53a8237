/* SPDX-License-Identifier: LGPL-2.1-only */
/* Pseudo-random numbers that are the same in every run. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include "base/base.h"

static u64 random_seed = 1;

static inline u32 random_below(u32 n)
{
	random_seed = random_seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(random_seed >> 33) % n;
}

static inline const char *one_of(const char *const *texts, u32 n)
{
	return texts[random_below(n)];
}

#define ONE_OF(texts) one_of(texts, ARRAY_SIZE(texts))

#endif
