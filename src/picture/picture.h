/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * picture: draws histograms as pictures.
 *
 *	results ─gather─▶ groups ─▶ page (html), flame graph (svg), heat map and plot (terminal)
 *
 * A picture needs all histograms of a run before its first byte, so these formats collect in
 * print() and draw in finish().
 */
#ifndef HIST_PICTURE_PICTURE_H
#define HIST_PICTURE_PICTURE_H

#include "print/print.h"

/* The format with that name, or NULL; the format with index @i, or NULL after the last one. */
const struct format *picture_format_find(const char *name);
const struct format *picture_format_at(size_t i);

extern const struct format format_html, format_svg, format_heat, format_plot;

/* --- flame.c: stacks as a tree of frames --- */

struct flame_stack {
	const struct span *frames; /* outermost first */
	size_t n;
	double v[2]; /* before and after, or only the first */
};

struct flame {
	struct arena arena;
	ARRAY(struct flame_stack) stacks;
	bool both;        /* compare .v[0] and .v[1] */
	bool alone;       /* a separate file, which contains the script */
	bool inexact;     /* the first frame notes that fields were guessed */
	const char *what; /* name of the value, such as "hitcount" */
	size_t hidden;    /* set by flame_draw(): number of frames that were omitted */
};

/* Add a stack; texts are copied. 0, -HIST_ENOMEM */
int flame_add(struct flame *f, const struct span *frames, size_t n, double before, double after);
void flame_release(struct flame *f);

/* A frame's name without the offset in the function; borrowed from @symbol, or from @arena. */
struct span flame_frame_name(struct arena *arena, struct span symbol);

/**
 * flame_draw() - draw the tree as one <svg>, the outermost frames at the bottom
 * @max_frames: maximum number of frames; the narrowest are omitted, and counted in a note
 *
 * Without scripts, names and numbers are shown on hovering; picture/page.js adds zoom and search.
 */
int flame_draw(struct flame *f, size_t max_frames, struct strbuf *out);

/* --- html_page.c: a self-contained html page --- */

struct page_head {
	const char *title;
	const char *command;          /* what repeats it in a shell; NULL: unknown */
	const struct diags *messages; /* warnings and notes; NULL: none */
};

/* The parts of a page before and after its contents. */
void page_begin(struct strbuf *out, const struct page_head *head);
void page_end(struct strbuf *out);

/* The script of a zoomable flame graph, for an svg file. */
extern const char page_script[];

/* --- chart.c --- */

/* Append a bar to a table cell, for the ratio @v / @of. */
void chart_bar(struct strbuf *out, double v, double of);

struct chart_bar {
	struct span label;
	double min, max; /* smallest and largest value in it */
	double n[2];
};

struct chart_mark {
	const char *name; /* label, such as "p99" */
	double at[2];     /* positions; NAN: none */
};

/* Adjacent bars, with marks above those that contain them. */
struct chart {
	const struct chart_bar *bars;
	size_t n;
	const struct chart_mark *marks;
	size_t n_marks;
	bool both; /* before and after */
};

void chart_draw(struct strbuf *out, const struct chart *c);

#endif
