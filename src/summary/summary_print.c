// SPDX-License-Identifier: LGPL-2.1-only
/* Prints the lines of a summary: as text of forty lines, as rows in any format, as a page. */
#include "summary/summary_run.h"

enum { COLUMNS = 80, INDENT = 11, LINES = 40 };

/* ORDER enum summary_kind */
static const char *const kinds[] = { "about", "trouble", "fine", "unusual", "answer", "more" };

static size_t text_line(const struct summary_line *line, struct strbuf *out)
{
	const bool about = line->kind == SUMMARY_ABOUT || line->kind == SUMMARY_FINE;
	size_t n, start;

	if (line->kind == SUMMARY_TROUBLE)
		strbuf_addpad(out, "TROUBLE", INDENT);
	else if (!about)
		strbuf_addpad(out, line->topic, INDENT);
	start = out->len;
	strbuf_addstr(out, line->text);
	n = text_wrap(out, start, about ? 0 : INDENT, COLUMNS, INDENT);
	if (line->command && !about) {
		strbuf_fill(out, ' ', INDENT);
		strbuf_addf(out, "%s\n", line->command);
		n++;
	}
	return n;
}

/* What is wrong has its lines in any case; the last topics are left out if there is no room. */
static void print_text(const struct summary_run *s, struct strbuf *out)
{
	size_t n = 0, left_out = 0;

	for (size_t i = 0; i < s->lines.n; i++) {
		scoped(strbuf_release) struct strbuf line = STRBUF_INIT;
		const size_t lines = text_line(&s->lines.v[i], &line);

		if (n + lines < LINES) {
			strbuf_add(out, line.s, line.len);
			n += lines;
		} else {
			left_out++;
		}
		out->failed |= line.failed;
	}
	if (left_out)
		strbuf_addf(out, "%-*s%zu more topic%s: --format json\n", INDENT, "", left_out,
			    plural(left_out));
}

static const struct row_column columns[] = {
	{ .name = "kind", .kind = CELL_TEXT },       { .name = "topic", .kind = CELL_TEXT },
	{ .name = "text", .kind = CELL_TEXT },       { .name = "name", .kind = CELL_TEXT },
	{ .name = "hits", .kind = CELL_UNSIGNED },   { .name = "total_ns", .kind = CELL_UNSIGNED },
	{ .name = "max_ns", .kind = CELL_UNSIGNED }, { .name = "at", .kind = CELL_TIME },
	{ .name = "cpu", .kind = CELL_SMALL },       { .name = "pid", .kind = CELL_SMALL },
	{ .name = "command", .kind = CELL_TEXT },
};

static void add_number(struct row_writer *w, bool known, enum cell_kind kind, u64 v)
{
	if (known)
		rows_number(w, kind, v);
	else
		rows_absent(w);
}

static int print_rows(const struct summary_run *s, struct row_writer *w)
{
	rows_begin(w, columns, ARRAY_SIZE(columns));
	array_each(const struct summary_line, line, &s->lines) {
		rows_str(w, kinds[line->kind]);
		rows_str(w, line->topic);
		rows_str(w, line->text);
		rows_str(w, line->name);
		add_number(w, line->numbers, CELL_UNSIGNED, line->hits);
		add_number(w, line->numbers, CELL_UNSIGNED, line->total);
		add_number(w, line->numbers, CELL_UNSIGNED, line->max);
		add_number(w, line->at_time, CELL_TIME, line->at);
		add_number(w, line->at_time && line->cpu >= 0, CELL_SMALL, (u64)line->cpu);
		add_number(w, line->at_time && line->pid >= 0, CELL_SMALL, (u64)line->pid);
		rows_str(w, line->command);
		rows_end_row(w);
	}
	return rows_end(w, true);
}

/* All lines but the first, with their commands. */
static void fill_table(const struct summary_run *s, struct table *t)
{
	static const char *const names[] = { "", "topic", "what", "command" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		t->columns[i].left = true;
		table_add(t, names[i]);
	}
	table_end_row(t);
	for (size_t i = 1; i < s->lines.n; i++) {
		const struct summary_line *line = &s->lines.v[i];

		table_add(t, kinds[line->kind]);
		table_add(t, line->topic);
		table_add(t, line->text);
		table_add(t, line->command ?: "");
		table_end_row(t);
	}
}

/* A paragraph for each line, with its command below it. */
static void add_page_line(const struct summary_line *line, struct strbuf *out)
{
	const bool about = line->kind == SUMMARY_ABOUT || line->kind == SUMMARY_FINE;

	if (!about) {
		strbuf_addstr(out, "<h4>");
		markup_str(out, line->kind == SUMMARY_TROUBLE ? "trouble" : line->topic);
		strbuf_addstr(out, "</h4>\n");
	}
	strbuf_addstr(out, line->kind == SUMMARY_TROUBLE ? "<p class=\"warn\">" : "<p>");
	markup_str(out, line->text);
	strbuf_addstr(out, "</p>\n");
	if (line->command && !about) {
		strbuf_addstr(out, "<pre>");
		markup_str(out, line->command);
		strbuf_addstr(out, "</pre>\n");
	}
}

static int print_document(const struct summary_run *s, bool html, struct strbuf *out)
{
	struct page_head head = { .title = s->lines.v[0].text,
				  .command = s->o->command,
				  .messages = s->diags };
	scoped(free_scoped) struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return HIST_NOMEM;
	*t = (struct table)TABLE_INIT;
	fill_table(s, t);
	if (html) {
		page_begin(out, &head);
		for (size_t i = 1; i < s->lines.n; i++)
			add_page_line(&s->lines.v[i], out);
		page_end(&head, out);
	} else {
		markdown_add(out, head.title);
		strbuf_addstr(out, "\n\n");
		table_markdown(t, out);
	}
	out->failed |= t->failed;
	table_release(t);
	return out->failed ? HIST_NOMEM : 0;
}

int summary_print(struct summary_run *s, struct strbuf *out)
{
	const char *format = s->o->format ?: "text";
	struct row_writer w = { .format = row_format_find(format),
				.out = out,
				.encoded = true,
				.creator = "hist " HIST_VERSION };

	if (!strcmp(format, "html") || !strcmp(format, "markdown"))
		return print_document(s, !strcmp(format, "html"), out);
	if (!w.format)
		return row_format_unknown(format, "", s->diags);
	if (strcmp(format, "text") != 0)
		return print_rows(s, &w);
	print_text(s, out);
	return out->failed ? HIST_NOMEM : 0;
}
