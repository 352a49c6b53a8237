/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Definitions of synthetic events: NAME TYPE FIELD[; TYPE FIELD]...
 */
#pragma once
#include "lang/trigger_text.h"

/* A field as written. */
struct synth_field_text {
	const char *type; /* "u64", "unsigned int", "char[16]", "__data_loc char[]" */
	const char *name;
	u32 size; /* of a value or static string; 8 if dynamic */
	bool is_signed, is_string, is_stack, is_dynamic;
};

struct synth_text {
	struct span text; /* text for messages: the command without leading blanks */
	struct span name;
	bool remove;
	size_t n_fields;
	struct synth_field_text fields[SYNTH_FIELDS_MAX];

	/*
	 * Set if the definition is malformed. The kernel looks up the name after checking its
	 * letters: a complaint with .early comes before "already exists".
	 */
	bool bad, early;
	enum synth_err err;
	struct span bad_text;
};

/**
 * synth_text_cut() - one line of synthetic_events
 *
 * An empty line leaves .name absent and nothing bad.
 * Return: 0, -HIST_ENOMEM
 * Source: create_or_delete_synth_event(), parse_synth_field() @ v6.12
 */
int synth_text_cut(struct arena *arena, struct span line, u32 long_size, struct synth_text *out);

/*
 * The same for a line of dynamic_events: s:[synthetic/]NAME ...; -HIST_ENOENT: not a synthetic
 * event.
 */
int synth_text_cut_dynamic(struct arena *arena, struct span line, u32 long_size,
			   struct synth_text *out);

/* The printf conversion that the kernel writes to the format file for a field of @type. */
const char *synth_field_fmt(const char *type);
