// SPDX-License-Identifier: LGPL-2.1-only
/* Moves the fields of a record to the places where another event has them. */
#include "program/event_layout.h"
#include "program/value.h"

/* The data of a dynamic field at the end of the record, and the word that refers to it. */
static u32 put_dynamic(const struct event_layout *l, const struct layout_field *f,
		       const struct hit *hit, u32 end)
{
	struct span data = load_dynamic(hit, f->from->offset, f->is_relative, l->big_endian);
	u32 at = f->to->offset, n = (u32)min_t(size_t, data.n, LAYOUT_RECORD_MAX - 1 - end);

	memcpy(l->record + end, data.s, n);
	store_u32(l->record + at, n << 16 | (end - (f->is_relative ? at + 4 : 0)), l->big_endian);
	return end + n;
}

struct hit layout_hit(const struct event_layout *l, const struct hit *hit)
{
	struct hit out = *hit;
	u32 end = l->size;

	memset(l->record, 0, l->size);
	array_each_of(const struct layout_field, f, l->fields, l->n) {
		struct span data = load_bytes(hit, f->from->offset, f->from->size);

		if (f->is_dynamic)
			end = put_dynamic(l, f, hit, end);
		else
			memcpy(l->record + f->to->offset, data.s, data.n);
	}
	out.rec = l->record;
	out.len = end;
	return out;
}
