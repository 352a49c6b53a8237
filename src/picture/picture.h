/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * picture: draws histograms as pictures.
 *
 *	results ─gather─▶ groups ─▶ page (html), flame graph (svg), heat map and plot (terminal)
 *
 * A picture needs all histograms of a run before its first byte, so these formats collect in
 * print() and draw in finish().
 */
#pragma once
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
	bool both;  /* compare .v[0] and .v[1] */
	bool alone; /* a separate file, which contains the script, ->title and ->legend */
	const char *title, *legend; /* what it answers; the files, what colours mean */
	bool inexact;               /* the first frame notes that fields were guessed */
	size_t left_out;            /* and the number of stacks that are left out; 0: none */
	const char *what;           /* name of the value, such as "hitcount" */
	size_t hidden;              /* set by flame_draw(): number of frames that were omitted */
};

/* Add a stack; texts are copied, and frames "[unknown]" in a row are one. 0, -HIST_ENOMEM */
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
	const char *subtitle;         /* NULL: none */
	const char *command;          /* what repeats it in a shell; NULL: unknown */
	const struct diags *messages; /* warnings and notes; NULL: none */
	bool timeline;                /* it has a timeline, which needs its script */
};

/* The parts of a page before and after its contents. */
void page_begin(struct strbuf *out, const struct page_head *head);
void page_end(const struct page_head *head, struct strbuf *out);

/* The script of a zoomable flame graph, for an svg file. */
extern const char page_script[];

/* --- scale.c: round steps and bins --- */

/* The smallest of 1, 2, 5, 10 ... so that @range has at most @most steps. */
double axis_step(double range, unsigned int most);
/* Ticks from 0 to @to below a picture of full width, at most @most + 1. */
void axis_draw(struct strbuf *out, double to, const char *unit, unsigned int most);

enum { SCALE_MAX = 120 };

/* Bins with round edges: of the same width, or of about the same ratio. */
struct scale {
	double edges[SCALE_MAX + 1]; /* bin i has the numbers from edge i to below edge i + 1 */
	bool round[SCALE_MAX + 1];   /* whether an edge is a good place for a tick */
	size_t n;
};

void scale_init(struct scale *s, double min, double max);
size_t scale_bin(const struct scale *s, double v);
/* "1 us to below 2 us" */
void scale_label(const struct scale *s, size_t bin, const char *unit, struct strbuf *out);

/* --- chart.c --- */

/* Append a bar to a table cell, for the ratio @v / @of. */
void chart_bar(struct strbuf *out, double v, double of);

struct chart_bar {
	struct span label; /* on hovering */
	double min, max;   /* smallest and largest value in it */
	double n[2];
	bool tick; /* its smallest value is written below it */
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
	bool both;            /* before and after */
	const char *unit;     /* of the values; NULL: none */
	const char *y, *what; /* the axes: of the bars, of the values (a name of a recording) */
};

void chart_draw(struct strbuf *out, const struct chart *c);

/* A bar for each row, with its label: before above after. */
void chart_draw_rows(struct strbuf *out, const struct chart *c);
