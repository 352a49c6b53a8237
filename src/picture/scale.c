// SPDX-License-Identifier: LGPL-2.1-only
/* Round steps for axes; bins with round edges. */
#include "picture/picture.h"

enum { LINEAR_BINS = 40, LOG_FROM = 50, STEPS = 6 };

double axis_step(double range, unsigned int most)
{
	double least, step;

	if (!(range > 0) || !most)
		return 1;
	least = range / most;
	step = pow(10, floor(log10(least)));
	return step * (least <= step ? 1 : least <= 2 * step ? 2 : least <= 5 * step ? 5 : 10);
}

void axis_draw(struct strbuf *out, double to, const char *unit, unsigned int most)
{
	const struct people_unit *from = people_unit(unit), *shown = NULL;
	double step = axis_step(to, most);

	/* all labels have one unit: that of the last one */
	if (from)
		shown = people_fitting_unit(to * from->ns, 1);
	for (size_t i = 0; to > 0 && (double)i * step <= to * 1.000001; i++) {
		const double at = (double)i * step, x = at / to * 100;

		strbuf_addf(out,
			    "<line class=\"tick\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" y2=\"4\"/>"
			    "<text x=\"%.3f%%\" y=\"15\" text-anchor=\"%s\">",
			    x, x, x,
			    x < 3    ? "start"
			    : x > 96 ? "end"
				     : "middle");
		if (shown)
			strbuf_addf(out, "%.9g\u00a0%s", at * from->ns / shown->ns, shown->name);
		else
			people_add(out, at, NULL);
		strbuf_addstr(out, "</text>\n");
	}
}

static void make_linear(struct scale *s, double min, double max)
{
	/* integers, and what double can tell apart */
	double least = fmax(axis_step(fmax(fabs(min), fabs(max)), 1) / 1e13, 1),
	       step = fmax(axis_step(max - min, LINEAR_BINS - 1), least),
	       first = floor(min / step) * step;

	s->n = min_t(size_t, (size_t)((max - first) / step) + 1, SCALE_MAX);
	for (size_t i = 0; i <= s->n; i++)
		s->edges[i] = first + (double)i * step;
	step = fmax(axis_step(max - min, 6), step);
	for (size_t i = 0; i <= s->n; i++)
		s->round[i] = fabs(remainder(s->edges[i], step)) < step / 1e6;
}

/* 0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100 ... */
static void make_logarithmic(struct scale *s, double min, double max)
{
	static const double steps[STEPS] = { 1, 1.5, 2, 3, 5, 7 };
	bool wide = max / fmax(min, 1) > 1e3;
	double edge = 0, next;

	for (size_t i = 0; s->n < SCALE_MAX; i++) {
		const size_t decade = i / STEPS;

		next = steps[i % STEPS] * pow(10, (double)decade);
		if (next == 1.5)
			continue;
		if (next > min) {
			double lead = edge / pow(10, floor(log10(fmax(edge, 1))));

			s->round[s->n] = lead < 1.1 || (!wide && (lead == 2 || lead == 5));
			s->edges[s->n++] = edge;
		}
		edge = next;
		if (edge > max)
			break;
	}
	s->round[s->n] = false;
	s->edges[s->n] = edge;
}

void scale_init(struct scale *s, double min, double max)
{
	*s = (struct scale){ .n = 0 };
	if (min < 0 || max / fmax(min, 1) < LOG_FROM)
		make_linear(s, min, max);
	else
		make_logarithmic(s, min, max);
}

size_t scale_bin(const struct scale *s, double v)
{
	size_t from = 0, to = s->n;

	while (to - from > 1) {
		size_t middle = from + (to - from) / 2;

		if (v >= s->edges[middle])
			from = middle;
		else
			to = middle;
	}
	return from;
}

void scale_label(const struct scale *s, size_t bin, const char *unit, struct strbuf *out)
{
	if (s->edges[bin + 1] - s->edges[bin] > 1 || people_unit(unit)) {
		tick_add(out, s->edges[bin], unit);
		strbuf_addstr(out, " to below ");
		tick_add(out, s->edges[bin + 1], unit);
	} else {
		tick_add(out, s->edges[bin], unit);
	}
}
