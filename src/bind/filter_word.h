/* SPDX-License-Identifier: LGPL-2.1-only */
/* Words that stand for numbers in the filters of questions. */
#pragma once
#include "program/machine.h"

struct filter_word {
	const struct event_field *field;
	struct span text;
};

/* Whether the numbers of the field are nanoseconds. */
bool filter_word_is_ns(const struct event_format *format, const struct event_field *f);

/**
 * filter_word() - the number that a word of a question means for a field
 * @names: appended are the names that the field has for numbers, "NUMBER=NAME "
 *
 * Return: 0, -HIST_ENOENT (it has no such name or unit), -HIST_ENOMEM
 */
int filter_word(const struct machine *m, const struct event_format *format,
		const struct filter_word *w, u64 *out, struct strbuf *names);

/* Note what can be compared with a field that has no such word. @names: of filter_word() */
void filter_word_note(const struct machine *m, const struct event_format *format,
		      const struct filter_word *w, const struct strbuf *names, struct diags *diags);
