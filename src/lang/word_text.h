/* SPDX-License-Identifier: LGPL-2.1-only */
/* Words of definitions of events: private to lang. */
#pragma once
#include "base/base.h"

/* Whether @name is a C identifier. */
static inline bool is_good_name(struct span name)
{
	for (size_t i = 0; name.s && i < name.n; i++)
		if (!(is_alpha(name.s[i]) || name.s[i] == '_' || (i && is_digit(name.s[i]))))
			return false;
	return name.n > 0;
}

static inline bool word_is_one_of(struct span name, const char *names)
{
	struct span rest = span_of(names), word;

	while ((word = span_word(&rest)).n)
		if (span_same(word, name))
			return true;
	return false;
}

static inline size_t count_words(struct span text)
{
	size_t n = 0;

	while (span_word(&text).n)
		n++;
	return n;
}
