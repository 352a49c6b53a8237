// SPDX-License-Identifier: LGPL-2.1-only
/* How a line of a summary is composed; the first lines, about the recording. */
#include "summary/summary_run.h"

void summary_add_name(const struct summary_row *row, struct strbuf *out)
{
	summary_add_text(row, row->r->columns[0].name, out);
	if (row->r->n_keys == 1)
		return;
	strbuf_addstr(out, strcmp(row->r->columns[1].name, "cpu") != 0 ? " (" : " (CPU ");
	summary_add_text(row, row->r->columns[1].name, out);
	strbuf_addch(out, ')');
}

static void add_time(const struct summary_run *s, u64 ts, struct strbuf *out)
{
	text_add_time(out, ts, trace_clock_counts(s->h->recordings.machine.clock));
}

static double percent(const struct summary_run *s, u64 ns)
{
	return (double)ns * 100 / (summary_length(s) * s->h->recordings.files.v[0].info->cpu_count);
}

double summary_share(const struct summary_run *s, const struct summary_row *row)
{
	return percent(s, summary_number(row, "ns"));
}

/* The three rows with the largest sums: "cc1 1.39 s, ..."; @shares: as parts of all CPUs */
static void put_largest(struct summary_run *s, enum summary_table table, bool shares)
{
	enum { SHOWN = 3 };
	struct summary_row row;

	for (size_t i = 0; i < SHOWN && summary_row(s, table, i, &row); i++) {
		strbuf_addstr(&s->text, i ? ", " : "");
		summary_add_name(&row, &s->text);
		strbuf_addch(&s->text, ' ');
		if (shares)
			strbuf_addf(&s->text, "%.1f %%", summary_share(s, &row));
		else
			people_text(&s->text, (double)summary_number(&row, "ns"), "ns");
	}
}

/* What a word of a form stands for; see struct summary_form. */
static void put_word(struct summary_run *s, const struct summary_row *row, struct span word)
{
	struct span noun = word, name = span_sep(&noun, ":");
	char column[32] = "";

	memcpy(column, name.s, min_t(size_t, name.n, sizeof(column) - 1));
	if (!strcmp(column, "at")) {
		add_time(s, row->saved_at, &s->text);
	} else if (!strcmp(column, "name")) {
		summary_add_text(row, row->r->columns[0].name, &s->text);
	} else if (!strcmp(column, "row")) {
		summary_add_name(row, &s->text);
	} else if (!strcmp(column, "most") || !strcmp(column, "shares")) {
		put_largest(s, row->table, *column == 's');
	} else if (!strcmp(column, "busy")) {
		strbuf_addf(&s->text, "%.0f %%", percent(s, summary_sum(s, row->table, "ns")));
	} else if (!strcmp(column, "all")) {
		people_text(&s->text, (double)summary_sum(s, row->table, "ns"), "ns");
	} else if (!strcmp(column, "hits")) {
		const u64 hits = summary_sum(s, row->table, "hitcount");

		text_add_grouped(&s->text, hits, false);
		strbuf_addf(&s->text, " %.*s%s", (int)noun.n, noun.s, plural(hits));
	} else {
		summary_add_text(row, column, &s->text);
	}
}

void summary_put(struct summary_run *s, const struct summary_row *row, const char *form)
{
	struct span rest = span_of(form);

	while (rest.n) {
		struct span plain = span_sep(&rest, "{");

		strbuf_add(&s->text, plain.s, plain.n);
		if (rest.n)
			put_word(s, row, span_sep(&rest, "}"));
	}
}

static const char *taken_text(struct summary_run *s)
{
	const char *text = arena_strndup(&s->arena, s->text.s, s->text.len);

	s->failed |= s->text.failed || !text;
	strbuf_reset(&s->text);
	return text;
}

void summary_say(struct summary_run *s, const struct summary_form *form,
		 const struct summary_row *row)
{
	struct summary_line line = { .kind = form->kind, .topic = form->topic };

	summary_put(s, row, form->text);
	line.text = taken_text(s);
	if (form->verb) {
		strbuf_addf(&s->text, "hist %s%s%s%s", form->verb, s->o->input ? " " : "",
			    s->o->input ?: "", form->rest ? " " : "");
		summary_put(s, row, form->rest ?: "");
		line.command = taken_text(s);
	}
	if (row) {
		summary_add_name(row, &s->text);
		line.name = taken_text(s);
		line.numbers = true;
		line.hits = summary_number(row, "hitcount");
		line.total = summary_number(row, "ns");
		line.max = summary_number(row, "max");
		line.at_time = row->saved;
		line.at = row->saved_at;
		line.cpu = summary_has(row, "cpu") ? (s64)summary_number(row, "cpu") : -1;
		line.pid = summary_has(row, "pid") ? (s32)summary_number(row, "pid") : -1;
	}
	s->failed |= array_push(&s->lines, line) != 0;
}

void summary_about(struct summary_run *s)
{
	const struct recording *rec = &s->h->recordings.files.v[0];
	const struct machine *m = &s->h->recordings.machine;
	const bool known = m->release && *m->release;

	text_add_encoded(&s->text, span_of(rec->path));
	if (s->h->recordings.files.n > 1)
		strbuf_addf(&s->text, " and %zu more", s->h->recordings.files.n - 1);
	strbuf_addf(&s->text, ": %s %s, %u CPU%s", known ? "Linux" : "unknown",
		    known ? m->release : "kernel", rec->info->cpu_count,
		    plural(rec->info->cpu_count));
	if (m->arch && *m->arch)
		strbuf_addf(&s->text, ", %s", m->arch);
	if (rec->imported_from)
		strbuf_addf(&s->text, ", from %s", rec->imported_from);
	summary_say(s, &(struct summary_form){ SUMMARY_ABOUT, "recording", "", NULL, NULL }, NULL);
	if (s->count.events) {
		people_text(&s->text, (double)(s->last - s->first), "ns");
		strbuf_addstr(&s->text, " from ");
		add_time(s, s->first, &s->text);
		strbuf_addstr(&s->text, "; ");
	}
	summary_events(s);
	if (s->of_some) {
		strbuf_addstr(&s->text, "only events of ");
		limits_print_tasks(span_of(recording_option(rec, TRACE_DAT_HIST_LIMITS) ?: ""),
				   &s->text);
		strbuf_addstr(&s->text, " were recorded; what others did meanwhile is not known");
		summary_say(s, &(struct summary_form){ SUMMARY_ABOUT, "only", "", "list", NULL },
			    NULL);
	}
}
