/* SPDX-License-Identifier: LGPL-2.1-only */
/* Parsed text as a string, so that a test is a table of texts and results. */
#ifndef TESTS_LANG_TEXT_H
#define TESTS_LANG_TEXT_H

#include <stdio.h>

#include "unit.h"

#include "lang/lang.h"

/* Append a span; an absent one is "-", an empty one "". */
static inline void add_span(struct strbuf *out, struct span sp)
{
	if (sp.s)
		strbuf_add(out, sp.s, sp.n);
	else
		strbuf_addch(out, '-');
}

/*
 * Append " error: MESSAGE 'TEXT'", or "silent" for errors that the kernel does not log; nothing if
 * not set.
 */
static inline void add_complaint(struct strbuf *out, const struct complaint *c)
{
	if (!c->set)
		return;
	strbuf_addf(out, " error: %s '",
		    c->err == HIST_ERR_SILENT ? "silent" : hist_err_text[c->err]);
	add_span(out, c->text);
	strbuf_addch(out, '\'');
	if (c->err == HIST_ERR_SILENT)
		assert_non_null(c->hint);
}

/* The result for @text must be @want; the message shows the text. */
static inline void check_text(const char *text, struct strbuf *got, const char *want)
{
	assert_false(got->failed);
	if (strcmp(got->s, want))
		print_error("# of: %s\n", text);
	assert_string_equal(got->s, want);
	strbuf_release(got);
}

#endif
