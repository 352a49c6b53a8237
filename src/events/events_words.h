/* SPDX-License-Identifier: LGPL-2.1-only */
/* The texts that hist_events_fill() found. */
#ifndef HIST_EVENTS_EVENTS_WORDS_H
#define HIST_EVENTS_EVENTS_WORDS_H

#include "base/base.h"

/* Texts with a number each; see hist_events_word(). */
struct events_words {
	struct hash_table index;
	ARRAY(struct span) list;
	struct arena texts;
	struct strbuf cell; /* scratch */
};

void events_words_release(struct events_words *w);

#endif
