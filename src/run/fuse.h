/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A trace action and the only histogram that reads its event, fused: no record of the event is
 * made. The same for a deriver, whose values are an array in the order of the event's fields, and
 * all histograms on its event.
 *
 * The reader's loads take the values of the action's parameters instead: its "record" is the
 * array of references of the hit that traces. Each of them is a word, so a load of a number gets
 * the bytes that would be in the record's slot; a string is represented by a pointer. The rest
 * of the reader's program is unchanged and is executed by hist_hit_by() like any other program.
 */
#pragma once
#include "program/program.h"

struct hist_count;
struct trigger;

enum { FUSED_RECENT_SHIFT = 12, FUSED_PARTS_MAX = 4 };

/* A part of a key, or what is added to a sum, of the values of a deriver. */
struct fused_value {
	u32 at;                     /* of the value, in bytes */
	u32 words;                  /* of a text; 0: a number */
	u32 word;                   /* offset in the entry: of the sum */
	const struct value *number; /* how the number is computed; NULL: it is the value */
};

/*
 * A shortcut for keys that were seen before: from the values of a derived event to the entry of an
 * earlier event with the same values, in which only hits and sums change.
 */
struct fused_recent {
	u32 n_parts, n_sums;
	struct fused_value parts[FUSED_PARTS_MAX], sums[FUSED_PARTS_MAX];
	/* numbers of entries, by a hash of the numbers and addresses of which their keys are made
	 */
	u32 *entries; /* 1 << FUSED_RECENT_SHIFT */
};

struct fused_trace {
	const struct trigger *reader;
	struct hist_count *count;
	struct hist_program program; /* of the reader */
	const struct filter *filter; /* of the reader: values of a deriver pass it; NULL: all */
	const struct fused_recent *values; /* NULL: it has other keys or updates than these */
	struct fused_recent *recent;       /* the same; NULL: or texts that are not whole words */
	u64 read;                          /* a bit for each value that it needs */
	bool reads_hit;                    /* and what else is in the hit: time, CPU, task */
	const struct fused_trace *next;    /* of another histogram on the event; NULL: none */
};

/**
 * hist_fuse() - fuse the trace action of a histogram, if possible
 * @arena: memory until the next replay
 *
 * Sets hc->program. Possible if only one histogram, without a filter, actions, statistics or
 * exemplars, uses the event, and only its own fields. (The values of a deriver may pass a filter.)
 *
 * Return: false if out of memory
 */
bool hist_fuse(struct hist_count *hc, struct arena *arena);

/**
 * event_fuse() - prepare hits of the histograms on an event by the values of its fields
 * @arena: memory until the next replay
 *
 * Context: a replay has started
 * Return: a list; NULL if its records are needed, or if out of memory
 */
const struct fused_trace *event_fuse(const struct event_file *file, struct arena *arena);

/*
 * A filter for these values: @to, NULL if there is none. False: it needs records, or out of memory.
 */
bool event_fuse_filter(const struct event_file *file, const struct filter *filter,
		       struct arena *arena, const struct filter **to);

/*
 * event_hit() of @n such events, of the whole list; hit->rec, which is changed, are the values of
 * one after the other: numbers, or addresses of texts, hit->len bytes for each event.
 */
void event_hit_values(const struct fused_trace *fused, struct hit *hit, size_t n);

/*
 * One of them, for a program with ->values: the number of its entry, 0 if it has none. More with
 * the same key are only added to the entry.
 */
u32 hist_hit_entry(const struct fused_trace *fused, const struct hit *hit);
void hist_add_hits(const struct fused_trace *fused, u16 part, u32 number, u64 n, const u64 *sums);
