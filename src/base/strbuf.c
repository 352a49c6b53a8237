// SPDX-License-Identifier: LGPL-2.1-only
/* Growing text; see strbuf.h for the rules. */
#include "base/base.h"

const char strbuf_empty[1];

const char digits_pairs[201] = "00010203040506070809101112131415161718192021222324"
			       "25262728293031323334353637383940414243444546474849"
			       "50515253545556575859606162636465666768697071727374"
			       "75767778798081828384858687888990919293949596979899";

bool strbuf_grow(struct strbuf *sb, size_t extra)
{
	size_t need = sb->len + extra + 1;
	size_t cap = sb->cap ? sb->cap : 64;
	char *s;

	if (sb->failed || need < extra) {
		sb->failed = true;
		return false;
	}
	if (need <= sb->cap)
		return true;
	while (cap < need) {
		if (cap > SIZE_MAX / 2) {
			sb->failed = true;
			return false;
		}
		cap *= 2;
	}
	s = realloc(sb->cap ? sb->s : NULL, cap);
	if (!s) {
		sb->failed = true;
		return false;
	}
	s[sb->len] = '\0';
	sb->s = s;
	sb->cap = cap;
	return true;
}

void strbuf_add_more(struct strbuf *sb, const void *data, size_t n)
{
	if (!n || !strbuf_grow(sb, n))
		return;
	memcpy(sb->s + sb->len, data, n);
	sb->len += n;
	sb->s[sb->len] = '\0';
}

void strbuf_fill(struct strbuf *sb, char c, size_t n)
{
	if (!n || ((n >= sb->cap - sb->len || sb->failed) && !strbuf_grow(sb, n)))
		return;
	memset(sb->s + sb->len, c, n);
	sb->len += n;
	sb->s[sb->len] = '\0';
}

void strbuf_addhex(struct strbuf *sb, u64 v)
{
	char digits[DIGITS_MAX], *end = digits + sizeof(digits);
	char *start = digits_put_bits(end, v, 4, "0123456789abcdef");

	*--start = 'x';
	*--start = '0';
	strbuf_add(sb, start, (size_t)(end - start));
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	if (!strbuf_grow(sb, 64))
		return;
	va_copy(again, ap);
	n = vsnprintf(sb->s + sb->len, sb->cap - sb->len, fmt, ap);
	if (n < 0) {
		sb->failed = true;
	} else if ((size_t)n >= sb->cap - sb->len) {
		sb->s[sb->len] = '\0';
		if (strbuf_grow(sb, (size_t)n))
			vsnprintf(sb->s + sb->len, sb->cap - sb->len, fmt, again);
	}
	va_end(again);
	if (!sb->failed)
		sb->len += (size_t)n;
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_addpad(struct strbuf *sb, const char *s, size_t width)
{
	size_t n = strlen(s);

	strbuf_add(sb, s, n);
	if (n < width)
		strbuf_fill(sb, ' ', width - n);
}

void strbuf_addword(struct strbuf *sb, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "@%+=:,./_-";

	if (*word && !word[strspn(word, plain)]) {
		strbuf_addstr(sb, word);
		return;
	}
	strbuf_addquoted(sb, word, strlen(word));
}

void strbuf_addquoted(struct strbuf *sb, const char *text, size_t n)
{
	strbuf_addch(sb, '\'');
	for (size_t i = 0; i < n; i++)
		if (text[i] == '\'')
			strbuf_addstr(sb, "'\\''");
		else
			strbuf_addch(sb, text[i]);
	strbuf_addch(sb, '\'');
}

int strbuf_sink(void *sb, const void *data, size_t n)
{
	struct strbuf *to = sb;

	if (to)
		strbuf_add(to, data, n);
	return to && to->failed ? HIST_NOMEM : 0;
}

void strbuf_cut(struct strbuf *sb, size_t len)
{
	if (!sb->cap || len > sb->len)
		return;
	sb->len = len;
	sb->s[len] = '\0';
}

void strbuf_release(struct strbuf *sb)
{
	if (sb->cap)
		free(sb->s);
	*sb = (struct strbuf)STRBUF_INIT;
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s = NULL;

	if (!sb->failed && strbuf_grow(sb, 0)) {
		s = sb->s;
		*sb = (struct strbuf)STRBUF_INIT;
	} else {
		strbuf_release(sb);
	}
	return s;
}
