// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The picture of a timeline that is shown without scripts, and printed: for each lane and each of
 * some columns, which kind of span took most of its time, and how much of it.
 */
#include "json/json.h"
#include "timeline/timeline.h"

/* Kinds of spans, which are classes of the style: those of names, and those of states. */
enum {
	OF_NAMES = 7,
	STATE_RUNS = OF_NAMES,
	STATE_WAITS,
	STATE_SLEEPS,
	STATE_DISK,
	STATE_STOPPED,
	N_KINDS
};
enum { COLUMNS = 240, LEVELS = 4, LANE_HEIGHT = 18, TOP = 20 };

/* The same as in timeline.js. */
static u32 kind_of(const char *name, bool is_state)
{
	static const struct {
		const char *state;
		u32 kind;
	} states[] = { { "running", STATE_RUNS },    { "woken", STATE_WAITS },
		       { "preempted", STATE_WAITS }, { "new", STATE_WAITS },
		       { "yielded", STATE_WAITS },   { "disk", STATE_DISK },
		       { "stopped", STATE_STOPPED }, { "traced", STATE_STOPPED } };
	u32 sum = 0;

	for (size_t i = 0; is_state && i < ARRAY_SIZE(states); i++)
		if (!strcmp(name, states[i].state))
			return states[i].kind;
	if (is_state)
		return STATE_SLEEPS;
	for (const char *c = name; *c; c++)
		sum = (sum * 31 + (u8)*c) % 65521;
	return sum % OF_NAMES;
}

struct lane_columns {
	const struct lanes *t;
	double width; /* ns of a column */
	double ns[COLUMNS][N_KINDS];
};

static void fill(struct lane_columns *c, double from, double ns, double share, u32 kind)
{
	const double end = from + ns;

	for (size_t i = from > 0 ? (size_t)(from / c->width) : 0;
	     i < COLUMNS && (double)i * c->width < end; i++) {
		const double left = (double)i * c->width, right = left + c->width;

		c->ns[i][kind] +=
			((right < end ? right : end) - (left > from ? left : from)) * share;
	}
}

/* A value as a part of the largest one; whole if the names of the lane are no values. */
static double height_of(const struct lane_columns *c, u32 name, double largest)
{
	return largest > 0 ? strtod(c->t->texts.v.v[name], NULL) / largest : 1;
}

static void fill_lane(struct lane_columns *c, const struct timeline_lane *lane)
{
	const struct lanes *t = c->t;
	const enum timeline_look look = t->views.v[lane->view].look;
	const bool state = look == TIMELINE_STATE;
	double largest = 0;

	memset(c->ns, 0, sizeof(c->ns));
	for (size_t i = 0; i < lane->spans.n + lane->bins.n && look == TIMELINE_VALUE; i++) {
		const u32 name = i < lane->spans.n ? lane->spans.v[i].name
						   : lane->bins.v[i - lane->spans.n].name;
		const double value = strtod(t->texts.v.v[name], NULL);

		largest = value > largest ? value : largest;
	}
	array_each(const struct timeline_span, s, &lane->spans) {
		fill(c, (double)s->from - (double)t->from, (double)s->ns ?: c->width / 4,
		     height_of(c, s->name, largest),
		     largest > 0 ? 0 : kind_of(t->texts.v.v[s->name], state));
	}
	array_each(const struct timeline_bin, b, &lane->bins) {
		const bool earlier = b->slice == TIMELINE_EARLIER;
		const double ns = earlier ? (double)(lane->since - t->from) + 1 : (double)t->slice;

		fill(c, earlier ? 0 : (double)b->slice * ns, ns,
		     (double)b->ns / ns * height_of(c, b->name, largest),
		     largest > 0 ? 0 : kind_of(t->texts.v.v[b->name], state));
	}
}

/* The kind that took most of a column, and how much all but sleep took, from 0 to LEVELS. */
static u32 look_at(const struct lane_columns *c, size_t column, u32 *level)
{
	double sum = 0, most = 0;
	u32 kind = 0;

	for (u32 k = 0; k < N_KINDS; k++) {
		const double ns = c->ns[column][k];

		sum += k == STATE_SLEEPS ? 0 : ns;
		if (k != STATE_SLEEPS && ns > most) {
			most = ns;
			kind = k;
		}
	}
	*level = sum > 0 ? min_t(u32, LEVELS, 1 + (u32)(sum / c->width * (LEVELS - 0.01))) : 0;
	return kind;
}

static void draw_lane(const struct lane_columns *c, size_t y, struct strbuf *out)
{
	for (size_t i = 0, next; i < COLUMNS; i = next) {
		u32 level, kind = look_at(c, i, &level), other;

		next = i + 1;
		while (next < COLUMNS && look_at(c, next, &other) == kind && other == level)
			next++;
		if (!level)
			continue;
		strbuf_addf(
			out,
			"<rect x=\"%.5g%%\" y=\"%zu\" width=\"%.5g%%\" height=\"%u\" class=\"k%u\"/>",
			15 + 85.0 * (double)i / COLUMNS, y + (LEVELS - level) * 3,
			85.0 * (double)(next - i) / COLUMNS, level * 3, kind);
	}
	strbuf_addch(out, '\n');
}

void timeline_legend(struct strbuf *out)
{
	static const char *const names[] = { "running", "waits for a CPU", "sleeps", "in state D",
					     "stopped" };

	strbuf_addstr(out, "<p class=\"legend\">tasks:");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		strbuf_addf(out,
			    " <svg width=\"12\" height=\"12\"><rect class=\"k%zu\" y=\"%u\" "
			    "width=\"12\" height=\"%u\"/></svg>&#160;%s",
			    STATE_RUNS + i, STATE_RUNS + i == STATE_SLEEPS ? 5 : 0,
			    STATE_RUNS + i == STATE_SLEEPS ? 2 : 12, names[i]);
	strbuf_addstr(out, "; CPUs: a colour for each name; height: how busy</p>\n");
}

void timeline_draw(const struct lanes *t, const u32 *order, size_t n, struct strbuf *out)
{
	struct lane_columns c = { .t = t, .width = (double)(t->to - t->from ?: 1) / COLUMNS };
	size_t y = TOP;

	strbuf_addf(out,
		    "<svg class=\"lanes\" width=\"100%%\" height=\"%zu\" role=\"img\" "
		    "aria-label=\"Timeline\">\n",
		    n * LANE_HEIGHT + TOP);
	strbuf_addstr(out, "<text x=\"15%\" y=\"11\">");
	text_add_time(out, t->from, t->no_time);
	strbuf_addf(out, "%s</text><text x=\"100%%\" y=\"11\" text-anchor=\"end\">",
		    t->no_time ? "" : " s");
	text_add_time(out, t->to, t->no_time);
	strbuf_addf(out, "%s</text>\n", t->no_time ? "" : " s");
	for (size_t i = 0; i < n; i++, y += LANE_HEIGHT) {
		const struct timeline_lane *lane = &t->lanes.v[order[i]];
		scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

		timeline_owner_text(t, &t->owners.v[lane->owner], &name);
		strbuf_addf(&name, "%s%s", name.len && lane->sub ? " " : "",
			    t->texts.v.v[lane->sub]);
		strbuf_addf(out, "<svg width=\"14.5%%\" height=\"%zu\"><text x=\"0\" y=\"%zu\">",
			    y + LANE_HEIGHT, y + 10);
		markup_add(out, strbuf_span(&name));
		strbuf_addstr(out, "</text></svg>");
		out->failed |= name.failed;
		fill_lane(&c, lane);
		draw_lane(&c, y, out);
	}
	strbuf_addstr(out, "</svg>\n");
}
