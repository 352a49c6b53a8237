/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A trace action and the only histogram that reads its event, fused: no record of the event is
 * made.
 *
 * The reader's loads take the values of the action's parameters instead: its "record" is the
 * array of references of the hit that traces. Each of them is a word, so a load of a number gets
 * the bytes that would be in the record's slot; a string is represented by a pointer. The rest
 * of the reader's program is unchanged and is executed by hist_hit_by() like any other program.
 */
#ifndef HIST_RUN_FUSE_H
#define HIST_RUN_FUSE_H

#include "program/program.h"

struct hist_count;
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

#endif
