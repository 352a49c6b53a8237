// SPDX-License-Identifier: GPL-2.0-only
/*
 * A line editor that only appends and deletes at the end of the line: enough to type statements,
 * with completion, without a library. The terminal is as it was whenever line_input_read() returns.
 */
#include <termios.h>

#include "cmd/line_input.h"

enum { CTRL_C = 3, CTRL_D = 4, TAB = 9, CTRL_U = 21, CTRL_W = 23, ESCAPE = 27, DELETE = 127 };

bool line_input_possible(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

size_t line_input_word(const char *text, size_t n)
{
	size_t length = 0;

	while (length < n && (is_alnum(text[n - length - 1]) || text[n - length - 1] == '_'))
		length++;
	return length;
}

static void cut(struct line_input *in, size_t n)
{
	in->line.len -= n;
	if (in->line.len || n)
		in->line.s[in->line.len] = '\0';
}

/* A character may have several bytes. */
static size_t last_character(const struct line_input *in)
{
	size_t n = in->line.len > 0;

	while (n < in->line.len && ((unsigned char)in->line.s[in->line.len - n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* Show the line that is @step after the one that is shown. */
static void go(struct line_input *in, int step)
{
	if ((step < 0 && !in->at) || (step > 0 && in->at == in->before.n))
		return;
	in->at = step < 0 ? in->at - 1 : in->at + 1;
	strbuf_reset(&in->line);
	strbuf_addstr(&in->line, in->at < in->before.n ? in->before.v[in->at] : "");
}

/* An arrow key up or down; others are ignored. */
static void read_escape(struct line_input *in)
{
	char c = 0;

	if (read(STDIN_FILENO, &c, 1) != 1 || (c != '[' && c != 'O'))
		return;
	while (read(STDIN_FILENO, &c, 1) == 1 && (c < '@' || c > '~'))
		;
	if (c == 'A' || c == 'B')
		go(in, c == 'A' ? -1 : 1);
}

/* Add what all candidates have in common; if that is nothing, list them. */
static void complete(struct line_input *in)
{
	const size_t word = line_input_word(in->line.s, in->line.len);
	scoped(strbuf_release) struct strbuf list = STRBUF_INIT;
	struct span rest, first, one;
	size_t common, n = 0;

	in->complete(in->arg, in->line.s, &list);
	rest = strbuf_span(&list);
	first = span_sep(&rest, "\n");
	common = first.n;
	for (one = first; one.n; one = span_sep(&rest, "\n"), n++) {
		size_t same = 0;

		while (same < common && same < one.n && one.s[same] == first.s[same])
			same++;
		common = same;
	}
	if (n && common > word) {
		strbuf_add(&in->line, first.s + word, common - word);
		strbuf_addstr(&in->line, n == 1 ? " " : "");
	} else if (n > 1) {
		for (char *p = list.s; *p; p++)
			*p = *p == '\n' ? ' ' : *p;
		printf("\n%s\n", list.s);
	}
}

/* What a byte did. */
enum { CHANGED, APPENDED, COMPLETE, ENDED };

static int act(struct line_input *in, char c)
{
	switch (c) {
	case '\r':
	case '\n':
		return COMPLETE;
	case CTRL_D:
		return in->line.len ? CHANGED : ENDED;
	case CTRL_C:
	case CTRL_U:
		cut(in, in->line.len);
		return CHANGED;
	case CTRL_W:
		while (in->line.len && in->line.s[in->line.len - 1] == ' ')
			cut(in, 1);
		while (in->line.len && in->line.s[in->line.len - 1] != ' ')
			cut(in, 1);
		return CHANGED;
	case '\b':
	case DELETE:
		cut(in, last_character(in));
		return CHANGED;
	case TAB:
		complete(in);
		return CHANGED;
	case ESCAPE:
		read_escape(in);
		return CHANGED;
	default:
		if ((unsigned char)c < ' ')
			return CHANGED;
		strbuf_addch(&in->line, c);
		putchar(c);
		fflush(stdout);
		return APPENDED;
	}
}

bool line_input_read(struct line_input *in, const char *prompt)
{
	struct termios old, raw;
	int did = CHANGED;
	char c;

	if (tcgetattr(STDIN_FILENO, &old))
		return false;
	raw = old;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	strbuf_reset(&in->line);
	in->at = in->before.n;
	while (did < COMPLETE) {
		if (did == CHANGED) {
			printf("\r\033[K%s%s", prompt, in->line.s);
			fflush(stdout);
		}
		did = read(STDIN_FILENO, &c, 1) == 1 && !in->line.failed ? act(in, c) : ENDED;
	}
	putchar('\n');
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &old);
	if (did == COMPLETE) {
		char *copy = in->line.len ? strdup(in->line.s) : NULL;

		/* Remember a line, unless it is empty. */
		if (copy && array_push(&in->before, copy))
			free(copy);
	}
	return did == COMPLETE;
}

void line_input_release(struct line_input *in)
{
	for (size_t i = 0; i < in->before.n; i++)
		free(in->before.v[i]);
	array_release(&in->before);
	strbuf_release(&in->line);
}
