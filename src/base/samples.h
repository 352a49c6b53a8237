/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The samples of a row in a word of 64 bits. There may be millions of rows, and most of many have
 * one sample: that of at most 61 bits is in the word itself. No samples are 0; otherwise, bit 0 is
 * set if the word is the address of a sketch, bit 1 if samples are s64.
 *
 * The live map and its frozen results share a sketch, each with a word of its own; a shared sketch
 * is copied before a change. Words that share one belong to one thread.
 */
#pragma once
#include "base/sketch.h"

enum { SAMPLES_IN_SKETCH = 1, SAMPLES_SIGNED = 2, SAMPLES_ONE = 4, SAMPLES_SHIFT = 3 };

/* NULL: there is none. */
static inline struct sketch *samples_sketch(u64 word)
{
	return word & SAMPLES_IN_SKETCH ? (struct sketch *)(uintptr_t)(word & ~7ull) : NULL;
}

/* Make a word without samples that of the sample @v; false: it is too large. */
static inline bool samples_set_one(u64 *word, u64 v, bool is_signed)
{
	*word = v << SAMPLES_SHIFT | SAMPLES_ONE | (is_signed ? SAMPLES_SIGNED : 0);
	if (likely((u64)((s64)*word >> SAMPLES_SHIFT) == v))
		return true;
	*word = 0;
	return false;
}

/* A sketch that may be changed, with the samples so far; NULL if out of memory. */
struct sketch *samples_own(u64 *word, bool is_signed);

/* Add a sample, or all samples of @from. 0, -HIST_ENOMEM */
int samples_add(u64 *word, u64 v, bool is_signed);
int samples_add_sketch(u64 *word, const struct sketch *from);

/* Add the samples of @from, which has none afterwards. 0, -HIST_ENOMEM */
int samples_move(u64 *word, u64 *from);

/* Another word for the same samples. */
static inline u64 samples_share(u64 word)
{
	if (word & SAMPLES_IN_SKETCH)
		samples_sketch(word)->refs++;
	return word;
}

/* Reset to no samples. */
void samples_release(u64 *word);

/* As a sketch: that of the word, or @space, which needs no release. */
const struct sketch *samples_view(u64 word, bool is_signed, struct sketch *space);
