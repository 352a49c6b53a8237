// SPDX-License-Identifier: LGPL-2.1-only
/*
 * hist_why(): finds the interval in a first replay, what happened around it in a second one, and
 * explains it.
 */
#include <stdio.h>
#include <string.h>

#include "program/machine.h"
#include "tracefs/tracefs.h"
#include "why/why.h"

enum { DEPTH = 5 };

struct why {
	struct hist *h;
	const struct hist_why_options *o;
	struct why_wanted wanted;
	s32 pid;
	u64 at;
	u32 cpu;
	struct why_found found;
	struct why_interval given;
	struct why_answer answer;
	char event[128];
	why_printer print;
	struct diags *diags;
};

static const struct why_format {
	const char *name;
	why_printer print;
} formats[] = {
	{ "text", why_text }, { "json", why_json }, { "svg", why_svg }, { "html", why_html }
};

/* "T[,CPU]" */
static int parse_at(struct why *w)
{
	struct span rest = span_of(w->o->at), moment = span_sep(&rest, ",");
	u64 cpu = 0;

	if (!span_time(moment, &w->at) || (rest.s && !span_u64(rest, &cpu)) || cpu >= UINT32_MAX)
		return diags_error(w->diags, -HIST_EINVAL,
				   "--at takes seconds of the trace clock and optionally a CPU, "
				   "such as 12.345678 or 12.345678,3, not '%s'",
				   w->o->at);
	w->wanted.at = &w->at;
	w->cpu = (u32)cpu;
	if (rest.s)
		w->wanted.cpu = &w->cpu;
	return 0;
}

static int parse(struct why *w)
{
	const char *format = w->o->format ? w->o->format : "text";

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(format, formats[i].name))
			w->print = formats[i].print;
	if (!w->print)
		return diags_error(w->diags, -HIST_EINVAL,
				   "an interval has no format '%s', but text, json, svg and html",
				   format);
	if (machine_clock_counts(w->h->recordings.machine.clock))
		return diags_error(
			w->diags, -HIST_EINVAL,
			"the clock of the recording counts events, so no interval has a length");
	if (w->o->exemplar > HIST_EXEMPLARS_MAX)
		return diags_error(w->diags, -HIST_EINVAL,
				   "only the %u longest intervals can be explained",
				   HIST_EXEMPLARS_MAX);
	w->pid = w->o->pid;
	w->wanted.pid = w->o->has_pid ? &w->pid : NULL;
	w->wanted.max = w->o->exemplar ? w->o->exemplar : 1;
	return w->o->at ? parse_at(w) : 0;
}

static int find(struct why *w, const struct hist_script *script)
{
	const struct event_file *file;
	int err = why_find(w->h, script, &w->wanted, &w->found, w->diags);

	if (err)
		return err;
	w->answer.interval = &w->found.best.v[w->wanted.max - 1];
	file = w->answer.interval->file;
	snprintf(w->event, sizeof(w->event), "%s:%s", file->system, file->name);
	w->answer.event = w->event;
	w->answer.rank = w->wanted.max;
	w->answer.of = w->found.n;
	return 0;
}

static int given(struct why *w)
{
	const struct replay_span *span = &w->h->span;

	if (!w->o->has_pid)
		return diags_error(w->diags, -HIST_EINVAL,
				   "name the task whose time is to be explained");
	w->given = (struct why_interval){ .from = span->from, .to = span->to, .pid = w->pid };
	w->answer.interval = &w->given;
	return 0;
}

/* What happened around the interval: with all CPUs, and from the start of the recording. */
static int explain(struct why *w, struct why_store *s, struct why_tree *tree)
{
	const struct replay_span chosen = w->h->span;
	const struct why_interval *v = w->answer.interval;
	struct recordings_times times = { .first = 0 };
	struct why_question q = { .pid = v->pid,
				  .from = v->from,
				  .to = v->to,
				  .depth = w->o->depth ? w->o->depth : DEPTH };
	int err = recordings_times(&w->h->recordings, w->h->buffer, &times);

	w->h->span = (struct replay_span){ .to = UINT64_MAX };
	q.first = times.first;
	q.last = times.last;
	if (!w->answer.event) {
		q.from = max_t(u64, q.from, q.first);
		q.to = max_t(u64, min_t(u64, q.to, q.last), q.from);
		w->given.from = q.from;
		w->given.to = q.to;
	}
	err = err ?: why_collect(w->h, (struct why_piece){ q.from, q.to }, s, w->diags);
	w->h->span = chosen;
	return err ?: why_tree_build(s, &q, tree);
}

static int print(struct why *w, hist_sink_fn sink, void *arg)
{
	struct strbuf out = STRBUF_INIT;
	int err;

	w->answer.caveats = w->h->caveats.s;
	w->answer.messages = w->diags;
	w->print(&w->answer, w->o, &out);
	err = out.failed ? HIST_NOMEM : sink(arg, out.s, out.len);
	strbuf_release(&out);
	return err;
}

/* The two replays report the same about the recording: the second report is dropped. */
static void drop_repeated(struct diags *diags, size_t from)
{
	size_t n = from;

	for (size_t i = from; i < diags->list.n; i++) {
		bool known = false;

		for (size_t k = from; k < n && !known; k++)
			known = !strcmp(diags->list.v[k].text, diags->list.v[i].text);
		if (!known)
			diags->list.v[n++] = diags->list.v[i];
	}
	diags->list.n = n;
}

/* NOLINTNEXTLINE(readability-function-size): script, options, output and diagnoses */
int hist_why(struct hist *h, const struct hist_script *script,
	     const struct hist_why_options *options, hist_sink_fn sink, void *arg,
	     struct diags *diags)
{
	struct why w = { .h = h, .o = options, .diags = diags };
	size_t said = diags->list.n;
	struct why_store store;
	struct why_tree tree;
	int err = parse(&w);

	err = err ?: why_store_init(&store, 0);
	if (err)
		return err;
	err = script ? find(&w, script) : given(&w);
	w.answer.store = &store;
	w.answer.tree = &tree;
	err = err ?: explain(&w, &store, &tree);
	drop_repeated(diags, said);
	if (!err) {
		err = print(&w, sink, arg);
		why_tree_release(&tree);
	}
	why_store_release(&store);
	why_found_release(&w.found);
	return err;
}
