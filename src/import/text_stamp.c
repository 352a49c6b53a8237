// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What loggers write before the lines of a trace: dmesg, a journal, syslog, containers, ts. A
 * stamp is a time of day, or in brackets, and who wrote the line follows it.
 */
#include "import/text_cut.h"
#include "import/text_line.h"

enum { STAMPS_MAX = 4 };

static const char digits[] = "0123456789";

/* Take "Z", "UTC", "+0000", "-03:30", possibly after a blank; or nothing. */
static void take_zone(struct span *rest)
{
	static const char *const minutes[] = { "00", "30", "45" };
	struct span text = *rest;
	u64 hour;

	take_text(&text, " ");
	if (take_text(&text, "Z") || take_text(&text, "UTC")) {
		*rest = text;
		return;
	}
	if ((!take_text(&text, "+") && !take_text(&text, "-")) || text.n < 4 ||
	    !span_digits((struct span){ text.s, 2 }, 10, &hour) || hour > 14)
		return;
	text = span_skip(text, 2);
	take_text(&text, ":");
	for (size_t i = 0; i < ARRAY_SIZE(minutes); i++)
		if (span_starts(text, minutes[i]))
			*rest = span_skip(text, 2);
}

/*
 * Take what a pattern describes: '9' is a number, '@' letters, '%' a word, '$' one that does not
 * begin with a digit, ' ' blanks, '#' a fraction of a second and a zone, if there are any; others
 * are themselves.
 */
static bool take_pattern(struct span *rest, const char *pattern)
{
	struct span text = *rest;
	size_t n;

	for (; *pattern; pattern++) {
		const struct span from = text;

		switch (*pattern) {
		case '9':
			take_set(&text, digits);
			break;
		case '@':
			for (; text.n && is_alpha(*text.s); text = span_skip(text, 1))
				;
			break;
		case '%':
		case '$':
			if (*pattern == '$' && text.n && is_digit(*text.s))
				return false;
			for (n = 0; n < text.n && !strchr(" \t:[", text.s[n]); n++)
				;
			text = span_skip(text, n);
			break;
		case ' ':
			text = skip_blanks(text);
			break;
		case '#':
			if (take_text(&text, ".") || take_text(&text, ","))
				take_set(&text, digits);
			take_zone(&text);
			if (text.n && !is_blank(*text.s))
				return false;
			continue;
		default:
			take_text(&text, (char[]){ *pattern, '\0' });
		}
		if (text.s == from.s)
			return false;
	}
	*rest = text;
	return true;
}

static bool take_any(struct span *rest, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (take_pattern(rest, *patterns))
			return true;
	return false;
}

bool text_take_date(struct span *rest)
{
	static const char *const dates[] = {
		"9-9-9T9:9:9#", "9-9-9 9:9:9#", "9/9/9 9:9:9#",   "@ 9-9-9 9:9:9#", "9-9 9:9:9#",
		"@ @ 9 9:9:9#", "9 @ 9 9:9:9#", "@ @ 9 9:9:9 9 ", "@ 9 9:9:9#",     NULL
	};

	return take_any(rest, dates);
}

/* Take "[...]", such as a time or a thread: not only a number, which is a CPU. */
static bool take_bracket(struct span *rest)
{
	struct span text = *rest, inside;
	size_t n = 0;

	if (!take_text(&text, "[") || !span_chr(text, ']'))
		return false;
	inside = span_trim(span_sep(&text, "]"));
	for (size_t i = 0; i < inside.n; i++)
		n += is_digit(inside.s[i]);
	if (!n || n == inside.n || (text.n && !is_blank(*text.s) && *text.s != '['))
		return false;
	*rest = text;
	return true;
}

static bool take_stamp(struct span *line)
{
	static const char *const times[] = { "9:9:9#", "9.9 ", NULL };
	static const char *const writers[] = { "stdout % ", "stderr % ", "kernel: ", "$[9]: ",
					       "% $: ",     "% $[9]: ",  NULL };
	static const char *const others[] = { "<9>", "% | ", "> ", NULL };
	struct span rest = skip_blanks(*line), after;

	if (text_take_date(&rest) || take_any(&rest, times)) {
		after = skip_blanks(rest);
		rest = take_any(&after, writers) ? after : rest;
	} else if (!take_bracket(&rest) && (span_starts(rest, "#") || !take_any(&rest, others))) {
		return false;
	}
	/* "<7952>-7952" is a task */
	if (rest.n > 1 && *rest.s == '-' && is_digit(rest.s[1]))
		return false;
	*line = rest;
	return true;
}

struct span text_without_stamps(struct span line)
{
	static const char journal[] = " kernel: ";
	const char *at;

	while (line.n && (line.s[line.n - 1] == '\r' || line.s[line.n - 1] == '\n'))
		line.n--;
	/* a line that was cut out of the script of a systrace's page */
	if (line.n >= 3 && !memcmp(line.s + line.n - 3, "\\n\\", 3))
		line.n -= 3;
	at = span_find((struct span){ line.s, min_t(size_t, line.n, 100) }, span_of(journal));
	if (at)
		line = span_between(at + strlen(journal), line.s + line.n);
	if (line.n && !is_blank(*line.s))
		for (int i = 0; i < STAMPS_MAX && take_stamp(&line); i++)
			;
	take_text(&line, " ");
	return line;
}
