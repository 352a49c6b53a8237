/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writing JSON as text, without a tree in memory.
 *
 *	struct json j = { .out = &buf };
 *
 *	json_open(&j, '{');
 *	json_name(&j, "pid");
 *	json_number(&j, 7, false);
 *	json_close(&j, '}');
 *
 * No library is used, because libraries build all rows of a histogram in memory.
 */
#ifndef HIST_PRINT_JSON_H
#define HIST_PRINT_JSON_H

#include "base/base.h"

struct json {
	struct strbuf *out;
	bool u64_as_string; /* json_number() writes quotes */
	bool comma;         /* a comma is due before the next value or name */
};

void json_open(struct json *j, char bracket);
void json_close(struct json *j, char bracket);
void json_name(struct json *j, const char *name);
void json_name_span(struct json *j, struct span name);

/* After the outermost value. */
void json_end_line(struct json *j);

void json_null(struct json *j);
void json_bool(struct json *j, bool v);

/* A number of hist itself, and a number of the recording, which may need 64 bits. */
void json_u64(struct json *j, u64 v);
void json_s64(struct json *j, s64 v);
void json_number(struct json *j, u64 v, bool is_signed);

/* null for NaN */
void json_double(struct json *j, double v);
void json_time(struct json *j, u64 ts, bool clock_counts);

/* Bytes that are not UTF-8, and backslashes, are encoded as in print/encode.h; also in names. */
void json_text(struct json *j, struct span text);

/* NULL is null. */
void json_str(struct json *j, const char *s);

/* A member in one call. */
void json_member_str(struct json *j, const char *name, const char *s);
void json_member_u64(struct json *j, const char *name, u64 v);
void json_member_bool(struct json *j, const char *name, bool v);

/* The member "caveats", if @text (see base/caveat.h; NULL: none) has any. */
void json_member_caveats(struct json *j, const char *text);

#endif
