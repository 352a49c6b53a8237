/* SPDX-License-Identifier: LGPL-2.1-only */
/* The text of a record, as the kernel prints it. Part of event.h; do not include it alone. */
#ifndef HIST_EVENT_PRINT_H
#define HIST_EVENT_PRINT_H

struct event_print;

/**
 * event_print_parse() - how records of an event are printed
 *
 * Owns:    lives in @arena and borrows @fmt
 * Return:  NULL if its print fmt asks the kernel for more than the record holds, or without
 *          memory
 * Context: as for all that takes a plain struct event_db *; so for event_print()
 */
struct event_print *event_print_parse(struct event_db *db, const struct event_format *fmt,
				      struct arena *arena);

/* The text of a record, without newline; false: it needs something that is not in the record. */
bool event_print(const struct event_print *print, const void *rec, u32 len, struct strbuf *out);

#endif
