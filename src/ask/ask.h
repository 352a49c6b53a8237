/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * ask: from a table of a question (lang/table_text.h) to the trigger of one of its events.
 *
 * Words are looked up in the event: a key with the name that it has in other tools ("comm",
 * "kstack", "hist(x)") is what it stands for, unless the event has a field with that name. The
 * pieces of the trigger are bound as they are (bind.h); its text is for people, kernels and
 * results.
 */
#pragma once
#include "bind/bind.h"

struct ask_table {
	const struct table_text *text;
	const char *source; /* contains its parts, for ->offsets */
	const char
		*shared; /* name of the histogram that several events share; NULL: each has one */
	u32 n_worst;     /* earlier tables of the events that have a largest value */
};

struct ask_trigger {
	struct strbuf text;   /* "hist:keys=..." */
	struct hist_text cut; /* its pieces, which lie in ->text */
	ARRAY(u32) offsets;   /* for each byte of the text, and one past it: offset in the source */
};

/*
 * Make the trigger of an event. Mistakes that binding does not find, such as a statistic as a key,
 * are reported at their places. Release @out in any case. Return: 0, -HIST_EREJECTED, -HIST_ENOMEM
 */
int ask_trigger_make(const struct ask_table *table, const struct event_file *file,
		     struct ask_trigger *out, struct diags *diags);
void ask_trigger_release(struct ask_trigger *trigger);

/*
 * Append "KEY SYSTEM:EVENT.KEY" for each key that may have names for its numbers in the print fmt
 * of the event, one a line.
 */
void ask_names(struct span keys, const struct event_file *file, struct strbuf *out);

/* --- ask_words.c --- */

/* The field that a key names, without "args." or "args->" of bpftrace. */
struct span ask_plain_field(struct span key);

/* Append what a trigger of the event calls a key. */
void ask_key(struct span key, const struct event_file *file, bool shared, struct strbuf *out);

/* Append what a trigger calls the field of a sum. */
void ask_sum(struct span field, struct strbuf *out);

/* What to type for a key of other tools that groups nothing here; NULL: another key. */
const char *ask_instead(struct span key, const struct event_file *file);

/* Note that a key is the address of a text that was not recorded. */
void ask_note_pointer(struct span key, const struct event_file *file, struct diags *diags);
