// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output to a terminal. Every user of a machine can give a process a name that moves the cursor,
 * changes the title of the window or lets the terminal answer as if the user had typed. The
 * kernel's files contain such names unchanged, and so do files and pipes; a terminal shows '?'
 * instead. Of escape sequences only those remain that pictures consist of: ESC [ 0 m and
 * ESC [ 38 ; 5 ; NUMBER m.
 */
#include <string.h>

#include "cmd/terminal_text.h"

enum { ESCAPE = 0x1b };

static bool put(FILE *f, const char *text, size_t n)
{
	return fwrite(text, 1, n, f) == n;
}

static bool is_colour(const struct terminal_text *t)
{
	static const char prefix[] = "\033[38;5;";
	const size_t n = sizeof(prefix) - 1;

	if (t->n == 3)
		return t->held[2] == '0';
	return t->n > n && !memcmp(t->held, prefix, n) && !memchr(t->held + n, ';', t->n - n);
}

/* Whether @c may continue the escape sequence that is held. */
static bool continues(const struct terminal_text *t, char c)
{
	if (t->n == 1)
		return c == '[';
	return (is_digit(c) || c == ';') && t->n < sizeof(t->held);
}

/* Write what is held as text. */
static bool give_up(struct terminal_text *t, FILE *f)
{
	const size_t n = t->n;

	t->n = 0;
	t->held[0] = '?';
	return !n || put(f, t->held, n);
}

static bool put_char(struct terminal_text *t, FILE *f, char c)
{
	const char last = t->last;

	t->last = c;
	if (t->n && c == 'm' && is_colour(t)) {
		const size_t n = t->n;

		t->n = 0;
		return put(f, t->held, n) && put(f, "m", 1);
	}
	if (t->n && continues(t, c)) {
		t->held[t->n++] = c;
		return true;
	}
	if (!give_up(t, f))
		return false;
	if (c == ESCAPE) {
		t->held[t->n++] = c;
		return true;
	}
	return put(f, c != '\n' && is_control(c, last) ? "?" : &c, 1);
}

bool terminal_text_write(struct terminal_text *t, FILE *f, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!put_char(t, f, text[i]))
			return false;
	return true;
}
