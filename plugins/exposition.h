/* SPDX-License-Identifier: LGPL-2.1-only */
/* The text that an exporter of metrics writes: a buffer, escapes, numbers. */
#ifndef EXPOSITION_H
#define EXPOSITION_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hist-plugin.h"
#include "utf8-length.h"

enum { NAME_SIZE = 256, FLUSH_AT = 64 * 1024, NO_COLUMN = -1 };

struct text {
	char *s;
	size_t n, size;
};

struct exporter {
	const struct hist_plugin_histogram *h;
	const struct hist_plugin_out *to;
	struct text out;           /* not yet written */
	char prefix[NAME_SIZE];    /* "hist_sched_sched_switch" */
	char (*labels)[NAME_SIZE]; /* names of the keys */
	int range;                 /* the one key that is a range, or NO_COLUMN */
	int older;                 /* the text format 0.0.4 */
	int failed;                /* no memory */
};

static void add(struct exporter *e, const char *s, size_t n)
{
	size_t size = e->out.size ? e->out.size : 4096;
	char *bigger;

	while (size < e->out.n + n + 1)
		size *= 2;
	if (size != e->out.size) {
		bigger = realloc(e->out.s, size);
		if (!bigger) {
			e->failed = 1;
			return;
		}
		e->out.s = bigger;
		e->out.size = size;
	}
	memcpy(e->out.s + e->out.n, s, n);
	e->out.n += n;
	e->out.s[e->out.n] = '\0';
}

__attribute__((format(printf, 2, 3))) static void addf(struct exporter *e, const char *fmt, ...)
{
	char text[3 * NAME_SIZE];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0)
		add(e, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* Pass on the buffered output if it is large; returns 0, or the result of write(). */
static int flush(struct exporter *e)
{
	if (!e->failed && e->out.n >= FLUSH_AT) {
		e->failed = e->to->write(e->to, e->out.s, e->out.n);
		e->out.n = 0;
	}
	return e->failed;
}

static void add_escaped(struct exporter *e, const char *s, size_t n)
{
	while (n) {
		size_t len = utf8_length((const unsigned char *)s, n);

		if (!len)
			addf(e, "\\\\x%02x", (unsigned char)*s);
		else if (*s == '\n')
			add(e, "\\n", 2);
		else if (*s == '"' || *s == '\\')
			addf(e, "\\%c", *s);
		else
			add(e, s, len);
		len = len ? len : 1;
		s += len;
		n -= len;
	}
}

/*
 * Append the start of a label; the value and a quotation mark follow. @n: number of previous
 * labels.
 */
static void begin_label(struct exporter *e, int *n, const char *name, const char *suffix)
{
	addf(e, "%s%s%s=\"", (*n)++ ? "," : "", name, suffix);
}

static void add_label(struct exporter *e, int *n, const char *name, const char *text)
{
	begin_label(e, n, name, "");
	add_escaped(e, text, strlen(text));
	add(e, "\"", 1);
}

static void add_number(struct exporter *e, const struct hist_plugin_column *column, uint64_t v)
{
	addf(e, column->is_signed ? "%" PRId64 : "%" PRIu64, v);
}

#endif
