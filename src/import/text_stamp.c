// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What loggers write before the lines of a trace: dmesg, a journal, syslog, containers, ts. A
 * stamp is a time of day, or in brackets, and who wrote the line follows it.
 */
#include "import/text_cut.h"
#include "import/text_line.h"

enum { STAMPS_MAX = 4 };

static const char digits[] = "0123456789";

/* Take @n digits and then one of @ends, unless that is NULL. */
static bool take_part(struct span *rest, size_t n, const char *ends)
{
	struct span text = *rest;

	if (take_set(&text, digits).n != n || (ends && (!text.n || !strchr(ends, *text.s))))
		return false;
	*rest = span_skip(text, ends ? 1 : 0);
	return true;
}

/* Take "Z", "UTC", "+0000", "-03:30", possibly after a blank. */
static void take_zone(struct span *rest)
{
	struct span text = *rest, hour;

	if (take_text(&text, "Z")) {
		*rest = text;
		return;
	}
	take_text(&text, " ");
	if (take_text(&text, "UTC")) {
		*rest = text;
		return;
	}
	if (!take_text(&text, "+") && !take_text(&text, "-"))
		return;
	hour = (struct span){ text.s, min_t(size_t, text.n, 2) };
	text = span_skip(text, hour.n);
	take_text(&text, ":");
	if (take_part(&hour, 2, NULL) &&
	    (take_text(&text, "00") || take_text(&text, "30") || take_text(&text, "45")))
		*rest = text;
}

/* Take HH:MM:SS with a fraction and a zone. */
static bool take_clock(struct span *rest)
{
	struct span text = *rest;

	if (!take_part(&text, 2, ":") || !take_part(&text, 2, ":") || !take_part(&text, 2, NULL))
		return false;
	if (take_text(&text, ".") || take_text(&text, ","))
		take_set(&text, digits);
	take_zone(&text);
	*rest = text;
	return !rest->n || is_blank(*rest->s);
}

/* Take one of these names of three letters, and a blank. */
static bool take_name(struct span *rest, const char *names)
{
	for (; *names && rest->n > 3; names += 3)
		if (!memcmp(rest->s, names, 3) && rest->s[3] == ' ') {
			*rest = skip_blanks(span_skip(*rest, 3));
			return true;
		}
	return false;
}

/* Take "2026-11-28", "2026/11/28" or "Nov 28", and "Sat" before it. */
static bool take_day(struct span *rest)
{
	struct span text = *rest;
	size_t n;

	if (take_name(&text, "JanFebMarAprMayJunJulAugSepOctNovDec")) {
		n = take_set(&text, digits).n;
		if (!n || n > 2 || !take_text(&text, " "))
			return false;
	} else if (!take_part(&text, 4, "-/") || !take_part(&text, 2, "-/") ||
		   !take_part(&text, 2, "T ")) {
		return false;
	}
	*rest = text;
	return true;
}

bool text_take_date(struct span *rest)
{
	struct span text = *rest, year;
	const bool weekday = take_name(&text, "MonTueWedThuFriSatSun");

	if (!take_day(&text) || !take_clock(&text))
		return false;
	year = skip_blanks(text);
	*rest = weekday && take_part(&year, 4, " ") ? year : text;
	return true;
}

/* Take "[...]", such as a time or a thread: not only a number, which is a CPU. */
static bool take_bracket(struct span *rest)
{
	struct span text = *rest, inside, number;

	if (!take_text(&text, "[") || !span_chr(text, ']'))
		return false;
	number = inside = span_trim(span_sep(&text, "]"));
	take_set(&number, digits);
	if (!number.n || (text.n && !is_blank(*text.s) && *text.s != '['))
		return false;
	while (inside.n && !is_digit(*inside.s))
		inside = span_skip(inside, 1);
	if (inside.n)
		*rest = text;
	return inside.n;
}

/* Take "<6>", the level of a message; "<7952>-7952" is a task. */
static bool take_level(struct span *rest)
{
	struct span text = *rest;

	if (!take_text(&text, "<") || !take_set(&text, digits).n || !take_text(&text, ">") ||
	    (text.n > 1 && *text.s == '-' && is_digit(text.s[1])))
		return false;
	*rest = text;
	return true;
}

/* Take "SECONDS.FRACTION", which is not the time of an event. */
static bool take_seconds(struct span *rest)
{
	struct span text = *rest;

	if (!take_set(&text, digits).n || !take_text(&text, ".") || !take_set(&text, digits).n ||
	    !text.n || !is_blank(*text.s))
		return false;
	*rest = text;
	return true;
}

/* Take what follows a time: "HOST TAG:", "TAG[PID]:", of containers "stdout F". */
static void take_writer(struct span *rest)
{
	struct span text = skip_blanks(*rest), word;

	if (take_text(&text, "stdout ") || take_text(&text, "stderr ")) {
		if (take_text(&text, "F ") || take_text(&text, "P "))
			*rest = text;
		return;
	}
	for (int i = 0; i < 2 && text.n; i++) {
		word = span_sep(&text, " ");
		if (!text.s || !word.n || is_digit(*word.s))
			return;
		if (word.s[word.n - 1] != ':')
			continue;
		if (i || span_eq(word, "kernel:") || (word.n > 2 && word.s[word.n - 2] == ']'))
			*rest = text;
		return;
	}
}

/* Take "NAME |", as docker compose prints before the lines of a container. */
static bool take_container(struct span *rest)
{
	struct span text = *rest, name = span_sep(&text, "|");

	if (!text.s || name.n < 2 || *name.s == '#' || !is_blank(name.s[name.n - 1]) ||
	    span_chr(span_trim(name), ' ') || !text.n || !is_blank(*text.s))
		return false;
	*rest = text;
	return true;
}

static bool take_stamp(struct span *line)
{
	struct span rest = skip_blanks(*line);
	const bool dated = text_take_date(&rest) || take_clock(&rest) || take_seconds(&rest);

	if (dated)
		take_writer(&rest);
	else if (!take_level(&rest) && !take_bracket(&rest) && !take_container(&rest))
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
	at = span_find((struct span){ line.s, min_t(size_t, line.n, 100) }, span_of(journal));
	if (at)
		line = span_between(at + strlen(journal), line.s + line.n);
	for (int i = 0; i < STAMPS_MAX && take_stamp(&line); i++)
		;
	take_text(&line, " ");
	return line;
}
