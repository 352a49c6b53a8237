/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The fields of an event at the places where another one has them, with which it shares a
 * histogram.
 */
#pragma once
#include "event/event.h"

struct hit;

enum { LAYOUT_RECORD_MAX = 1 << 16 }; /* offsets of dynamic fields have 16 bits */

struct layout_field {
	const struct event_field *from, *to;
	bool is_dynamic, is_relative;
};

struct event_layout {
	bool big_endian;
	u32 size; /* of the fixed part */
	u32 n;
	struct layout_field *fields;
	u8 *record; /* the last one that was made */
};

/* Make @l->record from the record of @hit; returns a hit with it. */
struct hit layout_hit(const struct event_layout *l, const struct hit *hit);
