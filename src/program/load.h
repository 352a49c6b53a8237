/* SPDX-License-Identifier: LGPL-2.1-only */
/* Loads from a record, whose length is not trusted: bytes beyond its end are zero. */
#pragma once
#include "event/event.h"
#include "program/hit.h"

/* An integer of 1, 2, 4 or 8 bytes, extended to 64 bits by its sign. */
static inline u64 load_int(const u8 *p, u32 size, bool is_signed, bool big)
{
	switch (size) {
	case 1:
		return is_signed ? (u64)(s64)(s8)*p : *p;
	case 2:
		return is_signed ? (u64)(s64)(s16)load_u16(p, big) : load_u16(p, big);
	case 4:
		return is_signed ? (u64)(s64)(s32)load_u32(p, big) : load_u32(p, big);
	default:
		return load_u64(p, big);
	}
}

/* The pid at @at; 0 if the record is too short. */
static inline u32 load_pid(const struct hit *hit, u32 at, bool big)
{
	return at + 4 <= hit->len ? load_u32(hit->rec + at, big) : 0;
}

/* @len bytes at @at of the record, truncated at its end. */
static inline struct span load_bytes(const struct hit *hit, u32 at, u32 len)
{
	if (at >= hit->len)
		return (struct span){ "", 0 };
	return (struct span){ (const char *)hit->rec + at, min_t(u32, len, hit->len - at) };
}

/* The data of a __data_loc or __rel_loc field at @at: its length is in the high half. */
static inline struct span load_dynamic(const struct hit *hit, u32 at, bool relative, bool big)
{
	u32 loc;

	if (at + 4 > hit->len)
		return (struct span){ "", 0 };
	loc = load_u32(hit->rec + at, big);
	return load_bytes(hit, (loc & 0xffff) + (relative ? at + 4 : 0), loc >> 16);
}

/* For callers that do not need the length: up to a NUL, or the end of the record. */
static inline struct span load_dynamic_string(const struct hit *hit, u32 at, bool relative,
					      bool big)
{
	struct span s;
	u32 loc;

	if (at + 4 > hit->len)
		return (struct span){ "", 0 };
	loc = load_u32(hit->rec + at, big);
	s = load_bytes(hit, (loc & 0xffff) + (relative ? at + 4 : 0), UINT32_MAX);
	s.n = strnlen(s.s, s.n);
	return s;
}

/* The number in a field of an integer type; 0 if the record is too short. */
static inline u64 load_number(const struct event_field *f, const struct hit *hit, bool big)
{
	bool fits = f->offset + f->size <= hit->len &&
		    (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);

	return fits ? load_int(hit->rec + f->offset, f->size, f->is_signed, big) : 0;
}

static inline bool is_text_field(const struct event_field *f)
{
	return f->filter_type == FILTER_DYN_STRING || f->filter_type == FILTER_RDYN_STRING ||
	       f->filter_type == FILTER_STATIC_STRING;
}

/* The text in such a field. */
static inline struct span load_text(const struct event_field *f, const struct hit *hit, bool big)
{
	struct span text;

	if (f->filter_type != FILTER_STATIC_STRING)
		return load_dynamic_string(hit, f->offset, f->filter_type == FILTER_RDYN_STRING,
					   big);
	/* that of a marker ends with its record */
	text = load_bytes(hit, f->offset, f->size ? f->size : UINT32_MAX);
	text.n = strnlen(text.s, text.n);
	return text;
}
