// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Notes what limited the recordings, so that a part is not taken for the whole. A trigger prints
 * what the kernel prints, for which a recording is all there is: only questions, and events that
 * are read one by one, are concerned.
 */
#include "replay/account.h"

/* Whether answers come from records of these events. */
static bool answers(const struct dispatch *d)
{
	const struct event_file *file = d->file;

	if (d->derive || (file && file->state.enabled && !file->triggers.n))
		return true;
	for (size_t i = 0; file && i < file->triggers.n; i++)
		if (file->triggers.v[i]->hist && file->triggers.v[i]->hist->question)
			return true;
	return false;
}

/* Whether answers are about what begins with one event and ends with another one. */
static bool has_intervals(const struct dispatch *d)
{
	const struct event_file *file = d->file;

	for (size_t i = 0; file && i < file->triggers.n; i++)
		if (file->triggers.v[i]->hist && file->triggers.v[i]->hist->n_actions)
			return true;
	return d->derive;
}

static struct span limits_of(const struct recording *rec)
{
	return span_of(recording_option(rec, TRACE_DAT_HIST_LIMITS) ?: "");
}

/* The filter with which the event was recorded; absent: without one. */
static struct span filter_of(const struct recording *rec, const struct trace_dat_format *format)
{
	struct span lines = limits_of(rec), filter;

	while ((filter = limits_next(&lines, "filter")).s) {
		struct span name = span_sep(&filter, " ");
		struct span system = span_sep(&name, ":");

		if (filter.s && name.s && span_eq(system, format->system) &&
		    span_same(name, format->name))
			return filter;
	}
	return filter;
}

/* Once for each text, although several files may have it. */
static void note_filter(const struct trace_dat_format *format, struct span filter,
			struct strbuf *noted, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s:%.*s was recorded with the filter %.*s\n", format->system,
		    (int)format->name.n, format->name.s, (int)filter.n, filter.s);
	if (!text.failed && !strstr(noted->s, text.s)) {
		strbuf_addstr(noted, text.s);
		diags_add(diags, DIAG_NOTE, "%.*s", (int)text.len - 1, text.s);
	}
}

static void note_tasks(const struct hist *h, const struct recording *rec, bool intervals,
		       struct strbuf *noted, struct diags *diags)
{
	struct span limits = limits_of(rec);
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	/* who the children are is known at the end (recording/only.c) */
	const bool mixed = intervals && h->feed && limits_next(&limits, "children").s;

	limits_print_tasks(limits_of(rec), &text);
	if (text.len && !text.failed && !noted->len) {
		strbuf_addstr(noted, text.s);
		if (h->account.others)
			diags_add(
				diags, DIAG_NOTE,
				"only events of %s were recorded; %llu derived events of other tasks "
				"were left out, because most of their records are missing: what those "
				"did meanwhile (other_idle_ns, who delayed a task) is unknown or 0",
				text.s, h->account.others);
		else
			diags_add(
				diags, DIAG_NOTE, "only events of %s were recorded%s", text.s,
				mixed ? ": derived events of other tasks are known in part"
				: intervals
					? ": what begins in them and ends in others, as softirqs and "
					  "requests to disks do, is missing or too long"
					: "");
	}
}

void replay_note_limits(const struct hist *h, const struct stream *streams, size_t n,
			struct diags *diags)
{
	scoped(strbuf_release) struct strbuf filters = STRBUF_INIT, tasks = STRBUF_INIT;
	const struct dispatch_table *last = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct recording *rec = streams[i].of.rec;
		const struct dispatch_table *table = streams[i].table;
		bool answered = false, intervals = false;

		for (size_t f = 0; table != last && limits_of(rec).n && f < rec->n_formats; f++) {
			const struct trace_dat_format *format = &rec->formats[f];
			struct span filter;

			if (format->id >= table->n || !answers(&table->by_id[format->id]))
				continue;
			answered = true;
			intervals |= has_intervals(&table->by_id[format->id]);
			filter = filter_of(rec, format);
			if (filter.s)
				note_filter(format, filter, &filters, diags);
		}
		if (answered)
			note_tasks(h, rec, intervals, &tasks, diags);
		last = table;
	}
}

/*
 * The tasks and times that hist slim selected limit all events, so they must be those of all files.
 */
int replay_check_selections(struct hist *h, struct diags *diags)
{
	const struct recording *first = h->recordings.files.v, *other = first;
	const struct recording *end = first + h->recordings.files.n;
	scoped(strbuf_release) struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;

	while (other < end && slimmed_alike(first, other))
		other++;
	if (other == end)
		return 0;
	slimmed_print_selection(first, &a);
	slimmed_print_selection(other, &b);
	diags_error(diags, -HIST_EINVAL,
		    "%s and %s cannot be counted together: hist slim selected %s, and %s; report "
		    "each, or select the same for both",
		    first->path, other->path, a.s, b.s);
	return -HIST_EINVAL;
}
