// SPDX-License-Identifier: LGPL-2.1-only
/* Slices of time: prints the histograms whenever the replay passes the end of a slice. */
#include "tracefs/tracefs.h"

int slice_parse(const char *text, bool clock_counts, u64 *length, struct diags *diags)
{
	*length = 0;
	if (!(clock_counts ? span_u64 : span_time)(span_of(text), length) || !*length)
		return diags_error(
			diags, -HIST_EINVAL, "--interval takes %s, not '%s'",
			clock_counts
				? "a number of the clock's units (this clock does not count seconds)"
				: "a time, such as 0.5 (seconds) or 10ms",
			text);
	return 0;
}

/* --- one slice --- */

/* Whether a histogram counted or dropped hits; those that its feeders dropped are missing in it. */
static bool any_hits(struct slicer *s, bool any_drops)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t t = 0; t < s->files[i]->triggers.n; t++) {
			const struct trigger *trigger = s->files[i]->triggers.v[t];
			const struct tracing_map *map;
			u64 feeding = 0;

			if (!output_wants(&directory_of(s->h)->output, trigger))
				continue;
			map = hist_map(hist_count_of(trigger->hist));
			if (any_drops && trigger_feeding_drops(trigger, &feeding))
				s->err = HIST_NOMEM;
			if (map->hits || map->drops || feeding)
				return true;
		}
	return false;
}

static int print_slice(struct slicer *s)
{
	int err = 0;

	for (size_t i = 0; i < s->n; i++)
		for (size_t t = 0; t < s->files[i]->triggers.n && !err; t++) {
			const struct trigger *trigger = s->files[i]->triggers.v[t];

			if (output_wants(&directory_of(s->h)->output, trigger))
				err = output_slice(s->h, trigger, s->p);
		}
	return err;
}

/* Of all histograms, also those that are not shown, as without slices. */
static u64 count_drops(const struct slicer *s)
{
	const struct tracing *t = s->h->tracing;
	u64 drops = 0;

	array_each_ptr(const struct trigger, trigger, &t->triggers)
		if (trigger && trigger->hist && !trigger->named_data)
			drops += hist_map(hist_count_of(trigger->hist))->drops;
	return drops;
}

/* Also those that are not shown: their new maxima generate events that others count. */
static void start_again(struct slicer *s)
{
	struct tracing *t = s->h->tracing;

	array_each_ptr(const struct trigger, trigger, &t->triggers) {
		struct snapshot *snapshot;
		struct hist_count *hc;

		if (!trigger || !trigger->hist)
			continue;
		hc = hist_count_of(trigger->hist);
		if (!hist_map(hc)->hits && !hist_map(hc)->drops)
			continue;
		if (hist_map(hc)->failed)
			s->err = HIST_NOMEM;
		snapshot = hc->hd->file->tr->snapshot;
		if (snapshot && snapshot->hist == hc->hd)
			snapshot->updated = false;
		hist_part_slice(hc->parts, hc->hd);
	}
}

static void end_slice(struct slicer *s, bool empty)
{
	u64 drops;

	if (s->err)
		return;
	drops = count_drops(s);
	s->drops = add_saturated(s->drops, drops);
	if ((empty || any_hits(s, drops)) && !s->err) {
		s->err = print_slice(s);
		s->missed_before += s->missed;
		s->missed = 0;
		s->missed_unknown = false;
	}
	start_again(s);
}

static void note_missed(struct slicer *s, u64 missed, bool unknown)
{
	s->missed = missed - s->missed_before;
	s->missed_unknown |= unknown;
}

static void begin_slice(struct slicer *s, u64 from)
{
	s->from = from;
	s->done = max_t(u64, s->done, from);
	if (__builtin_add_overflow(from, s->length, &s->timer.end))
		s->timer.end = UINT64_MAX;
}

static void slice_start(void *arg)
{
	struct slicer *s = arg;

	begin_slice(s, s->timer.from);
}

static void slice_passed(void *arg, u64 ts, u64 missed, bool missed_unknown)
{
	struct slicer *s = arg;

	/* the last slice may end with the last time that there is */
	if (ts > s->h->span.to || ts - s->from < s->length)
		return;
	if (s->from < s->done) {
		start_again(s);
	} else {
		note_missed(s, missed, missed_unknown);
		end_slice(s, false);
	}
	begin_slice(s, s->from + (ts - s->from) / s->length * s->length);
}

/* --- all slices --- */

static void slice_finish(void *arg, u64 missed, bool missed_unknown, struct diags *diags)
{
	struct slicer *s = arg;
	struct recordings_times times = { .last = 0 };
	u64 last;

	s->err = s->err ?: recordings_times(&s->h->recordings, s->h->buffer, &times);
	last = min_t(u64, times.last, s->h->span.to);
	note_missed(s, missed, missed_unknown);
	s->timer.end = max_t(u64, s->from, min_t(u64, s->timer.end, last));
	/* if there are no records, an empty slice is printed, so that there is a header */
	end_slice(s, !directory_of(s->h)->output.options.continued);
	if (!s->drops)
		return;
	s->h->doubtful = true;
	diags_add(diags, DIAG_WARNING,
		  "%llu hit%s dropped because a histogram was full, as in the kernel; --unlimited "
		  "lifts the limit, size= in a trigger raises it to 131072 at most",
		  (unsigned long long)s->drops, plural_were(s->drops));
}

int slices_print(struct hist *h, struct event_file *const *files, size_t n, struct printer *p,
		 struct diags *diags)
{
	struct slicer s = { .h = h,
			    .timer = { .arg = &s,
				       .start = slice_start,
				       .passed = slice_passed,
				       .finish = slice_finish },
			    .files = files,
			    .n = n,
			    .p = p,
			    .length = directory_of(h)->output.interval };
	struct recordings_times times;
	int err = recordings_start(&h->recordings, h->buffer, &times);

	if (err)
		return err;
	s.timer.from = max_t(u64, times.first, h->span.from);
	s.timer.length = s.length;
	s.timer.about_last = max_t(u64, s.timer.from, min_t(u64, times.last, h->span.to));
	slice_start(&s);
	directory_of(h)->output.options.sliced = true;
	directory_of(h)->output.options.continued = false;
	h->timer = &s.timer;
	directory_of(h)->output.slicer = &s;
	err = replay_run(h, diags);
	h->timer = NULL;
	directory_of(h)->output.slicer = NULL;
	/* the counts left are those of the last slice */
	h->replayed = false;
	return err ? err : s.err;
}

int slices_over_time(struct hist *h, struct event_file *const *files, size_t n, struct printer *p)
{
	enum { SLICES = 100 };
	struct output *o = &directory_of(h)->output;
	struct diags reported = DIAGS_INIT, *outer = h->recordings.diags;
	struct recordings_times times;
	u64 from, to;
	int err = recordings_times(&h->recordings, h->buffer, &times);

	if (err)
		return err;
	from = max_t(u64, times.first, h->span.from);
	to = min_t(u64, times.last, h->span.to);
	if (to <= from)
		return 0;
	o->interval = (to - from) / SLICES + 1;
	o->options.over_time = true;
	h->recordings.diags = &reported;
	err = slices_print(h, files, n, p, &reported);
	h->recordings.diags = outer;
	o->options.over_time = o->options.sliced = o->options.continued = false;
	o->interval = 0;
	diags_release(&reported);
	return err;
}
