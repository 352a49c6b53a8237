// SPDX-License-Identifier: LGPL-2.1-only
/* The mark of a row, and the names of marks, outcomes and verdicts. */
#include "diff/verdict.h"

/* Tolerance for rounding. */
static const double rounding = 1e-9;

/* ORDER enum mark */
static const char *const mark_names[MARKS] = {
	"same", "within noise", "changed", "only before", "only after", "too few",
};
/* ORDER enum hist_diff_verdict */
static const char *const verdict_names[] = { "same", "different", "inconclusive" };
/* ORDER enum outcome */
static const char *const outcome_names[] = { "does not hold", "holds", "inconclusive" };

const char *mark_name(enum mark mark)
{
	return mark_names[mark];
}

const char *verdict_name(enum hist_diff_verdict verdict)
{
	return verdict_names[verdict];
}

const char *outcome_name(enum outcome outcome)
{
	return outcome_names[outcome];
}

/* Whether chance is not enough to explain a difference. */
static bool is_significant(const struct comparison *c, const struct measure *measure, double alpha)
{
	double p = isnan(measure->p_family) ? 1 : measure->p_family;

	/* several runs that are too few to be relabelled or to predict have at least spreads */
	return alpha >= 1 || (p <= alpha && (c->evidence.family->exact ||
					     c->evidence.family->predicted || !measure->overlap));
}

enum mark mark_of(const struct comparison *c, const struct diff_row *row,
		  const struct measure *measure, const struct hist_diff_options *options)
{
	const struct join *j = c->join;
	u64 before = row_hits(j, row, 0), after = row_hits(j, row, c->meter.after);
	double change = fmax(fabs(measure->percent.min), fabs(measure->percent.max));

	if (row->few)
		return MARK_FEW;
	if (!(before || after) || (before && after && !(change > rounding)))
		return MARK_SAME;
	if (!is_significant(c, measure, options->alpha))
		return MARK_WITHIN;
	if (!before || !after)
		return before ? MARK_GONE : MARK_NEW;
	return change > options->noise + rounding ? MARK_CHANGED : MARK_WITHIN;
}
