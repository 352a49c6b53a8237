// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Cells are equal only if all their parts are, including the name of a number. Address 0xc0de
 * may be different functions on two machines, and pid 7 different tasks.
 */
#include "saved/merged.h"

static int cmp_num(const struct result_column *c, u64 a, u64 b)
{
	const u64 sign = c->is_signed ? 1ull << 63 : 0;

	return cmp_u64(a ^ sign, b ^ sign);
}

int cell_cmp(const struct result_column *c, const struct result_cell *a,
	     const struct result_cell *b)
{
	int ret;

	if (a->absent || b->absent)
		return (int)b->absent - (int)a->absent;
	switch (c->type) {
	case RESULT_TEXT:
		return span_cmp(a->text, b->text);
	case RESULT_STACK:
		for (size_t i = 0; i < a->n_frames && i < b->n_frames; i++) {
			ret = cmp_u64(a->frames[i]->addr, b->frames[i]->addr);
			ret = ret ?: span_cmp(a->frames[i]->symbol, b->frames[i]->symbol);
			if (ret)
				return ret;
		}
		return cmp_u64(a->n_frames, b->n_frames);
	case RESULT_RANGE:
		ret = cmp_num(c, a->num, b->num);
		return ret ? ret : cmp_num(c, a->max, b->max);
	default:
		ret = cmp_num(c, a->num, b->num);
		return ret || !c->has_label ? ret : span_cmp(a->label, b->label);
	}
}

int cell_cmp_sort(const struct result_column *c, bool exact, const struct result_cell *a,
		  const struct result_cell *b)
{
	if (c->type == RESULT_TEXT)
		return span_cmp(a->text, b->text);
	if (c->type == RESULT_STACK)
		return 0;
	/* kernel: sums and the numbers of buckets are unsigned */
	if (c->role == RESULT_VALUE || (c->type == RESULT_RANGE && !exact))
		return cmp_u64(a->num, b->num);
	return cmp_num(c, a->num, b->num);
}

static u64 mix(u64 hash, u64 v)
{
	hash = (hash ^ v) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

static u64 mix_text(u64 hash, struct span text)
{
	u64 word;

	hash = mix(hash, text.n);
	for (; text.n >= sizeof(word); text = span_skip(text, sizeof(word))) {
		memcpy(&word, text.s, sizeof(word));
		hash = mix(hash, word);
	}
	word = 0;
	if (text.n)
		memcpy(&word, text.s, text.n);
	return mix(hash, word);
}

u64 cell_hash(const struct result_column *c, const struct result_cell *cell, u64 hash)
{
	if (cell->absent)
		return mix(hash, 1);
	if (c->type == RESULT_TEXT)
		return mix_text(hash, cell->text);
	hash = mix(hash, cell->num);
	if (c->type == RESULT_RANGE)
		return mix(hash, cell->max);
	if (c->has_label)
		hash = mix_text(hash, cell->label);
	for (size_t i = 0; c->type == RESULT_STACK && i < cell->n_frames; i++)
		hash = mix_text(mix(hash, cell->frames[i]->addr), cell->frames[i]->symbol);
	return hash;
}
