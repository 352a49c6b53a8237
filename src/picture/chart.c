// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Bar charts as svg. Positions are in per cent, so a chart fills the width of its page; all numbers
 * are shown on hovering. The labels of the y axis are a picture of their own, to the left.
 */
#include "picture/picture.h"

enum { HEIGHT = 150, FOOT = 18, MARK = 13, Y_TICKS = 4, TICKS = 8, CHAR = 7 };

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

static double highest(const struct chart *c)
{
	double most = 0;

	for (size_t i = 0; i < c->n; i++)
		most = fmax(most, fmax(c->bars[i].n[0], c->bars[i].n[1]));
	return most;
}

/* The labels of the y axis, as wide as the longest one. */
static void draw_y_labels(struct strbuf *out, double step, double most, size_t top)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t longest = 1;

	for (size_t i = 0; most > 0 && (double)i * step <= most; i++) {
		const double v = (double)i * step;

		strbuf_reset(&sb);
		people_add(&sb, v, NULL);
		longest = max_t(size_t, longest, sb.len);
	}
	strbuf_addf(out,
		    "<svg class=\"chart\" width=\"%zu\" height=\"%zu\" aria-hidden=\"true\">\n",
		    longest * CHAR + 8, top + HEIGHT + FOOT);
	for (size_t i = 0; most > 0 && (double)i * step <= most; i++) {
		const double v = (double)i * step;

		strbuf_addf(out, "<text x=\"%zu\" y=\"%.1f\" text-anchor=\"end\">",
			    longest * CHAR + 2,
			    (double)top + HEIGHT - v / most * HEIGHT + (v > 0 ? 4 : 1));
		people_add(out, v, NULL);
		strbuf_addstr(out, "</text>\n");
	}
	strbuf_addstr(out, "</svg>");
	out->failed |= sb.failed;
}

/* Below the bars that have one, unless two would touch. */
static void draw_ticks(struct strbuf *out, const struct chart *c, size_t foot)
{
	size_t n = 0, step = 1, k = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->bars[i].tick;
	while (n / step > TICKS)
		step++;
	for (size_t i = 0; i < c->n; i++) {
		double x = ((double)i + 0.02) / (double)c->n * 100;

		if (!c->bars[i].tick || k++ % step)
			continue;
		strbuf_addf(
			out,
			"<line class=\"tick\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%zu\" y2=\"%zu\"/>"
			"<text x=\"%.3f%%\" y=\"%zu\" text-anchor=\"%s\">",
			x, x, foot, foot + 4, x, foot + 15,
			x < 3    ? "start"
			: x > 94 ? "end"
				 : "middle");
		tick_add(out, c->bars[i].min, c->unit);
		strbuf_addstr(out, "</text>\n");
	}
}

/* A line with its name and value, on a level of its own above the bars. */
static void draw_mark(struct strbuf *out, const struct chart *c, size_t mark, int side,
		      size_t level)
{
	const struct chart_mark *m = &c->marks[mark];
	double x = place_of(c->bars, c->n, m->at[side]);
	const char *after = c->both && side ? " after" : c->both ? " before" : "";

	if (isnan(x))
		return;
	strbuf_addf(out, "<line%s x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%zu\" y2=\"%zu\"><title>%s%s: ",
		    side ? " class=\"b\"" : "", x, x, level * MARK + 2,
		    HEIGHT + c->n_marks * (c->both ? 2 : 1) * MARK, m->name, after);
	people_add(out, m->at[side], c->unit);
	strbuf_addf(out,
		    "</title></line>\n<text class=\"mark\" x=\"%.3f%%\" y=\"%zu\" dx=\"%d\" "
		    "text-anchor=\"%s\">%s%s ",
		    x, 10 + level * MARK, x > 70 ? -4 : 4, x > 70 ? "end" : "start", m->name,
		    after);
	people_add(out, m->at[side], c->unit);
	strbuf_addstr(out, "</text>\n");
}

void chart_draw(struct strbuf *out, const struct chart *c)
{
	const double most = highest(c);
	const double step = fmax(axis_step(most, Y_TICKS), most >= 1); /* of hits: whole numbers */
	const size_t top = max_t(size_t, c->n_marks * (c->both ? 2 : 1) * MARK, 8);

	if (c->y)
		strbuf_addf(out, "<p class=\"axis\">\u2191 %s</p>\n", c->y);
	strbuf_addstr(out, "<div class=\"heatbox\">");
	draw_y_labels(out, step, most, top);
	strbuf_addf(out,
		    "<svg class=\"chart\" width=\"100%%\" height=\"%zu\" role=\"img\" "
		    "aria-label=\"distribution: %zu bars, the highest %.15g\">\n",
		    top + HEIGHT + FOOT, c->n, most);
	for (size_t i = 0; most > 0 && (double)i * step <= most; i++) {
		const double y = (double)top + HEIGHT - (double)i * step / most * HEIGHT;

		strbuf_addf(
			out,
			"<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>\n", y,
			y);
	}
	for (size_t j = 0; j < c->n; j++)
		for (int side = 0; side < 1 + c->both; side++) {
			const struct chart_bar *b = &c->bars[j];
			double width = 90.0 / (double)c->n / (c->both ? 2 : 1),
			       x = ((double)j + 0.05) / (double)c->n * 100 + side * width,
			       height = most > 0 ? b->n[side] / most * HEIGHT : 0;

			if (!(height > 0))
				continue;
			height = fmax(height, 1);
			strbuf_addf(out,
				    "<rect class=\"%c\" x=\"%.3f%%\" y=\"%.1f\" width=\"%.3f%%\" "
				    "height=\"%.1f\"><title>",
				    side ? 'b' : 'a', x, (double)top + HEIGHT - height, width,
				    height);
			markup_add(out, b->label);
			strbuf_addstr(out, ": ");
			people_add(out, b->n[side], NULL);
			strbuf_addstr(out, "</title></rect>\n");
		}
	for (size_t i = 0; i < c->n_marks; i++)
		for (int side = 0; side < 1 + c->both; side++)
			draw_mark(out, c, i, side, i * (c->both ? 2 : 1) + (size_t)side);
	draw_ticks(out, c, top + HEIGHT);
	strbuf_addstr(out, "</svg></div>\n");
	if (c->what) {
		strbuf_addstr(out, "<p class=\"axis x\">");
		markup_str(out, c->what);
		strbuf_addstr(out, " \u2192</p>\n");
	}
}

void chart_draw_rows(struct strbuf *out, const struct chart *c)
{
	const double most = highest(c);

	strbuf_addstr(out, "<div class=\"hbars\">\n");
	array_each_of(const struct chart_bar, b, c->bars, c->n) {
		strbuf_addstr(out, "<span>");
		markup_add(out, b->label);
		strbuf_addf(
			out,
			"</span><svg class=\"chart\" width=\"100%%\" height=\"%d\" role=\"img\">",
			c->both ? 22 : 12);
		for (int side = 0; side < 1 + c->both; side++) {
			strbuf_addf(
				out,
				"<rect class=\"%c\" y=\"%d\" width=\"%.2f%%\" height=\"9\"><title>",
				side ? 'b' : 'a', 1 + side * 10,
				most > 0 ? fmax(b->n[side] / most * 100, b->n[side] > 0 ? 0.2 : 0)
					 : 0);
			markup_add(out, b->label);
			strbuf_addstr(out, side ? ", after: " : c->both ? ", before: " : ": ");
			people_add(out, b->n[side], c->unit);
			strbuf_addstr(out, "</title></rect>");
		}
		strbuf_addstr(out, "</svg>\n");
	}
	strbuf_addstr(out, "</div>\n");
}
