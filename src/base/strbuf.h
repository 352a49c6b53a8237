/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A string that grows.
 *
 * ->s is NUL-terminated at ->len whenever ->len was set by a function of this header, and is
 * never NULL. If memory runs out, the string stops growing and ->failed stays set until the next
 * strbuf_reset(), so a printer can add many pieces and check once.
 */
#pragma once
#include <stdarg.h>
#include <string.h>

#include "base/span.h"
#include "base/types.h"

struct strbuf {
	char *s;
	size_t len, cap;
	bool failed;
};

/*
 * The text of an empty strbuf; read-only, so that a stray write is noticed. Without its size, of
 * which gcc 14 warns: it does not see that an empty strbuf has no room.
 */
extern const char strbuf_empty[];

#define STRBUF_INIT                       \
	{                                 \
		.s = (char *)strbuf_empty \
	}

/* Make room for @extra more bytes and a NUL; false if out of memory. */
bool strbuf_grow(struct strbuf *sb, size_t extra);

/* The slow path of strbuf_add(): there may be no room. */
void strbuf_add_more(struct strbuf *sb, const void *data, size_t n);

static inline void strbuf_add(struct strbuf *sb, const void *data, size_t n)
{
	if (unlikely(!n || n >= sb->cap - sb->len || sb->failed)) {
		strbuf_add_more(sb, data, n);
		return;
	}
	memcpy(sb->s + sb->len, data, n);
	sb->len += n;
	sb->s[sb->len] = '\0';
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap);

/* @n times the character @c. */
void strbuf_fill(struct strbuf *sb, char c, size_t n);

/* 0x, and @v in hexadecimal. */
void strbuf_addhex(struct strbuf *sb, u64 v);

/* @s left-justified in @width columns, never truncated. */
void strbuf_addpad(struct strbuf *sb, const char *s, size_t width);

/* @word for a shell: quoted only if that is necessary. */
void strbuf_addword(struct strbuf *sb, const char *word);

/* @text for a shell, always in quotes. */
void strbuf_addquoted(struct strbuf *sb, const char *text, size_t n);

/* Append @data to @sb; NULL: drop it. A hist_sink_fn. Return: 0, -HIST_ENOMEM */
int strbuf_sink(void *sb, const void *data, size_t n);

/* Truncate to @len bytes; @len must not exceed the current length. */
void strbuf_cut(struct strbuf *sb, size_t len);

void strbuf_release(struct strbuf *sb);

/* Pass the text to the caller, who frees it; NULL if it failed to grow. */
char *strbuf_detach(struct strbuf *sb);

/* The ending of a noun after a number: "%zu file%s", n, plural(n) */
static inline const char *plural(u64 n)
{
	return n == 1 ? "" : "s";
}

/* The same, with a verb: "%zu file%s damaged" */
static inline const char *plural_were(u64 n)
{
	return n == 1 ? " was" : "s were";
}

/* The text, until it changes. */
static inline struct span strbuf_span(const struct strbuf *sb)
{
	return (struct span){ sb->s, sb->len };
}

static inline void strbuf_reset(struct strbuf *sb)
{
	if (sb->cap)
		sb->s[0] = '\0';
	sb->len = 0;
	sb->failed = false;
}

static inline void strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

static inline void strbuf_addch(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}
