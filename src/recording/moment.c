// SPDX-License-Identifier: LGPL-2.1-only
/* Moments as people write them: of the trace clock, from the first event, or from a mark. */
#include "recording/recording.h"

/* Each "+TIME" and "-TIME" after a moment; false if it is something else. */
static bool add_offset(struct span text, u64 *ts)
{
	while (text.n) {
		const bool minus = *text.s == '-';
		struct span time = span_skip(text, 1);
		u64 offset;

		if (!minus && *text.s != '+')
			return false;
		time.n = strcspn(time.s, "+-");
		text = span_skip(text, 1 + time.n);
		if (!span_time(time, &offset))
			return false;
		*ts = minus ? *ts - min_t(u64, offset, *ts) : add_saturated(*ts, offset);
	}
	return true;
}

/* "1.5" seconds, "+1.5" or "+500ms" from @first, "1.5-2ms"; counting clocks take plain numbers. */
static int parse_seconds(const char *text, u64 first, u64 *ts, struct diags *diags)
{
	const bool relative = text[0] == '+';
	const size_t n = strcspn(text + relative, "+-");
	struct span moment = { text + relative, n };

	if (!span_time(moment, ts) || __builtin_add_overflow(*ts, relative ? first : 0, ts) ||
	    !add_offset(span_of(moment.s + n), ts))
		return diags_error(
			diags, -HIST_EINVAL,
			"%s is not a time, or too large: write SECONDS, +SECONDS, +500ms "
			"or SECONDS-2ms",
			text);
	return 0;
}

/* "mark", "mark2", with "+TIME" or "-TIME": the time of an event for which a file was written. */
static int parse_mark(const struct recordings *r, const char *text, u64 *ts, struct diags *diags)
{
	struct span rest = span_skip(span_of(text), strlen("mark")), number;
	u64 n = 1;
	size_t digits = 0;
	struct recording_mark mark;

	while (digits < rest.n && is_digit(rest.s[digits]))
		digits++;
	number = (struct span){ rest.s, digits };
	rest = span_skip(rest, digits);
	if ((digits && (!span_u64(number, &n) || !n)) || !add_offset(rest, ts))
		return diags_error(diags, -HIST_EINVAL,
				   "%s is not a time: write mark, mark2, mark-5ms or mark+1", text);
	if (!recording_mark(&r->files.v[0], n - 1, &mark))
		return diags_error(diags, -HIST_ENOENT,
				   "%s has no mark %llu: hist record --until makes marks",
				   r->files.v[0].path, (unsigned long long)n);
	*ts = mark.ts;
	add_offset(rest, ts);
	return 0;
}

int recordings_moment(const struct recordings *r, const char *text, u64 *ts, struct diags *diags)
{
	return strncmp(text, "mark", 4) != 0 ? parse_seconds(text, *ts, ts, diags)
					     : parse_mark(r, text, ts, diags);
}
