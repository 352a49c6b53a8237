/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Building the key of a hit, in line: common parts of keys have a few instructions each (enum
 * key_kind), with the same result as hist_key_any(); tests/unit/run_fast_test.c compares both.
 */
#pragma once
#include "run/hist_run.h"

/* A part of any kind. */
void hist_key_any(const struct hist_program *p, const struct key_step *step, const struct hit *hit,
		  u8 *key);

/* The string to which a reference points. */
static inline const char *hist_key_pointed(const struct value *v, const struct hit *hit)
{
	u64 text;

	memcpy(&text, hit->rec + v->offset, sizeof(text));
	return (const char *)(uintptr_t)text;
}

/* Whether that may be an array of words, which fills this part of the key. */
static inline bool hist_key_is_pointed_words(const struct key_step *step)
{
	return step->kind == KEY_POINTED && step->value.kind == VALUE_STATIC &&
	       step->value.size == step->size - 1;
}

/* Whether it is, as in synth_record_put(). */
static inline bool hist_key_is_words(const struct key_step *step, const struct hit *hit)
{
	const char *pointed = hist_key_pointed(&step->value, hit);

	return pointed && !((uintptr_t)pointed & 7) && hist_key_is_pointed_words(step);
}

/* kernel: the last byte remains zero, as the terminator */
static inline void hist_key_copy_whole(u8 *to, const u8 *from, u32 size)
{
	memcpy(to, from, size - 1);
	to[size - 1] = 0;
}

static inline __attribute__((always_inline)) void hist_key_build_part(const struct hist_program *p,
								      const struct key_step *step,
								      const struct hit *hit, u8 *to)
{
	const struct value *v = &step->value;

	switch (step->kind) {
	case KEY_NUM:
		store_u64(to, value_num(v, hit, hist_unread_refs), false);
		return;
	case KEY_POINTED:
		if (unlikely(!hist_key_is_words(step, hit)))
			break;
		text_copy_aligned((char *)to, hist_key_pointed(v, hit), step->size);
		return;
	case KEY_LENT:
		text_copy_array((char *)to, hist_key_pointed(v, hit), step->size);
		return;
	case KEY_ARRAY:
		if (unlikely(v->offset + step->size > hit->len))
			break;
		text_copy_array((char *)to, (const char *)hit->rec + v->offset, step->size);
		return;
	case KEY_WHOLE:
		if (unlikely(v->offset + step->size > hit->len))
			break;
		hist_key_copy_whole(to, hit->rec + v->offset, step->size);
		return;
	default:
		break;
	}
	hist_key_any(p, step, hit, to);
}

/* p->key_read bytes at @key. */
static inline __attribute__((always_inline)) void hist_key_build(const struct hist_program *p,
								 const struct hit *hit, u64 *key)
{
	const struct key_step *end = p->keys + p->n_keys;
	u8 *to = (u8 *)key;

	for (const struct key_step *step = p->keys; step < end; to += step->size, step++)
		hist_key_build_part(p, step, hit, to);
	/* kernel: the memory after it is undefined */
	if (unlikely(to < (u8 *)key + p->key_read))
		memset(to, 0, p->key_read - (size_t)(to - (u8 *)key));
}
