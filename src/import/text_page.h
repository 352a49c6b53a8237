/* SPDX-License-Identifier: LGPL-2.1-only */
/* Texts that are wrapped: in pages of systrace, and compressed by atrace -z. */
#pragma once
#include "import/import.h"

/* Whether a file that begins with @head is a page, or a compressed text of atrace. */
bool text_is_wrapped(struct span head);

/**
 * text_unwrap() - the text of the traces in a page, or of a compressed trace
 * @name: of the file, for messages
 *
 * Return: 0; -HIST_EUNSUPPORTED: a page without a trace; -HIST_EFORMAT: damaged, or too large;
 *         -HIST_ENOMEM
 */
int text_unwrap(const char *name, struct span whole, struct strbuf *text, struct diags *diags);
