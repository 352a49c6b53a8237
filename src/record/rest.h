/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What is kept can stay in the kernel, whose ring buffer replaces the oldest events itself. A
 * reader rests meanwhile. It moves what the ring has when a file is wanted, or when the ring turns
 * out to be too small for the time that is kept: from then on it moves all events, as always.
 */
#pragma once
#include "record/kept.h"
#include "record/session.h"

/* Of one reader; only its thread uses it. */
struct ring_rest {
	struct kept *kept; /* NULL: it never rests */
	size_t number;     /* of the reader in ->kept */
	const struct session *session;
	u32 cpu;
	u64 ring;            /* bytes of the ring */
	bool resting;        /* what is moved next may follow a gap */
	bool small;          /* the ring is too small */
	bool filled;         /* a part of it, which the kernel reported */
	u64 since, measured; /* CLOCK_MONOTONIC */
};

/* Before the first event. @kept: NULL, or initialised */
void rest_init(struct ring_rest *r, struct kept *kept, size_t number,
	       const struct session *session);

/* Whether the reader must move nothing now. @filled: the kernel reported data */
bool rest_goes_on(struct ring_rest *r, bool filled);

/* How long to sleep at most, while it goes on. */
int rest_ms(const struct ring_rest *r);

/* The first sub-buffer was read, which @number has in ->kept: it may follow events that are gone.
 */
void rest_end(struct ring_rest *r, void *page, u64 number);
