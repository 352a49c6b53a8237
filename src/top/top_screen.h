/* SPDX-License-Identifier: LGPL-2.1-only */
/* What is on the screen: a pure function of what was counted, and of what the user chose. */
#pragma once
#include "top/top_rows.h"

/* How the recording goes. */
struct top_status {
	const char *time;   /* "12:34:56" */
	bool rated;         /* ->events is known */
	double events;      /* in a second */
	u64 lost;           /* events, by the kernel, so far */
	u64 taken, skipped; /* sub-buffers: all, and those that were not counted */
	double behind;      /* seconds */
	double cpu;         /* of hist: CPUs, 0.5 for half of one */
};

/* Append "12:34:56  1,234 events/s, 5 lost, ...". */
void top_status_add(struct strbuf *out, const struct top_status *s);

struct top_screen {
	unsigned int width, height;
	bool plain;           /* no colours, only ASCII */
	const char *question; /* NULL: that of the table is its title */
	struct top_status status;
	size_t table, n_tables;   /* .table: from 0 */
	struct top_choice choice; /* .max is not used */
	bool paused;
	const char *typed;   /* the filter while it is typed; NULL: it is not */
	const char *message; /* in the last line; NULL: the keys */
};

/*
 * Append a whole screen, which overwrites another one. @rows: NULL, or without a result: nothing
 * was counted yet. @s: its choice.first is limited to what there is. Return: how many rows there is
 * room for
 */
size_t top_screen_add(struct strbuf *out, struct top_screen *s, struct top_rows *rows);

/* The columns that a table of a terminal has in addition: what changed. */
struct top_extra {
	struct answer_extra extra;
	struct answer_extra_column columns[2];
	struct top_rows *rows;
	bool plain;
};

void top_extra_init(struct top_extra *e, struct top_rows *rows, bool plain);

/*
 * Append @n numbers as small bars, a character each: a space for 0, otherwise one of eight heights
 * relative to the largest number. @plain: of ASCII
 */
void spark_add(struct strbuf *out, const u64 *v, size_t n, bool plain);
