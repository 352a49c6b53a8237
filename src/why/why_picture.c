// SPDX-License-Identifier: LGPL-2.1-only
/*
 * An explained interval as a picture: a lane for each task of the chain, what it did as far as that
 * is a part of the interval, and an arrow from the task that woke to the one that was woken.
 *
 * Positions are in per cent, so a browser does the layout; without scripts all numbers are shown on
 * hovering.
 */
#include "picture/picture.h"
#include "why/why.h"

enum {
	LANE = 26,          /* height, with the gap below */
	BAR = 20,           /* height of what a task did */
	TOP = 46,           /* of the first lane, below the legend */
	LEGEND = 740,       /* width of its lines; the picture is at least 50 rem wide */
	TICKS = 4,          /* at most, but for the first one */
	NEAR = 95,          /* per cent, from where a tick has its text on the left */
	AXIS = 34,          /* below the last one */
	GUTTER = 16,        /* per cent, for the names of tasks */
	LANES_MAX = 40,     /* others are counted in a note */
	COLUMNS_MAX = 2000, /* of each lane: narrower pieces of one column are drawn as one */
	WAKEUPS_MAX = 200,  /* of each lane, likewise */
};

/* A piece of a lane. */
struct lane_piece {
	u64 from, to;
	u32 part;
};

struct why_lane {
	s32 pid;
	ARRAY(struct lane_piece) pieces;
};

struct why_picture {
	const struct why_answer *a;
	ARRAY(struct why_lane) lanes;
	size_t hidden; /* tasks */
	u64 narrow;    /* pieces that were not drawn */
	struct strbuf *out;
	int err;
};

static const struct look {
	enum why_kind kind;
	const char *fill, *legend;
} looks[] = {
	{ WHY_RUNNING, "#7bc68f", "running" },
	{ WHY_CULPRIT, "#f2897f", "waiting while another task ran" },
	{ WHY_IDLE, "#f9cfca", "waiting while the CPU was idle" },
	{ WHY_HELD, "#c46fb5", "waiting, held back by its quota, or frozen" },
	{ WHY_IRQ, "#f0c75e", "an interrupt ran" },
	{ WHY_BLOCKED, "#a9c7e8", "blocked" },
	{ WHY_UNKNOWN, "#c8ced4", "unknown" },
};

/* --- lanes --- */

static size_t lane_of(const struct why_picture *p, s32 pid)
{
	size_t i = 0;

	while (i < p->lanes.n && p->lanes.v[i].pid != pid)
		i++;
	return i;
}

static void add_pieces(struct why_picture *p, size_t lane, u32 part)
{
	const struct why_part *of = &p->a->tree->parts.v[part];

	for (size_t i = 0; i < of->pieces.n && !p->err; i++)
		p->err = array_push(
			&p->lanes.v[lane].pieces,
			((struct lane_piece){ of->pieces.v[i].from, of->pieces.v[i].to, part }));
}

/* The parts of the task @pid, and of those that woke it. */
static void add_lane(struct why_picture *p, u32 of, s32 pid)
{
	const struct why_part *parts = p->a->tree->parts.v;
	size_t lane = lane_of(p, pid);

	if (lane == p->lanes.n && lane == LANES_MAX)
		p->hidden++;
	if (lane == p->lanes.n && lane < LANES_MAX && !p->err)
		p->err = array_push(&p->lanes, (struct why_lane){ .pid = pid });
	why_for_each_part(i, p->a->tree, of)
	{
		/* what ran while it waited is shown in place of the wait */
		if (parts[i].key.kind == WHY_WAITING)
			why_for_each_part(k, p->a->tree, i)
			{
				if (lane < p->lanes.n)
					add_pieces(p, lane, k);
			}
		else if (lane < p->lanes.n)
			add_pieces(p, lane, i);
		if (parts[i].key.kind == WHY_BLOCKED && parts[i].end == WHY_GOES_ON)
			add_lane(p, i, parts[i].key.pid);
	}
}

DEFINE_ORDER(compare_pieces, struct lane_piece, cmp_int(x->from, y->from) ?: cmp_int(x->to, y->to))

/* --- drawing --- */

static double percent(const struct why_picture *p, u64 at)
{
	double whole = (double)(p->a->tree->to - p->a->tree->from);

	return whole > 0 ? 100 * (double)(at - p->a->tree->from) / whole : 0;
}

/* "12.5 us" */
static void add_duration(struct strbuf *out, u64 ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && (double)ns < units[i].ns)
		i++;
	strbuf_addf(out, "%.4g %s", (double)ns / units[i].ns, units[i].name);
}

static const struct look *look_of(enum why_kind kind)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(looks) && looks[i].kind != kind)
		i++;
	return &looks[i];
}

static void draw_piece(struct why_picture *p, const struct lane_piece *piece, double y)
{
	const struct why_part *part = &p->a->tree->parts.v[piece->part];
	double x = percent(p, piece->from), width = percent(p, piece->to) - x;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	why_part_text(p->a, piece->part, &text);
	strbuf_addf(
		p->out,
		"<svg class=\"f\" x=\"%.4f%%\" y=\"%.0f\" width=\"%.4f%%\" height=\"%d\"><title>",
		x, y, width < 0.1 ? 0.1 : width, BAR);
	markup_add(p->out, strbuf_span(&text));
	strbuf_addstr(p->out, "\n");
	add_duration(p->out, piece->to - piece->from);
	strbuf_addstr(p->out, " from +");
	add_duration(p->out, piece->from - p->a->tree->from);
	strbuf_addf(p->out, "</title><rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>",
		    look_of(part->key.kind)->fill);
	if (width > 2) {
		strbuf_addf(p->out, "<text x=\"3\" y=\"%d\">", BAR - 6);
		markup_add(p->out, strbuf_span(&text));
		strbuf_addstr(p->out, "</text>");
	}
	strbuf_addstr(p->out, "</svg>\n");
	p->out->failed |= text.failed;
}

/* Pieces that begin and end in the column of the last one are not drawn. */
static void draw_lane(struct why_picture *p, size_t i)
{
	const struct why_lane *lane = &p->lanes.v[i];
	double last = -1;

	if (lane->pieces.n)
		qsort(lane->pieces.v, lane->pieces.n, sizeof(*lane->pieces.v), compare_pieces);
	for (size_t k = 0; k < lane->pieces.n; k++) {
		double column = percent(p, lane->pieces.v[k].to) * COLUMNS_MAX / 100;

		if (column - last < 1 && k) {
			p->narrow++;
			continue;
		}
		last = column;
		draw_piece(p, &lane->pieces.v[k], TOP + (double)i * LANE);
	}
}

/* Whether the block ended at the end of its piece, not the time that is explained. */
static bool ends_there(const struct why_picture *p, s32 pid, u64 at)
{
	u32 task = why_store_find_task(p->a->store, pid);
	struct why_now now = why_store_now(p->a->store, WHY_STATES, task, at - 1, at);

	return now.span && now.span->to == at;
}

static void draw_wakeup(struct why_picture *p, const struct why_part *part, size_t lane, u64 at)
{
	size_t waker = part->end == WHY_GOES_ON ? lane_of(p, part->key.pid) : p->lanes.n;
	double x = percent(p, at), y = TOP + (double)lane * LANE;
	double from = y + (waker > lane ? BAR : 0);

	if (waker < p->lanes.n) {
		double to = TOP + (double)waker * LANE + (waker > lane ? 0 : BAR);

		strbuf_addf(
			p->out,
			"<line x1=\"%.4f%%\" y1=\"%.0f\" x2=\"%.4f%%\" y2=\"%.0f\" stroke=\"#8250df\" "
			"stroke-width=\"1.5\" marker-end=\"url(#woken)\"/>\n",
			x, to, x, from);
	} else {
		/* an interrupt, an idle CPU, or a task without a lane */
		strbuf_addf(
			p->out,
			"<line x1=\"%.4f%%\" y1=\"%.0f\" x2=\"%.4f%%\" y2=\"%.0f\" stroke=\"%s\" "
			"stroke-width=\"1.5\"/>\n",
			x, y - 2, x, y + BAR + 2, part->key.in_irq ? "#bf8700" : "#8250df");
	}
}

static void draw_wakeups(struct why_picture *p)
{
	for (size_t i = 0; i < p->lanes.n; i++) {
		const struct why_lane *lane = &p->lanes.v[i];
		double last = -1;

		for (size_t k = 0; k < lane->pieces.n; k++) {
			const struct why_part *part = &p->a->tree->parts.v[lane->pieces.v[k].part];
			u64 at = lane->pieces.v[k].to;
			double column = percent(p, at) * WAKEUPS_MAX / 100;

			if (part->key.kind != WHY_BLOCKED || column - last < 1 ||
			    !ends_there(p, lane->pid, at))
				continue;
			last = column;
			draw_wakeup(p, part, i, at);
		}
	}
}

static void draw_axis(struct why_picture *p)
{
	double y = TOP + (double)p->lanes.n * LANE + 4;
	const double length = (double)(p->a->tree->to - p->a->tree->from);
	const double step = axis_step(length, TICKS);

	for (u64 i = 0; (double)i * step <= length; i++) {
		const double x = length > 0 ? (double)i * step / length * 100 : 0;

		strbuf_addf(
			p->out,
			"<line class=\"axis\" x1=\"%.4f%%\" y1=\"%d\" x2=\"%.4f%%\" y2=\"%.0f\" "
			"stroke=\"#8c959f\" stroke-width=\"0.5\"/>\n<text x=\"%.4f%%\" y=\"%.0f\" "
			"text-anchor=\"%s\">",
			x, TOP - 4, x, y, x, y + 14,
			!i         ? "start"
			: x > NEAR ? "end"
				   : "middle");
		if (i)
			strbuf_addch(p->out, '+');
		if (i)
			add_duration(p->out, (u64)((double)i * step));
		else
			text_add_time(p->out, p->a->tree->from, false);
		strbuf_addstr(p->out, i ? "</text>\n" : " s</text>\n");
	}
}

static void draw(struct why_picture *p, bool alone)
{
	double height = TOP + (double)p->lanes.n * LANE + AXIS;
	double x = 0, y = 0;

	if (alone)
		strbuf_addstr(p->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	strbuf_addf(
		p->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"why\" width=\"100%%\" "
		"height=\"%.0f\" role=\"img\" aria-label=\"what %zu tasks did\" "
		"font-family=\"system-ui, sans-serif\" font-size=\"11\">\n"
		"<defs><marker id=\"woken\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
		"markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
		"fill=\"#8250df\"/></marker></defs>\n",
		height, p->lanes.n);
	if (alone)
		strbuf_addstr(p->out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
		const double width = 30 + 6.2 * (double)strlen(looks[i].legend);

		if (x + width > LEGEND) {
			x = 0;
			y += 17;
		}
		strbuf_addf(p->out,
			    "<rect x=\"%.0f\" y=\"%.0f\" width=\"12\" height=\"12\" fill=\"%s\"/>"
			    "<text x=\"%.0f\" y=\"%.0f\">%s</text>\n",
			    x, y + 4, looks[i].fill, x + 16, y + 14, looks[i].legend);
		x += width;
	}
	strbuf_addf(
		p->out,
		"<svg x=\"%.0f\" y=\"%.0f\"><line x1=\"6\" y1=\"17\" x2=\"6\" y2=\"3\" stroke=\"#8250df\" "
		"stroke-width=\"1.5\" marker-end=\"url(#woken)\"/><text x=\"14\" "
		"y=\"14\">woke</text><line x1=\"54\" y1=\"17\" x2=\"54\" y2=\"3\" "
		"stroke=\"#bf8700\" stroke-width=\"1.5\"/><text x=\"60\" y=\"14\">an interrupt "
		"woke</text></svg>\n",
		x, y);
	for (size_t i = 0; i < p->lanes.n; i++) {
		scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

		why_task_text(p->a, p->lanes.v[i].pid, 0, &name);
		strbuf_addf(p->out,
			    "<svg x=\"0\" y=\"%zu\" width=\"%d%%\" height=\"%d\"><text x=\"2\" "
			    "y=\"%d\">",
			    TOP + i * LANE, GUTTER, BAR, BAR - 6);
		markup_add(p->out, strbuf_span(&name));
		strbuf_addstr(p->out, "</text></svg>\n");
		p->out->failed |= name.failed;
	}
	strbuf_addf(p->out,
		    "<svg x=\"%d%%\" width=\"%d%%\" height=\"100%%\" overflow=\"visible\">\n",
		    GUTTER, 99 - GUTTER);
	draw_axis(p);
	for (size_t i = 0; i < p->lanes.n; i++)
		draw_lane(p, i);
	draw_wakeups(p);
	strbuf_addstr(p->out, "</svg>\n");
	strbuf_addf(p->out, "<!-- %zu tasks and %llu narrow pieces are left out -->\n</svg>\n",
		    p->hidden, p->narrow);
}

static void picture(const struct why_answer *a, bool alone, struct strbuf *out)
{
	struct why_picture p = { .a = a, .out = out };

	add_lane(&p, 0, a->tree->parts.v[0].key.pid);
	draw(&p, alone);
	out->failed |= p.err != 0;
	for (size_t i = 0; i < p.lanes.n; i++)
		array_release(&p.lanes.v[i].pieces);
	array_release(&p.lanes);
}

void why_svg(const struct why_answer *a, const struct hist_why_options *o UNUSED,
	     struct strbuf *out)
{
	picture(a, true, out);
}

/* The picture, and the same as text. */
void why_html(const struct why_answer *a, const struct hist_why_options *o, struct strbuf *out)
{
	scoped(strbuf_release) struct strbuf title = STRBUF_INIT, text = STRBUF_INIT;
	struct hist_why_options drawn = *o;
	struct page_head head;

	strbuf_addstr(&title, "Why ");
	why_task_text(a, a->tree->parts.v[0].key.pid, a->tree->parts.v[0].key.comm, &title);
	strbuf_addstr(&title, " took ");
	add_duration(&title, a->tree->to - a->tree->from);
	head = (struct page_head){ .title = title.s,
				   .command = o->command,
				   .messages = a->messages,
				   .timeline = a->timeline };
	page_begin(out, &head);
	strbuf_addstr(out, "<div class=\"wide\">\n");
	picture(a, false, out);
	strbuf_addstr(out, "</div>\n<pre>");
	drawn.colour = true;
	why_text(a, &drawn, &text);
	markup_add(out, strbuf_span(&text));
	strbuf_addstr(out, "</pre>\n");
	if (a->timeline) {
		strbuf_addstr(out, "<h2>Its tasks, and who ran on the CPUs</h2>\n");
		strbuf_add(out, a->timeline->s, a->timeline->len);
	}
	page_end(&head, out);
	out->failed |= title.failed || text.failed;
}
