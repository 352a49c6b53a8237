// SPDX-License-Identifier: LGPL-2.1-only
/* What the numbers of events tell: which there are, alarms, what is not given back, bursts. */
#include "summary/summary_run.h"

enum {
	LEAK_MIN = 1000, /* events, of which less than LEAK_PERCENT were given back */
	LEAK_PERCENT = 60,
	BURST_MIN = 1000, /* events, half of them in one of LIST_RATES periods, */
	BURST_RATIO = 20, /* which has so many times those of the middle one */
	BURSTS = 2,       /* lines */
};

struct event_number {
	const char *name; /* "sched:sched_switch" */
	u64 n;
	const u64 *rates; /* LIST_RATES; NULL: unknown */
};

typedef ARRAY(struct event_number) event_numbers;

DEFINE_ORDER(by_number, struct event_number, cmp_int(y->n, x->n) ?: strcmp(x->name, y->name))

static void find_events(struct summary_run *s, event_numbers *all)
{
	const struct recording *rec = &s->h->recordings.files.v[0];

	array_each_of(const struct trace_dat_format, f, rec->formats, rec->n_formats) {
		struct event_number e = { .n = f->id < s->count.n_ids ? s->count.by_id[f->id] : 0 };

		if (!e.n)
			continue;
		e.name = arena_printf(&s->arena, "%s:%.*s", f->system, (int)f->name.n, f->name.s);
		e.rates = s->count.rates ? s->count.rates + (size_t)f->id * LIST_RATES : NULL;
		s->failed |= !e.name || array_push(all, e);
	}
	if (all->n)
		qsort(all->v, all->n, sizeof(*all->v), by_number);
}

/* "11,237 events: sys_enter 8,827, ..., and 2 other types" */
static void most_frequent(struct summary_run *s, const event_numbers *all)
{
	enum { SHOWN = 4 };

	text_add_grouped(&s->text, s->count.events, false);
	strbuf_addf(&s->text, " event%s", plural(s->count.events));
	for (size_t i = 0; i < all->n && i < SHOWN; i++) {
		strbuf_addf(&s->text, "%s%s ", i ? ", " : ": ", strchr(all->v[i].name, ':') + 1);
		text_add_grouped(&s->text, all->v[i].n, false);
	}
	if (all->n > SHOWN)
		strbuf_addf(&s->text, ", and %zu other type%s", all->n - SHOWN,
			    plural(all->n - SHOWN));
	s->most = all->n ? all->v[0].name : NULL;
	summary_say(s, &(struct summary_form){ SUMMARY_ABOUT, "events", "", "list", NULL }, NULL);
}

static void note_alarm(struct summary_run *s, const struct event_number *e)
{
	/* Events of which each is trouble; what they are, with their number before. */
	static const struct {
		const char *event, *what;
	} alarms[] = {
		{ "oom:mark_victim", "killed for want of memory" },
		{ "sched:sched_process_hang", "hung" },
		{ "block:block_rq_error", "failed requests to disks" },
		{ "mce:mce_record", "errors of the hardware" },
		{ "ras:mc_event", "errors of memory" },
		{ "ras:aer_event", "errors on a bus" },
	};
	struct summary_form form = { SUMMARY_TROUBLE, "alarm", "", "events", NULL };

	for (size_t i = 0; i < ARRAY_SIZE(alarms); i++) {
		if (strcmp(alarms[i].event, e->name) != 0)
			continue;
		text_add_grouped(&s->text, e->n, false);
		strbuf_addf(&s->text, " %s (%s)", alarms[i].what, e->name);
		form.rest = arena_printf(&s->arena, "-e %s", e->name) ?: "";
		summary_say(s, &form, NULL);
	}
}

/* More was taken than given back. */
static void leak(struct summary_run *s, const event_numbers *all, const struct event_number *e)
{
	static const char *const pairs[][2] = {
		{ "kmem:kmalloc", "kmem:kfree" },
		{ "kmem:kmem_cache_alloc", "kmem:kmem_cache_free" },
	};
	static const struct summary_form form = { SUMMARY_UNUSUAL, "leak", "", "report", "leaks" };

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		array_each_while(const struct event_number, given, all,
				 !strcmp(pairs[i][0], e->name)) {
			if (strcmp(pairs[i][1], given->name) != 0 || e->n < LEAK_MIN ||
			    given->n * 100 >= e->n * LEAK_PERCENT || s->of_some)
				continue;
			text_add_grouped(&s->text, e->n, false);
			strbuf_addf(&s->text, " %s, but only ", e->name);
			text_add_grouped(&s->text, given->n, false);
			strbuf_addf(&s->text, " %s: memory is not given back", given->name);
			summary_say(s, &form, NULL);
		}
}

/*
 * Most events of one type came in a short time; true: there is a line. @last: the part of the
 * recording in which those of another type did, whose line is enough.
 */
static bool burst(struct summary_run *s, const struct event_number *e, size_t *last)
{
	struct summary_form form = { SUMMARY_UNUSUAL, "burst", "", "report", NULL };
	const u64 length = s->count.end - s->count.start;
	u64 sorted[LIST_RATES];
	struct strbuf rest = STRBUF_INIT;
	size_t most = 0;

	if (!e->rates || e->n < BURST_MIN)
		return false;
	for (size_t i = 0; i < LIST_RATES; i++)
		most = e->rates[i] > e->rates[most] ? i : most;
	memcpy(sorted, e->rates, sizeof(sorted));
	qsort(sorted, LIST_RATES, sizeof(*sorted), compare_u64);
	if (e->rates[most] * 2 < e->n || e->rates[most] < sorted[LIST_RATES / 2] * BURST_RATIO ||
	    most == *last)
		return false;
	*last = most;
	text_add_grouped(&s->text, e->rates[most], false);
	strbuf_addstr(&s->text, " of ");
	text_add_grouped(&s->text, e->n, false);
	strbuf_addf(&s->text, " %s came in ", e->name);
	people_text(&s->text, (double)length / LIST_RATES, "ns");
	strbuf_addstr(&s->text, " from ");
	strbuf_addf(&rest, "-e %s --by comm --from ", e->name);
	for (size_t i = most; i <= most + 1; i++) {
		const u64 at = s->count.start + (u64)((double)length * (double)i / LIST_RATES);

		if (i == most)
			text_add_time(&s->text, at, false);
		strbuf_addstr(&rest, i == most ? "" : " --to ");
		text_add_time(&rest, at, false);
	}
	form.rest = arena_take(&s->arena, &rest) ?: "";
	summary_say(s, &form, NULL);
	return true;
}

void summary_events(struct summary_run *s)
{
	scoped(free_scoped) event_numbers all = ARRAY_INIT;
	size_t bursts = 0, last = LIST_RATES;

	find_events(s, &all);
	most_frequent(s, &all);
	for (size_t i = 0; i < all.n; i++) {
		note_alarm(s, &all.v[i]);
		leak(s, &all, &all.v[i]);
		if (bursts < BURSTS && !trace_clock_counts(s->h->recordings.machine.clock))
			bursts += burst(s, &all.v[i], &last);
	}
}
