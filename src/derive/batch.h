/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Records of inputs, decoded, in the order of time: one after the other, each only as long as its
 * fields. One thread may fill a batch while another one derives from the batch before.
 */
#pragma once
#include "derive/deriver.h"

/* Where a field is in a record, and its index. */
struct input_offset {
	u32 at;
	u32 to;
};

/* Fields of a kind that is read without a branch. */
struct input_offsets {
	u32 n;
	struct input_offset v[DERIVE_INPUT_FIELDS_MAX];
};

/* The fields of an event. */
struct input_fields {
	const struct event_field *of[DERIVE_INPUT_FIELDS_MAX];
	u32 n;
	u8 known;                   /* a bit for each that is in the format */
	u8 others;                  /* and for each that is in none of the next lists */
	u32 size;                   /* of a record with those in these lists */
	struct input_offsets ints;  /* signed numbers of 4 bytes */
	struct input_offsets longs; /* numbers of 8 bytes */
	struct input_offsets comms; /* names of tasks, in 16 bytes */
};

enum {
	BATCH_RECORD_MAX =
		sizeof(struct derive_record) + DERIVE_INPUT_FIELDS_MAX * DERIVE_COMM_SIZE,
	BATCH_SIZE = 256 << 10,
};

struct derive_batch {
	size_t used;
	size_t texts_size;
	struct arena texts; /* of any length */
	_Alignas(8) u8 data[BATCH_SIZE];
};

/* @f: NULL if it is not in the format */
void input_fields_add(struct input_fields *fields, const char *name, const struct event_field *f);

/* The next record of a batch that is not full, which batch_add() adds. */
static inline struct derive_record *batch_next(struct derive_batch *b)
{
	return (struct derive_record *)(void *)(b->data + b->used);
}

static inline void batch_add(struct derive_batch *b, struct derive_record *r, size_t size)
{
	r->size = (u16)size;
	b->used += size;
}

/* Set r->n of these fields, of any kind. @which: a bit for each */
void batch_read_any(struct derive_batch *b, const struct input_fields *fields,
		    const struct hit *hit, bool big, u8 which);

/* Add the next record, after setting its ->n and ->known. */
static inline void batch_add_fields(struct derive_batch *b, const struct input_fields *fields,
				    const struct hit *hit, bool big)
{
	const bool fits = likely(!big && hit->len >= fields->size);
	struct derive_record *r = batch_next(b);
	u8 *comm = (u8 *)&r->n[fields->n];

	r->known = fields->known;
	if (unlikely(!fits || fields->others))
		batch_read_any(b, fields, hit, big, fits ? fields->others : UINT8_MAX);
	for (const struct input_offset *f = fields->ints.v, *end = f + fields->ints.n;
	     fits && f < end; f++)
		r->n[f->to] = (u64)(s64)(s32)load_u32(hit->rec + f->at, false);
	for (const struct input_offset *f = fields->longs.v, *end = f + fields->longs.n;
	     fits && f < end; f++)
		r->n[f->to] = load_u64(hit->rec + f->at, false);
	for (const struct input_offset *f = fields->comms.v, *end = f + fields->comms.n;
	     fits && f < end; f++, comm += DERIVE_COMM_SIZE) {
		memcpy(comm, hit->rec + f->at, DERIVE_COMM_SIZE);
		r->n[f->to] = (uintptr_t)comm;
	}
	batch_add(b, r, (size_t)(comm - (u8 *)r));
}

/* Its memory is used again, that of texts until it is large. */
void batch_clear(struct derive_batch *b);
