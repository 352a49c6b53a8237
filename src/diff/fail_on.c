// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses --fail-on from its end: keys may contain any character, including < > and :, but the limit
 * and the name of a metric do not.
 */
#include "diff/fail_on.h"

bool fail_on_number(struct span text, double *v)
{
	double scale = 1;
	bool point = false, digits = false;

	*v = 0;
	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(text.s[i]))
			return false;
		digits = true;
		*v = *v * 10 + (text.s[i] - '0');
		scale *= point ? 10 : 1;
	}
	*v /= scale;
	return digits && *v < 1e300;
}

/* Parse a limit: "+10%" is a change, "200us" a value. */
static bool parse_limit(struct span text, struct fail_on *expr)
{
	bool has_sign = text.n && (text.s[0] == '+' || text.s[0] == '-');
	struct span number = span_skip(text, has_sign);
	u64 ns;

	expr->of_value = !has_sign;
	while (number.n && !is_digit(number.s[number.n - 1]) && number.s[number.n - 1] != '.')
		number.n--;
	if (!fail_on_number(number, &expr->limit))
		return false;
	expr->limit *= has_sign && text.s[0] == '-' ? -1 : 1;
	text = span_skip(text, number.n + has_sign);
	expr->unit = !text.n ? FAIL_ON_PLAIN : span_eq(text, "%") ? FAIL_ON_PERCENT : FAIL_ON_TIME;
	if (expr->unit != FAIL_ON_TIME)
		return true;
	ns = span_time_unit(text);
	expr->limit *= (double)ns;
	return ns > 0;
}

/* Find the last < or >; NULL if there is none. */
static const char *find_operator(struct span text)
{
	const char *less = span_rchr(text, '<'), *greater = span_rchr(text, '>');

	return !less || (greater && greater > less) ? greater : less;
}

int fail_on_parse(const char *text, struct fail_on *expr, struct arena *arena, struct diags *diags)
{
	struct span all = span_trim(span_of(text)), metric, glob = { NULL, 0 };
	const char *op = find_operator(all), *colon;

	*expr = (struct fail_on){ .text = arena_strdup(arena, text) };
	if (!op || !parse_limit(span_trim(span_between(op + 1, all.s + all.n)), expr))
		return diags_error(
			diags, -HIST_EINVAL,
			"--fail-on '%s': write [KEY:]METRIC>+N or METRIC<-N for a change, METRIC>N for "
			"the value after, with %%, ns, us, ms or s if needed: 'p99>+10%%', 'p99>200us'",
			text);
	if (expr->of_value && expr->unit == FAIL_ON_PERCENT)
		return diags_error(
			diags, -HIST_EINVAL,
			"--fail-on '%s': a percentage is a change, which needs a sign: '+10%%'",
			text);
	expr->greater = *op == '>';
	metric = span_between(all.s, op);
	colon = span_rchr(metric, ':');
	if (colon) {
		glob = span_between(all.s, colon);
		metric = span_between(colon + 1, op);
	}
	metric = span_trim(metric);
	if (!metric.n)
		return diags_error(diags, -HIST_EINVAL,
				   "--fail-on '%s' names no metric, such as hitcount or p99", text);
	expr->metric = arena_strndup(arena, metric.s, metric.n);
	if (colon)
		expr->glob = arena_strndup(arena, glob.s, glob.n);
	return expr->text && expr->metric && (expr->glob || !colon) ? 0 : HIST_NOMEM;
}
