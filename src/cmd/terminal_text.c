// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output to a terminal. Every user of a machine can give a process a name that moves the cursor,
 * changes the title of the window or lets the terminal answer as if the user had typed. The
 * kernel's files contain such names unchanged, and so do files and pipes; a terminal shows '?'
 * instead, and \\uNNNN for characters that turn the direction of the text. Of escape sequences only
 * those remain that pictures consist of: ESC [ 0 m and ESC [ 38 ; 5 ; NUMBER m.
 */
#include <string.h>

#include "cmd/terminal_text.h"

/* The first bytes of an escape sequence, and of a character that turns the direction. */
static const char ESCAPE = '\x1b', TURNS = '\xe2';

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

/* Whether @c may continue the escape sequence or the character that is held. */
static bool continues(const struct terminal_text *t, char c)
{
	if (t->held[0] != ESCAPE)
		return ((unsigned char)c & 0xc0) == 0x80;
	if (t->n == 1)
		return c == '[';
	return (is_digit(c) || c == ';') && t->n < sizeof(t->held);
}

/* Write what is held as text. */
static bool give_up(struct terminal_text *t, FILE *f)
{
	const struct span held = { t->held, t->n };

	t->n = 0;
	if (!held.n)
		return true;
	if (held.n == 3 && utf8_length(held) == 3 && utf8_turns(utf8_code(held, 3)))
		return fprintf(f, "\\u%04x", utf8_code(held, 3)) > 0;
	if (t->held[0] == ESCAPE)
		t->held[0] = '?';
	return put(f, t->held, held.n);
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
		return t->held[0] == ESCAPE || t->n < 3 || give_up(t, f);
	}
	if (!give_up(t, f))
		return false;
	if (c == ESCAPE || c == TURNS) {
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
