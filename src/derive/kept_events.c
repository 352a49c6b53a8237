// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Derived events that a session keeps, in blocks of columns: the numbers of a column are stored as
 * differences from the smallest one, in as many bytes as the largest needs; texts are numbered.
 * Question after question reads them; a column that none needs is skipped.
 *
 * Memory is taken from the limit of the session. If it is short, events that no replay uses are
 * dropped, those first that were used longest ago; if that is not enough, the new ones.
 */
#include <pthread.h>

#include "base/base.h"
#include "derive/kept_state.h"
#include "program/synth_event.h"

enum { TEXT_COST = 48, TEXT_ROOM = 256 };

struct kept_derived {
	pthread_mutex_t lock; /* of the list */
	u64 *left;
	u64 questions;
	ARRAY(struct kept_events *) list;
};

struct kept_derived *kept_derived_new(u64 *left)
{
	struct kept_derived *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	pthread_mutex_init(&all->lock, NULL);
	all->left = left;
	return all;
}

static void stop_filling(struct kept_events *k)
{
	for (size_t e = 0; e < k->events.n; e++) {
		free(k->events.v[e].rows);
		k->events.v[e].rows = NULL;
	}
	free(k->ts);
	free(k->packed);
	free(k->text);
	k->ts = k->packed = NULL;
	k->text = NULL;
}

void kept_events_drop(struct kept_events *k)
{
	if (!k)
		return;
	stop_filling(k);
	for (size_t e = 0; e < k->events.n; e++) {
		for (size_t f = 0; f < k->events.v[e].fields.n; f++) {
			indexed_release(&k->events.v[e].fields.v[f].texts);
		}
		array_release(&k->events.v[e].fields);
	}
	for (size_t i = 0; i < k->blocks.n; i++)
		free((void *)(uintptr_t)k->blocks.v[i].data);
	array_release(&k->events);
	array_release(&k->blocks);
	strbuf_release(&k->key);
	arena_release(&k->arena);
	memory_give(k->all->left, k->size);
	free(k->data);
	free(k);
}

void kept_derived_free(struct kept_derived *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->list.n; i++)
		kept_events_drop(all->list.v[i]);
	array_release(&all->list);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

/* --- memory --- */

static bool drop_oldest(struct kept_derived *all)
{
	struct kept_events *oldest = NULL;
	size_t at = 0;

	pthread_mutex_lock(&all->lock);
	for (size_t i = 0; i < all->list.n; i++) {
		struct kept_events *k = all->list.v[i];

		if (k->refs || (oldest && k->used >= oldest->used))
			continue;
		oldest = k;
		at = i;
	}
	if (oldest)
		all->list.v[at] = all->list.v[--all->list.n];
	pthread_mutex_unlock(&all->lock);
	if (oldest)
		kept_events_drop(oldest);
	return oldest;
}

static bool take(struct kept_events *k, u64 size)
{
	while (!memory_take(k->all->left, size))
		if (!drop_oldest(k->all))
			return false;
	k->size += size;
	return true;
}

/* --- filling --- */

struct kept_events *kept_events_new(struct kept_derived *all)
{
	struct kept_events *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	*k = (struct kept_events){ .all = all, .key = STRBUF_INIT };
	k->ts = malloc(KEPT_ROWS * (4 * sizeof(u64) + 1));
	if (!k->ts || !bytes_reserve(&k->text, &k->text_size, TEXT_ROOM)) {
		kept_events_drop(k);
		return NULL;
	}
	k->cpu = k->ts + KEPT_ROWS;
	k->task = k->cpu + KEPT_ROWS;
	k->column = k->task + KEPT_ROWS;
	k->event = (u8 *)(k->column + KEPT_ROWS);
	return k;
}

static u32 add_event(struct kept_events *k, const struct derived_event *event,
		     const struct synth_event *fields)
{
	struct kept_event new = { .of = event };
	int err = k->events.n == UINT8_MAX;

	for (size_t i = 0; i < fields->n_fields && !err; i++) {
		const struct synth_field_text *text = &fields->fields[i].text;

		err = array_push(
			&new.fields,
			((struct kept_field){
				.is_text = text->is_string || text->is_stack,
				.is_stack = text->is_stack,
				.size = text->is_stack ? 0 : ALIGN_UP(text->size + 1, 8) }));
	}
	new.rows = err ? NULL : malloc(KEPT_ROWS * (new.fields.n + 1) * sizeof(u64));
	if (!new.rows || array_push(&k->events, new)) {
		free(new.rows);
		array_release(&new.fields);
		return UINT32_MAX;
	}
	return (u32)k->events.n - 1;
}

/* Copy a text to k->text, with zeros up to where it may be read. Return: words; 0: out of memory */
static size_t copy_text(struct kept_events *k, const struct kept_field *f, u64 value)
{
	const char *text = (const char *)(uintptr_t)value;
	const u64 *stack = (const u64 *)(uintptr_t)value;
	size_t size, room;

	if (f->is_stack) {
		for (size = 0; stack[size]; size++)
			;
		size = (size + 1) * sizeof(*stack);
	} else {
		size = strlen(text) + 1;
	}
	room = max_t(size_t, ALIGN_UP(size, 8), f->size);
	if (!bytes_reserve(&k->text, &k->text_size, room))
		return 0;
	memcpy(k->text, text, size);
	memset(k->text + size, 0, room - size);
	return room / sizeof(u64);
}

static bool is_text(const struct kept_field *f, u32 number, const u8 *text, size_t words)
{
	const u64 *other = f->texts.v[number];

	return other[0] == words && !memcmp(other + 1, text, words * sizeof(*other));
}

/* The number of a text, from 1 on; 0: there is none. */
static u64 number_text(struct kept_events *k, struct kept_field *f, u64 value)
{
	size_t words = value ? copy_text(k, f, value) : 0;
	u64 *copy;
	u32 hash;

	k->failed |= value && !words;
	if (!words)
		return 0;
	if (f->last < f->texts.n && is_text(f, f->last, k->text, words))
		return f->last + 1;
	hash = hash_bytes(0, k->text, words * sizeof(*copy));
	hash_each(i, &f->texts.index, hash) {
		f->last = (u32)i;
		if (is_text(f, f->last, k->text, words))
			return f->last + 1;
	}
	f->last = (u32)f->texts.n;
	copy = take(k, words * sizeof(*copy) + TEXT_COST)
		       ? arena_alloc(&k->arena, (words + 1) * sizeof(*copy))
		       : NULL;
	if (!copy || !indexed_add(&f->texts, hash, copy)) {
		k->failed = true;
		return 0;
	}
	copy[0] = words;
	memcpy(copy + 1, k->text, words * sizeof(*copy));
	return f->last + 1;
}

/* --- columns --- */

/* As many bytes as the largest difference needs; 0: all are equal. */
static u32 width_of(u64 range)
{
	if (range <= UINT8_MAX)
		return range != 0;
	return range <= UINT16_MAX ? 2 : range <= UINT32_MAX ? 4 : 8;
}

static inline __attribute__((always_inline)) void put_number(void *to, u32 width, u32 i, u64 v)
{
	if (width == 1)
		((u8 *)to)[i] = (u8)v;
	else if (width == 2)
		((u16 *)to)[i] = (u16)v;
	else if (width == 4)
		((u32 *)to)[i] = (u32)v;
	else
		((u64 *)to)[i] = v;
}

/* @n numbers, each @stride after the last: the width, the smallest, the differences; in words. */
static size_t pack_column(const u64 *column, size_t stride, u32 n, u64 *to)
{
	s64 min = (s64)column[0], max = min;
	u32 width;

	for (u32 i = 1; i < n; i++) {
		const s64 v = (s64)column[i * stride];

		min = v < min ? v : min;
		max = v > max ? v : max;
	}
	width = width_of((u64)max - (u64)min);
	to[0] = width;
	to[1] = (u64)min;
	for (u32 i = 0; i < n && width; i++)
		put_number(to + 2, width, i, column[i * stride] - (u64)min);
	return 2 + ALIGN_UP((size_t)n * width, 8) / 8;
}

/* --- blocks --- */

static size_t pack_block(const struct kept_events *k, u64 *to)
{
	size_t at = KEPT_ROWS / sizeof(*to);

	memcpy(to, k->event, k->n);
	at += pack_column(k->ts, 1, k->n, to + at);
	at += pack_column(k->cpu, 1, k->n, to + at);
	at += pack_column(k->task, 1, k->n, to + at);
	array_each(const struct kept_event, of, &k->events) {
		for (size_t f = 0; f < of->fields.n && of->n_rows; f++)
			at += pack_column(of->rows + f, of->fields.n, of->n_rows, to + at);
	}
	return at;
}

static void end_block(struct kept_events *k)
{
	size_t columns = 4, words;
	u64 *data = NULL;

	for (size_t e = 0; e < k->events.n; e++)
		columns += k->events.v[e].fields.n;
	if (!k->packed)
		k->packed = malloc(columns * (KEPT_ROWS + 2) * sizeof(u64));
	if (k->packed && k->n && !k->failed) {
		words = pack_block(k, k->packed);
		data = take(k, words * sizeof(*data)) ? malloc(words * sizeof(*data)) : NULL;
		if (data)
			memcpy(data, k->packed, words * sizeof(*data));
		if (!data || array_push(&k->blocks, ((struct kept_block){ k->n, data }))) {
			free(data);
			k->failed = true;
		}
	}
	k->failed |= !k->packed;
	k->n = 0;
	for (size_t e = 0; e < k->events.n; e++)
		k->events.v[e].n_rows = 0;
}

void kept_events_trace(struct kept_events *k, u32 event, const u64 *values,
		       const struct derive_record *r, s32 task)
{
	struct kept_event *of = &k->events.v[event];
	u64 *row = of->rows + of->n_rows * of->fields.n;

	if (k->failed)
		return;
	for (size_t f = 0; f < of->fields.n; f++) {
		struct kept_field *field = &of->fields.v[f];

		row[f] = field->is_text ? number_text(k, field, values[f]) : values[f];
	}
	of->n_rows++;
	k->event[k->n] = (u8)event;
	k->ts[k->n] = r->ts;
	k->cpu[k->n] = r->cpu;
	k->task[k->n] = (u64)task;
	if (++k->n == KEPT_ROWS)
		end_block(k);
}

void kept_events_add(struct kept_events *k, struct span key, const void *data, size_t size)
{
	struct kept_derived *all = k->all;
	int err;

	if (k->n)
		end_block(k);
	strbuf_add(&k->key, key.s, key.n);
	k->data = malloc(size + 1);
	err = k->failed || k->key.failed || !k->data || k->arena.failed;
	if (!err)
		memcpy(k->data, data, size);
	stop_filling(k);
	pthread_mutex_lock(&all->lock);
	k->used = ++all->questions;
	err = err || array_push(&all->list, k);
	pthread_mutex_unlock(&all->lock);
	if (err)
		kept_events_drop(k);
}

/* --- reading --- */

struct kept_events *kept_events_find(struct kept_derived *all, struct span key)
{
	struct kept_events *found = NULL;

	pthread_mutex_lock(&all->lock);
	for (size_t i = 0; i < all->list.n && !found; i++)
		if (span_same(key, (struct span){ all->list.v[i]->key.s, all->list.v[i]->key.len }))
			found = all->list.v[i];
	if (found) {
		found->used = ++all->questions;
		found->refs++;
	}
	pthread_mutex_unlock(&all->lock);
	return found;
}

void kept_events_put(struct kept_events *k)
{
	if (!k)
		return;
	pthread_mutex_lock(&k->all->lock);
	k->refs--;
	pthread_mutex_unlock(&k->all->lock);
}

const void *kept_events_data(const struct kept_events *k)
{
	return k->data;
}

/* --- of a replay --- */

void derive_keep(struct derive *d, struct kept_events *k)
{
	for (size_t i = 0; i < N_DERIVERS; i++)
		for (size_t e = 0; e < d->used[i].receivers.n; e++) {
			struct receiver *to = &d->used[i].receivers.v[e];

			if (to->file)
				to->kept = add_event(k, &derivers[i]->events[e], to->file->synth);
			k->failed |= to->kept == UINT32_MAX;
		}
	d->keep = k->failed ? NULL : k;
}

const struct derive_account *kept_events_account(const struct kept_events *k)
{
	return &k->account;
}

void derive_kept(const struct derive *d, struct kept_events *k)
{
	derive_account(d, &k->account);
	k->failed |= d->chooses;
}

void derive_print_key(const struct derive *d, struct strbuf *key)
{
	strbuf_addf(key, "%d", d->tr->tracing->options.open_intervals);
	for (size_t i = 0; i < N_DERIVERS; i++)
		for (size_t e = 0; e < d->used[i].receivers.n; e++)
			if (d->used[i].receivers.v[e].file)
				strbuf_addf(key, " %s %u", derivers[i]->events[e].name,
					    d->used[i].receivers.v[e].asks & ~ASKS_COMM_OPEN);
}
