// SPDX-License-Identifier: LGPL-2.1-only
/* Cutting, trimming and converting pieces of text that is owned elsewhere. */
#include "base/base.h"

bool span_eq(struct span sp, const char *s)
{
	return span_same(sp, span_of(s));
}

bool span_same(struct span a, struct span b)
{
	return a.s && b.s && a.n == b.n && !memcmp(a.s, b.s, a.n);
}

int span_cmp(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n ? memcmp(a.s, b.s, n) : 0;

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

bool span_starts(struct span sp, const char *prefix)
{
	size_t n = strlen(prefix);

	return sp.s && sp.n >= n && !memcmp(sp.s, prefix, n);
}

const char *span_chr(struct span sp, char c)
{
	return sp.n ? memchr(sp.s, c, sp.n) : NULL;
}

const char *span_rchr(struct span sp, char c)
{
	return sp.n ? memrchr(sp.s, c, sp.n) : NULL;
}

const char *span_find(struct span sp, struct span needle)
{
	return sp.s && needle.s ? memmem(sp.s, sp.n, needle.s, needle.n) : NULL;
}

bool span_is_file_name(struct span sp)
{
	char last = '\0';

	for (size_t i = 0; i < sp.n; last = sp.s[i++])
		if (sp.s[i] == '/' || sp.s[i] == '\t' || is_control(sp.s[i], last))
			return false;
	return sp.n && !span_eq(sp, ".") && !span_eq(sp, "..");
}

struct span span_sep(struct span *rest, const char *stop)
{
	struct span head = *rest;
	const char *found;
	size_t i = 0;

	if (!head.s)
		return head;
	if (stop[0] && !stop[1]) {
		found = memchr(head.s, stop[0], head.n);
		i = found ? (size_t)(found - head.s) : head.n;
	}
	while (i < head.n && (!head.s[i] || !strchr(stop, head.s[i])))
		i++;
	*rest = i < head.n ? span_skip(head, i + 1) : (struct span){ NULL, 0 };
	head.n = i;
	return head;
}

struct span span_word(struct span *rest)
{
	struct span word;

	*rest = span_ltrim(*rest);
	word = (struct span){ rest->s, 0 };
	while (word.n < rest->n && !is_space(rest->s[word.n]))
		word.n++;
	*rest = span_skip(*rest, word.n);
	return word;
}

struct span span_ltrim(struct span sp)
{
	while (sp.n && is_space(sp.s[0]))
		sp = span_skip(sp, 1);
	return sp;
}

struct span span_trim(struct span sp)
{
	sp = span_ltrim(sp);
	while (sp.n && is_space(sp.s[sp.n - 1]))
		sp.n--;
	return sp;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20; /* lower case */
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

bool span_digits(struct span sp, unsigned int base, u64 *out)
{
	*out = 0;
	for (size_t i = 0; i < sp.n; i++) {
		unsigned int d = (unsigned int)digit_value(sp.s[i]);

		if (d >= base || __builtin_mul_overflow(*out, (u64)base, out) ||
		    __builtin_add_overflow(*out, (u64)d, out))
			return false;
	}
	return sp.n > 0;
}

static bool parse_digits(struct span sp, u64 *out)
{
	unsigned int base = 10;
	u64 v;

	if (sp.n && sp.s[sp.n - 1] == '\n')
		sp.n--;
	if (sp.n > 2 && sp.s[0] == '0' && (sp.s[1] | 0x20) == 'x' && digit_value(sp.s[2]) < 16) {
		sp = span_skip(sp, 2);
		base = 16;
	} else if (sp.n > 1 && sp.s[0] == '0') {
		base = 8;
	}
	if (!span_digits(sp, base, &v))
		return false;
	*out = v;
	return true;
}

bool span_u64(struct span sp, u64 *out)
{
	if (sp.n && sp.s[0] == '+')
		sp = span_skip(sp, 1);
	return parse_digits(sp, out);
}

bool span_s64(struct span sp, s64 *out)
{
	u64 v;

	if (sp.n && sp.s[0] == '-') {
		if (!parse_digits(span_skip(sp, 1), &v) || v > (u64)INT64_MAX + 1)
			return false;
		*out = (s64)(0 - v);
		return true;
	}
	if (!span_u64(sp, &v) || v > (u64)INT64_MAX)
		return false;
	*out = (s64)v;
	return true;
}

/* "s" is last, because the other names end with it. */
static const struct {
	const char *name;
	u64 ns;
} time_units[] = { { "ms", 1000000 },   { "us", 1000 },         { "ns", 1 },
		   { "s", 1000000000 }, { "min", 60000000000 }, { "h", 3600000000000 } };

u64 span_time_unit(struct span unit)
{
	for (size_t i = 0; i < ARRAY_SIZE(time_units); i++)
		if (span_eq(unit, time_units[i].name))
			return time_units[i].ns;
	return 0;
}

bool span_time(struct span sp, u64 *ns)
{
	u64 unit = 0, whole = 0, fraction = 0;
	bool point = false, digits = false;

	for (size_t i = 0; i < ARRAY_SIZE(time_units) && !unit; i++) {
		size_t n = strlen(time_units[i].name);

		if (sp.n > n && !memcmp(sp.s + sp.n - n, time_units[i].name, n)) {
			sp.n -= n;
			unit = time_units[i].ns;
		}
	}
	unit = unit ? unit : 1000000000;
	for (size_t i = 0; i < sp.n; i++) {
		u64 digit = (u64)(sp.s[i] - '0');

		if (sp.s[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(sp.s[i]))
			return false;
		digits = true;
		if (point)
			fraction += digit * (unit /= 10);
		else if (__builtin_mul_overflow(whole, 10, &whole) ||
			 __builtin_add_overflow(whole, digit * unit, &whole))
			return false;
	}
	*ns = whole;
	return digits && !__builtin_add_overflow(*ns, fraction, ns);
}
