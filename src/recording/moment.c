// SPDX-License-Identifier: LGPL-2.1-only
/* Moments as people write them: of the trace clock, from the first event, from a mark, or dates. */
#include <time.h>

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
				   r->files.v[0].path, n);
	*ts = mark.ts;
	add_offset(rest, ts);
	return 0;
}

struct wall {
	u64 ts, unix_ns, doubt;
};

static bool read_wall(const struct recording *rec, struct wall *w)
{
	struct span rest = span_of(recording_option(rec, TRACE_DAT_HIST_WALL) ?: "");
	const struct span ts = span_sep(&rest, " "), unix_ns = span_sep(&rest, " ");

	return span_u64(ts, &w->ts) && span_u64(unix_ns, &w->unix_ns) && span_u64(rest, &w->doubt);
}

bool recordings_wall(const struct recordings *r, u64 *offset)
{
	struct wall w = { .ts = 0 };
	const bool known = r->files.v[0].info->has_date || read_wall(&r->files.v[0], &w);

	*offset = w.unix_ns - w.ts;
	return known;
}

bool recording_wall_differs(const struct recording *a, const struct recording *b, u64 *ns)
{
	struct wall x, y;

	if (!read_wall(a, &x) || !read_wall(b, &y))
		return false;
	x.unix_ns -= x.ts;
	y.unix_ns -= y.ts;
	*ns = x.unix_ns > y.unix_ns ? x.unix_ns - y.unix_ns : y.unix_ns - x.unix_ns;
	return *ns > 1000000000 + x.doubt + y.doubt;
}

void recording_wall_print(const struct recording *rec, struct strbuf *out)
{
	struct wall w = { .ts = 0 };
	const bool known = read_wall(rec, &w);
	const time_t seconds = (time_t)(w.unix_ns / 1000000000);
	struct tm tm;
	char date[40];

	if (known && gmtime_r(&seconds, &tm) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm))
		strbuf_addf(out, "%s.%06llu UTC at %llu.%06llu s, up to %llu us wrong", date,
			    w.unix_ns % 1000000000 / 1000, w.ts / 1000000000,
			    w.ts % 1000000000 / 1000, w.doubt / 1000 + (w.doubt % 1000 > 0));
}

/* "20:05:03", "20:05" */
static bool is_time_of_day(const char *text)
{
	const size_t hours = strspn(text, "0123456789");

	return hours && hours <= 2 && text[hours] == ':' && is_digit(text[hours + 1]) &&
	       is_digit(text[hours + 2]);
}

bool moment_is_date(const char *text)
{
	return (strspn(text, "0123456789") == 4 && text[4] == '-' && is_digit(text[5]) &&
		is_digit(text[6]) && text[7] == '-') ||
	       is_time_of_day(text);
}

/* After the seconds: Z, or how far the local time is ahead, "+02:00"; false: neither. */
static bool take_zone(const char **text, time_t *ahead)
{
	const char *p = *text;
	struct tm tm = { .tm_sec = 0 };

	*ahead = 0;
	if (*p == 'Z') {
		(*text)++;
		return true;
	}
	if ((*p != '+' && *p != '-') || !memchr(p, ':', strnlen(p, 4)))
		return false;
	*text = strptime(p + 1, "%H:%M", &tm) ?: p;
	*ahead = (tm.tm_hour * 60 + tm.tm_min) * (*p == '-' ? -60 : 60);
	return true;
}

/*
 * "2026-11-28 20:05:03.25", of this machine's time zone, or one that follows. "20:05:03.25" is of
 * the day on which it is nearest to @ts.
 */
static int parse_date(const struct recordings *r, const char *text, u64 *ts, struct diags *diags)
{
	enum { DAY = 86400 };
	struct tm tm = { .tm_isdst = -1 };
	const bool whole = !is_time_of_day(text);
	const char *rest = whole ? strptime(text, "%Y-%m-%d", &tm) : text;
	u64 offset, part = 0;
	const bool known = recordings_wall(r, &offset);
	const time_t first = (time_t)((*ts + offset) / 1000000000);
	time_t seconds, ahead;

	if (!whole)
		localtime_r(&first, &tm);
	if (!whole || (rest && (*rest == ' ' || *rest == 'T'))) {
		rest += whole;
		rest = strptime(rest, "%H:%M:%S", &tm)
			       ?: (tm.tm_sec = 0, strptime(rest, "%H:%M", &tm));
	}
	if (rest && *rest == '.') {
		const size_t n = 1 + strspn(rest + 1, "0123456789");

		span_time((struct span){ rest, n }, &part);
		rest += n;
	}
	if (rest) {
		const bool zone = take_zone(&rest, &ahead);

		seconds = zone ? timegm(&tm) - ahead : mktime(&tm);
		while (!whole && seconds < first - DAY / 2)
			seconds += DAY;
		while (!whole && seconds > first + DAY / 2)
			seconds -= DAY;
		*ts = (u64)seconds * 1000000000 + part;
	}
	if (!rest || !add_offset(span_of(rest), ts))
		return diags_error(
			diags, -HIST_EINVAL,
			"%s is not a date: write '2026-11-28 20:05:03' or 20:05:03, with a fraction, Z "
			"or +02:00",
			text);
	if (!known)
		return diags_error(
			diags, -HIST_EINVAL,
			"%s does not have the time of day; give seconds of its clock, or "
			"+SECONDS after its first event",
			r->files.v[0].path);
	*ts -= min_t(u64, offset, *ts);
	return 0;
}

void recordings_add_date(const struct recordings *r, u64 ts, struct strbuf *out)
{
	u64 offset;
	const bool known = recordings_wall(r, &offset);
	const time_t seconds = (time_t)((ts + offset) / 1000000000);
	struct tm tm;
	char date[40];

	if (known && localtime_r(&seconds, &tm) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm))
		strbuf_addf(out, " (%s)", date);
}

int recordings_moment(const struct recordings *r, const char *text, u64 *ts, struct diags *diags)
{
	if (moment_is_date(text))
		return parse_date(r, text, ts, diags);
	return strncmp(text, "mark", 4) != 0 ? parse_seconds(text, *ts, ts, diags)
					     : parse_mark(r, text, ts, diags);
}
