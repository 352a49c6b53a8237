// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist events --hosts: recordings of several machines, whose events are merged by the time of day.
 * Each machine is read by itself, so their CPUs, tasks and clocks stay apart.
 */
#include "cmd/events_hosts.h"
#include "table/table.h"

struct host_events {
	const struct cmd_host *of;
	struct hist_events *events;
	struct hist_event e;
	uint64_t date; /* of ->e */
	int more;      /* of hist_events_next() */
};

struct hosts {
	ARRAY(struct host_events) v;
	const struct hist_events_print *print;
	struct row_writer rows;
	struct strbuf out, date, text;
};

static const struct row_column columns[] = {
	{ .name = "date", .kind = CELL_TEXT },   { .name = "host", .kind = CELL_TEXT },
	{ .name = "ts", .kind = CELL_UNSIGNED }, { .name = "cpu", .kind = CELL_SMALL },
	{ .name = "pid", .kind = CELL_SMALL },   { .name = "comm", .kind = CELL_TEXT },
	{ .name = "event", .kind = CELL_TEXT },  { .name = "text", .kind = CELL_TEXT },
};

static void next_event(struct host_events *host)
{
	host->more = hist_events_next(host->events, &host->e);
	if (host->more > 0)
		hist_event_date(&host->e, &host->date);
}

static void print_event(struct hosts *s, const struct host_events *host)
{
	const struct hist_event *e = &host->e;

	strbuf_reset(&s->date);
	text_add_date(&s->date, host->date);
	strbuf_reset(&s->text);
	hist_event_text(e, strbuf_sink, &s->text);
	if (!s->rows.format) {
		strbuf_addf(&s->out, "%s %s %16s-%-7d [%03u] %s: %s\n", s->date.s, host->of->name,
			    hist_event_comm(e), e->pid, e->cpu, e->type->name, s->text.s);
		return;
	}
	rows_text(&s->rows, strbuf_span(&s->date));
	rows_text(&s->rows, span_of(host->of->name));
	rows_number(&s->rows, CELL_UNSIGNED, e->ts);
	rows_number(&s->rows, CELL_SMALL, e->cpu);
	rows_number(&s->rows, CELL_SMALL, (u64)(s64)e->pid);
	rows_text(&s->rows, span_of(hist_event_comm(e)));
	rows_text(&s->rows, span_of(e->type->name));
	rows_text(&s->rows, strbuf_span(&s->text));
	rows_end_row(&s->rows);
}

static int flush(struct hosts *s)
{
	int err = s->out.failed || s->date.failed || s->text.failed ? HIST_NOMEM : 0;

	err = err ?: s->print->sink(s->print->arg, s->out.s, s->out.len);
	strbuf_reset(&s->out);
	return err;
}

static struct host_events *earliest(const struct hosts *s)
{
	struct host_events *first = NULL;

	for (size_t i = 0; i < s->v.n; i++)
		if (s->v.v[i].more > 0 && (!first || s->v.v[i].date < first->date))
			first = &s->v.v[i];
	return first;
}

static int print_all(struct hosts *s)
{
	struct host_events *host;
	int err = 0;

	if (s->rows.format)
		rows_begin(&s->rows, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < s->v.n; i++)
		next_event(&s->v.v[i]);
	for (u64 n = 0; !err && (host = earliest(s)) && (!s->print->max || n < s->print->max);
	     n++) {
		print_event(s, host);
		next_event(host);
		if (s->out.len > 1 << 16)
			err = flush(s);
	}
	for (size_t i = 0; i < s->v.n && !err; i++)
		err = min_t(int, s->v.v[i].more, 0);
	if (s->rows.format)
		err = rows_end(&s->rows, !err) ?: err;
	return flush(s) ?: err;
}

int events_print_hosts(struct cmd_args *a, const struct hist_events_options *how,
		       const struct hist_events_print *print)
{
	struct hist_events_options asked = *how;
	struct hosts s = { .print = print,
			   .rows.out = &s.out,
			   .rows.title = "Events",
			   .rows.u64_as_string = print->json_u64_as_string,
			   .out = STRBUF_INIT,
			   .date = STRBUF_INIT,
			   .text = STRBUF_INIT };
	cmd_hosts hosts = ARRAY_INIT;
	int err = cmd_hosts_open(a, true, &hosts);

	asked.comm = true;
	if (print->format && strcmp(print->format, "text") != 0) {
		s.rows.format = row_format_find(print->format);
		if (!s.rows.format || s.rows.format->binary)
			err = err ?: row_format_unknown(print->format, "", a->diags);
	}
	for (size_t i = 0; i < hosts.n && !err; i++) {
		struct host_events host = { .of = &hosts.v[i] };

		err = hist_events_open(host.of->h, &asked, &host.events, a->diags);
		err = err ?: array_push(&s.v, host);
	}
	err = err ?: print_all(&s);
	for (size_t i = 0; i < s.v.n; i++)
		err = hist_events_close(s.v.v[i].events, min_t(int, err, 0)) ?: err;
	cmd_hosts_release(&hosts);
	array_release(&s.v);
	strbuf_release(&s.out);
	strbuf_release(&s.date);
	strbuf_release(&s.text);
	return err;
}
