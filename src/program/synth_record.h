/* SPDX-License-Identifier: LGPL-2.1-only */
/* Building the record of a synthetic event. */
#pragma once
#include "program/hist_data.h"
#include "program/machine.h"
#include "program/synth_event.h"

/* The header after the id: flags, preempt count, pid. */
enum { SYNTH_COMMON_AT = 2, SYNTH_PREEMPT_AT = 3, SYNTH_COMMON_SIZE = 6 };

/* kernel: replaces a string that cannot be read */
#define SYNTH_FAULT "(fault)"

struct synth_record {
	const struct synth_event *event;
	const struct machine *machine;
	u32 text_max;  /* of a dynamic string, including its NUL */
	u32 stack_max; /* entries of a stack */
	u8 *rec;       /* with room for the slots and all dynamic data */
	u32 len;       /* bytes used so far */
};

/* Clears all slots; @common is the header after the id. */
static inline void synth_record_start(struct synth_record *r, const u8 *common)
{
	r->len = r->event->fixed_size;
	memset(r->rec, 0, r->len);
	store_u16(r->rec, (u16)r->event->id, r->machine->big_endian);
	memcpy(r->rec + SYNTH_COMMON_AT, common, SYNTH_COMMON_SIZE);
}

/* synth_record_put() for a field of any kind. */
void synth_record_put_any(struct synth_record *r, const struct synth_field *f, u64 v);

/*
 * Fill a slot. @v is a number, or points to a NUL-terminated string (NULL: "(fault)") or to the
 * entries of a stack, which a zero terminates if there are fewer than .stack_max. A
 * string for a field of fixed size must be in memory that text_copy() may read up to a multiple
 * of 8.
 */
static inline void synth_record_put(struct synth_record *r, const struct synth_field *f, u64 v)
{
	u8 *slot = r->rec + f->offset;

	if (f->kind == SYNTH_NUM)
		store_u64(slot, v << f->shift >> f->shift, false);
	else if (f->kind == SYNTH_ARRAY && v && !(v & 7))
		slot[text_copy((char *)slot, (const char *)(uintptr_t)v, STR_VAR_LEN_MAX - 1)] = 0;
	else
		synth_record_put_any(r, f, v);
}

/* The size of a dynamic string, at most @max bytes including its NUL. */
u32 synth_record_text_size(const char *text, u32 max);
