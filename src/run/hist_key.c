// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Builds the key of a hit: all of its bytes, from a record.
 *
 * Common parts of keys have a few instructions each (enum key_kind), with the same result as
 * build_any(); tests/unit/engine_fast_test.c compares both.
 */
#include "program/hist_data.h"
#include "program/hit.h"
#include "program/load.h"
#include "program/program.h"
#include "program/synth_record.h"
#include "program/value.h"
#include "run/hist_run.h"

/* kernel: a key is built before references are read; it sees undefined values of them. */
const u64 hist_unread_refs[TRACING_MAP_VARS_MAX];

/* Longs of the recording's machine, in its size and byte order. */
static void store_longs(u8 *to, const u64 *longs, size_t n, const struct hist_program *p)
{
	for (size_t i = 0; i < n; i++) {
		if (p->long_size == 8)
			store_u64(to + 8 * i, longs[i], p->big_endian);
		else
			store_u32(to + 4 * i, (u32)longs[i], p->big_endian);
	}
}

static void build_stack(u8 *key, const struct hit *hit, const struct hist_program *p)
{
	u64 entries[HIST_STACKTRACE_DEPTH_MAX];
	size_t n = hit->source->stack(hit->source->arg, entries, p->stack_depth);

	store_longs(key, entries, n, p);
}

/* A stack in the record: the number of entries, then the entries. */
static void build_stack_field(u8 *key, const struct value *v, const struct hit *hit,
			      const struct hist_program *p)
{
	struct span data = load_dynamic(hit, v->offset, false, p->big_endian);
	size_t room = (size_t)p->stack_depth * p->long_size, n;

	if (data.n < p->long_size)
		return;
	n = (size_t)load_int((const u8 *)data.s, p->long_size, false, p->big_endian);
	data = span_skip(data, p->long_size);
	n = n < p->stack_depth ? n * p->long_size : room;
	memcpy(key, data.s, min_t(size_t, n, data.n));
}

/* The text to which a reference points. */
static inline const char *pointed(const struct value *v, const struct hit *hit)
{
	u64 text;

	memcpy(&text, hit->rec + v->offset, sizeof(text));
	return (const char *)(uintptr_t)text;
}

static void build_pointed(u8 *key, const struct value *v, const struct hit *hit)
{
	const char *text = pointed(v, hit);

	text = text ? text : SYNTH_FAULT;
	memcpy(key, text, strnlen(text, v->size));
}

static __attribute__((noinline)) void build_any(const struct hist_program *p,
						const struct key_step *step, const struct hit *hit,
						u8 *key)
{
	struct span text;

	memset(key, 0, step->size);
	if (step->kind == KEY_POINTED) {
		build_pointed(key, &step->value, hit);
		return;
	}
	switch (step->value.kind) {
	case VALUE_NUM:
		store_u64(key, value_num(&step->value, hit, hist_unread_refs), p->big_endian);
		return;
	case VALUE_STACK:
		build_stack(key, hit, p);
		return;
	case VALUE_STACK_FIELD:
		build_stack_field(key, &step->value, hit, p);
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

/* kernel: the last byte stays zero, as the end of the text */
static inline void copy_whole(u8 *to, const u8 *from, u32 size)
{
	memcpy(to, from, size - 1);
	to[size - 1] = 0;
}

static inline __attribute__((always_inline)) void build_part(const struct hist_program *p,
							     const struct key_step *step,
							     const struct hit *hit, u8 *to)
{
	const struct value *v = &step->value;

	if (step->kind == KEY_NUM)
		store_u64(to, value_num(v, hit, hist_unread_refs), false);
	else if (step->kind == KEY_ARRAY && likely(v->offset + step->size <= hit->len))
		text_copy_array((char *)to, (const char *)hit->rec + v->offset, step->size);
	else if (step->kind == KEY_WHOLE && likely(v->offset + step->size <= hit->len))
		copy_whole(to, hit->rec + v->offset, step->size);
	else if (step->kind == KEY_LENT)
		text_copy_array((char *)to, pointed(v, hit), step->size);
	else
		build_any(p, step, hit, to);
}

void hist_key_part(const struct hist_program *p, const struct key_step *step, const struct hit *hit,
		   u8 *to)
{
	build_part(p, step, hit, to);
}

void hist_key(const struct hist_program *p, const struct hit *hit, u64 *key)
{
	const struct key_step *end = p->keys + p->n_keys;
	u8 *to = (u8 *)key;

	for (const struct key_step *step = p->keys; step < end; to += step->size, step++)
		build_part(p, step, hit, to);
	/* kernel: the memory after it is undefined */
	if (unlikely(to < (u8 *)key + p->key_read))
		memset(to, 0, p->key_read - (size_t)(to - (u8 *)key));
}

u32 hist_key_hash(const struct hist_data *hd, const struct hit *hit)
{
	u64 key[HIST_KEY_WORDS_MAX];

	hist_key(hd->program, hit, key);
	return tracing_map_hash(hd->map, key);
}
