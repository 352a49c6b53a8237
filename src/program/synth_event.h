/* SPDX-License-Identifier: LGPL-2.1-only */
/* Synthetic events: the layout of their records. */
#pragma once
#include "event/event.h"
#include "lang/lang.h"

struct action_data;

/* How its slot is filled. */
enum synth_field_kind {
	SYNTH_NUM,   /* with a number of 64 bits, little endian, without the .shift highest ones */
	SYNTH_ARRAY, /* with a text */
	SYNTH_ANY,   /* by the general function */
};

struct synth_field {
	struct synth_field_text text;
	u32 offset; /* offset of its slot in the record */
	enum synth_field_kind kind;
	u32 shift;
	struct event_field *in_format; /* the same in ->format, whose unit actions set */
	bool is_passed;                /* by an action, in this unit */
};

struct synth_event {
	struct arena arena;
	const char *name;
	size_t n_fields;
	struct synth_field *fields;
	u32 fixed_size; /* header and slots */
	u32 id;
	u32 order;         /* among all dynamic events */
	bool derived;      /* not synthetic: see derive/derive.h */
	bool asks_cgroups; /* derived, if quotas are known: of which cgroup tasks are */
	int refs;          /* of actions and of hist triggers on it */
	struct action_data *generators; /* the actions that trace it, in any order */
	int dyn_refs;                   /* of triggers that enable or disable it */
	struct synth_event *next_removed;
	bool loose_bytes; /* a key of a histogram includes the bytes after the NUL of a string */
	struct event_format format; /* as if it had been recorded; .text is its format file */
};
