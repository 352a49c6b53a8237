/* SPDX-License-Identifier: LGPL-2.1-only */
/* Moments as people write them, and the time of day of a recording. */
#pragma once
#include "base/base.h"

struct recording;
struct recordings;

/*
 * "12.5" of the clock, "+500ms" from *@ts, "mark2", "2026-11-28 20:05:03", with offsets. 0, < 0
 * with a diagnosis
 */
int recordings_moment(const struct recordings *r, const char *text, u64 *ts, struct diags *diags);

/* Whether it is a time of day, with or without a day. */
bool moment_is_date(const char *text);

/* Append " (2026-11-28 20:05:03)" of this machine's time zone, if the time of day is known. */
void recordings_add_date(const struct recordings *r, u64 ts, struct strbuf *out);

/* What is added to times for the time of day, in ns since 1970; false: it is not known. */
bool recordings_wall(const struct recordings *r, u64 *offset);

/* Whether the clocks of two recordings are not one, as the time of day says: how far apart. */
bool recording_wall_differs(const struct recording *a, const struct recording *b, u64 *ns);

/* Append "2026-11-28 20:05:03.250000 UTC at 12.5 s, up to 4 us wrong"; nothing if it is unknown. */
void recording_wall_print(const struct recording *rec, struct strbuf *out);
