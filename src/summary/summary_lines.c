// SPDX-License-Identifier: LGPL-2.1-only
/* How a line of a summary is composed; the first lines, about the recording. */
#include <stdarg.h>
#include <string.h>

#include "summary/summary_run.h"

/* --- composing --- */

void summary_add_ns(struct summary_run *s, u64 ns)
{
	people_text(&s->text, (double)ns, "ns");
}

void summary_add_task(struct summary_run *s, const struct summary_row *row, const char *comm,
		      const char *pid)
{
	summary_add_text(row, comm, &s->text);
	strbuf_addf(&s->text, "-%lld", (long long)(s32)summary_number(row, pid));
}

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

void summary_add_moment(struct summary_run *s, const struct summary_row *row)
{
	strbuf_addf(&s->text, " on CPU %llu at ", (unsigned long long)summary_number(row, "cpu"));
	add_time(s, row->saved_at, &s->text);
}

const char *summary_at(struct summary_run *s, const struct summary_row *row)
{
	struct strbuf at = STRBUF_INIT;

	add_time(s, row->saved_at, &at);
	strbuf_addf(&at, ",%llu", (unsigned long long)summary_number(row, "cpu"));
	return arena_take(&s->arena, &at) ?: "";
}

struct summary_line *summary_say(struct summary_run *s, enum summary_kind kind, const char *topic,
				 const struct summary_row *row)
{
	struct summary_line line = { .kind = kind, .topic = topic };
	struct strbuf name = STRBUF_INIT;

	line.text = arena_strndup(&s->arena, s->text.s, s->text.len);
	s->failed |= s->text.failed || !line.text;
	strbuf_reset(&s->text);
	if (row) {
		summary_add_name(row, &name);
		line.name = arena_take(&s->arena, &name);
		line.numbers = true;
		line.hits = summary_number(row, "hitcount");
		line.total = summary_number(row, "ns");
		line.max = summary_number(row, "max");
		line.at_time = row->saved;
		line.at = row->saved_at;
		line.cpu = (u32)summary_number(row, "cpu");
		line.pid = (s32)summary_number(row, "pid");
	}
	s->failed |= array_push(&s->lines, line) != 0;
	return s->failed ? &s->none : &s->lines.v[s->lines.n - 1];
}

void summary_command(struct summary_run *s, struct summary_line *line, const char *verb,
		     const char *rest, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	strbuf_addf(&sb, "hist %s", verb);
	if (s->o->input)
		strbuf_addf(&sb, " %s", s->o->input);
	va_start(ap, rest);
	strbuf_addstr(&sb, rest ? " " : "");
	if (rest)
		strbuf_vaddf(&sb, rest, ap);
	va_end(ap);
	line->command = arena_take(&s->arena, &sb);
	s->failed |= !line->command;
}

/* --- the recording --- */

struct event_number {
	const struct trace_dat_format *format;
	u64 n;
};

static int by_count(const void *a, const void *b)
{
	const struct event_number *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : span_cmp(x->format->name, y->format->name);
}

/* "11,237 events: sys_enter 8,827, ... and 2 others" */
static void add_events(struct summary_run *s)
{
	enum { SHOWN = 4 };
	const struct recording *rec = &s->h->recordings.files.v[0];
	ARRAY(struct event_number) all = ARRAY_INIT;

	for (size_t i = 0; i < rec->n_formats; i++) {
		const struct trace_dat_format *f = &rec->formats[i];
		const struct event_number c = { f, f->id < s->count.n_ids ? s->count.by_id[f->id]
									  : 0 };

		if (c.n)
			s->failed |= array_push(&all, c) != 0;
	}
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_count);
	text_add_grouped(&s->text, s->count.events, false);
	strbuf_addf(&s->text, " event%s", plural(s->count.events));
	for (size_t i = 0; i < all.n && i < SHOWN; i++) {
		strbuf_addf(&s->text, "%s%.*s ", i ? ", " : ": ", (int)all.v[i].format->name.n,
			    all.v[i].format->name.s);
		text_add_grouped(&s->text, all.v[i].n, false);
	}
	if (all.n > SHOWN)
		strbuf_addf(&s->text, ", and %zu other type%s", all.n - SHOWN,
			    plural(all.n - SHOWN));
	array_release(&all);
}

void summary_about(struct summary_run *s)
{
	const struct recording *rec = &s->h->recordings.files.v[0];
	const struct machine *m = &s->h->recordings.machine;

	text_add_encoded(&s->text, span_of(rec->path));
	if (s->h->recordings.files.n > 1)
		strbuf_addf(&s->text, " and %zu more", s->h->recordings.files.n - 1);
	strbuf_addf(&s->text, ": %s %s, %u CPU%s", m->release && *m->release ? "Linux" : "unknown",
		    m->release && *m->release ? m->release : "kernel", rec->info->cpu_count,
		    plural(rec->info->cpu_count));
	if (m->arch && *m->arch)
		strbuf_addf(&s->text, ", %s", m->arch);
	if (rec->imported_from)
		strbuf_addf(&s->text, ", from %s", rec->imported_from);
	summary_say(s, SUMMARY_ABOUT, "recording", NULL);
	if (s->count.events) {
		summary_add_ns(s, s->last - s->first);
		strbuf_addstr(&s->text, " from ");
		add_time(s, s->first, &s->text);
		strbuf_addstr(&s->text, "; ");
	}
	add_events(s);
	summary_command(s, summary_say(s, SUMMARY_ABOUT, "events", NULL), "list", NULL);
}
