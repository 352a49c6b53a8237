// SPDX-License-Identifier: LGPL-2.1-only
/* Schoolbook arithmetic on four words. */
#include "base/wide.h"

enum { WORDS = 4 };

void wide_add(struct wide *a, const struct wide *b)
{
	u64 carry = 0;

	for (int i = 0; i < WORDS; i++) {
		u64 sum = a->w[i] + b->w[i], with = sum + carry;

		carry = (sum < b->w[i]) | (with < carry);
		a->w[i] = with;
	}
}

void wide_sub(struct wide *a, const struct wide *b)
{
	u64 borrow = 0;

	for (int i = 0; i < WORDS; i++) {
		u64 diff = a->w[i] - b->w[i], with = diff - borrow;

		borrow = (a->w[i] < b->w[i]) | (diff < borrow);
		a->w[i] = with;
	}
}

/* r += a * b * 2^(64 * at) */
static void add_product(struct wide *r, u64 a, u64 b, int at)
{
	u64 a0 = (u32)a, a1 = a >> 32, b0 = (u32)b, b1 = b >> 32;
	u64 p0 = a0 * b0, p1 = a0 * b1, p2 = a1 * b0;
	u64 mid = (p0 >> 32) + (u32)p1 + (u32)p2;
	struct wide product = { { 0 } };

	product.w[at] = mid << 32 | (u32)p0;
	if (at + 1 < WORDS)
		product.w[at + 1] = a1 * b1 + (p1 >> 32) + (p2 >> 32) + (mid >> 32);
	wide_add(r, &product);
}

struct wide wide_mul(const struct wide *a, const struct wide *b)
{
	struct wide r = { { 0 } };

	for (int i = 0; i < WORDS; i++)
		for (int j = 0; i + j < WORDS && a->w[i]; j++)
			if (b->w[j])
				add_product(&r, a->w[i], b->w[j], i + j);
	return r;
}

static struct wide negated(const struct wide *a)
{
	struct wide r = { { 0 } };

	wide_sub(&r, a);
	return r;
}

/* The quotient of @rest and @word, which becomes the next @rest. */
static u64 div_word(u64 *rest, u64 word, u64 by)
{
	u64 quotient = 0;

	if (!*rest) {
		*rest = word % by;
		return word / by;
	}
	for (int bit = 63; bit >= 0; bit--) {
		bool carry = *rest >> 63;

		*rest = *rest << 1 | (word >> bit & 1);
		if (carry || *rest >= by) {
			*rest -= by;
			quotient |= 1ULL << bit;
		}
	}
	return quotient;
}

struct wide wide_div(const struct wide *a, u64 by)
{
	bool minus = wide_is_negative(a);
	struct wide r = minus ? negated(a) : *a;
	u64 rest = 0;

	for (int i = WORDS; i-- > 0;)
		r.w[i] = div_word(&rest, r.w[i], by);
	return minus ? negated(&r) : r;
}

long double wide_to_double(const struct wide *a, bool is_signed)
{
	long double d = 0;
	struct wide positive;

	if (is_signed && wide_is_negative(a)) {
		positive = negated(a);
		return -wide_to_double(&positive, false);
	}
	for (int i = WORDS; i-- > 0;)
		d = d * 0x1p64L + a->w[i];
	return d;
}

/* --- decimal --- */

enum { DIGITS_MAX = 78 };

/* Divide by ten; the remainder. */
static unsigned int cut_digit(struct wide *a)
{
	u64 rest = 0;

	for (int i = WORDS; i-- > 0;) {
		u64 high = rest << 32 | a->w[i] >> 32, low;

		low = high % 10 << 32 | (u32)a->w[i];
		a->w[i] = high / 10 << 32 | low / 10;
		rest = low % 10;
	}
	return (unsigned int)rest;
}

void wide_print(const struct wide *a, bool is_signed, struct strbuf *out)
{
	char digits[DIGITS_MAX];
	struct wide rest = *a;
	size_t n = 0;

	if (is_signed && wide_is_negative(a)) {
		strbuf_addch(out, '-');
		rest = negated(a);
	}
	do {
		digits[sizeof(digits) - ++n] = (char)('0' + cut_digit(&rest));
	} while (rest.w[0] | rest.w[1] | rest.w[2] | rest.w[3]);
	strbuf_add(out, digits + sizeof(digits) - n, n);
}

bool wide_parse(struct span text, bool is_signed, struct wide *a)
{
	const struct wide ten = { { 10 } };
	bool minus = is_signed && text.n && text.s[0] == '-';

	if (minus)
		text = span_skip(text, 1);
	/* 2^255 has 77 digits, so fewer digits always fit */
	if (!text.n || text.n >= DIGITS_MAX - 1)
		return false;
	*a = (struct wide){ { 0 } };
	for (size_t i = 0; i < text.n; i++) {
		struct wide digit = { { (u64)(text.s[i] - '0') } };

		if (text.s[i] < '0' || text.s[i] > '9')
			return false;
		*a = wide_mul(a, &ten);
		wide_add(a, &digit);
	}
	if (minus)
		*a = negated(a);
	return true;
}
