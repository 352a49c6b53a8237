// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The plan. Determines first the dependencies of each event, then its way: by range if that way
 * supports all of its dependencies, otherwise in order. Events that share a histogram use the same
 * way.
 */
#include "replay/plan.h"
#include "replay/way.h"

/* for smaller recordings, one thread is enough in order */
enum { SMALL_BYTES = 4 << 20 };

static bool can_go_by_range(const struct plan_event *e)
{
	return !(e->depends.bits & ~RANGE_SUPPORTS);
}

struct dispatch_table *plan_table(const struct plan *p, size_t stream)
{
	/* streams of one file and instance are adjacent */
	if (stream && p->streams[stream].table == p->streams[stream - 1].table)
		return NULL;
	return p->streams[stream].table;
}

/* --- what events depend on --- */

static void add_depends(const struct plan *p, const struct dispatch *d, struct plan_event *e)
{
	if (d->marker_at || d->packed)
		depends_add(&e->depends, DEPENDS_MARKER, NULL);
	if (d->special)
		depends_add(&e->depends, DEPENDS_BUFFER, NULL);
	if (p->h->observer)
		depends_add(&e->depends, DEPENDS_OBSERVER, NULL);
	if (p->h->timer)
		depends_add(&e->depends, DEPENDS_SLICES, NULL);
	if (p->h->tracing->traced.n)
		depends_add(&e->depends, DEPENDS_PROGRAM, NULL);
	if (p->derives)
		depends_add(&e->depends, DEPENDS_ORDER, "a derived event");
	event_file_depends(d->file, &e->depends);
	for (size_t i = 0; i < d->file->triggers.n; i++)
		trigger_depends(d->file->triggers.v[i], &e->depends);
}

static int add_event(struct plan *p, const struct dispatch *d)
{
	struct plan_event e = { .file = d->file };
	int err = 0;

	if (!d->event->plan_index) {
		err = array_push(&p->events, e);
		d->event->plan_index = (u32)p->events.n;
	}
	if (!err)
		add_depends(p, d, &p->events.v[d->event->plan_index - 1]);
	return err;
}

static int add_events(struct plan *p)
{
	int err = 0;

	for (size_t s = 0; s < p->n_streams; s++) {
		struct dispatch_table *table = plan_table(p, s);

		for (u32 id = 0; table && id < table->n && !err; id++)
			if (table->by_id[id].file)
				err = add_event(p, &table->by_id[id]);
	}
	return err;
}

/* --- choice of the way --- */

static bool is_small(const struct plan *p)
{
	u64 bytes = sum_of(i, p->n_streams,
			   (p->streams[i].end - p->streams[i].first) *
				   p->streams[i].layout.subbuf_size);

	return bytes < SMALL_BYTES;
}

/* Whether all records, not only those of events with triggers, are needed in order. */
static bool needs_all(const struct plan *p)
{
	return p->h->tracing->record || p->h->tracing->traced.n || p->derives;
}

/* For each histogram that an event reaches: add the way of the event to its ways, or clear them. */
static int mark_ways(const struct plan *p, bool mark)
{
	scoped(free_scoped) hist_count_array hists = ARRAY_INIT;
	int err = 0;

	for (size_t e = 0; e < p->events.n && !err; e++) {
		hists.n = 0;
		err = event_reached_hists(p->events.v[e].file, &hists);
		for (size_t i = 0; i < hists.n; i++)
			hists.v[i]->ways = mark ? hists.v[i]->ways | 1u << p->events.v[e].way : 0;
	}
	return err;
}

/* Whether another event uses a histogram of this one in another way. */
static bool shares(const struct plan_event *e)
{
	for (size_t i = 0; i < e->file->triggers.n; i++) {
		const struct hist_data *hd = e->file->triggers.v[i]->hist;

		if (hd && hist_count_of(hd)->ways & ~(1u << e->way))
			return true;
	}
	return false;
}

/* Slices end at the same records for all histograms: all events by range, or all in order. */
static void keep_slices_together(struct plan *p)
{
	bool all = !needs_all(p);

	for (size_t i = 0; i < p->events.n; i++)
		all &= p->events.v[i].way == WAY_RANGE;
	array_each_while(struct plan_event, e, &p->events, !all && p->h->timer) {
		if (e->way == WAY_RANGE)
			depends_add(&e->depends, DEPENDS_ORDER, "another histogram");
		e->way = WAY_ORDER;
	}
}

/* Remove events from the way by range until none shares a histogram with the rest. */
static int part_events(struct plan *p)
{
	bool changed = true;
	int err = 0;

	while (changed && !err) {
		changed = false;
		err = mark_ways(p, false);
		err = err ?: mark_ways(p, true);
		array_each_while(struct plan_event, e, &p->events, !err) {
			if (e->way != WAY_RANGE || !shares(e))
				continue;
			e->way = WAY_ORDER;
			depends_add(&e->depends, DEPENDS_ORDER, NULL);
			changed = true;
		}
	}
	return err;
}

static void set_dispatches(struct plan *p)
{
	for (size_t s = 0; s < p->n_streams; s++) {
		struct dispatch_table *table = plan_table(p, s);

		for (u32 id = 0; table && id < table->n; id++) {
			struct dispatch *d = &table->by_id[id];
			const struct plan_event *e =
				d->file ? &p->events.v[d->event->plan_index - 1] : NULL;

			d->way = e ? e->way : WAY_ORDER;
			d->asks = e && e->depends.bits & DEPENDS_ON(COMM);
			p->any[d->way] |= d->file || d->special || d->derive;
		}
	}
}

/* --- a requested way --- */

static void add_reason(const struct plan_event *e, struct strbuf *out);

static int check_by_range(const struct plan *p, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf why = STRBUF_INIT;
	int err = 0;

	array_each_while(const struct plan_event, e, &p->events, !err) {
		if (e->way == WAY_RANGE)
			continue;
		add_reason(e, &why);
		err = diags_error(diags, -HIST_EINVAL, "%s:%s cannot be counted by range: %s",
				  e->file->system, e->file->name, why.s);
	}
	if (!err && p->any[WAY_ORDER])
		err = diags_error(diags, -HIST_EINVAL,
				  "the contents of the ring buffer cannot be counted by range: "
				  "they need all records in order");
	return err;
}

/*
 * Whether derivers need no more than the fields of their records: no triggers use records, and no
 * filter asks for names.
 */
static bool can_derive_later(const struct plan *p, const struct run_needs *needs)
{
	const struct hist *h = p->h;

	for (const struct trace_array *tr = h->tracing->top; tr && needs->comm; tr = tr->next)
		for (size_t i = 0; i < tr->slices.n; i++)
			if (tr->slices.v[i].edges[0].filter || tr->slices.v[i].edges[1].filter)
				return false;
	return !p->events.n && !h->timer && !h->tracing->record && !h->tracing->traced.n;
}

/*
 * Whether one thread can read records while another one counts them. Stacks are read from the
 * sub-buffer itself, and observers query the iterators for losses.
 */
static bool can_read_ahead(const struct plan *p, const struct run_needs *needs)
{
	const struct hist *h = p->h;

	return p->threads > 1 && !needs->stack && !needs->synth && !h->observer && !h->feed &&
	       (h->jobs || !is_small(p)) && (!p->derives || can_derive_later(p, needs));
}

int plan_make(struct plan *p, const struct run_needs *needs, struct diags *diags)
{
	const bool asked = p->h->plan != HIST_PLAN_AUTO && p->h->plan != HIST_PLAN_RANGE;
	int err = add_events(p);

	p->threads = p->h->plan == HIST_PLAN_PLAIN ? 1 : thread_count(p->h->jobs);
	p->reads_ahead = can_read_ahead(p, needs);
	p->inflates |= any_of(i, p->n_streams, !p->streams[i].stays);
	array_each(struct plan_event, e, &p->events) {
		e->way = !asked && can_go_by_range(e) ? WAY_RANGE : WAY_ORDER;
		e->cost = asked ? COST_ASKED : COST_NONE;
	}
	err = err ?: part_events(p);
	if (err)
		return err;
	keep_slices_together(p);
	set_dispatches(p);
	return p->h->plan == HIST_PLAN_RANGE ? check_by_range(p, diags) : 0;
}

enum plan_names plan_names(const struct plan *p)
{
	/* a slice is printed before all records are read */
	if (p->h->timer)
		return NAMES_FIRST;
	array_each(const struct plan_event, e, &p->events) {
		if (e->depends.bits & DEPENDS_ON(COMM) ||
		    (e->depends.bits & DEPENDS_NAMES && e->way != WAY_RANGE))
			return NAMES_FIRST;
	}
	return p->any[WAY_RANGE] ? NAMES_LATE : NAMES_FIRST;
}

void plan_release(struct plan *p)
{
	array_release(&p->events);
}

void plan_fall_back(struct plan *p, enum plan_way way)
{
	array_each(struct plan_event, e, &p->events) {
		if (e->way != way)
			continue;
		e->way = WAY_ORDER;
		e->cost = COST_AGAIN;
	}
	p->any[way] = false;
	set_dispatches(p);
}

/* --- explanation --- */

/* ORDER depends_bit */
static const char *const depends_texts[N_DEPENDS] = {
	[DEPENDS_TRACE] = "makes synthetic events",
	[DEPENDS_ORDER] = "needs all records in time order",
	[DEPENDS_COMM] = "needs the names of tasks at that time",
	[DEPENDS_FIRST] = "needs the names of tasks at that time",
	[DEPENDS_STACK] = "needs kernel stacks, which are separate records",
	[DEPENDS_SYNTH] =
		"needs recorded synthetic events, whose keys include the bytes after the end of a string",
	[DEPENDS_SAMPLES] = "has samples of its values (--stats)",
	[DEPENDS_EXEMPLARS] = "needs the tasks of its largest values (--exemplars)",
	[DEPENDS_SWITCH] = "decides which records count",
	[DEPENDS_PIDS] = "needs set_event_pid at that time",
	[DEPENDS_BUFFER] = "records into the ring buffer",
	[DEPENDS_MARKER] = "needs the text of trace_marker or trace_printk()",
	[DEPENDS_OBSERVER] = "is observed record by record",
	[DEPENDS_SLICES] = "is counted in slices of time (--interval)",
	[DEPENDS_PROGRAM] = "needs the events that the program traced",
};

static const char *const cost_texts[] = {
	[COST_NONE] = "",
	[COST_ASKED] = "--plan asks for it",
	[COST_AGAIN] =
		"a map was full, a time stamp of a CPU went back, or a task had two names at a time",
};

/* Why the event is not counted by range. */
static void add_reason(const struct plan_event *e, struct strbuf *out)
{
	u32 bits = e->depends.bits & ~RANGE_SUPPORTS;
	u32 bit = bits ? (u32)__builtin_ctz(bits) : N_DEPENDS;

	if (bit < N_DEPENDS)
		strbuf_addf(out, "%s %s", e->depends.of[bit] ? e->depends.of[bit] : "it",
			    depends_texts[bit]);
	else
		strbuf_addstr(out, cost_texts[e->cost]);
}

static void add_keys(const struct hist_data *hd, struct strbuf *out)
{
	u32 i;

	strbuf_addstr(out, "hist:keys=");
	for_each_hist_key_field(i, hd)
		strbuf_addf(out, "%s%s", i > hd->n_vals ? "," : "", hd->fields[i]->label);
}

static void explain_trigger(const struct plan *p, const struct plan_event *e,
			    const struct hist_data *hd, struct diags *diags)
{
	const unsigned int n = !p->reads_ahead ? 1 : p->inflates ? p->threads : 2;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	add_keys(hd, &text);
	if (e->way == WAY_RANGE) {
		strbuf_addf(&text, ": by ranges of sub-buffers, %u thread%s", p->threads,
			    plural(p->threads));
	} else {
		strbuf_addf(&text, ": in time order, %u thread%s, because ", n, plural(n));
		add_reason(e, &text);
	}
	diags_add(diags, DIAG_NOTE, "plan: %s:%s %s", e->file->system, e->file->name, text.s);
}

static void explain_synth(const struct plan *p, const struct event_file *file, struct diags *diags)
{
	const bool windows = p->windows && file->synth->derived;

	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < file->triggers.n; i++) {
		if (!file->triggers.v[i]->hist)
			continue;
		strbuf_reset(&text);
		add_keys(file->triggers.v[i]->hist, &text);
		if (windows)
			strbuf_addf(&text, ": by windows of time, %u threads", p->threads);
		else
			strbuf_addstr(&text,
				      ": together with the histograms that generate the event");
		diags_add(diags, DIAG_NOTE, "plan: %s:%s %s", file->system, file->name, text.s);
	}
}

void plan_explain(const struct plan *p, struct diags *diags)
{
	array_each(const struct plan_event, e, &p->events)
		for (size_t t = 0; t < e->file->triggers.n; t++)
			if (e->file->triggers.v[t]->hist)
				explain_trigger(p, e, e->file->triggers.v[t]->hist, diags);
	for (const struct trace_array *tr = p->h->tracing->top; tr; tr = tr->next)
		for (const struct event_file *file = tr->files; file; file = file->next)
			if (file->synth && !event_count_of(file)->plan_index)
				explain_synth(p, file, diags);
}
