/* SPDX-License-Identifier: LGPL-2.1-only */
/* The fields of a record that a deriver gets. */
#ifndef HIST_DERIVE_INPUT_FIELDS_H
#define HIST_DERIVE_INPUT_FIELDS_H

#include "derive/deriver.h"

/* How a field is read; READ_NONE: it is not in the format. */
enum read_kind { READ_NONE, READ_INT, READ_NUMBER, READ_COMM, READ_TEXT };

struct input_fields {
	const struct event_field *of[DERIVE_INPUT_FIELDS_MAX];
	enum read_kind kinds[DERIVE_INPUT_FIELDS_MAX];
	size_t n;
	u8 known; /* a bit for each that is in the format */
};

/* @f: NULL if it is not in the format */
void input_fields_add(struct input_fields *fields, const struct event_field *f);

/* Set r->n, r->text and r->known. */
void input_fields_read(const struct input_fields *fields, const struct hit *hit, bool big,
		       struct derive_record *r);

#endif
