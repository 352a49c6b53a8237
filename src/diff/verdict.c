// SPDX-License-Identifier: LGPL-2.1-only
/* The verdict on each row of a histogram, and all reasons why the runs might not be comparable. */
#include <math.h>

#include "diff/verdict.h"

/* Tolerance for rounding. */
static const double rounding = 1e-9;

/* ORDER enum mark */
static const char *const mark_names[MARKS] = {
	"same", "within noise", "changed", "only before", "only after", "too few",
};

const char *mark_name(enum mark mark)
{
	return mark_names[mark];
}

enum mark mark_of(const struct meter *m, const struct diff_row *row, const struct measure *measure,
		  double noise)
{
	u64 before = row_hits(m->j, row, 0), after = row_hits(m->j, row, m->after);
	double change = fmax(fabs(measure->percent.min), fabs(measure->percent.max));

	if (row->few)
		return MARK_FEW;
	if (!before || !after)
		return before ? MARK_GONE : after ? MARK_NEW : MARK_SAME;
	if (!(change > rounding))
		return MARK_SAME;
	return change > noise + rounding && !measure->overlap ? MARK_CHANGED : MARK_WITHIN;
}

/* --- rows --- */

static void raise_mark(enum mark *mark, enum mark to)
{
	if (to > *mark)
		*mark = to;
}

/* How the means of the statistics changed: the sum of a value can be the same. */
static int mark_stats(const struct comparison *c, const struct diff_row *row, double noise,
		      enum mark *mark)
{
	int err = 0;

	for (size_t i = 0; i < c->join->n_sketches && !err && *mark < MARK_CHANGED; i++) {
		const struct subject subject = { .row = row };
		struct measure m;
		struct dists d;

		err = dists_init(&d, &c->meter, i, &subject);
		if (!err) {
			m = measure_stat(&c->meter, &d, MEASURE_MEAN);
			if (d.side[0].n && d.side[1].n)
				raise_mark(mark, mark_of(&c->meter, row, &m, noise));
		}
		dists_release(&d);
	}
	return err;
}

/* --- doubts --- */

static int doubt(struct comparison *c, const char *text)
{
	return text ? array_push(&c->doubts, text) : HIST_NOMEM;
}

/* The percentage of events that a run may have lost. */
static double lost_percent(const struct diff_run *run)
{
	double lost = (double)run->lost + (double)run->drops + (double)run->feeding_drops;

	return lost > 0 ? lost / (lost + (double)run->hits) * 100 : 0;
}

bool diff_lost_too_many(const struct diff_run *run, double allowed, struct strbuf *out)
{
	if (run->lost_unknown && allowed < 100)
		strbuf_addf(out, "%s: events were lost; the number was not recorded", run->name);
	else if (lost_percent(run) > allowed)
		strbuf_addf(out, "%s: %llu events lost and %llu hits dropped, %.3g%% of all",
			    run->name, (unsigned long long)run->lost,
			    (unsigned long long)add_saturated(run->drops, run->feeding_drops),
			    lost_percent(run));
	else
		return false;
	return true;
}

static int doubt_losses(struct comparison *c, const struct diff_run *run, double allowed,
			struct arena *arena)
{
	struct strbuf text = STRBUF_INIT;

	if (diff_lost_too_many(run, allowed, &text)) {
		if (!run->lost_unknown)
			strbuf_addstr(&text, " (see --allow-lost)");
		return doubt(c, arena_take(arena, &text));
	}
	strbuf_release(&text);
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
		return doubt(c, arena_printf(arena, "%s has no histogram of %s that matches '%s'",
					     run->name, j->event, j->trigger));
	if (first->added && run->clock_counts != first->clock_counts)
		return doubt(
			c,
			arena_printf(
				arena,
				"%s has the clock %s, %s has %s: one of them does not measure time",
				first->name, first->clock, run->name, run->clock));
	err = first->added ? doubt_selection(c, first, run, arena) : 0;
	err = err ?: doubt_losses(c, run, allowed, arena);
	rest = span_of(run->caveats);
	while (!err && caveat_next(&rest, &caveat)) {
		struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "%s: ", run->name);
		caveat_print(&caveat, &text);
		err = doubt(c, arena_take(arena, &text));
	}
	return err;
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
		const struct diff_row *row;

		if (j->rows.v[i]->left_out)
			continue;
		row = j->rows.v[i];
		mark = MARK_SAME;
		for (size_t v = 0; v < c->join->n_values && mark < MARK_CHANGED; v++) {
			struct measure m = measure_value(&c->meter, v, row);

			raise_mark(&mark, mark_of(&c->meter, row, &m, options->noise));
		}
		err = mark_stats(c, row, options->noise, &mark);
		c->marks[mark]++;
	}
	return err;
}
