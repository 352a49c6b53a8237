/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * picture: histograms as pictures.
 *
 *	results ─gather─▶ groups ─▶ page (html), flame graph (svg), heat map and plot (terminal)
 *
 * A picture needs all histograms of a run before its first byte, so these formats collect in
 * print() and draw in finish().
 */
#ifndef HIST_PICTURE_PICTURE_H
#define HIST_PICTURE_PICTURE_H

#include "print/print.h"

/* The format with that name; NULL: none. And the @i-th; NULL: no more. */
const struct format *picture_format_find(const char *name);
const struct format *picture_format_at(size_t i);

extern const struct format format_html, format_svg, format_heat, format_plot;

/* --- markup.c: nothing from a recording is markup --- */

/* Text of html and svg, also within quotes; bytes that are not UTF-8 become \xNN. */
void markup_add(struct strbuf *out, struct span text);
void markup_str(struct strbuf *out, const char *text);

/* --- flame.c: stacks as a tree that is drawn by width --- */

struct flame_stack {
	const struct span *frames; /* outermost first */
	size_t n;
	double v[2]; /* before and after, or only the first */
};

struct flame {
	struct arena arena;
	ARRAY(struct flame_stack) stacks;
	bool both;        /* compare .v[0] and .v[1] */
	bool alone;       /* a separate file, with the script in it */
	bool inexact;     /* the first frame shows that fields were guessed */
	const char *what; /* name of the value, "hitcount" */
	size_t hidden;    /* set by flame_draw(): number of frames that were too narrow */
};

/* Texts are copied. 0, -HIST_ENOMEM */
int flame_add(struct flame *f, const struct span *frames, size_t n, double before, double after);
void flame_release(struct flame *f);

/* A frame's name without the offset in the function; borrowed from @symbol, or from @arena. */
struct span flame_frame_name(struct arena *arena, struct span symbol);

/**
 * flame_draw() - the tree as one <svg>, the outermost frames at the bottom
 * @max_frames: maximum number; the narrowest are left out, and counted in a note
 *
 * Without scripts, names and numbers are shown on hovering; picture/page.js adds zoom and search.
 */
int flame_draw(struct flame *f, size_t max_frames, struct strbuf *out);

/* --- html_page.c: a html page that needs nothing else --- */

/* The parts of a page before and after its contents. */
void page_begin(struct strbuf *out, const char *title);
void page_end(struct strbuf *out);

/* The script of a zoomable flame graph, for an svg file. */
extern const char page_script[];

/* --- chart.c --- */

/* A bar in a table cell, for the part of @of. */
void chart_bar(struct strbuf *out, double v, double of);

struct chart_bar {
	struct span label;
	double min, max; /* of the values in it */
	double n[2];
};

struct chart_mark {
	const char *name; /* "p99" */
	double at[2];     /* NAN: none */
};

/* Adjacent bars, with marks above those that contain them; @both: before and after. */
void chart_draw(struct strbuf *out, const struct chart_bar *bars, size_t n,
		const struct chart_mark *marks, size_t n_marks, bool both);

#endif
