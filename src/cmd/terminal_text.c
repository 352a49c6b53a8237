// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output to a terminal. Every user of a machine can give a process a name that moves the cursor,
 * changes the title of the window or lets the terminal answer as if the user had typed. The
 * kernel's files contain such names unchanged, and so do files and pipes; a terminal shows '?' or
 * \\uNNNN instead, also for characters that turn the direction of the text. Of escape sequences
 * only those remain that pictures consist of: ESC [ 0 m and ESC [ 38 ; 5 ; NUMBER m.
 */
#include "cmd/terminal_text.h"

static const char ESCAPE = '\x1b';

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

/* The bytes of the character that begins with @c; 1: it begins none. */
static size_t sequence_length(char c)
{
	const unsigned char u = (unsigned char)c;

	return u < 0xc0 ? 1 : u < 0xe0 ? 2 : u < 0xf0 ? 3 : 4;
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
	struct span rest = { t->held, t->n }, shown;
	char room[UTF8_ROOM];

	for (t->n = 0; rest.n;) {
		rest = span_skip(rest, utf8_harmless(rest, room, &shown));
		if (!put(f, shown.s, shown.n))
			return false;
	}
	return true;
}

static bool put_char(struct terminal_text *t, FILE *f, char c)
{
	if (t->n && c == 'm' && is_colour(t)) {
		const size_t n = t->n;

		t->n = 0;
		return put(f, t->held, n) && put(f, "m", 1);
	}
	if (t->n && continues(t, c)) {
		t->held[t->n++] = c;
		return t->held[0] == ESCAPE || t->n < sequence_length(t->held[0]) || give_up(t, f);
	}
	if (!give_up(t, f))
		return false;
	if (c == '\n')
		return put(f, &c, 1);
	t->held[t->n++] = c;
	return c == ESCAPE || sequence_length(c) > 1 || give_up(t, f);
}

bool terminal_text_write(struct terminal_text *t, FILE *f, const char *text, size_t len)
{
	return all_of(i, len, put_char(t, f, text[i]));
}
