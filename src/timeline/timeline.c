// SPDX-License-Identifier: LGPL-2.1-only
/* The lanes of a timeline: spans are added and summed up, and written as the data of its script. */
#include <inttypes.h>

#include "json/json.h"
#include "timeline/timeline.h"

enum { SLICES = 2048, BINS_MAX = 60000, TEXTS_MAX = 1 << 16, TEXT_MAX = 160 };
/* Tasks that have lanes; and as many as are kept while spans are added. */
enum { TASKS_SHOWN = 24, TASKS_KEPT = 64 };

/* How many spans the lanes of a group have: about 6 MB of page in all. */
static const size_t spans_max[N_TIMELINE_GROUPS] = { 64000, 56000, 24000 };

static const char *const looks[] = { "run", "state", "rows", "value", "mark" };

int timeline_init(struct lanes *t, u64 from, u64 to)
{
	u32 none;

	*t = (struct lanes){ .from = from, .to = to };
	t->slice = (to - from) / SLICES + 1;
	return timeline_text(t, span_of(""), &none) ?: timeline_text(t, span_of("(others)"), &none);
}

void timeline_release(struct lanes *t)
{
	for (size_t i = 0; i < t->lanes.n; i++) {
		array_release(&t->lanes.v[i].spans);
		array_release(&t->lanes.v[i].values);
		indexed_release(&t->lanes.v[i].bins);
	}
	indexed_release(&t->lanes);
	indexed_release(&t->owners);
	array_release(&t->views);
	array_release(&t->marks);
	texts_release(&t->texts);
}

int timeline_text(struct lanes *t, struct span text, u32 *number)
{
	*number = 1;
	if (t->texts.v.n >= TEXTS_MAX)
		return 0;
	text.n = min_t(size_t, text.n, TEXT_MAX);
	return texts_number(&t->texts, text, number);
}

static int find_owner(struct lanes *t, enum timeline_group group, u32 of, u32 *owner)
{
	const u32 hash = hash_number((u64)group << 32 | of);

	const struct timeline_owner new = { .group = group, .of = of };
	const struct timeline_owner *o =
		indexed_find(&t->owners, hash, e, e->group == group && e->of == of);

	o = o ?: indexed_add(&t->owners, hash, new);
	*owner = o ? (u32)(o - t->owners.v) : 0;
	return o ? 0 : HIST_NOMEM;
}

int timeline_lane(struct lanes *t, u32 view, u32 of, u32 sub, size_t *lane)
{
	const u32 hash = hash_number((u64)of << 32 | view << 20 | sub);
	struct timeline_lane new = { .view = view, .of = of, .sub = sub };
	const struct timeline_lane *l =
		indexed_find(&t->lanes, hash, e, e->view == view && e->of == of && e->sub == sub);

	if (!l && !find_owner(t, t->views.v[view].group, of, &new.owner))
		l = indexed_add(&t->lanes, hash, new);
	*lane = l ? (size_t)(l - t->lanes.v) : 0;
	return l ? 0 : HIST_NOMEM;
}

/* --- bins --- */

static int add_to_bin(struct lanes *t, struct timeline_lane *lane, struct timeline_bin add)
{
	const u32 hash = hash_number((u64)add.slice << 32 | add.name);

	struct timeline_bin *bin =
		indexed_find(&lane->bins, hash, e, e->slice == add.slice && e->name == add.name);

	if (bin) {
		bin->n += add.n;
		bin->ns += add.ns;
		return 0;
	}
	t->n_bins++;
	return indexed_add(&lane->bins, hash, add) ? 0 : HIST_NOMEM;
}

/* Bins move to slices of twice the length, or to the one for all that was earlier. */
static int move_bins(struct lanes *t, struct timeline_lane *lane, bool earlier)
{
	const size_t n = lane->bins.n;
	int err = 0;

	lane->bins.n = 0;
	t->n_bins -= n;
	hash_release(&lane->bins.index);
	/* a bin is read before its place is used again */
	for (size_t i = 0; i < n && !err; i++) {
		struct timeline_bin bin = lane->bins.v[i];

		if (bin.slice != TIMELINE_EARLIER)
			bin.slice = earlier ? TIMELINE_EARLIER : bin.slice / 2;
		err = add_to_bin(t, lane, bin);
	}
	return err;
}

static int widen(struct lanes *t)
{
	int err = 0;

	t->slice *= 2;
	for (size_t i = 0; i < t->lanes.n && !err; i++)
		err = move_bins(t, &t->lanes.v[i], false);
	return err;
}

/* Of all until now, only sums are known any more. */
static int forget_times(struct lanes *t, struct timeline_lane *lane, u64 now)
{
	int err = move_bins(t, lane, true);

	for (size_t i = 0; i < lane->spans.n && !err; i++)
		err = add_to_bin(t, lane,
				 (struct timeline_bin){ TIMELINE_EARLIER, lane->spans.v[i].name, 1,
							lane->spans.v[i].ns });
	t->n_spans[t->views.v[lane->view].group] -= lane->spans.n;
	lane->spans.n = lane->values.n = 0;
	lane->since = now;
	return err;
}

/* Its time goes to the slices in which it was, its number to the first one. */
static int sum_up(struct lanes *t, struct timeline_lane *lane, const struct timeline_span *s)
{
	u64 at = max_t(u64, s->from, t->from) - t->from, left = s->ns, n = 1;
	int err = 0;

	/* the end that was expected may have been far too early */
	while (!err && (at + s->ns) / t->slice > 4 * SLICES)
		err = widen(t);
	/* what was before the timeline, too */
	do {
		const u64 slice = at / t->slice, end = (slice + 1) * t->slice;
		const u64 ns = t->from + end > s->from + s->ns ? left : min_t(u64, left, end - at);

		err = add_to_bin(t, lane,
				 (struct timeline_bin){
					 .slice = (u32)slice, .name = s->name, .n = n, .ns = ns });
		left -= ns;
		at = end;
		n = 0;
	} while (left && !err);
	while (!err && t->n_bins > BINS_MAX && t->slice < t->to - t->from)
		err = widen(t);
	return err;
}

/* --- spans --- */

/* Spans shorter than lane->cut become sums. */
static int cut_lane(struct lanes *t, struct timeline_lane *lane)
{
	const struct timeline_view *view = &t->views.v[lane->view];
	const size_t n_fields = view->n_fields;
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < lane->spans.n && !err; i++) {
		const struct timeline_span span = lane->spans.v[i];

		if (span.ns < lane->cut && !(lane->stepping && i + 1 == lane->spans.n)) {
			err = sum_up(t, lane, &span);
			continue;
		}
		lane->spans.v[n] = span;
		for (size_t f = 0; f < n_fields; f++)
			lane->values.v[n * n_fields + f] = lane->values.v[i * n_fields + f];
		n++;
	}
	t->n_spans[view->group] -= lane->spans.n - n;
	lane->spans.n = n;
	lane->values.n = n * n_fields;
	return err;
}

/* The shorter half of its spans, and all that are as long as the longest of them. */
static int halve(struct lanes *t, struct timeline_lane *lane)
{
	scoped(free_scoped) u64 *lengths = malloc(lane->spans.n * sizeof(*lengths));

	if (!lengths)
		return HIST_NOMEM;
	for (size_t i = 0; i < lane->spans.n; i++)
		lengths[i] = lane->spans.v[i].ns;
	qsort(lengths, lane->spans.n, sizeof(*lengths), compare_u64);
	lane->cut = lengths[lane->spans.n / 2] + 1;
	return cut_lane(t, lane);
}

/* The busiest first. */
DEFINE_ORDER(compare_busy, struct timeline_owner *const,
	     cmp_int((*y)->busy, (*x)->busy) ?: cmp_int(*x, *y))

/* Hide all tasks but the @n busiest. *@n_hidden: how many these are */
static int hide_tasks(struct lanes *t, size_t n, size_t *n_hidden)
{
	scoped(free_scoped) struct timeline_owner **by =
		malloc((t->owners.n + 1) * sizeof(struct timeline_owner *));
	size_t n_tasks = 0;

	if (!by)
		return HIST_NOMEM;
	for (size_t i = 0; i < t->owners.n; i++)
		if (t->owners.v[i].group == TIMELINE_OF_TASK)
			by[n_tasks++] = &t->owners.v[i];
	qsort(by, n_tasks, sizeof(struct timeline_owner *), compare_busy);
	for (size_t i = 0; i < n_tasks; i++)
		by[i]->hidden = i >= n;
	*n_hidden = n_tasks > n ? n_tasks - n : 0;
	return 0;
}

static struct timeline_lane *find_fullest(struct lanes *t, enum timeline_group group)
{
	struct timeline_lane *fullest = NULL;

	array_each(struct timeline_lane, lane, &t->lanes) {
		if (t->views.v[lane->view].group == group &&
		    (!fullest || lane->spans.n > fullest->spans.n))
			fullest = lane;
	}
	return fullest;
}

/* Forget what tasks did that did little until now, and sum up short spans. */
static int make_room(struct lanes *t, enum timeline_group group, u64 now)
{
	size_t n_hidden = 0;
	int err = 0;

	if (group == TIMELINE_OF_TASK)
		err = hide_tasks(t, TASKS_KEPT, &n_hidden);
	for (size_t i = 0; i < t->lanes.n && n_hidden && !err; i++)
		if (t->owners.v[t->lanes.v[i].owner].hidden)
			err = forget_times(t, &t->lanes.v[i], now);
	while (!err && t->n_spans[group] > spans_max[group] / 8 * 7)
		err = halve(t, find_fullest(t, group));
	return err;
}

static bool is_sleep(const char *state)
{
	return !strcmp(state, "sleeping") || !strcmp(state, "idle") || !strcmp(state, "dead") ||
	       !strcmp(state, "parked") || !strcmp(state, "unknown");
}

int timeline_add(struct lanes *t, size_t at, const struct timeline_span *span, const u64 *values,
		 bool steps)
{
	struct timeline_lane *lane = &t->lanes.v[at];
	const struct timeline_view *view = &t->views.v[lane->view];
	struct timeline_owner *owner = &t->owners.v[lane->owner];
	int err = 0;

	t->to = max_t(u64, t->to, span->from + span->ns);
	lane->n++;
	lane->ns += span->ns;
	/* in a system call it may sleep */
	if (view->look != TIMELINE_STATE)
		owner->busy += span->ns >> 20;
	else if (!is_sleep(t->texts.v.v[span->name]))
		owner->busy += span->ns;
	if (steps && lane->stepping && lane->spans.n) {
		struct timeline_span *last = &lane->spans.v[lane->spans.n - 1];

		last->ns = span->from - min_t(u64, last->from, span->from);
		lane->ns += last->ns;
	}
	lane->stepping = steps;
	if (span->ns < lane->cut && !steps)
		return sum_up(t, lane, span);
	err = array_push(&lane->spans, *span);
	for (size_t i = 0; i < view->n_fields && !err; i++)
		err = array_push(&lane->values, values[i]);
	if (!err && ++t->n_spans[view->group] > spans_max[view->group])
		err = make_room(t, view->group, span->from + span->ns);
	return err;
}

/* --- writing --- */

void timeline_owner_text(const struct lanes *t, const struct timeline_owner *o, struct strbuf *out)
{
	if (o->group == TIMELINE_OF_CPU)
		strbuf_addf(out, "CPU %u", o->of);
	else if (o->group == TIMELINE_OF_TASK)
		strbuf_addf(out, "%s-%d", o->name ? t->texts.v.v[o->name] : "task", (s32)o->of);
}

static int compare_lanes(const void *one, const void *other, void *arg)
{
	const struct lanes *t = arg;
	const struct timeline_lane *a = &t->lanes.v[*(const u32 *)one],
				   *b = &t->lanes.v[*(const u32 *)other];
	const struct timeline_owner *p = &t->owners.v[a->owner], *q = &t->owners.v[b->owner];

	if (p->group != q->group)
		return p->group < q->group ? -1 : 1;
	if (p->group == TIMELINE_OF_TASK && p->busy != q->busy)
		return p->busy > q->busy ? -1 : 1;
	if (p->of != q->of)
		return p->of < q->of ? -1 : 1;
	if (a->view != b->view)
		return t->views.v[a->view].rank < t->views.v[b->view].rank ? -1 : 1;
	return strcmp(t->texts.v.v[a->sub], t->texts.v.v[b->sub]);
}

/* By their beginning; of those that begin together, the longest first. */
static int compare_spans(const void *one, const void *other, void *arg)
{
	const struct timeline_lane *lane = arg;
	const struct timeline_span *a = &lane->spans.v[*(const u32 *)one],
				   *b = &lane->spans.v[*(const u32 *)other];

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->ns != b->ns ? (a->ns > b->ns ? -1 : 1) : 0;
}

DEFINE_ORDER(compare_bins, struct timeline_bin,
	     cmp_int(x->slice, y->slice) ?: cmp_int(x->name, y->name))

struct timeline_out {
	struct lanes *t;
	struct json j;
	u32 *numbers; /* of each text in the page, plus 1; 0: it has none */
	ARRAY(u32) texts;
	int err;
};

static void write_text(struct timeline_out *o, u32 text)
{
	if (!o->numbers[text] && !o->err) {
		o->err = array_push(&o->texts, text);
		o->numbers[text] = (u32)o->texts.n;
	}
	json_u64(&o->j, NULL, o->numbers[text] - 1);
}

/* Begin (after the previous one), length, name, fields of each span. */
static void write_spans(struct timeline_out *o, const struct timeline_lane *lane)
{
	const struct timeline_view *view = &o->t->views.v[lane->view];
	scoped(free_scoped) u32 *order = malloc((lane->spans.n + 1) * sizeof(*order));
	u64 before = o->t->from;

	if (!order) {
		o->err = HIST_NOMEM;
		return;
	}
	for (u32 i = 0; i < lane->spans.n; i++)
		order[i] = i;
	qsort_r(order, lane->spans.n, sizeof(*order), compare_spans, (void *)(uintptr_t)lane);
	json_array(&o->j, "spans");
	for (size_t i = 0; i < lane->spans.n; i++) {
		const struct timeline_span *s = &lane->spans.v[order[i]];
		const u64 *values = lane->values.v + order[i] * view->n_fields;

		json_s64(&o->j, NULL, (s64)(s->from - before));
		json_u64(&o->j, NULL, s->ns);
		write_text(o, s->name);
		before = s->from;
		for (size_t f = 0; f < view->n_fields; f++) {
			/* what a script cannot count exactly is a text */
			o->j.u64_as_string = view->fields[f].kind == TIMELINE_UNSIGNED &&
					     values[f] >> 53;
			if (view->fields[f].kind == TIMELINE_TEXT)
				write_text(o, (u32)values[f]);
			else
				json_number(&o->j, NULL, values[f],
					    view->fields[f].kind == TIMELINE_SIGNED);
		}
	}
	json_close(&o->j, ']');
}

static void write_lane(struct timeline_out *o, struct timeline_lane *lane)
{
	const struct timeline_owner *owner = &o->t->owners.v[lane->owner];
	struct json *j = &o->j;
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT;
	u32 before = 0;

	timeline_owner_text(o->t, owner, &name);
	json_object(j, NULL);
	json_u64(j, "view", lane->view);
	json_text(j, "owner", strbuf_span(&name));
	json_str(j, "sub", o->t->texts.v.v[lane->sub]);
	json_s64(j, "of", owner->group == TIMELINE_OF_NONE ? -1 : (s32)owner->of);
	json_u64(j, "n", lane->n);
	json_u64(j, "ns", lane->ns);
	json_u64_if(j, "cut", lane->cut);
	json_u64_if(j, "since", lane->since ? lane->since - o->t->from : 0);
	write_spans(o, lane);
	json_array(j, "bins");
	if (lane->bins.n)
		qsort(lane->bins.v, lane->bins.n, sizeof(*lane->bins.v), compare_bins);
	array_each(const struct timeline_bin, bin, &lane->bins) {
		json_u64(j, NULL, bin->slice - before);
		write_text(o, bin->name);
		json_u64(j, NULL, bin->n);
		json_u64(j, NULL, bin->ns);
		before = bin->slice;
	}
	json_close(j, ']');
	json_close(j, '}');
	o->err = o->err ?: name.failed ? HIST_NOMEM : 0;
}

static void write_views(struct timeline_out *o)
{
	json_array(&o->j, "views");
	array_each(const struct timeline_view, view, &o->t->views) {
		json_object(&o->j, NULL);
		json_str(&o->j, "event", view->event);
		json_str(&o->j, "look", looks[view->look]);
		json_u64(&o->j, "group", view->group);
		json_array(&o->j, "fields");
		for (size_t f = 0; f < view->n_fields; f++)
			json_str(&o->j, NULL, view->fields[f].name);
		json_close(&o->j, ']');
		json_array(&o->j, "texts");
		for (size_t f = 0; f < view->n_fields; f++)
			json_u64(&o->j, NULL, view->fields[f].kind == TIMELINE_TEXT);
		json_close(&o->j, ']');
		json_close(&o->j, '}');
	}
	json_close(&o->j, ']');
}

static void write_data(struct timeline_out *o, const u32 *order, size_t n)
{
	struct lanes *t = o->t;
	struct json *j = &o->j;

	json_object(j, NULL);
	json_str(j, "unit", t->no_time ? "" : "ns");
	json_name(j, span_of("from")); /* more than a script can count exactly */
	j->u64_as_string = true;
	j->comma = false;
	json_number(j, NULL, t->from, false);
	json_u64(j, "to", t->to - t->from);
	json_u64(j, "slice", t->slice);
	json_str(j, "input", t->input ?: "");
	json_u64(j, "hidden", t->n_hidden);
	write_views(o);
	json_array(j, "marks");
	for (size_t i = 0; i < t->marks.n; i++) {
		json_s64(j, NULL, (s64)(t->marks.v[i].at - t->from));
		json_str(j, NULL, t->marks.v[i].text);
	}
	json_close(j, ']');
	json_array(j, "lanes");
	for (size_t i = 0; i < n && !o->err; i++)
		write_lane(o, &t->lanes.v[order[i]]);
	json_close(j, ']');
	json_array(j, "names");
	for (size_t i = 0; i < o->texts.n; i++)
		json_str(j, NULL, t->texts.v.v[o->texts.v[i]]);
	json_close(j, ']');
	json_close(j, '}');
}

/* What is shown, as it is at the end. *@n: how many lanes of @order are shown, in their order */
static int finish(struct lanes *t, u32 *order, size_t *n)
{
	int err = hide_tasks(t, TASKS_SHOWN, &t->n_hidden);

	*n = 0;
	for (size_t i = 0; i < t->lanes.n && !err; i++) {
		struct timeline_lane *lane = &t->lanes.v[i];

		if (t->owners.v[lane->owner].hidden || !lane->n)
			continue;
		if (lane->stepping && lane->spans.n) {
			struct timeline_span *last = &lane->spans.v[lane->spans.n - 1];

			last->ns = t->to - last->from;
			lane->ns += last->ns;
			lane->stepping = false;
		}
		err = cut_lane(t, lane);
		order[(*n)++] = (u32)i;
	}
	qsort_r(order, *n, sizeof(*order), compare_lanes, t);
	return err;
}

int timeline_write(struct lanes *t, struct strbuf *out)
{
	scoped(strbuf_release) struct strbuf data = STRBUF_INIT;
	struct timeline_out o = { .t = t, .j.out = &data };
	scoped(free_scoped) u32 *order = calloc(t->lanes.n + 1, sizeof(*order));
	size_t n;

	o.numbers = calloc(t->texts.v.n + 1, sizeof(*o.numbers));
	if (!order || !o.numbers)
		o.err = HIST_NOMEM;
	o.err = o.err ?: finish(t, order, &n);
	if (!o.err) {
		strbuf_addstr(out, "<div class=\"timeline\">\n");
		timeline_legend(out);
		timeline_draw(t, order, n, out);
		write_data(&o, order, n);
		strbuf_addstr(out, "<script type=\"application/json\">");
		/* < is in strings only */
		for (struct span rest = strbuf_span(&data); rest.s;) {
			const struct span part = span_sep(&rest, "<");

			strbuf_add(out, part.s, part.n);
			strbuf_addstr(out, rest.s ? "\\u003c" : "");
		}
		strbuf_addstr(out, "</script>\n</div>\n");
	}
	if (data.failed || out->failed)
		o.err = HIST_NOMEM;
	array_release(&o.texts);
	free(o.numbers);
	return o.err;
}
