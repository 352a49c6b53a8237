// SPDX-License-Identifier: LGPL-2.1-only
/* The picture formats: they collect all histograms, then draw. */
#include <stdlib.h>

#include "picture/gather.h"

static void gather_result(const struct format *format, const struct result *r,
			  const struct format_options *options, struct printer *p)
{
	struct gather *g = *options->state;

	(void)format;
	if (!g)
		*options->state = g = calloc(1, sizeof(*g));
	p->err = g ? gather_add(g, r, options) : HIST_NOMEM;
}

/* --- html --- */

static void draw_page(const struct gather *g, const struct format_options *options,
		      struct printer *p)
{
	struct strbuf title = STRBUF_INIT;
	int err = 0;

	strbuf_addstr(&title, "hist report");
	for (size_t i = 0; g && i < g->groups.n && i < 3; i++)
		if (!i || strcmp(g->groups.v[i]->r->event, g->groups.v[i - 1]->r->event) != 0)
			strbuf_addf(&title, "%s %s", i ? "," : " of", g->groups.v[i]->r->event);
	page_begin(&p->buf, &(struct page_head){ title.s, options->command, options->messages });
	p->buf.failed |= title.failed;
	strbuf_release(&title);
	for (size_t i = 0; g && i < g->groups.n && !err; i++)
		err = page_group(g->groups.v[i], options->messages, p);
	if (!g || !g->groups.n)
		strbuf_addstr(&p->buf, "<p>There are no histograms.</p>\n");
	if (g && g->groups.n)
		strbuf_addf(&p->buf, "<p class=\"note\">Written by hist %s.</p>\n",
			    g->groups.v[0]->r->info->version);
	page_end(&p->buf);
	if (err && !p->err)
		p->err = err;
}

/* --- svg --- */

enum { SVG_MAX_FRAMES = 10000 };

/* --- the terminal --- */

static void finish(const struct format *format, const struct format_options *options, bool keep,
		   struct printer *p)
{
	struct gather *g = *options->state;

	*options->state = NULL;
	if (!keep || p->err) {
		;
	} else if (format == &format_html) {
		draw_page(g, options, p);
	} else if (format == &format_svg) {
		struct flame f = { .what = "" };

		if (g && g->groups.n) {
			p->err = group_flame(g->groups.v[0], true, &f);
			f.alone = true;
			if (!p->err)
				p->err = flame_draw(&f, SVG_MAX_FRAMES, &p->buf);
			flame_release(&f);
		}
	} else {
		for (size_t i = 0; g && i < g->groups.n && !p->err; i++) {
			if (i)
				strbuf_addch(&p->buf, '\n');
			p->err = (format == &format_heat ? print_heat : print_plot)(
				g->groups.v[i], options, &p->buf);
			printer_flush(p);
		}
	}
	if (g)
		gather_release(g);
	free(g);
}

const struct format format_html = { .name = "html", .print = gather_result, .finish = finish };
const struct format format_svg = {
	.name = "svg", .one_table = true, .print = gather_result, .finish = finish
};
const struct format format_heat = { .name = "heat", .print = gather_result, .finish = finish };
const struct format format_plot = { .name = "plot", .print = gather_result, .finish = finish };

static const struct format *const formats[] = { &format_html, &format_svg, &format_heat,
						&format_plot };

const struct format *picture_format_at(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i] : NULL;
}

const struct format *picture_format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}
