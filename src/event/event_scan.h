/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The bytes of a record from its text: event_print() the other way round.
 *
 * Part of event.h; do not include it alone.
 */
#ifndef HIST_EVENT_EVENT_SCAN_H
#define HIST_EVENT_EVENT_SCAN_H

struct event_scan;

/* NONE: the text is not one of this event. SEVERAL: it can be read in several ways. */
enum event_scanned { SCANNED_NONE, SCANNED_ONE, SCANNED_SEVERAL };

/* A record; its common fields are 0. */
struct event_scanned_record {
	u8 *bytes;
	const u8
		*known; /* a mask for each of the first @fixed bytes: the text decides these bits */
	u32 len, fixed;
};

/**
 * event_scan_new() - how texts of an event become records
 * @print_fmt: instead of the one of @fmt, with its fields; NULL: that one
 *
 * Owns:   lives in @arena and borrows @fmt and @print_fmt
 * Return: NULL if the print fmt cannot be understood, for records that are too long, or without
 *         memory
 */
struct event_scan *event_scan_new(struct event_db *db, const struct event_format *fmt,
				  const char *print_fmt, struct arena *arena);

/**
 * event_scan() - the record that prints as @text
 *
 * Bits that the text does not decide are 0. A name of a function stands for its address, without
 * an offset for the address where it starts.
 *
 * Owns:    @rec borrows from @scan until the next call
 * Context: one thread at a time; needs symbols where names of functions are to be addresses
 */
enum event_scanned event_scan(struct event_scan *scan, struct span text,
			      struct event_scanned_record *rec);

#endif
