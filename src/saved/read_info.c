// SPDX-License-Identifier: LGPL-2.1-only
/* The metadata of a saved result, about the run and the recording. */
#include "program/machine.h"
#include "saved/read.h"

/* --- strings --- */

static const char **read_strings(struct saved_reader *r, size_t *n)
{
	scoped(free_scoped) ARRAY(const char *) list = ARRAY_INIT;
	const char **copy = NULL;

	if (json_in_open(&r->in, '['))
		while (json_in_element(&r->in))
			if (array_push(&list, read_string(r)))
				read_nomem(r);
	if (!r->in.problem) {
		copy = arena_alloc(&r->s->arena, list.n * sizeof(*copy));
		if (!copy)
			read_nomem(r);
		else if (list.n)
			memcpy(copy, list.v, list.n * sizeof(*copy));
	}
	*n = copy ? list.n : 0;
	return copy;
}

static bool read_source(struct saved_reader *r)
{
	struct result_info *info = &r->s->info;
	struct span name;
	const char **file;

	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		if (span_eq(name, "uname")) {
			info->uname = read_string_or_null(r);
		} else if (span_eq(name, "files")) {
			info->files = read_strings(r, &info->n_files);
		} else if (span_eq(name, "file") && !info->n_files && !json_in_null(&r->in)) {
			file = arena_alloc(&r->s->arena, sizeof(*file));
			if (!file)
				return read_nomem(r);
			file[0] = read_string(r);
			info->files = file;
			info->n_files = file[0] != NULL;
		} else {
			json_in_skip(&r->in);
		}
	}
	return !r->in.problem;
}

/* --- time --- */

static bool read_span(struct saved_reader *r)
{
	struct result *result = &r->s->result;
	bool counts = r->s->info.clock_counts, covered = false;
	struct span name;

	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		if (span_eq(name, "from")) {
			json_in_time(&r->in, counts, &result->from);
		} else if (span_eq(name, "to")) {
			json_in_time(&r->in, counts, &result->to);
		} else if (span_eq(name, "covered")) {
			json_in_time(&r->in, counts, &result->covered);
			covered = true;
		} else {
			json_in_skip(&r->in);
		}
	}
	if (!r->in.problem && result->to < result->from)
		json_in_fail(&r->in, "a span ends before it begins");
	if (!covered)
		result->covered = result->to - result->from;
	return !r->in.problem;
}

/* --- limits of the recording, and the selection: back to lines --- */

/* Lines of @prefix, name and text. */
static bool add_texts(struct saved_reader *r, const char *prefix, struct strbuf *lines)
{
	struct span name, text;

	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		strbuf_addstr(lines, prefix);
		strbuf_add(lines, name.s, name.n);
		if (!json_in_text(&r->in, &text))
			return false;
		if (span_chr(text, '\n') || strchr(lines->s + lines->len - name.n, '\n'))
			return json_in_fail(&r->in,
					    "a filter or a selection has more than one line");
		strbuf_addch(lines, ' ');
		strbuf_add(lines, text.s, text.n);
		strbuf_addch(lines, '\n');
	}
	return !r->in.problem;
}

/* --- caveats --- */

static bool read_caveat(struct saved_reader *r, struct strbuf *lines)
{
	struct caveat c = { .kind = N_CAVEATS };
	struct span name;

	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		struct span *text = span_eq(name, "kind") ? &c.name
				    : span_eq(name, "of") ? &c.of
							  : NULL;
		const char *copy = text ? read_string(r) : NULL;

		if (copy)
			*text = span_of(copy);
		else if (span_eq(name, "n"))
			json_in_number(&r->in, false, &c.n);
		else
			json_in_skip(&r->in);
	}
	if (!r->in.problem && (!c.name.n || span_chr(c.name, ' ') || span_chr(c.name, '\n')))
		json_in_fail(&r->in, "a caveat without a kind");
	if (!r->in.problem)
		caveat_add(lines, &c);
	return !r->in.problem;
}

/* --- all members --- */

/* Move @lines to the result. */
static void keep_lines(struct saved_reader *r, struct strbuf *lines, const char **to)
{
	*to = arena_take(&r->s->arena, lines);
	if (!*to)
		read_nomem(r);
}

/* What limited the recording, what was selected, and caveats: back to lines. */
static void read_lines(struct saved_reader *r)
{
	struct strbuf limits = STRBUF_INIT, selection = STRBUF_INIT, caveats = STRBUF_INIT;
	bool children = false;
	u64 pid;

	if (read_goto(r, "filters"))
		add_texts(r, "filter ", &limits);
	if (read_goto(r, "pids") && json_in_open(&r->in, '[')) {
		strbuf_addstr(&limits, "pids");
		while (json_in_element(&r->in))
			if (json_in_number(&r->in, true, &pid))
				strbuf_addf(&limits, " %lld", pid);
		strbuf_addch(&limits, '\n');
	}
	if (read_goto(r, "children") && json_in_bool(&r->in, &children) && children)
		strbuf_addstr(&limits, "children\n");
	keep_lines(r, &limits, &r->s->info.recording_limits);
	if (read_goto(r, "selection")) {
		add_texts(r, "", &selection);
		keep_lines(r, &selection, &r->s->info.selection);
	}
	if (read_goto(r, "caveats")) {
		json_in_open(&r->in, '[');
		while (json_in_element(&r->in))
			read_caveat(r, &caveats);
		keep_lines(r, &caveats, &r->s->info.caveats);
	}
}

/* Whether the text of a member is @yes; the only alternative is @no. */
static bool read_choice(struct saved_reader *r, const char *m, const char *yes, const char *no)
{
	struct span text;

	if (!read_goto(r, m) || !json_in_text(&r->in, &text))
		return false;
	if (!span_eq(text, yes) && !span_eq(text, no))
		json_in_fail(&r->in, "an unknown state, or unknown limits or rules");
	return span_eq(text, yes);
}

static bool read_texts(struct saved_reader *r)
{
	struct result *result = &r->s->result;
	struct result_info *info = &r->s->info;

	if (read_goto(r, "event"))
		result->event = read_string(r);
	if (read_goto(r, "trigger"))
		result->trigger = read_string(r);
	if (read_goto(r, "clock"))
		info->clock = read_string(r);
	if (read_goto(r, "kernel"))
		info->kernel = read_string(r);
	if (read_goto(r, "instance"))
		result->instance = read_string_or_null(r);
	if (!result->event || !result->trigger || !info->clock || !info->kernel)
		return json_in_fail(&r->in, "event, trigger, clock or kernel is missing");
	info->clock_counts = trace_clock_counts(info->clock);
	return !r->in.problem;
}

bool read_head(struct saved_reader *r)
{
	struct result_info *info = &r->s->info;

	if (!read_texts(r))
		return false;
	if (read_goto(r, "version"))
		info->version = read_string_or_null(r);
	if (read_goto(r, "script"))
		info->script = read_strings(r, &info->n_script);
	if (read_goto(r, "question"))
		info->question = read_string_or_null(r);
	for (size_t i = 0; i < INFO_MEMBERS; i++)
		if (read_goto(r, info_members[i].name))
			read_value(r, &info_members[i], info);
	r->s->result.paused = read_choice(r, "state", "paused", "active");
	if (read_choice(r, "limits", "none", "kernel"))
		r->s->result.rules = RESULT_UNLIMITED;
	if (read_choice(r, "rules", "exact", "kernel"))
		r->s->result.rules = RESULT_EXACT;
	if (read_goto(r, "span"))
		read_span(r);
	if (read_goto(r, "source"))
		read_source(r);
	read_lines(r);
	return !r->in.problem;
}
