// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Builds the record of a synthetic event with the kernel's layout, in the size and byte order of
 * the recording's machine, so that it is processed like a recorded one.
 *
 * Eight bytes of header, a slot for each field (256 bytes for a string of fixed size), then the
 * dynamic data. Corresponds to trace_event_raw_event_synth().
 */
#include "program/synth_record.h"

static void put_int(struct synth_record *r, u32 at, u32 size, u64 v)
{
	bool big = r->machine->big_endian;

	switch (size) {
	case 1:
		r->rec[at] = (u8)v;
		break;
	case 2:
		store_u16(r->rec + at, (u16)v, big);
		break;
	case 4:
		store_u32(r->rec + at, (u32)v, big);
		break;
	default:
		store_u64(r->rec + at, v, big);
	}
}

/* Offset and length of the data: in the low half of the slot, two shorts in memory order. */
static void put_dynamic(struct synth_record *r, u32 at, u32 size)
{
	store_u32(r->rec + at, size << 16 | (r->len & 0xffff), r->machine->big_endian);
	r->len += size;
}

u32 synth_record_text_size(const char *text, u32 max)
{
	return (u32)strnlen(text ? text : SYNTH_FAULT, max - 1) + 1;
}

static void put_text(struct synth_record *r, const struct synth_field *f, const char *s)
{
	char *to = (char *)r->rec + (f->text.is_dynamic ? r->len : f->offset);
	u32 size;

	s = s ? s : SYNTH_FAULT;
	if (!f->text.is_dynamic) {
		size = (u32)strnlen(s, STR_VAR_LEN_MAX - 1);
		memcpy(to, s, size);
		to[size] = '\0';
		return;
	}
	size = synth_record_text_size(s, r->text_max);
	memcpy(to, s, size - 1);
	to[size - 1] = '\0';
	put_dynamic(r, f->offset, size);
}

/* kernel: copies up to the first zero */
static void put_stack(struct synth_record *r, const struct synth_field *f, const u64 *stack)
{
	u32 size = r->machine->long_size, max = r->stack_max, n = 0;

	while (stack && n < max && stack[n]) {
		put_int(r, r->len + n * size, size, stack[n]);
		n++;
	}
	put_dynamic(r, f->offset, n * size);
}

void synth_record_put_any(struct synth_record *r, const struct synth_field *f, u64 v)
{
	if (f->text.is_string)
		put_text(r, f, (const char *)(uintptr_t)v);
	else if (f->text.is_stack)
		put_stack(r, f, (const u64 *)(uintptr_t)v);
	else
		put_int(r, f->offset, f->text.size, v);
}
