// SPDX-License-Identifier: LGPL-2.1-only
/* The bounds-checked cursor; see bytes.h for the rules. */
#include "base/base.h"

const u8 *bytes_take(struct bytes *b, u64 n)
{
	const u8 *p = b->p;

	if (n > bytes_left(b)) {
		b->bad = true;
		return NULL;
	}
	b->p += n;
	return p;
}

u8 bytes_u8(struct bytes *b)
{
	const u8 *p = bytes_take(b, 1);

	return p ? *p : 0;
}

u16 bytes_u16(struct bytes *b)
{
	const u8 *p = bytes_take(b, 2);

	return p ? load_u16(p, b->big) : 0;
}

u32 bytes_u32(struct bytes *b)
{
	const u8 *p = bytes_take(b, 4);

	return p ? load_u32(p, b->big) : 0;
}

u64 bytes_u64(struct bytes *b)
{
	const u8 *p = bytes_take(b, 8);

	return p ? load_u64(p, b->big) : 0;
}

const char *bytes_str(struct bytes *b)
{
	const u8 *nul = bytes_left(b) ? memchr(b->p, 0, bytes_left(b)) : NULL;
	const char *s = (const char *)b->p;

	if (!nul) {
		b->bad = true;
		return NULL;
	}
	b->p = nul + 1;
	return s;
}

void hex_print(const u8 *bytes, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t hex_read(struct span text, u8 *out, size_t max)
{
	size_t n = 0;

	for (; n < max && 2 * n + 1 < text.n; n++) {
		const int high = digit_of(text.s[2 * n]), low = digit_of(text.s[2 * n + 1]);

		if (high < 0 || low < 0)
			return 0;
		out[n] = (u8)(high << 4 | low);
	}
	return n;
}
