/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds the bytes of a record from its text: the inverse of event_print().
 *
 * Part of event.h; do not include it alone.
 */
#pragma once

struct event_scan;

/* NONE: the text is not of this event. SEVERAL: it is ambiguous. */
enum event_scanned { SCANNED_NONE, SCANNED_ONE, SCANNED_SEVERAL };

/* A record; its common fields are 0. */
struct event_scanned_record {
	u8 *bytes;
	const u8 *known; /* a mask for each of the first @fixed bytes: the bits that the text
			    determines */
	u32 len, fixed;
};

/**
 * event_scan_new() - prepare converting texts of an event to records
 * @print_fmt: replaces that of @fmt; NULL: use that of @fmt
 *
 * Owns:   lives in @arena and borrows @fmt and @print_fmt
 * Return: NULL if the print fmt cannot be understood, for records that are too long, or if out
 * of memory
 */
struct event_scan *event_scan_new(struct event_db *db, const struct event_format *fmt,
				  const char *print_fmt, struct arena *arena);

/**
 * event_scan() - find the record that is printed as @text
 *
 * Bits that the text does not determine are 0. The name of a function is converted to its address;
 * without an offset, to that of its start.
 *
 * Owns:    @rec borrows from @scan until the next call
 * Context: one thread at a time; needs symbols to convert names of functions to addresses
 */
enum event_scanned event_scan(struct event_scan *scan, struct span text,
			      struct event_scanned_record *rec);
