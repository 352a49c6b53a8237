/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * json: JSON as text, written and read without a tree in memory, because libraries build all rows
 * of a histogram in memory; see ARCHITECTURE, Saved results.
 *
 *	struct json j = { .out = &buf };
 *
 *	json_object(&j, NULL);
 *	json_number(&j, "pid", 7, false);
 *	json_close(&j, '}');
 */
#pragma once
#include "base/base.h"

/*
 * --- encode.c: shared by all formats for programs ---
 *
 * Strings of a recording are bytes. A byte that is not part of valid UTF-8 becomes \xNN and a
 * backslash is doubled, so nothing is lost and the output is UTF-8.
 */

/* The number of bytes at the start that every format prints as they are. */
static inline size_t text_plain_length(struct span text)
{
	size_t n = 0;

	while (n < text.n && text.s[n] >= ' ' && text.s[n] <= '~' && text.s[n] != '"' &&
	       text.s[n] != '\\')
		n++;
	return n;
}

/* Text with a doubled backslash and \xNN for bytes that are not UTF-8. */
void text_add_encoded(struct strbuf *out, struct span text);

void text_add_u64(struct strbuf *out, u64 v);

/* The same, right-justified in 10 columns. */
void text_add_padded(struct strbuf *out, u64 v);
void text_add_number(struct strbuf *out, u64 v, bool is_signed);

/* The shortest decimal that reads back as @v, independent of the locale; "" for NaN. */
void text_add_double(struct strbuf *out, double v);

/* A time: seconds with nine decimals, or the plain number for a clock that does not count time. */
void text_add_time(struct strbuf *out, u64 ts, bool clock_counts);

/* "2026-11-28 20:05:03.250000000", UTC. */
void text_add_date(struct strbuf *out, u64 unix_ns);

/* A block of an eighth up to the full height of a line, for @part from 0 to 1. */
void text_add_spark(struct strbuf *out, double part);

/* --- json.c: writing --- */

struct json {
	struct strbuf *out;
	bool u64_as_string; /* json_number() writes quotes */
	bool plain;         /* backslashes are not doubled: the text is not that of a recording */
	bool comma;         /* a comma is due before the next value or name */
};

/*
 * The name of a member comes first; it is NULL for an element of an array, and after
 * json_name(), for names that are not constant. Names and texts: bytes that are not UTF-8, and
 * backslashes, are encoded as in encode.c.
 */
void json_name(struct json *j, struct span name);
void json_object(struct json *j, const char *name);
void json_array(struct json *j, const char *name);
void json_close(struct json *j, char bracket);

/* After the outermost value. */
void json_end_line(struct json *j);

void json_null(struct json *j, const char *name);
void json_bool(struct json *j, const char *name, bool v);

/* A number of hist itself, and a number of the recording, which may need 64 bits. */
void json_u64(struct json *j, const char *name, u64 v);
void json_s64(struct json *j, const char *name, s64 v);
void json_number(struct json *j, const char *name, u64 v, bool is_signed);

/* {"min":,"max":} */
void json_range(struct json *j, const char *name, u64 min, u64 max, bool is_signed);

/* null for NaN and infinite numbers; -0 is 0. */
void json_double(struct json *j, const char *name, double v);
void json_double_range(struct json *j, const char *name, double min, double max);
void json_time(struct json *j, const char *name, u64 ts, bool clock_counts);

void json_text(struct json *j, const char *name, struct span text);
/* A string; NULL is null. */
void json_str(struct json *j, const char *name, const char *s);
/* No member for NULL, false and 0. */
void json_str_if(struct json *j, const char *name, const char *s);
void json_flag(struct json *j, const char *name, bool v);
void json_u64_if(struct json *j, const char *name, u64 v);

void json_strings(struct json *j, const char *name, const char *const *v, size_t n);

/* A member that is in a struct: the writer and the reader of a format share tables of them. */
struct json_member {
	const char *name;
	enum {
		JSON_STR,    /* const char *; no member for NULL */
		JSON_WORD,   /* an enum: one of ->words, the last of which is NULL */
		JSON_BOOL,   /* bool */
		JSON_FLAG,   /* the same; no member for false */
		JSON_U32,    /* u32 */
		JSON_U64,    /* u64 */
		JSON_U64_IF, /* the same; no member for 0 */
		JSON_NUMBER, /* the same, for json_number() */
	} type;
	size_t offset;
	const char *const *words;
};

/* The members of @object that @n entries at @m describe. */
void json_members(struct json *j, const struct json_member *m, size_t n, const void *object);

/* The member "caveats", if @text (see base/caveat.h; NULL: none) has any. */
void json_caveats(struct json *j, const char *text);

/* The members "filters", "pids" and "children": see base/limits.h; NULL: no limits */
void json_limits(struct json *j, const char *text);

/*
 * --- json_in.c: reading, value by value in order ---
 *
 *	struct json_in in = json_in_of(text);
 *	struct span name;
 *
 *	if (json_in_open(&in, '{'))
 *		while (json_in_member(&in, &name))
 *			if (span_eq(name, "pid"))
 *				json_in_number(&in, false, &pid);
 *			else
 *				json_in_skip(&in);
 *	if (in.problem)
 *		...
 *
 * After the first problem all functions fail, so that one check at the end is enough.
 */

struct json_in {
	const char *p, *end, *start;
	const char *problem;   /* the problem at ->p; NULL: none */
	unsigned int depth;    /* of json_in_skip() */
	bool first;            /* of the innermost open object or array */
	bool plain;            /* backslashes in texts were not doubled */
	struct strbuf decoded; /* the last name or string with escapes */
};

static inline struct json_in json_in_of(struct span text)
{
	return (struct json_in){
		.p = text.s, .end = text.s + text.n, .start = text.s, .decoded = STRBUF_INIT
	};
}

static inline void json_in_release(struct json_in *in)
{
	strbuf_release(&in->decoded);
}

/* Record the first problem; always false. */
bool json_in_fail(struct json_in *in, const char *problem);

/* Whether only white space is left. */
bool json_in_at_end(struct json_in *in);

/* The current line, from 1. */
unsigned int json_in_line(const struct json_in *in);

/* The start of an object or array; anything else is a problem. */
bool json_in_open(struct json_in *in, char bracket);

/* Whether another member or element follows; its value must be consumed next. */
bool json_in_member(struct json_in *in, struct span *name);
bool json_in_element(struct json_in *in);

bool json_in_skip(struct json_in *in);

/* Consume a null, if there is one; any other value is left. */
bool json_in_null(struct json_in *in);
bool json_in_bool(struct json_in *in, bool *v);

/* As encode.c writes them, quoted or not. */
bool json_in_number(struct json_in *in, bool is_signed, u64 *v);
bool json_in_time(struct json_in *in, bool clock_counts, u64 *ts);

/*
 * The original bytes, without the escapes of encode.c. Borrowed until the next name or
 * string.
 */
bool json_in_text(struct json_in *in, struct span *text);
