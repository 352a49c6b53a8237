// SPDX-License-Identifier: LGPL-2.1-only
/* Reads fields of records; see batch.h. */
#include "derive/batch.h"
#include "program/load.h"

enum { TEXTS_KEPT = 1 << 16 };

/* The list for fields of this kind; NULL: there is none. */
static struct input_offsets *offsets_for(struct input_fields *fields, const char *name,
					 const struct event_field *f)
{
	const size_t n = strlen(name);

	if (f->filter_type == FILTER_STATIC_STRING && f->size == DERIVE_COMM_SIZE && n >= 4 &&
	    !strcmp(name + n - 4, "comm"))
		return &fields->comms;
	if (is_text_field(f))
		return NULL;
	if (f->size == 4 && f->is_signed)
		return &fields->ints;
	return f->size == 8 ? &fields->longs : NULL;
}

void input_fields_add(struct input_fields *fields, const char *name, const struct event_field *f)
{
	struct input_offsets *offsets = f ? offsets_for(fields, name, f) : NULL;
	const u32 i = fields->n++;

	fields->of[i] = f;
	fields->known |= (u8)((f != NULL) << i);
	fields->others |= (u8)(!offsets << i);
	if (!offsets)
		return;
	offsets->v[offsets->n++] = (struct input_offset){ f->offset, i };
	fields->size = max_t(u32, fields->size, f->offset + f->size);
}

/* A copy of a text, with zeros up to the size of a name; NULL if out of memory. */
static const char *keep_text(struct derive_batch *b, struct span text)
{
	char *copy = arena_alloc(&b->texts, max_t(size_t, text.n + 1, DERIVE_COMM_SIZE));

	if (copy)
		memcpy(copy, text.s, text.n);
	b->texts_size += text.n + DERIVE_COMM_SIZE;
	return copy;
}

void batch_read_any(struct derive_batch *b, const struct input_fields *fields,
		    const struct hit *hit, bool big, u8 which)
{
	u64 *to = batch_next(b)->n;

	for (u32 i = 0; i < fields->n; i++) {
		const struct event_field *f = fields->of[i];

		if (!(which >> i & 1))
			continue;
		if (!f)
			to[i] = 0;
		else if (is_text_field(f))
			to[i] = (uintptr_t)keep_text(b, load_text(f, hit, big));
		else
			to[i] = load_number(f, hit, big);
	}
}

void batch_clear(struct derive_batch *b)
{
	b->used = 0;
	if (likely(b->texts_size < TEXTS_KEPT))
		return;
	arena_release(&b->texts);
	b->texts_size = 0;
}

struct derive_batch *derive_batch_new(void)
{
	return calloc(1, sizeof(struct derive_batch));
}

void derive_batch_free(struct derive_batch *b)
{
	if (b)
		arena_release(&b->texts);
	free(b);
}
