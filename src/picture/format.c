// SPDX-License-Identifier: LGPL-2.1-only
/* The picture formats: they collect all histograms, then draw. */
#include "picture/gather.h"

static void gather_result(const struct format *format, const struct result *r,
			  const struct format_options *options, struct printer *p)
{
	struct gather *g = *options->state;

	if (!g)
		*options->state = g = calloc(1, sizeof(*g));
	if (g && (format == &format_html || format == &format_svg))
		g->max_rows = GATHER_PAGE_ROWS;
	p->err = g ? gather_add(g, r, options) : HIST_NOMEM;
}

/* The question; otherwise the event and the keys. */
static void add_title(struct strbuf *out, const struct gather *g,
		      const struct format_options *options)
{
	if (options->title && *options->title) {
		strbuf_addstr(out, options->title);
		return;
	}
	if (!g || !g->groups.n)
		strbuf_addstr(out, "hist report");
	for (size_t i = 0; g && i < g->groups.n && i < 3; i++) {
		if (i && !strcmp(g->groups.v[i]->r->event, g->groups.v[i - 1]->r->event))
			continue;
		strbuf_addf(out, "%s%s by ", i ? "; " : "", g->groups.v[i]->r->event);
		keys_add(out, g->groups.v[i]);
	}
}

static void add_files(struct strbuf *out, const struct result_info *info)
{
	for (size_t i = 0; i < info->n_files && i < 4; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "", info->files[i]);
	if (info->n_files > 4)
		strbuf_addf(out, " and %zu more", info->n_files - 4);
}

static int draw_sections(const struct gather *g, const struct diags *messages, struct printer *p)
{
	int err = 0;

	for (size_t i = 0, next; i < g->groups.n && !err; i = next) {
		next = i + 1;
		while (next < g->groups.n &&
		       !strcmp(g->groups.v[i]->r->event, g->groups.v[next]->r->event) &&
		       !strcmp(g->groups.v[i]->r->instance ?: "",
			       g->groups.v[next]->r->instance ?: ""))
			next++;
		err = page_section(&(struct page_section){ .groups = g->groups.v + i,
							   .n = next - i,
							   .first = i,
							   .titled = i || next < g->groups.n,
							   .messages = messages },
				   p);
	}
	return err;
}

static void draw_page(const struct gather *g, const struct format_options *options,
		      struct printer *p)
{
	scoped(strbuf_release) struct strbuf title = STRBUF_INIT, subtitle = STRBUF_INIT;
	struct page_head head;
	int err = 0;

	add_title(&title, g, options);
	if (g && g->groups.n) {
		const struct pic_group *first = g->groups.v[0];
		const struct result_info *info = first->r->info;
		const struct pic_slice all = group_whole(first);

		/* The recordings, the machine, and when it was. */
		add_files(&subtitle, info);
		if (info->uname)
			strbuf_addf(&subtitle, "%s%s", subtitle.len ? " \u00b7 " : "", info->uname);
		strbuf_addstr(&subtitle, subtitle.len ? " \u00b7 " : "");
		if (info->clock_counts)
			strbuf_addf(&subtitle, "%llu ticks", all.to - all.from);
		else
			people_add(&subtitle, (double)(all.to - all.from), "ns");
		strbuf_addstr(&subtitle, " from ");
		time_add(&subtitle, first, all.from);
		strbuf_addf(&subtitle, " of the clock %s, which is time 0 here", info->clock);
	}
	head = (struct page_head){ title.s ?: "", subtitle.len ? subtitle.s : NULL,
				   options->command, options->messages, false };
	page_begin(&p->buf, &head);
	if (g && g->groups.n)
		err = draw_sections(g, options->messages, p);
	else
		strbuf_addstr(&p->buf, "<p>There are no histograms.</p>\n");
	if (g && g->groups.n)
		strbuf_addf(&p->buf, "<p class=\"note\">Written by hist %s.</p>\n",
			    g->groups.v[0]->r->info->version);
	page_end(&head, &p->buf);
	p->buf.failed |= title.failed || subtitle.failed;
	if (err && !p->err)
		p->err = err;
}

enum { SVG_MAX_FRAMES = 10000 };

static void finish(const struct format *format, const struct format_options *options, bool keep,
		   struct printer *p)
{
	scoped(free_scoped) struct gather *g = *options->state;

	*options->state = NULL;
	if (!keep || p->err) {
		;
	} else if (format == &format_html) {
		draw_page(g, options, p);
	} else if (format == &format_svg) {
		scoped(strbuf_release) struct strbuf title = STRBUF_INIT, legend = STRBUF_INIT;
		struct flame f = { .what = "" };

		if (g && g->groups.n) {
			p->err = group_flame(g->groups.v[0], true, &f);
			add_title(&title, g, options);
			add_files(&legend, g->groups.v[0]->r->info);
			strbuf_addf(&legend, " \u00b7 by %s \u00b7 ", f.what);
			f.alone = true;
			f.title = title.s;
			f.legend = legend.s;
			if (!p->err)
				p->err = flame_draw(&f, SVG_MAX_FRAMES, &p->buf);
			p->buf.failed |= title.failed || legend.failed;
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
}

const struct format format_html = {
	.name = "html", .counts_left_out = true, .print = gather_result, .finish = finish
};
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
