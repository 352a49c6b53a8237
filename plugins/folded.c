// SPDX-License-Identifier: LGPL-2.1-only
/*
 * folded: a line "FRAME;FRAME;FRAME NUMBER" for each row, for flame graph tools.
 *
 * The keys are the frames, in their order: first those that are not stacks, then the stacks,
 * with the outermost function first. The number is the value by which the histogram is sorted,
 * otherwise hitcount.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hist-plugin.h"

struct writer {
	const struct hist_plugin_histogram *h;
	const struct hist_plugin_out *out;
	int err;
	int first; /* of the line */
};

static void add(struct writer *w, const char *s, size_t n)
{
	if (!w->err)
		w->err = w->out->write(w->out, s, n);
}

/* Replace the separators of frames and lines within a frame. */
static void add_name(struct writer *w, const char *s, size_t n)
{
	if (!w->first)
		add(w, ";", 1);
	w->first = 0;
	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		add(w, c == ';' ? ":" : c == '\n' || c == '\r' ? " " : &c, 1);
	}
}

static void add_number(struct writer *w, const struct hist_plugin_column *column,
		       const struct hist_plugin_cell *cell)
{
	char text[160];
	int n;

	if (column->type == HIST_PLUGIN_RANGE)
		n = snprintf(text, sizeof(text),
			     column->is_signed ? "%.99s:%" PRId64 "-%" PRId64
					       : "%.99s:%" PRIu64 "-%" PRIu64,
			     column->name, cell->num, cell->max);
	else
		n = snprintf(text, sizeof(text),
			     column->is_signed ? "%.99s:%" PRId64 : "%.99s:%" PRIu64, column->name,
			     cell->num);
	add_name(w, text, (size_t)n);
}

/*
 * A function of a program: without parameters and quotes, as stackcollapse-perf.pl of FlameGraph
 * writes it; those of Go have points around a parenthesis.
 */
static void add_function(struct writer *w, const struct hist_plugin_text *name)
{
	const char *s = name->s, *end = s + name->n, *open = NULL;
	static const char anonymous[] = "(anonymous namespace)";
	const size_t n = sizeof(anonymous) - 1;

	for (const char *at = s; at < end && !open; at++) {
		if (*at != '(')
			continue;
		if ((size_t)(end - at) >= n && !memcmp(at, anonymous, n))
			continue;
		open = at;
	}
	if (open && open > s && open[-1] == '.' && memmem(open, (size_t)(end - open), ").", 2))
		open = NULL;
	if (!w->first)
		add(w, ";", 1);
	w->first = 0;
	for (const char *at = s; at < (open ? open : end); at++)
		if (*at != '"' && *at != '\'')
			add(w, *at == ';' ? ":" : *at == '\n' || *at == '\r' ? " " : at, 1);
}

/* "name+0x1/0x20 [module]" without the offset. */
static void add_symbol(struct writer *w, const struct hist_plugin_text *symbol)
{
	const char *plus = memmem(symbol->s, symbol->n, "+0x", 3);
	const char *blank = memchr(symbol->s, ' ', symbol->n);
	char text[512];
	int n;

	if (!plus) {
		add_name(w, symbol->s, symbol->n);
		return;
	}
	n = snprintf(text, sizeof(text), "%.*s%.*s", (int)(plus - symbol->s), symbol->s,
		     blank ? (int)(symbol->s + symbol->n - blank) : 0, blank ? blank : "");
	add_name(w, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static void add_key(struct writer *w, const struct hist_plugin_column *column,
		    const struct hist_plugin_cell *cell)
{
	if (cell->text.n || column->type == HIST_PLUGIN_TEXT)
		add_name(w, cell->text.s, cell->text.n);
	else
		add_number(w, column, cell);
}

static void add_stack(struct writer *w, const struct hist_plugin_cell *cell)
{
	for (size_t i = cell->n_frames; i; i--)
		if (cell->frames[i - 1].addr)
			add_symbol(w, &cell->frames[i - 1].symbol);
		else
			add_function(w, &cell->frames[i - 1].symbol);
	if (!cell->n_frames)
		add_name(w, "[no stack]", strlen("[no stack]"));
}

static size_t value_column(const struct hist_plugin_histogram *h)
{
	return h->columns[h->sort_column].role == HIST_PLUGIN_VALUE ? h->sort_column : h->n_keys;
}

static void add_row(struct writer *w, const struct hist_plugin_cell *cells, size_t value)
{
	const struct hist_plugin_histogram *h = w->h;
	char number[32];
	int n;

	w->first = 1;
	for (size_t i = 0; i < h->n_keys; i++)
		if (h->columns[i].type != HIST_PLUGIN_STACK)
			add_key(w, &h->columns[i], &cells[i]);
	for (size_t i = 0; i < h->n_keys; i++)
		if (h->columns[i].type == HIST_PLUGIN_STACK)
			add_stack(w, &cells[i]);
	n = snprintf(number, sizeof(number),
		     h->columns[value].is_signed ? " %" PRId64 "\n" : " %" PRIu64 "\n",
		     cells[value].num);
	add(w, number, (size_t)n);
}

static int print(const struct hist_plugin_histogram *h, const struct hist_plugin_out *out)
{
	struct writer w = { .h = h, .out = out };
	size_t value = value_column(h);

	for (size_t i = 0; i < h->n_rows && !w.err; i++) {
		const struct hist_plugin_cell *cells = h->row(h, i);

		if (!cells)
			return out->fail(out, "no memory");
		add_row(&w, cells, value);
	}
	return w.err;
}

static const struct hist_plugin_format formats[] = {
	{ .name = "folded",
	  .summary = "prints keys as stacks for flame graph tools",
	  .one_histogram = 1,
	  .print = print },
};

const struct hist_plugin hist_plugin = {
	.abi = HIST_PLUGIN_ABI,
	.name = "folded",
	.formats = formats,
	.n_formats = 1,
};
