// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A flame graph as svg, from stacks with one or two numbers each.
 *
 * Stacks are sorted, so equal prefixes are adjacent and become one frame. The tree is then an array
 * with each frame before its callees.
 */
#include "picture/picture.h"

enum { ROW = 17, HEAD = 38 };

struct node {
	struct span name;
	u32 depth, parent;           /* parent: index; the root is its own parent */
	double v[2], x, width, next; /* .next: the position for the next callee */
};

struct tree {
	const struct flame *f;
	ARRAY(struct node) nodes;
	u32 deepest;
	double narrowest; /* narrower frames are not drawn */
	size_t hidden;
};

/* --- stacks --- */

struct span flame_frame_name(struct arena *arena, struct span symbol)
{
	const char *plus = memmem(symbol.s, symbol.n, "+0x", 3);
	const char *blank = plus ? span_chr(symbol, ' ') : NULL;
	struct span module = { NULL, 0 };
	char *name;

	if (!plus)
		return symbol;
	if (blank)
		module = span_between(blank, symbol.s + symbol.n);
	if (!module.n)
		return span_between(symbol.s, plus);
	name = arena_printf(arena, "%.*s%.*s", (int)(plus - symbol.s), symbol.s, (int)module.n,
			    module.s);
	return name ? span_of(name) : symbol;
}

int flame_add(struct flame *f, const struct span *frames, size_t n, double before, double after)
{
	struct span *copy = arena_alloc(&f->arena, (n + 1) * sizeof(*copy));
	size_t kept = 0;

	if (!copy)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++) {
		if (i && span_eq(frames[i], "[unknown]") && span_eq(frames[i - 1], "[unknown]"))
			continue;
		copy[kept].s = arena_strndup(&f->arena, frames[i].s, frames[i].n);
		copy[kept].n = frames[i].n;
		if (!copy[kept++].s)
			return HIST_NOMEM;
	}
	return array_push(&f->stacks, ((struct flame_stack){
					      copy, kept, { fmax(before, 0), fmax(after, 0) } }));
}

void flame_release(struct flame *f)
{
	array_release(&f->stacks);
	arena_release(&f->arena);
}

static int compare_stacks(const void *a, const void *b)
{
	const struct flame_stack *x = a, *y = b;

	for (size_t i = 0; i < x->n && i < y->n; i++) {
		int order = span_cmp(x->frames[i], y->frames[i]);

		if (order)
			return order;
	}
	return cmp_int(x->n, y->n);
}

/* --- the tree --- */

static int add_node(struct tree *t, struct span name, u32 depth, u32 parent)
{
	struct node node = { .name = name, .depth = depth, .parent = parent };

	t->deepest = max_t(u32, t->deepest, depth);
	return t->nodes.n < UINT32_MAX ? array_push(&t->nodes, node) : HIST_NOMEM;
}

/* Add a stack. @path: the nodes of the previous stack, its root first. */
static int add_stack(struct tree *t, const struct flame_stack *s, u32 *path, size_t *n_path)
{
	size_t same = 0;
	int err = 0;

	while (same < s->n && same + 1 < *n_path &&
	       span_same(t->nodes.v[path[same + 1]].name, s->frames[same]))
		same++;
	for (size_t i = same; i < s->n && !err; i++) {
		err = add_node(t, s->frames[i], (u32)i + 1, path[i]);
		path[i + 1] = (u32)t->nodes.n - 1;
	}
	*n_path = s->n + 1;
	for (size_t i = 0; i <= s->n && !err; i++) {
		t->nodes.v[path[i]].v[0] += s->v[0];
		t->nodes.v[path[i]].v[1] += s->v[1];
	}
	return err;
}

static int build(struct tree *t, struct flame *f)
{
	size_t n_path = 1, longest = 0;
	scoped(free_scoped) u32 *path = NULL;
	const char *root = f->inexact ? "all (inexact: fields were guessed from a text)" : "all";
	int err;

	if (f->left_out && !f->inexact)
		root = arena_printf(&f->arena, "all shown (%zu stacks with less are left out)",
				    f->left_out);
	for (size_t i = 0; i < f->stacks.n; i++)
		longest = max_t(size_t, longest, f->stacks.v[i].n);
	path = calloc(longest + 2, sizeof(*path));
	err = path && root ? add_node(t, span_of(root), 0, 0) : HIST_NOMEM;
	if (f->stacks.n)
		qsort(f->stacks.v, f->stacks.n, sizeof(*f->stacks.v), compare_stacks);
	for (size_t i = 0; i < f->stacks.n && !err; i++)
		err = add_stack(t, &f->stacks.v[i], path, &n_path);
	return err;
}

/* The width of a frame is the mean of both sides, so that removed frames are visible, too. */
static double weight(const struct tree *t, const struct node *n)
{
	return t->f->both ? (n->v[0] + n->v[1]) / 2 : n->v[0];
}

DEFINE_ORDER(compare_widths, double, cmp_int(*y, *x))

static int choose(struct tree *t, size_t max_frames)
{
	double *widths;

	t->narrowest = 1e-5;
	if (t->nodes.n > max_frames) {
		widths = calloc(t->nodes.n, sizeof(*widths));
		if (!widths)
			return HIST_NOMEM;
		for (size_t i = 0; i < t->nodes.n; i++)
			widths[i] = t->nodes.v[i].width;
		qsort(widths, t->nodes.n, sizeof(*widths), compare_widths);
		/* frames as wide as the first one that exceeds the limit are omitted, too */
		t->narrowest = fmax(t->narrowest, nextafter(widths[max_frames], 2));
		free(widths);
	}
	for (size_t i = 0; i < t->nodes.n; i++)
		t->hidden += t->nodes.v[i].width < t->narrowest;
	return 0;
}

/* --- drawing --- */

static void add_number(struct strbuf *out, double v)
{
	if ((v == floor(v) || fabs(v) >= 1e5) && fabs(v) < 1e15)
		strbuf_addf(out, "%.0f", v);
	else
		strbuf_addf(out, "%.6g", v);
}

static void draw_node(const struct tree *t, const struct node *n, struct strbuf *out)
{
	strbuf_addf(out, "<svg class=\"f\" x=\"%.4f%%\" y=\"%u\" width=\"%.4f%%\" height=\"%d\">",
		    n->x * 100, (t->deepest - n->depth) * ROW + (t->f->alone ? HEAD : 0),
		    n->width * 100, ROW - 1);
	strbuf_addstr(out, "<title>");
	markup_add(out, n->name);
	strbuf_addstr(out, ": ");
	add_number(out, n->v[0]);
	if (t->f->both) {
		strbuf_addstr(out, " \u2192 ");
		add_number(out, n->v[1]);
	}
	strbuf_addf(out, " %s", t->f->what);
	if (t->f->both && n->v[0] > 0)
		strbuf_addf(out, " (%+.1f%%)", (n->v[1] / n->v[0] - 1) * 100);
	else if (!t->f->both)
		strbuf_addf(out, " (%.2f%%)", n->width * 100);
	strbuf_addstr(out, "</title>");
	strbuf_addstr(out, "<rect width=\"100%\" height=\"100%\" fill=\"");
	if (t->f->both) {
		/* red for an increase, blue for a decrease, relative to the sum of both */
		double sum = n->v[0] + n->v[1], change = sum > 0 ? (n->v[1] - n->v[0]) / sum : 0;
		unsigned int pale = (unsigned int)lround(235 - 165 * fmin(1, fabs(change)));

		if (fabs(change) < 1e-9)
			strbuf_addstr(out, "rgb(235,235,235)");
		else if (change > 0)
			strbuf_addf(out, "rgb(250,%u,%u)", pale, pale);
		else
			strbuf_addf(out, "rgb(%u,%u,250)", pale, pale);
	} else {
		/* a warm colour; the same for a function everywhere */
		u32 hash = 2166136261u;

		for (size_t i = 0; i < n->name.n; i++)
			hash = (hash ^ (unsigned char)n->name.s[i]) * 16777619u;
		strbuf_addf(out, "rgb(%u,%u,%u)", 215 + hash % 40, 100 + (hash >> 8) % 110,
			    50 + (hash >> 16) % 50);
	}
	strbuf_addstr(out, "\"/>");
	if (n->width > 0.01) {
		strbuf_addstr(out, "<text x=\"3\" y=\"12\">");
		markup_add(out, n->name);
		strbuf_addstr(out, "</text>");
	}
	strbuf_addstr(out, "</svg>\n");
}

int flame_draw(struct flame *f, size_t max_frames, struct strbuf *out)
{
	struct tree t = { .f = f };
	int err = build(&t, f);

	if (!err) {
		/* positions and widths are fractions of the whole; a frame follows its caller */
		double whole = weight(&t, &t.nodes.v[0]);

		for (size_t i = 0; i < t.nodes.n; i++) {
			struct node *n = &t.nodes.v[i], *parent = &t.nodes.v[n->parent];

			n->width = whole > 0 ? weight(&t, n) / whole : 0;
			n->x = i ? parent->next : 0;
			n->next = n->x;
			if (i)
				parent->next += n->width;
		}
		err = choose(&t, max_frames);
	}
	if (!err) {
		if (t.f->alone)
			strbuf_addstr(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
		strbuf_addf(
			out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"100%%\" "
			"height=\"%u\" role=\"img\" aria-label=\"flame graph of %zu frames by ",
			(t.deepest + 1) * ROW + (t.f->alone ? HEAD : 0), t.nodes.n);
		markup_str(out, t.f->what);
		strbuf_addstr(out, "\" font-family=\"monospace\" font-size=\"11\">\n");
		if (t.f->alone) {
			strbuf_addstr(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
					   "<text x=\"3\" y=\"14\" font-size=\"13\" "
					   "font-weight=\"bold\">");
			markup_str(out, t.f->title ?: "");
			strbuf_addstr(out, "</text><text x=\"3\" y=\"29\">");
			markup_str(out, t.f->legend ?: "");
			if (t.hidden)
				strbuf_addf(out, "%zu narrower frames are left out; ", t.hidden);
			strbuf_addstr(out, "click zooms, / searches</text>\n");
		}
		for (size_t i = 0; i < t.nodes.n; i++)
			if (t.nodes.v[i].width >= t.narrowest)
				draw_node(&t, &t.nodes.v[i], out);
		if (t.f->alone)
			strbuf_addf(
				out,
				"<style>text { pointer-events: none; } .hit rect { fill: #c026d3; } .up { "
				"opacity: .5; } .at rect { stroke: #000; }</style>\n"
				"<!-- click or Enter zooms, Escape goes back, / searches -->\n"
				"<script><![CDATA[\n%s]]></script>\n",
				page_script);
		strbuf_addstr(out, "</svg>\n");
	}
	f->hidden = t.hidden;
	array_release(&t.nodes);
	return err;
}
