// SPDX-License-Identifier: LGPL-2.1-only
/*
 * hist slim --around: the spans of time around the hits that satisfy a condition such as
 * "lat>=1000", in order, without overlaps.
 *
 * This takes two replays: the script is run to find the times of the hits; then all events are
 * enabled, and the records in the spans are kept.
 */
#include <stdlib.h>

#include "slim/slim.h"

enum { DEFAULT_CONTEXT = 1000000 }; /* ns */

int slim_around_init(struct slim_around *a, const struct hist_slim_options *o, bool clock_counts,
		     struct diags *diags)
{
	static const char *const ops[] = { ">=", ">", "<=", "<", "==" }; /* ORDER moments_op */
	const char *text = o->around;
	size_t name = strcspn(text, "<>="), op = strspn(text + name, "<>="), i = 0;
	const char *number = text + name + op;
	bool negative = *number == '-';
	u64 limit;

	while (i < ARRAY_SIZE(ops) && !span_eq((struct span){ text + name, op }, ops[i]))
		i++;
	a->moments.op = (enum moments_op)i;
	if (!name || name >= sizeof(a->name) || a->moments.op == N_MOMENTS_OPS ||
	    !span_u64(span_of(number + negative), &limit))
		return diags_error(
			diags, -HIST_EINVAL,
			"--around takes NAME>=NUMBER (or >, <=, <, ==), where NAME is a value, "
			"variable or key of the script, not '%s'; --from and --to keep one span of time",
			text);
	memcpy(a->name, text, name);
	a->name[name] = '\0';
	a->moments.limit = negative ? 0 - limit : limit;
	a->context = DEFAULT_CONTEXT;
	if (!o->context || (clock_counts ? span_u64 : span_time)(span_of(o->context), &a->context))
		return 0;
	return diags_error(diags, -HIST_EINVAL,
			   clock_counts ? "--context takes a number of the clock's units, not '%s'"
					: "--context takes a time such as 5ms, not '%s'",
			   o->context);
}

void slim_around_release(struct slim_around *a)
{
	array_release(&a->moments.at);
	array_release(&a->spans);
}

static int add_span(struct slim_around *a, u64 at)
{
	struct slim_span span = { at > a->context ? at - a->context : 0, at + a->context };
	size_t n = a->spans.n;

	if (span.to < at)
		span.to = UINT64_MAX;
	if (!n || span.from > a->spans.v[n - 1].to)
		return array_push(&a->spans, span);
	a->spans.v[n - 1].to = span.to;
	return 0;
}

int slim_around_spans(struct slim_around *a, const char *text, struct diags *diags)
{
	u64 *at = a->moments.at.v;
	size_t n = 0;

	if (a->moments.failed)
		return HIST_NOMEM;
	if (!a->moments.at.n && !a->moments.any)
		return diags_error(diags, -HIST_ENOENT, "--around %s: the script has no hits",
				   text);
	if (!a->moments.at.n)
		return diags_error(
			diags, -HIST_ENOENT,
			a->moments.is_signed
				? "--around %s: no hit matches; %s ranges from %lld to %lld"
				: "--around %s: no hit matches; %s ranges from %llu to %llu",
			text, a->name, (unsigned long long)a->moments.min,
			(unsigned long long)a->moments.max);
	qsort(at, a->moments.at.n, sizeof(*at), compare_u64);
	for (size_t i = 0; i < a->moments.at.n; i++) {
		n += !i || at[i] != at[i - 1];
		if (add_span(a, at[i]))
			return HIST_NOMEM;
	}
	diags_add(diags, DIAG_NOTE, "--around %s: %zu matching time stamp%s, in %zu span%s", text,
		  n, plural(n), a->spans.n, plural(a->spans.n));
	return 0;
}

size_t slim_around_find(const struct slim_around *a, u64 ts)
{
	size_t at = partition_point(i, a->spans.n, a->spans.v[i].to < ts);

	return at < a->spans.n && ts >= a->spans.v[at].from ? at + 1 : 0;
}

/* --- keeping the records --- */

struct walk_around {
	struct slim *s;
	const struct slim_around *a;
	size_t cpu;
};

static int keep_page(void *arg, struct ring_buffer_page *page, u64 number)
{
	const struct walk_around *w = arg;
	const struct replay_span *all = &w->s->h->span;
	struct ring_buffer_record rec;

	while (!ring_buffer_page_next(page, &rec))
		if (slim_around_find(w->a, rec.ts) && rec.ts >= all->from && rec.ts <= all->to &&
		    slim_keep_record(w->s, w->cpu, slim_place(number, rec.offset, false)))
			return HIST_NOMEM;
	return 0;
}

int slim_around_keep(struct slim *s, const struct slim_around *a)
{
	const struct recording *rec = s->rec;
	int err = 0;

	for (size_t b = 0; b < rec->n_buffers; b++)
		for (size_t c = 0; c < rec->buffers[b].n_cpus && !err; c++) {
			struct walk_around w = { .s = s, .a = a, .cpu = s->first_cpu[b] + c };

			err = slim_each_page(s, b, c, keep_page, &w);
		}
	return err;
}
