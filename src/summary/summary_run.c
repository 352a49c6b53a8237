// SPDX-License-Identifier: LGPL-2.1-only
/* hist_summary(): counts the events, replays once, composes the lines, prints them. */
#include "summary/summary_run.h"

static void release(struct summary_run *s)
{
	for (size_t i = 0; i < N_SUMMARY_TABLES; i++)
		if (s->tables[i].named)
			taken_result_free(&s->tables[i]);
	list_count_release(&s->count);
	array_release(&s->lines);
	strbuf_release(&s->text);
	arena_release(&s->arena);
}

/* What is wrong comes first, or a line that nothing is. */
static void order(struct summary_run *s)
{
	const bool trouble = any_of(i, s->lines.n, s->lines.v[i].kind == SUMMARY_TROUBLE);

	if (!trouble) {
		static const struct summary_form fine = {
			SUMMARY_FINE, "fine",
			"nothing is known to be missing, and nothing stands out as wrong", NULL,
			NULL
		};

		summary_say(s, &fine, NULL);
	}
	for (size_t i = 1; i < s->lines.n; i++)
		for (size_t k = i; k && s->lines.v[k - 1].kind > s->lines.v[k].kind; k--) {
			const struct summary_line line = s->lines.v[k];

			s->lines.v[k] = s->lines.v[k - 1];
			s->lines.v[k - 1] = line;
		}
}

/* Count the events, and replay. */
static int answer(struct summary_run *s)
{
	struct hist *h = s->h;
	const char *text = recording_option(&h->recordings.files.v[0], TRACE_DAT_HIST_LIMITS);
	struct span limits = span_of(text ?: "");
	struct recordings_times times;
	int err = list_count(h, true, &s->count, s->diags);

	times = (struct recordings_times){ s->count.events ? s->count.first : 0, s->count.last };
	if (!err && h->recordings.files.n > 1)
		err = recordings_times(&h->recordings, h->buffer, &times);
	s->first = max_t(u64, times.first, h->span.from);
	s->last = max_t(u64, min_t(u64, times.last, h->span.to), s->first);
	s->of_some = limits_next(&limits, "pids").s;
	return err ?: summary_ask(s);
}

int hist_summary(struct hist *h, const struct hist_summary_options *options, hist_sink_fn sink,
		 void *arg, struct diags *diags)
{
	struct summary_run s = {
		.h = h, .o = options, .arena = ARENA_INIT, .text = STRBUF_INIT, .diags = diags
	};
	struct summary_run base = s;
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	int err = answer(&s);

	base.h = options->baseline;
	if (!err && base.h)
		err = answer(&base);
	if (!err) {
		summary_about(&s);
		summary_trouble(&s);
		if (base.h)
			summary_compare(&s, &base);
		summary_topics(&s);
		order(&s);
		err = s.failed || s.arena.failed ? HIST_NOMEM : summary_print(&s, &out);
	}
	err = err ?: out.failed ? HIST_NOMEM : sink(arg, out.s, out.len);
	release(&s);
	if (base.h)
		release(&base);
	return err;
}
