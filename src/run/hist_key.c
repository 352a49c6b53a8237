// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Builds the key of a hit: all of its bytes, from a record.
 *
 * Common parts of keys have a few instructions each (enum key_kind), with the same result as
 * hist_key_any(); tests/unit/run_fast_test.c compares both.
 */
#include "program/synth_record.h"
#include "run/key_build.h"

/* kernel: a key is built before references are read, so it contains undefined values for them. */
const u64 hist_unread_refs[TRACING_MAP_VARS_MAX];

void hist_key_any(const struct hist_program *p, const struct key_step *step, const struct hit *hit,
		  u8 *key)
{
	size_t room = (size_t)p->stack_depth * p->long_size, n;
	u64 entries[HIST_STACKTRACE_DEPTH_MAX];
	const char *pointed;
	struct span text;

	memset(key, 0, step->size);
	if (step->kind == KEY_POINTED) {
		pointed = hist_key_pointed(&step->value, hit);
		/* as in synth_record_put() */
		if (pointed && step->value.kind == VALUE_STATIC && !((uintptr_t)pointed & 7)) {
			text_copy((char *)key, pointed, step->value.size);
			return;
		}
		pointed = pointed ? pointed : SYNTH_FAULT;
		memcpy(key, pointed, strnlen(pointed, step->value.size));
		return;
	}
	switch (step->value.kind) {
	case VALUE_NUM:
		store_u64(key, value_num(&step->value, hit, hist_unread_refs), p->big_endian);
		return;
	case VALUE_STACK:
		n = hit->context->stack(hit->context->arg, entries, p->stack_depth);
		for (size_t i = 0; i < n; i++)
			if (p->long_size == 8)
				store_u64(key + 8 * i, entries[i], p->big_endian);
			else
				store_u32(key + 4 * i, (u32)entries[i], p->big_endian);
		return;
	case VALUE_STACK_FIELD: /* in the record: the number of entries, then the entries */
		text = load_dynamic(hit, step->value.offset, false, p->big_endian);
		if (text.n < p->long_size)
			return;
		n = (size_t)load_int((const u8 *)text.s, p->long_size, false, p->big_endian);
		text = span_skip(text, p->long_size);
		n = n < p->stack_depth ? n * p->long_size : room;
		memcpy(key, text.s, min_t(size_t, n, text.n));
		return;
	default:
		text = value_text(&step->value, hit, p->big_endian);
		text.n = min_t(size_t, text.n, step->size - 1);
		if (step->whole)
			memcpy(key, text.s, text.n);
		else
			text_copy((char *)key, text.s, text.n);
	}
}

void hist_key_part(const struct hist_program *p, const struct key_step *step, const struct hit *hit,
		   u8 *to)
{
	hist_key_build_part(p, step, hit, to);
}
