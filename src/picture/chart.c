// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Bar charts as svg. Positions are in per cent, so a chart fills the width of its page;
 * numbers are shown on hovering, and in a table next to it.
 */
#include <math.h>

#include "picture/picture.h"

enum { HEIGHT = 140, FOOT = 18, LABEL = 18 };

void chart_bar(struct strbuf *out, double v, double of)
{
	if (of > 0 && v > 0)
		strbuf_addf(out,
			    "<svg class=\"bar\" aria-hidden=\"true\"><rect width=\"%.1f%%\" "
			    "height=\"100%%\"/></svg>",
			    fmin(100, v / of * 100));
}

/* The position of a value among the bars, in per cent; NAN: outside. */
static double place_of(const struct chart_bar *bars, size_t n, double v)
{
	for (size_t i = 0; i < n; i++) {
		double size = bars[i].max - bars[i].min + 1,
		       part = fmin(fmax((v - bars[i].min + 0.5) / size, 0), 1);

		if (v <= bars[i].max)
			return ((double)i + 0.1 + 0.8 * part) / (double)n * 100;
	}
	return (double)NAN;
}

static void draw_mark(struct strbuf *out, const struct chart_mark *m, int side, double x,
		      size_t level)
{
	if (isnan(x))
		return;
	strbuf_addf(out,
		    "<line%s x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" y2=\"%d\"><title>%s = "
		    "%.15g</title></line>\n",
		    side ? " class=\"b\"" : "", x, x, HEIGHT, m->name, m->at[side]);
	strbuf_addf(out, "<text x=\"%.3f%%\" y=\"%zu\" dx=\"%d\" text-anchor=\"%s\">%s%s</text>\n",
		    x, 10 + level * 12, x > 85 ? -3 : 3, x > 85 ? "end" : "start", m->name,
		    side ? "\u2032" : "");
}

void chart_draw(struct strbuf *out, const struct chart *c)
{
	double most = 0;
	size_t step;

	for (size_t i = 0; i < c->n; i++)
		most = fmax(most, fmax(c->bars[i].n[0], c->bars[i].n[1]));
	strbuf_addf(out,
		    "<svg class=\"chart\" width=\"100%%\" height=\"%d\" role=\"img\" "
		    "aria-label=\"distribution: %zu bars, the highest %.15g\">\n"
		    "<line class=\"axis\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>\n",
		    HEIGHT + FOOT, c->n, most, HEIGHT, HEIGHT);
	for (size_t i = 0; i < c->n; i++)
		for (int side = 0; side < 1 + c->both; side++) {
			const struct chart_bar *b = &c->bars[i];
			double width = 80.0 / (double)c->n / (c->both ? 2 : 1),
			       x = ((double)i + 0.1) / (double)c->n * 100 + side * width,
			       height = most > 0 ? b->n[side] / most * (HEIGHT - 14) : 0;

			if (height > 0) {
				height = fmax(height, 1);
				strbuf_addf(
					out,
					"<rect class=\"%c\" x=\"%.3f%%\" y=\"%.1f\" width=\"%.3f%%\" height=\"%.1f\">"
					"<title>",
					side ? 'b' : 'a', x, HEIGHT - height, width, height);
				markup_add(out, b->label);
				strbuf_addf(out, ": %.15g</title></rect>\n", b->n[side]);
			}
		}
	for (size_t i = 0; i < c->n_marks; i++)
		for (int side = 0; side < 1 + c->both; side++)
			draw_mark(out, &c->marks[i], side,
				  place_of(c->bars, c->n, c->marks[i].at[side]), i);
	/* draw as many labels as fit without touching, including the first */
	step = c->n / 6 + 1;
	for (size_t i = 0; i < c->n; i += step) {
		struct span text;
		struct span rest;
		size_t columns;

		strbuf_addf(out, "<text x=\"%.3f%%\" y=\"%d\">",
			    ((double)i + 0.1) / (double)c->n * 100, HEIGHT + 13);
		/* the start of a label that is too long */
		text = c->bars[i].label;
		rest = text;
		columns = 0;
		while (rest.n && columns < LABEL) {
			size_t n = utf8_length(rest);

			rest = span_skip(rest, n ? n : 1);
			columns++;
		}
		markup_add(out, span_between(text.s, rest.s));
		strbuf_addstr(out, rest.n ? "\u2026" : "");
		strbuf_addstr(out, "</text>\n");
	}
	strbuf_addstr(out, "</svg>\n");
}
