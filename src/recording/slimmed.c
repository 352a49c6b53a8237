// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Metadata of a recording made by hist_slim() about its original, so that results do not change:
 * option TRACE_DAT_HIST_SLIM, a text of lines
 *
 *	span FROM TO BUFFER		time of the first sub-buffer and of the last record
 *	part FROM TO			only this time was selected
 *	cpus LIST			only these CPUs; the records of others are there, too
 *	intervals CLIP			--open-intervals; 1: --clip
 *	event COUNT SYSTEM:EVENT	records of an event with triggers, including removed ones
 *	syscalls 1			those without a format are unknown
 *	names 0				records that name tasks were left out
 *	name PID FROM TO COMM		of a task from one time to another; idle tasks: -1 - CPU
 *	guess PID FROM TO COMM		the same, if that is a guess
 *	task SET PID			selected tasks of each set: those with this pid
 *	tasks SET GLOB			and those with these names; sets are counted from 0
 *	process SET LIST		and those of these processes
 *	cgroup SET GLOB			and those of these cgroups
 *	selected NAME TEXT		the selection, for people; see struct result_info
 *
 * A reader skips unknown lines.
 */
#include "names/names.h"
#include "recording/recording.h"

/* The number and the single space after it, if any. */
static bool cut_number(struct span *rest, s64 *number)
{
	struct span word;
	u64 v;

	if (!rest->s)
		return false;
	word = span_sep(rest, " ");
	if (word.n && word.s[0] == '-')
		return span_s64(word, number);
	if (!span_u64(word, &v))
		return false;
	*number = (s64)v;
	return true;
}

bool slimmed_next(struct span *text, const char *kind, int n, struct slimmed_line *line)
{
	while (text->s) {
		struct span rest = span_sep(text, "\n");

		if (!span_starts(rest, kind))
			continue;
		*line = (struct slimmed_line){ .rest = span_skip(rest, strlen(kind)) };
		if ((n > 0 && !cut_number(&line->rest, &line->a)) ||
		    (n > 1 && !cut_number(&line->rest, &line->b)) ||
		    (n > 2 && !cut_number(&line->rest, &line->c)))
			continue;
		if (!line->rest.s)
			line->rest = span_of("");
		return true;
	}
	return false;
}

struct span slimmed_text(const struct recording *rec)
{
	const char *text = recording_option(rec, TRACE_DAT_HIST_SLIM);

	return text ? span_of(text) : (struct span){ NULL, 0 };
}

bool slimmed_span(const struct recording *rec, const char *buffer, u64 *from, u64 *to)
{
	struct span text = slimmed_text(rec);
	struct slimmed_line line;

	while (slimmed_next(&text, "span ", 2, &line)) {
		if (!span_eq(line.rest, buffer))
			continue;
		*from = (u64)line.a;
		*to = (u64)line.b;
		return true;
	}
	return false;
}

bool slimmed_part(const struct recording *rec, u64 *from, u64 *to)
{
	struct span text = slimmed_text(rec);
	struct slimmed_line line;

	if (!slimmed_next(&text, "part ", 2, &line))
		return false;
	*from = (u64)line.a;
	*to = (u64)line.b;
	return true;
}

/* The next line that selects times or tasks; false after the last one. */
static bool next_selecting(struct span *text, struct span *line)
{
	static const char *const kinds[] = { "part ",    "cpus ",   "task",
					     "process ", "cgroup ", "intervals " };

	while (text->s) {
		*line = span_sep(text, "\n");
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			if (span_starts(*line, kinds[i]))
				return true;
	}
	return false;
}

bool slimmed_alike(const struct recording *a, const struct recording *b)
{
	struct span rest_a = slimmed_text(a), rest_b = slimmed_text(b), line_a, line_b;

	while (next_selecting(&rest_a, &line_a))
		if (!next_selecting(&rest_b, &line_b) || !span_same(line_a, line_b))
			return false;
	return !next_selecting(&rest_b, &line_b);
}

void slimmed_print_selection(const struct recording *rec, struct strbuf *out)
{
	struct span text = slimmed_text(rec);
	struct slimmed_line line;
	const char *sep = "";

	while (slimmed_next(&text, "selected ", 0, &line)) {
		strbuf_addf(out, "%s%.*s", sep, (int)line.rest.n, line.rest.s);
		sep = ", ";
	}
	if (!*sep)
		strbuf_addstr(out, "everything");
}

void slimmed_add_selection(const char *selection, struct strbuf *out)
{
	struct span lines = span_of(selection);

	while (lines.n) {
		struct span line = span_sep(&lines, "\n");

		strbuf_addf(out, "selected %.*s\n", (int)line.n, line.s);
	}
}

u64 slimmed_count(const struct recording *rec, const char *system, const char *event)
{
	struct span text = slimmed_text(rec);
	struct slimmed_line line;

	while (slimmed_next(&text, "event ", 1, &line)) {
		struct span name = line.rest, of = span_sep(&name, ":");

		if (name.s && span_eq(of, system) && span_eq(name, event))
			return (u64)line.a;
	}
	return 0;
}

bool slimmed_syscalls(const struct recording *rec)
{
	struct span text = slimmed_text(rec);
	struct slimmed_line line;

	return slimmed_next(&text, "syscalls ", 1, &line);
}

bool slimmed_lacks_names(const struct recording *rec)
{
	struct span text = slimmed_text(rec);
	struct slimmed_line line;

	return slimmed_next(&text, "names ", 1, &line) && !line.a;
}

int slimmed_names(const struct recording *rec, struct names *names)
{
	/* with the numbers of each; "comm": of versions before 0.3, at the start */
	static const struct {
		const char *kind;
		int n;
	} kinds[] = { { "name ", 3 }, { "guess ", 3 }, { "comm ", 1 } };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct span text = slimmed_text(rec);
		struct slimmed_line line;

		while (!err && slimmed_next(&text, kinds[i].kind, kinds[i].n, &line))
			err = names_know(names, line.a,
					 (struct names_time){ (u64)line.b, (u64)line.c }, line.rest,
					 kinds[i].kind[0] == 'g');
	}
	return err;
}
