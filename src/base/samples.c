// SPDX-License-Identifier: LGPL-2.1-only
/* Samples in a word, and reference-counted sketches. */
#include <stdlib.h>

#include "base/error.h"
#include "base/samples.h"

const struct sketch *samples_view(u64 word, bool is_signed, struct sketch *space)
{
	const u64 v = (u64)((s64)word >> SAMPLES_SHIFT);

	if (word & SAMPLES_IN_SKETCH)
		return samples_sketch(word);
	*space = (struct sketch){ .is_signed = is_signed, .n = word != 0, .min = v, .max = v };
	return space;
}

struct sketch *samples_own(u64 *word, bool is_signed)
{
	struct sketch *own = samples_sketch(*word), one;

	if (own && own->refs == 1)
		return own;
	own = malloc(sizeof(*own));
	if (!own)
		return NULL;
	*own = (struct sketch){ .is_signed = is_signed, .refs = 1 };
	if (sketch_merge(own, samples_view(*word, is_signed, &one))) {
		sketch_release(own);
		free(own);
		return NULL;
	}
	samples_release(word);
	*word = (uintptr_t)own | SAMPLES_IN_SKETCH | (own->is_signed ? SAMPLES_SIGNED : 0);
	return own;
}

int samples_add(u64 *word, u64 v, bool is_signed)
{
	struct sketch *s;

	if (!*word && samples_set_one(word, v, is_signed))
		return 0;
	s = samples_own(word, is_signed);
	return s ? sketch_add(s, v, 1) : HIST_NOMEM;
}

int samples_add_sketch(u64 *word, const struct sketch *from)
{
	struct sketch *s;

	if (!from->n)
		return 0;
	if (!*word && from->n == 1 && !from->rounded &&
	    samples_set_one(word, from->min, from->is_signed))
		return 0;
	s = samples_own(word, from->is_signed);
	return s ? sketch_merge(s, from) : HIST_NOMEM;
}

int samples_move(u64 *word, u64 *from)
{
	struct sketch one;
	int err;

	if (!*word) {
		*word = *from;
		*from = 0;
		return 0;
	}
	err = samples_add_sketch(word, samples_view(*from, *from & SAMPLES_SIGNED, &one));
	samples_release(from);
	return err;
}

void samples_release(u64 *word)
{
	struct sketch *s = samples_sketch(*word);

	*word = 0;
	if (!s || --s->refs)
		return;
	sketch_release(s);
	free(s);
}
