// SPDX-License-Identifier: LGPL-2.1-only
/* Counts the marks of a histogram's rows; all reasons why the runs might not be comparable. */
#include "diff/verdict.h"

static int doubt(struct comparison *c, const char *text)
{
	return text ? array_push(&c->doubts, text) : HIST_NOMEM;
}

static double lost_percent(const struct diff_run *run)
{
	double lost = (double)run->lost + (double)run->drops + (double)run->feeding_drops;

	return lost > 0 ? lost / (lost + (double)run->hits) * 100 : 0;
}

bool diff_lost_too_many(const struct diff_run *run, double allowed, struct strbuf *out)
{
	if (run->lost_unknown && allowed < 100)
		strbuf_addf(out,
			    "%s: events were lost; the number was not recorded (see --allow-lost)",
			    run->name);
	else if (lost_percent(run) > allowed)
		strbuf_addf(out, "%s: %llu events lost and %llu hits dropped, %.3g%% of all",
			    run->name, run->lost, add_saturated(run->drops, run->feeding_drops),
			    lost_percent(run));
	else
		return false;
	return true;
}

bool diff_caveat_doubts(const struct diff_run *run, const struct caveat *caveat, double allowed,
			struct strbuf *out)
{
	/* each may hide an event: as if so many hits were lost */
	const double missing = (double)caveat->n / ((double)caveat->n + (double)run->hits) * 100;
	const bool counted = caveat->kind == CAVEAT_SWITCHES;

	/* what is compared are samples */
	if (caveat->kind == CAVEAT_SAMPLED && span_starts(caveat->of, "perf:"))
		return false;
	if (counted && !(missing > allowed))
		return false;
	strbuf_addf(out, "%s: ", run->name);
	caveat_print(caveat, out);
	if (counted)
		strbuf_addf(out, "; %.3g%% of all (see --allow-lost)", missing);
	return true;
}

static int doubt_losses(struct comparison *c, const struct diff_run *run, double allowed,
			struct arena *arena)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (diff_lost_too_many(run, allowed, &text)) {
		if (!run->lost_unknown)
			strbuf_addstr(&text, " (see --allow-lost)");
		return doubt(c, arena_take(arena, &text));
	}
	return 0;
}

/* Two windows of time or two CPUs can be compared, but not a part with the whole. */
static int doubt_selection(struct comparison *c, const struct diff_run *first,
			   const struct diff_run *run, struct arena *arena)
{
	struct strbuf text = STRBUF_INIT;

	if (selections_are_alike(first->selection, run->selection))
		return 0;
	selections_print(first->name, first->selection, run->name, run->selection, &text);
	return doubt(c, arena_take(arena, &text));
}

static int doubt_run(struct comparison *c, size_t i, double allowed, struct arena *arena)
{
	const struct join *j = c->join;
	const struct diff_run *run = &j->runs[i], *first = &j->runs[0];
	struct caveat caveat;
	struct span rest;
	int err;

	if (!run->added)
		return doubt(c, arena_printf(arena,
					     "%s has no histogram of %s that matches '%s': "
					     "count both sides with one script",
					     run->name, j->event, j->trigger));
	if (first->added && run->clock_counts != first->clock_counts)
		return doubt(
			c,
			arena_printf(
				arena,
				"%s has the clock %s, %s has %s: one of them does not measure time; "
				"record both with one clock",
				first->name, first->clock, run->name, run->clock));
	err = first->added ? doubt_selection(c, first, run, arena) : 0;
	/* damage leaves marks of losses: it is the cause */
	rest = span_of(run->caveats);
	while (!err && caveat_next(&rest, &caveat)) {
		scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

		if (diff_caveat_doubts(run, &caveat, allowed, &text))
			err = doubt(c, arena_take(arena, &text));
	}
	return err ?: doubt_losses(c, run, allowed, arena);
}

int comparison_judge(struct comparison *c, const struct hist_diff_options *options,
		     struct arena *arena)
{
	const struct join *j = c->join;
	int err = 0;

	for (size_t i = 0; i < j->n_runs && !err; i++)
		if (meter_side(&c->meter, i) >= 0)
			err = doubt_run(c, i, options->allow_lost, arena);
	for (size_t i = 0; i < j->rows.n && !err; i++) {
		enum mark mark;

		if (j->rows.v[i]->left_out)
			continue;
		/* The mark of a row: the strongest of its values and of what was found. */
		mark = MARK_SAME;
		for (size_t k = 0; k < c->join->n_values && mark < MARK_CHANGED; k++) {
			const struct metric metric = { MEASURE_VALUE, k, NULL };
			struct measure m = measure_value(&c->meter, k, j->rows.v[i]);
			enum mark of_value;

			m.p_family = evidence_p(&c->evidence, c->join, &metric, j->rows.v[i]);
			of_value = mark_of(c, j->rows.v[i], &m, options);
			mark = of_value > mark ? of_value : mark;
		}
		/* also if only a mean or a quantile changed */
		if (mark < MARK_CHANGED && c->evidence.changed[i])
			mark = MARK_CHANGED;
		c->marks[mark]++;
	}
	return err;
}
