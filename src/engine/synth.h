/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Synthetic events: definitions and the records that trace actions make.
 */
#ifndef HIST_ENGINE_SYNTH_H
#define HIST_ENGINE_SYNTH_H

#include "engine/hist_data.h"
#include "engine/tracing.h"

/* How its slot is filled. */
enum synth_field_kind {
	SYNTH_NUM,   /* with a number of 64 bits, little endian, of which .shift do not count */
	SYNTH_ARRAY, /* with a text */
	SYNTH_ANY,   /* that takes a look at the rest */
};

struct synth_field {
	struct synth_field_text text;
	u32 offset; /* of its slot in the record */
	enum synth_field_kind kind;
	u32 shift;
};

struct synth_event {
	struct arena arena;
	const char *name;
	size_t n_fields;
	struct synth_field *fields;
	u32 fixed_size; /* header and slots */
	u32 id;
	u32 order;                    /* among all dynamic events */
	int refs;                     /* of actions and of hist triggers on it */
	int dyn_refs;                 /* of triggers that switch it */
	struct event_file *receivers; /* during a replay: all instances where it is on */
	struct event_format format;   /* as if it had been recorded; .text is its format file */
};

/* A write to synthetic_events or dynamic_events, of any number of lines. */
int synth_events_write(struct tracing *t, struct span text, bool dynamic, struct diags *diags);

/* One definition or removal that is not a line of a file: '#' and newlines mean nothing. */
int synth_event_run_command(struct tracing *t, const char *command, struct diags *diags);

/* Opening synthetic_events with '>': removes all, or none if one is busy. */
int synth_events_truncate(struct tracing *t, struct diags *diags);

void synth_event_free(struct synth_event *event);

struct synth_event *synth_event_find(struct tracing *t, struct span name);

/*
 * Make the record of @event from the values of the references that @action names, and run
 * what waits for it in @tr.
 */
void trace_synth(struct trace_array *tr, struct synth_event *event, const u64 *var_ref_vals,
		 const u32 *var_ref_idx, const struct hit *hit);

#endif
