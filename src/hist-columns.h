/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: events as columns of numbers, many at a time, for languages in which a call for each
 * event takes long. See hist-events.h for how an iterator is opened and closed.
 */
#ifndef HIST_COLUMNS_H
#define HIST_COLUMNS_H

#include "hist-events.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What all events have; other columns are indices of fields. */
enum hist_common_column {
	HIST_COLUMN_TS = -1,
	HIST_COLUMN_CPU = -2,
	HIST_COLUMN_PID = -3,
	HIST_COLUMN_COMM = -4, /* needs options.comm */
	HIST_COLUMN_TGID = -5, /* -1: unknown; this and the following need options.who */
	HIST_COLUMN_PROCESS = -6,
	HIST_COLUMN_CMDLINE = -7,
	HIST_COLUMN_CGROUP = -8,
	HIST_COLUMN_CODE = -16, /* minus the number of a question, see hist_events_code() */
};

/**
 * hist_events_fill() - the next events as columns
 * @columns: of each of @n, one of enum hist_common_column or the index of a field
 * @numbers: for each column, room for @max numbers
 *
 * Only one type of events may be open. A number is that of struct hist_value, and 0 if the record
 * does not contain it. For texts, lists and bytes it is a number for hist_events_word().
 *
 * Return: how many events; 0 after the last one; -HIST_EINVAL for several types or an unknown
 *         column; < 0 another error
 */
int64_t hist_events_fill(struct hist_events *events, const int *columns, size_t n,
			 uint64_t *const *numbers, size_t max);

/*
 * The text of a number, which each text has only one of: as csv has it, with its length; NULL: it
 * is not known, or not in the record. Borrowed until hist_events_close().
 */
const char *hist_events_word(const struct hist_events *events, uint64_t number, size_t *len);

/* Whether the numbers of a field have names: enumerators, flags, devices. 1, 0, -HIST_ENOMEM */
int hist_event_has_names(struct hist_events *events, const struct hist_event_type *type,
			 size_t field);

/*
 * The name of the number in the field of an event, such as "S" of prev_state; NULL: it has none.
 * Borrowed until the next call.
 */
const char *hist_event_name(const struct hist_event *event, size_t field);

/* The time of day of an event, in ns since 1970; false: the (first) recording has none. */
bool hist_event_date(const struct hist_event *event, uint64_t *unix_ns);

/* The recorded machine: its name, "" if it is unknown; what is known of the time of day there. */
struct hist_host {
	char name[65];
	char wall[128]; /* "2026-11-28 20:05:03.25 UTC at 12.5 s, up to 4 us wrong"; "": nothing */
};
void hist_host(const struct hist *h, struct hist_host *host);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
