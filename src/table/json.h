/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writing JSON as text, without a tree in memory.
 *
 *	struct json j = { .out = &buf };
 *
 *	json_object(&j, NULL);
 *	json_number(&j, "pid", 7, false);
 *	json_close(&j, '}');
 *
 * No library is used, because libraries build all rows of a histogram in memory.
 */
#pragma once
#include "base/base.h"

struct json {
	struct strbuf *out;
	bool u64_as_string; /* json_number() writes quotes */
	bool plain;         /* backslashes are not doubled: the text is not that of a recording */
	bool comma;         /* a comma is due before the next value or name */
};

/*
 * The name of a member comes first; it is NULL for an element of an array, and after
 * json_name(), for names that are not constant. Names and texts: bytes that are not UTF-8, and
 * backslashes, are encoded as in table/encode.h.
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
