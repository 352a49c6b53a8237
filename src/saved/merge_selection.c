// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The selection of a sum. The parts of a recording, its CPUs and spans of time, can be added up;
 * the sum has those of all results, or none if a result has none. Tasks must be the same, except in
 * rows with different labels.
 */
#include <stdlib.h>

#include "saved/merged.h"

static const char *const of_tasks[] = { "pid", "comm", "tree" };

bool merged_has_tasks_of(const struct merged *g, const struct result *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_tasks) && g->selection; i++) {
		const struct span name = span_of(of_tasks[i]);
		const struct span a = selection_find(g->selection, name),
				  b = selection_find(r->info->selection, name);

		if (!a.s != !b.s || (a.s && !span_same(a, b)))
			return false;
	}
	return true;
}

static int cmp_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	int ret = memcmp(x->s, y->s, min_t(size_t, x->n, y->n));

	return ret ? ret : (x->n > y->n) - (x->n < y->n);
}

typedef ARRAY(struct span) span_array;

/* The pieces of "1; 2". */
static void cut(struct strbuf *out, span_array *pieces, struct span text)
{
	while (text.s) {
		const char *end = span_find(text, span_of("; "));
		struct span piece = end ? span_between(text.s, end) : text;

		text = end ? span_skip(text, piece.n + 2) : (struct span){ NULL, 0 };
		out->failed |= array_push(pieces, piece) != 0;
	}
}

/* Append the line "NAME A; B" with the pieces of both texts, sorted. */
static void add_line(struct strbuf *out, struct span name, struct span a, struct span b)
{
	span_array pieces = ARRAY_INIT;

	cut(out, &pieces, a);
	cut(out, &pieces, b);
	if (pieces.n)
		qsort(pieces.v, pieces.n, sizeof(*pieces.v), cmp_spans);
	strbuf_addf(out, "%.*s ", (int)name.n, name.s);
	for (size_t i = 0; i < pieces.n; i++)
		if (!i || !span_same(pieces.v[i], pieces.v[i - 1]))
			strbuf_addf(out, "%s%.*s", i ? "; " : "", (int)pieces.v[i].n,
				    pieces.v[i].s);
	strbuf_addch(out, '\n');
	array_release(&pieces);
}

int merged_add_selection(struct merged *g, const struct result *r)
{
	const char *before = g->selection ? g->selection : r->info->selection;
	struct span lines = span_of(before ? before : ""), name, text;
	struct strbuf out = STRBUF_INIT;

	while (selection_next(&lines, &name, &text)) {
		const struct span other = selection_find(r->info->selection, name);

		if (other.s)
			add_line(&out, name, text, other);
	}
	g->selection = out.failed ? NULL : arena_strdup(&g->s->arena, out.s);
	g->s->info.selection = g->selection;
	strbuf_release(&out);
	return g->selection ? 0 : HIST_NOMEM;
}
