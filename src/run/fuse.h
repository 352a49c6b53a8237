/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A trace action and the only histogram that reads its event, fused: no record of the event is
 * made. The same for a deriver, whose values are an array in the order of the event's fields.
 *
 * The reader's loads take the values of the action's parameters instead: its "record" is the
 * array of references of the hit that traces. Each of them is a word, so a load of a number gets
 * the bytes that would be in the record's slot; a string is represented by a pointer. The rest
 * of the reader's program is unchanged and is executed by hist_hit_by() like any other program.
 */
#ifndef HIST_RUN_FUSE_H
#define HIST_RUN_FUSE_H

#include "program/program.h"

struct event_file;
struct hist_count;
struct hit;
struct trigger;

struct fused_trace {
	const struct trigger *reader;
	struct hist_count *count;
	struct hist_program program; /* of the reader */
};

/**
 * hist_fuse() - fuse the trace action of a histogram, if possible
 * @arena: memory until the next replay
 *
 * Sets hc->program. Possible if only one histogram, without a filter, actions, statistics or
 * exemplars, uses the event, and only its own fields.
 *
 * Return: false if out of memory
 */
bool hist_fuse(struct hist_count *hc, struct arena *arena);

/**
 * event_fuse() - prepare hits of the only histogram on an event by the values of its fields
 * @arena: memory until the next replay
 *
 * Context: a replay has started
 * Return: NULL if its records are needed, or if out of memory
 */
const struct fused_trace *event_fuse(const struct event_file *file, struct arena *arena);

/* event_hit() of such an event; hit->rec are the values: numbers, or addresses of texts. */
void event_hit_values(const struct fused_trace *fused, const struct hit *hit);

#endif
