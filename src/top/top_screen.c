// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The screen: two lines about the recording, a table of as many rows as there is room for, and a
 * line of keys. A line is cut where the screen ends, so that nothing scrolls.
 */
#include "top/top_screen.h"

enum { OTHER_LINES = 5 }; /* two at the top, one empty, the header, and the last one */

static void add_extra(void *arg, const struct result_row *row, size_t i, struct strbuf *out)
{
	const struct top_extra *e = arg;
	const struct result_column *c = &e->rows->now.named->columns[e->rows->value];
	const struct top_row *known = top_rows_find(e->rows, row);
	u64 added[TOP_HISTORY], n;

	if (!known)
		return;
	for (size_t k = 0; k < TOP_HISTORY; k++)
		added[k] = top_row_added(e->rows, known, TOP_HISTORY - 1 - k);
	n = added[TOP_HISTORY - 1];
	if (i) {
		spark_add(out, added, TOP_HISTORY, e->plain);
	} else if (n) {
		strbuf_addch(out, '+');
		if (c->unit)
			people_text(out, (double)n, c->unit);
		else
			text_add_grouped(out, n, false);
	}
}

void top_extra_init(struct top_extra *e, struct top_rows *rows, bool plain)
{
	e->rows = rows;
	e->plain = plain;
	e->columns[0] = (struct answer_extra_column){ "change", false, 0 };
	e->columns[1] = (struct answer_extra_column){ "last 16", true, 5 };
	e->extra = (struct answer_extra){
		.columns = e->columns, .n = 2, .widths = rows->widths, .add = add_extra, .arg = e
	};
}

/* Append the next line of @text, as far as there is room for it. */
static void add_line(struct strbuf *out, struct span *text, size_t width, const char *style)
{
	struct span line = span_sep(text, "\n");

	line = text_fitting(line, width);
	strbuf_addstr(out, style);
	strbuf_add(out, line.s, line.n);
	if (*style) {
		strbuf_fill(out, ' ', width - text_width(line));
		strbuf_addstr(out, "\033[0m");
	}
	strbuf_addstr(out, "\033[K\r\n");
}

void top_status_add(struct strbuf *out, const struct top_status *s)
{
	strbuf_addf(out, "%s  ", s->time);
	if (s->rated) {
		text_add_grouped(out, (u64)s->events, false);
		strbuf_addstr(out, " events/s, ");
	}
	text_add_grouped(out, s->lost, false);
	strbuf_addstr(out, " lost, ");
	text_add_grouped(out, s->skipped, false);
	if (s->skipped) {
		strbuf_addstr(out, " of ");
		text_add_grouped(out, s->taken, false);
	}
	strbuf_addstr(out, " sub-buffers skipped");
	if (s->behind >= 1)
		strbuf_addf(out, ", %.1f s late", s->behind);
	strbuf_addf(out, "; hist: %.1f %% of a CPU", s->cpu * 100);
}

static void add_last(struct strbuf *out, const struct top_screen *s, const struct top_view *v)
{
	if (s->typed) {
		strbuf_addf(out, "rows with: %s", s->typed);
		return;
	}
	if (s->message) {
		strbuf_addstr(out, s->message);
		return;
	}
	if (v && v->result.n_rows)
		strbuf_addf(out, "%zu to %zu of %zu rows", s->choice.first + 1,
			    s->choice.first + v->result.n_rows, v->n_matching);
	else
		strbuf_addstr(out, "no rows");
	strbuf_addf(out, " by %s", s->choice.sort ? s->choice.sort : "value");
	if (s->choice.filter && *s->choice.filter)
		strbuf_addf(out, " with \"%s\"", s->choice.filter);
	if (s->n_tables > 1)
		strbuf_addf(out, "  table %zu of %zu: t", s->table + 1, s->n_tables);
	strbuf_addstr(out, "  q quit, s sort, / filter, p pause, w write");
}

/* The rows from choice.first on, or the last ones. */
static int init_view(struct top_view *view, struct top_screen *s, struct top_rows *rows,
		     size_t room)
{
	struct top_choice choice = s->choice;
	int err;

	choice.max = room;
	err = top_view_init(view, rows, &choice);
	if (err || !choice.first || choice.first + room <= view->n_matching)
		return err;
	s->choice.first = choice.first = view->n_matching - min_t(size_t, room, view->n_matching);
	top_view_release(view);
	return top_view_init(view, rows, &choice);
}

size_t top_screen_add(struct strbuf *out, struct top_screen *s, struct top_rows *rows)
{
	const size_t room = s->height > OTHER_LINES ? s->height - OTHER_LINES : 1;
	struct printer p = { .buf = STRBUF_INIT, .sink = strbuf_sink, .arg = NULL };
	scoped(strbuf_release) struct strbuf head = STRBUF_INIT, last = STRBUF_INIT,
					     table = STRBUF_INIT;
	struct format_options options = { .width = s->width, .sort = s->choice.sort };
	scoped(top_view_release) struct top_view view = { .order = NULL };
	struct top_extra extra;
	struct span text;
	size_t lines = 2;
	static const struct format_options none;

	if (rows && !rows->now.named)
		rows = NULL;
	p.arg = &table;
	if (rows && !init_view(&view, s, rows, room)) {
		top_extra_init(&extra, rows, s->plain);
		options.extra = &extra.extra;
		print_answer_table(&p, &view.result, &options);
	}
	printer_end(&p);
	strbuf_addstr(&head, s->question && *s->question ? s->question : "hist top");
	if (rows) {
		strbuf_addstr(&head, "  ");
		print_answer_title(rows->now.named, &none, &head);
	}
	strbuf_addch(&head, '\n');
	if (s->paused)
		strbuf_addstr(&head, "paused  ");
	top_status_add(&head, &s->status);
	add_last(&last, s, rows ? &view : NULL);

	strbuf_addstr(out, "\033[H");
	text = strbuf_span(&head);
	add_line(out, &text, s->width, s->plain ? "" : "\033[1m");
	add_line(out, &text, s->width, "");
	text = strbuf_span(&table);
	if (span_starts(text, "(too wide")) {
		add_line(out, &text, s->width, "");
	} else {
		struct span empty = span_of("");

		add_line(out, &empty, s->width, "");
	}
	for (lines = 3; lines + 1 < s->height && text.n; lines++)
		add_line(out, &text, s->width, lines == 3 && !s->plain ? "\033[7m" : "");
	strbuf_addstr(out, "\033[J");
	strbuf_addf(out, "\033[%u;1H", s->height ?: 1);
	text = strbuf_span(&last);
	add_line(out, &text, s->width, "");
	/* without the newline, which would scroll */
	strbuf_cut(out, out->len - 2);
	out->failed |= head.failed || last.failed || table.failed;
	return room;
}
