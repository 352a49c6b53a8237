// SPDX-License-Identifier: LGPL-2.1-only
/* Windows around events: opened, prolonged, due. */
#include "live/flight.h"

static u64 minus(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

void flight_window_release(struct flight_window *w)
{
	strbuf_release(&w->marks);
	strbuf_release(&w->first_text);
}

void flight_release(struct flight *f)
{
	for (size_t i = 0; i < f->windows.n; i++)
		flight_window_release(&f->windows.v[i]);
	array_release(&f->windows);
}

static int add_mark(struct flight_window *w, const struct flight_event *e)
{
	if (w->n_marks++ >= FLIGHT_MARKS)
		return 0;
	strbuf_addf(&w->marks, "%llu %u %d %s %s\n", e->ts, e->cpu, e->pid, e->name, e->text);
	return w->marks.failed ? -HIST_ENOMEM : 0;
}

static int open_window(struct flight *f, const struct flight_event *e)
{
	struct flight_window w = { .first = e->ts,
				   .last = e->ts,
				   .since = e->since,
				   .marks = STRBUF_INIT,
				   .first_text = STRBUF_INIT };
	int err = add_mark(&w, e);

	strbuf_addf(&w.first_text, "%s on CPU %u at %llu.%09llu", e->name, e->cpu,
		    e->ts / 1000000000, e->ts % 1000000000);
	if (!err && w.first_text.failed)
		err = -HIST_ENOMEM;
	err = err ?: array_push(&f->windows, w);
	if (err)
		flight_window_release(&w);
	return err;
}

bool flight_is_full(const struct flight *f)
{
	return f->options->times && f->by_event >= f->options->times;
}

int flight_event(struct flight *f, const struct flight_event *e)
{
	const struct live_options *o = f->options;
	struct flight_window *w = f->windows.n ? &f->windows.v[f->windows.n - 1] : NULL;
	u64 *ignored = NULL;
	int err;

	f->matched++;
	if (e->ts < add_saturated(f->start, o->arm_ns))
		ignored = &f->unarmed;
	else if (w && e->ts <= add_saturated(w->first, o->after_ns))
		ignored = NULL;
	else if (flight_is_full(f))
		ignored = &f->beyond;
	else if (f->by_event && e->ts < add_saturated(f->last, o->cooldown_ns))
		ignored = &f->cooled;
	else if (f->windows.n >= FLIGHT_WINDOWS)
		ignored = &f->crowded;
	else
		w = NULL;
	if (ignored) {
		++*ignored;
		return 0;
	}
	f->last = e->ts;
	if (w) {
		w->last = max_t(u64, w->last, e->ts);
		return add_mark(w, e);
	}
	err = open_window(f, e);
	f->by_event += !err;
	return err;
}

int flight_ask(struct flight *f, const struct flight_event *e)
{
	return f->windows.n < FLIGHT_WINDOWS ? open_window(f, e) : 0;
}

bool flight_take(struct flight *f, u64 evaluated, struct flight_window *w)
{
	if (!f->windows.n || evaluated < add_saturated(f->windows.v[0].last, f->options->after_ns))
		return false;
	*w = f->windows.v[0];
	f->windows.n--;
	memmove(f->windows.v, f->windows.v + 1, f->windows.n * sizeof(*f->windows.v));
	return true;
}

u64 flight_needs(const struct flight *f)
{
	return f->windows.n ? minus(f->windows.v[0].since, f->options->keep_ns) : UINT64_MAX;
}
