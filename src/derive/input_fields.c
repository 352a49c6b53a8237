// SPDX-License-Identifier: LGPL-2.1-only
/* Reads fields of records; the most common kinds are numbers of 4 bytes and names of tasks. */
#include "derive/input_fields.h"
#include "program/load.h"

void input_fields_add(struct input_fields *fields, const struct event_field *f)
{
	const size_t i = fields->n++;

	fields->of[i] = f;
	if (!f)
		return;
	fields->known |= (u8)(1U << i);
	if (!is_text_field(f))
		fields->kinds[i] = f->size == 4 && f->is_signed ? READ_INT : READ_NUMBER;
	else if (f->filter_type == FILTER_STATIC_STRING && f->size == DERIVE_COMM_SIZE)
		fields->kinds[i] = READ_COMM;
	else
		fields->kinds[i] = READ_TEXT;
}

static inline struct span read_comm(const struct event_field *f, const struct hit *hit)
{
	struct span text = load_bytes(hit, f->offset, DERIVE_COMM_SIZE);

	text.n = likely(text.n == DERIVE_COMM_SIZE) ? text_length_16(text.s)
						    : strnlen(text.s, text.n);
	return text;
}

void input_fields_read(const struct input_fields *fields, const struct hit *hit, bool big,
		       struct derive_record *r)
{
	r->known = fields->known;
	for (size_t i = 0; i < fields->n; i++) {
		const struct event_field *f = fields->of[i];

		r->n[i] = 0;
		r->text[i] = (struct span){ NULL, 0 };
		switch (fields->kinds[i]) {
		case READ_INT:
			r->n[i] = (u64)(s64)(s32)load_pid(hit, f->offset, big);
			break;
		case READ_COMM:
			r->text[i] = read_comm(f, hit);
			break;
		case READ_TEXT:
			r->text[i] = load_text(f, hit, big);
			break;
		case READ_NUMBER:
			r->n[i] = load_number(f, hit, big);
			break;
		case READ_NONE:
			break;
		}
	}
}
