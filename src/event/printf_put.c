// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A number or a text as a conversion of the kernel's printf wants it. %#x of 0 has its prefix, and
 * 0 pads even with a precision, other than in C.
 *
 * Corresponds to number(), string() in lib/vsprintf.c.
 */
#include "event/print_fmt.h"

/* With a sign, a prefix, or digits or blanks to fill a width. */
static void add_number_padded(struct strbuf *out, const struct printf_spec *spec,
			      struct span digits, const char *sign)
{
	const char *prefix = "";
	int n = (int)digits.n, pad;

	if (spec->alternate && spec->base == 16)
		prefix = spec->upper ? "0X" : "0x";
	else if (spec->alternate && spec->base == 8 && (n > 1 || *digits.s != '0'))
		prefix = "0";
	pad = spec->width - (int)strlen(sign) - (int)strlen(prefix) -
	      max_t(int, n, spec->precision);
	if (!spec->left && !spec->zero && pad > 0)
		strbuf_fill(out, ' ', (size_t)pad);
	strbuf_addstr(out, sign);
	strbuf_addstr(out, prefix);
	if (!spec->left && spec->zero && pad > 0)
		strbuf_fill(out, '0', (size_t)pad);
	if (spec->precision > n)
		strbuf_fill(out, '0', (size_t)(spec->precision - n));
	strbuf_add(out, digits.s, digits.n);
	if (spec->left && pad > 0)
		strbuf_fill(out, ' ', (size_t)pad);
}

void printf_number(struct strbuf *out, const struct printf_spec *spec, u64 v)
{
	const bool negative = spec->is_signed && (s64)v < 0;
	char buf[DIGITS_MAX], *end = buf + sizeof(buf), *at;

	if (negative)
		v = 0 - v;
	if (spec->base == 10)
		at = digits_put(end, v);
	else
		at = digits_put_bits(end, v, spec->base == 16 ? 4 : 3,
				     spec->upper ? "0123456789ABCDEF" : "0123456789abcdef");
	if (spec->plain) {
		if (negative)
			*--at = '-';
		strbuf_add(out, at, (size_t)(end - at));
		return;
	}
	add_number_padded(out, spec, span_between(at, end),
			  negative                         ? "-"
			  : spec->is_signed && spec->plus  ? "+"
			  : spec->is_signed && spec->space ? " "
							   : "");
}

void printf_padded(struct strbuf *out, const struct printf_spec *spec, struct span text)
{
	size_t width = spec->width > 0 ? (size_t)spec->width : 0;
	size_t pad = width > text.n ? width - text.n : 0;

	if (likely(spec->plain)) {
		strbuf_add(out, text.s, text.n);
		return;
	}
	if (!spec->left)
		strbuf_fill(out, ' ', pad);
	strbuf_add(out, text.s, text.n);
	if (spec->left)
		strbuf_fill(out, ' ', pad);
}

void printf_text(struct strbuf *out, const struct printf_spec *spec, struct span text)
{
	text.n = text.s ? strnlen(text.s, text.n) : 0;
	if (spec->precision >= 0)
		text.n = min_t(size_t, text.n, (size_t)spec->precision);
	printf_padded(out, spec, text);
}
