/* SPDX-License-Identifier: GPL-2.0-only */
/* Output to a terminal, which texts of a recording must not control. */
#pragma once
#include "base/base.h"

struct terminal_text {
	char held[16]; /* the begin of an escape sequence or a character, not complete yet */
	size_t n;
};

/* Write text without control characters (utf8_harmless()); colours remain. False with errno on
 * failure. */
bool terminal_text_write(struct terminal_text *t, FILE *f, const char *text, size_t len);
