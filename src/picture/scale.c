// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Numbers for people: in a unit that fits and with grouped digits; round steps for axes; bins with
 * round edges.
 */
#include <math.h>
#include <stdio.h>

#include "picture/picture.h"

enum { LINEAR_BINS = 40, LOG_FROM = 50, STEPS = 6 };

/* --- numbers --- */

/* "1,234,567" or "0.25". */
static void add_grouped(struct strbuf *out, double v, int decimals)
{
	char digits[64];
	int n = snprintf(digits, sizeof(digits), "%.*f", decimals, fabs(v)), whole = n;

	if (n < 0 || n >= (int)sizeof(digits)) {
		strbuf_addf(out, "%.3g", v);
		return;
	}
	if (decimals)
		whole = n - decimals - 1;
	strbuf_addstr(out, v < 0 ? "\u2212" : "");
	for (int i = 0; i < n; i++) {
		if (i && i < whole && (whole - i) % 3 == 0)
			strbuf_addch(out, ',');
		strbuf_addch(out, digits[i]);
	}
}

/* Three digits, unless the number is an integer or larger. */
static int decimals_of(double v)
{
	v = fabs(v);
	if (v >= 99.95 || (v == floor(v) && v < 1e15))
		return 0;
	return v >= 9.995 ? 1 : v >= 0.0995 ? 2 : 3;
}

static const struct time_unit {
	const char *unit, *name;
	double ns;
} time_units[] = {
	{ "ns", "ns", 1 }, { "us", "\u00b5s", 1e3 }, { "ms", "ms", 1e6 }, { "s", "s", 1e9 }
};

/* NULL: not a unit of time. */
static const struct time_unit *time_unit(const char *unit)
{
	for (size_t i = 0; unit && i < ARRAY_SIZE(time_units); i++)
		if (!strcmp(unit, time_units[i].unit))
			return &time_units[i];
	return NULL;
}

/* The largest unit of which @ns is at least @least. */
static const struct time_unit *fitting_unit(double ns, double least)
{
	const struct time_unit *u = time_units + ARRAY_SIZE(time_units) - 1;

	while (u > time_units && fabs(ns) < u->ns * least)
		u--;
	return u;
}

void people_add(struct strbuf *out, double v, const char *unit)
{
	const struct time_unit *from = time_unit(unit), *to;
	double shown;

	if (isnan(v))
		return;
	if (!from) {
		add_grouped(out, v, decimals_of(v));
		if (unit)
			strbuf_addf(out, "\u00a0%s", unit);
		return;
	}
	to = fitting_unit(v * from->ns, 0.9995);
	shown = v * from->ns / to->ns;
	/* 5 us are exactly that, but 5000 ns are 5.00 us */
	if (to <= from && v == floor(v))
		add_grouped(out, shown, 0);
	else
		add_grouped(out, shown, fabs(shown) >= 99.95 ? 0 : fabs(shown) >= 9.995 ? 1 : 2);
	strbuf_addf(out, "\u00a0%s", to->name);
}

void tick_add(struct strbuf *out, double v, const char *unit)
{
	const struct time_unit *from = time_unit(unit), *to;

	if (from) {
		to = fitting_unit(v * from->ns, 1);
		strbuf_addf(out, "%.6g\u00a0%s", v * from->ns / to->ns,
			    v != 0 ? to->name : from->name);
	} else {
		people_add(out, v, unit);
	}
}

/* --- axes --- */

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
	const struct time_unit *from = time_unit(unit), *shown = NULL;
	double step = axis_step(to, most);

	/* all labels have one unit: that of the last one */
	if (from)
		shown = fitting_unit(to * from->ns, 1);
	for (double i = 0; to > 0 && i * step <= to * 1.000001; i++) {
		double x = i * step / to * 100;

		strbuf_addf(out,
			    "<line class=\"tick\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" y2=\"4\"/>"
			    "<text x=\"%.3f%%\" y=\"15\" text-anchor=\"%s\">",
			    x, x, x,
			    x < 3    ? "start"
			    : x > 96 ? "end"
				     : "middle");
		if (shown)
			strbuf_addf(out, "%.9g\u00a0%s", i * step * from->ns / shown->ns,
				    shown->name);
		else
			people_add(out, i * step, NULL);
		strbuf_addstr(out, "</text>\n");
	}
}

/* --- bins --- */

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
		next = steps[i % STEPS] * pow(10, (double)(i / STEPS));
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
	if (s->edges[bin + 1] - s->edges[bin] > 1 || time_unit(unit)) {
		tick_add(out, s->edges[bin], unit);
		strbuf_addstr(out, " to below ");
		tick_add(out, s->edges[bin + 1], unit);
	} else {
		tick_add(out, s->edges[bin], unit);
	}
}
