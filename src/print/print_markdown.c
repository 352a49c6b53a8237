// SPDX-License-Identifier: LGPL-2.1-only
/* A result as a table in GitHub's Markdown, for a pull request or a report; numbers as in text. */
#include "print/answer.h"

static void print_line(struct strbuf *text, const char *before, struct strbuf *out)
{
	strbuf_addstr(out, before);
	markdown_add(out, text->s ?: "");
	out->failed |= text->failed;
	strbuf_reset(text);
}

/* The largest intervals as a list. */
static void print_exemplars(const struct answer *a, struct printer *p)
{
	const struct result_exemplars *of = a->r->exemplars;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (!of || !of->all || !of->all->n)
		return;
	strbuf_addf(&text, "The largest %s, at TIME,CPU:", of->name);
	print_line(&text, "\n", &p->buf);
	strbuf_addstr(&p->buf, "\n\n");
	for (u32 i = 0; i < of->all->n; i++) {
		answer_add_exemplar(a, &of->all->v[i], &text);
		print_line(&text, "- ", &p->buf);
		strbuf_addch(&p->buf, '\n');
	}
}

static void print_title(const struct answer *a, struct printer *p)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	print_answer_title(a->r, a->options, &text);
	print_line(&text, "**", &p->buf);
	strbuf_addstr(&p->buf, "**\n\n");
}

static int print_key_stats(const struct result *r, struct printer *p)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	int err = answer_add_key_stats(r, 0, &text);
	struct span lines = strbuf_span(&text);

	while (lines.n) {
		const struct span line = span_sep(&lines, "\n");
		scoped(strbuf_release) struct strbuf one = STRBUF_INIT;

		strbuf_add(&one, line.s, line.n);
		print_line(&one, "\n", &p->buf);
		strbuf_addch(&p->buf, '\n');
	}
	p->buf.failed |= text.failed;
	return err;
}

static void print_markdown(const struct format *format UNUSED, const struct result *r,
			   const struct format_options *options, struct printer *p)
{
	scoped(answer_release) struct answer a = { .r = r,
						   .options = options,
						   .table.text = STRBUF_INIT };
	int err = answer_begin(&a);

	if (!err) {
		print_title(&a, p);
		err = answer_print_rows(&a, p);
	}
	if (!err && !p->err) {
		strbuf_addch(&p->buf, '\n');
		if (r->left_out)
			strbuf_addf(&p->buf, "%zu more rows: --top 0\n\n", r->left_out);
		answer_add_totals(r, &p->buf);
		print_exemplars(&a, p);
		err = print_key_stats(r, p);
	}
	if (a.table.failed || a.table.text.failed)
		err = HIST_NOMEM;
	p->err = p->err ?: err;
}

const struct format format_markdown = {
	.name = "markdown", .for_people = true, .counts_left_out = true, .print = print_markdown
};
