/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Events of traces that have no formats of the kernel: formats are made of names and types of
 * fields, and records of values.
 */
#pragma once
#include "import/sink.h"

enum { MADE_RECORD_MAX = 1 << 16, MADE_COMM_SIZE = 16 };

/* The ids of events that are made. */
enum { MADE_FIRST_ID = 1000, MADE_LAST_ID = UINT16_MAX };

struct made_field {
	const char *name;
	/* see perfetto_format/perfetto_events.def; x: uint64 in hexadecimal; 0: there is no such
	 * field */
	char type;
	bool comm; /* a text: the name of a task, char[16] */
	bool symbol, device;
	bool plain;          /* a number that is stored as it is */
	bool optional, seen; /* has no place unless an event has it */
	u16 offset, size;
};

struct made_event {
	const char *system, *name; /* system NULL: it is guessed from the name */
	u32 id;
	struct made_field *fields;
	size_t n;
	u16 size;           /* of a record without its texts */
	bool has_texts;     /* besides names of tasks */
	const char *states; /* the arguments that print prev_state; NULL: the usual ones */
};

void made_field_set(struct made_field *f, char type, const char *name);

/*
 * How a kernel prints prev_state: until 4.14, the bits were those of the scheduler, of which newer
 * kernels had more; the next one is that of a task that did not want to wait. NULL: as later ones
 */
const char *made_states(struct arena *arena, struct span release);

/* Add the format, and set the places of the fields and the size. Return: 0, -HIST_ENOMEM */
int made_format(struct made_event *event, struct import_sink *sink);

struct made_record {
	u32 len;
	u8 data[MADE_RECORD_MAX];
};

/* Begin a record of @size bytes, in which all fields are 0. */
void made_begin(struct made_record *rec, u32 id, u32 flags, s32 pid, u32 size);
static inline void made_number(struct made_record *rec, const struct made_field *f, u64 v)
{
	if (f->size == 8)
		store_u64(rec->data + f->offset, v, false);
	else if (f->size == 4)
		store_u32(rec->data + f->offset, (u32)v, false);
}

/* A text (s, b); it is cut if the record becomes too long. */
void made_text(struct made_record *rec, const struct made_field *f, struct span text);
/* Texts without a value become empty. */
void made_end(struct made_record *rec, const struct made_field *fields, size_t n);
