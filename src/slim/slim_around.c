// SPDX-License-Identifier: LGPL-2.1-only
/*
 * hist slim --around: the spans of time around the hits that satisfy a condition such as
 * "lat_us>=1ms", in order, without overlaps. If the value is a time, a hit is all of this time.
 *
 * This takes two replays: the script is run to find the times of the hits; then all events are
 * enabled, and the records in the spans are kept.
 */
#include "slim/slim.h"

enum { DEFAULT_CONTEXT = 1000000 }; /* ns */

/* "190us" is rounded up, as in filters. */
static bool parse_limit(const struct slim_around *a, struct span text, bool clock_counts,
			u64 *limit)
{
	u64 ns;

	if (span_u64(text, limit))
		return true;
	if (!a->moments.unit || clock_counts || !text.n || text.s[text.n - 1] != 's' ||
	    !span_time(text, &ns))
		return false;
	*limit = ns / a->moments.unit + (ns % a->moments.unit != 0);
	return true;
}

int slim_around_init(struct slim_around *a, const struct hist_slim_options *o, bool clock_counts,
		     struct diags *diags)
{
	static const char *const ops[] = { ">=", ">", "<=", "<", "==" }; /* ORDER moments_op */
	const char *text = o->around, *to = text + strcspn(text, "<>=");
	const size_t op = strspn(to, "<>=");
	const struct span name = span_trim(span_between(text, to));
	const char *after = span_rchr(name, '_');
	const struct span unit = after ? span_between(after + 1, name.s + name.n) : name;
	struct span number = span_trim(span_of(to + op));
	const bool negative = span_starts(number, "-");
	size_t i = 0;
	u64 limit;

	while (i < ARRAY_SIZE(ops) && !span_eq((struct span){ to, op }, ops[i]))
		i++;
	number = span_skip(number, negative);
	a->moments.op = (enum moments_op)i;
	a->moments.unit = span_time_unit(unit);
	if (!name.n || name.n >= sizeof(a->name) || a->moments.op == N_MOMENTS_OPS ||
	    !parse_limit(a, number, clock_counts, &limit))
		return diags_error(
			diags, -HIST_EINVAL,
			"--around takes NAME>=NUMBER (or >, <=, <, ==), where NAME is a value, "
			"variable or key of the script, not '%s'; a NAME that ends with s, ms, us or ns "
			"is a time, which may have a unit; --from and --to keep one span of time",
			text);
	memcpy(a->name, name.s, name.n);
	a->name[name.n] = '\0';
	a->moments.limit = negative ? 0 - limit : limit;
	/* its differences have the unit of the clock */
	if (clock_counts && a->moments.unit)
		a->moments.unit = 1;
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
	array_release(&a->moments.hits);
	array_release(&a->spans);
}

static int add_span(struct slim_around *a, const struct moment *hit)
{
	const u64 context = a->context, at = hit->at;
	struct slim_span span = { hit->from > context ? hit->from - context : 0,
				  at + context < at ? UINT64_MAX : at + context };
	size_t n = a->spans.n;

	if (!n || span.from > a->spans.v[n - 1].to)
		return array_push(&a->spans, span);
	a->spans.v[n - 1].to = max_t(u64, a->spans.v[n - 1].to, span.to);
	return 0;
}

DEFINE_ORDER(by_begin, struct moment,
	     compare_u64(&x->from, &y->from) ?: compare_u64(&x->at, &y->at))

int slim_around_spans(struct slim_around *a, const char *text, struct diags *diags)
{
	struct moment *hits = a->moments.hits.v;
	size_t n = 0;

	if (a->moments.failed)
		return HIST_NOMEM;
	if (!a->moments.hits.n && !a->moments.any)
		return diags_error(diags, -HIST_ENOENT, "--around %s: the script has no hits",
				   text);
	if (!a->moments.hits.n)
		return diags_error(
			diags, -HIST_ENOENT,
			a->moments.is_signed
				? "--around %s: no hit matches; %s ranges from %lld to %lld"
				: "--around %s: no hit matches; %s ranges from %llu to %llu",
			text, a->name, a->moments.min, a->moments.max);
	qsort(hits, a->moments.hits.n, sizeof(*hits), by_begin);
	for (size_t i = 0; i < a->moments.hits.n; i++) {
		n += !i || hits[i].at != hits[i - 1].at;
		if (add_span(a, &hits[i]))
			return HIST_NOMEM;
	}
	diags_add(diags, DIAG_NOTE, "--around %s: %zu matching time stamp%s, in %zu span%s", text,
		  n, plural(n), a->spans.n, plural(a->spans.n));
	return 0;
}

bool slim_around_touches(const struct slim_around *a, u64 from, u64 to)
{
	size_t at = partition_point(i, a->spans.n, a->spans.v[i].to < from);

	return at < a->spans.n && to >= a->spans.v[at].from;
}

/* --- keeping the records --- */

struct walk_around {
	struct slim *s;
	const struct slim_around *a;
	size_t cpu;
	u64 ts, place; /* of the record before */
	bool any, kept;
};

/* Also the records before and after each span: they prove that nothing is missing in it. */
static int keep_page(void *arg, struct ring_buffer_page *page, u64 number)
{
	struct walk_around *w = arg;
	const struct replay_span *all = &w->s->h->span;
	struct ring_buffer_record rec;

	while (!ring_buffer_page_next(page, &rec)) {
		const u64 place = slim_place(number, rec.offset, false);
		bool keep;

		if (rec.ts < all->from || rec.ts > all->to)
			continue;
		keep = slim_around_touches(w->a, w->any ? w->ts : rec.ts, rec.ts);
		if (keep && ((w->any && !w->kept && slim_keep_record(w->s, w->cpu, w->place)) ||
			     slim_keep_record(w->s, w->cpu, place)))
			return HIST_NOMEM;
		w->ts = rec.ts;
		w->place = place;
		w->kept = keep;
		w->any = true;
	}
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
