/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sub-buffers composed of records with known times, for writing files. The writing side of the ring
 * buffer itself, with its clock and contexts, is in buffer.h.
 *
 *	ring_buffer_composer_init(&c, &layout, sink, arg);
 *	for each record: ring_buffer_compose(&c, &record);
 *	ring_buffer_compose_end(&c);
 *	ring_buffer_composer_release(&c);
 */
#ifndef HIST_RING_BUFFER_COMPOSE_H
#define HIST_RING_BUFFER_COMPOSE_H

#include "ring_buffer/ring_buffer.h"

/* Receives a whole sub-buffer; anything but 0 stops and is returned. */
typedef int (*ring_buffer_page_fn)(void *arg, const u8 *page);

struct ring_buffer_composer {
	struct ring_buffer_layout layout;
	ring_buffer_page_fn sink;
	void *arg;
	u32 header, room; /* bytes before its data, bytes for it */
	u8 *own;          /* memory of its own, if any */
	u8 *page;         /* the current sub-buffer */
	u32 used;         /* bytes of its data */
	u64 ts;           /* time of its last record, or of a loss without a record before it */
	u64 missed;       /* number of records lost before it */
	bool unknown;     /* and more; their number is unknown */
	bool empty;       /* it has no record */
	bool due;         /* and is written nevertheless */
};

/* Return: 0, -HIST_ENOMEM */
int ring_buffer_composer_init(struct ring_buffer_composer *c,
			      const struct ring_buffer_layout *layout, ring_buffer_page_fn sink,
			      void *arg);

/*
 * Composes into the caller's memory: ->page is set before the first record, and by the sink for the
 * next sub-buffer.
 */
void ring_buffer_composer_init_into(struct ring_buffer_composer *c,
				    const struct ring_buffer_layout *layout,
				    ring_buffer_page_fn sink, void *arg);
void ring_buffer_composer_release(struct ring_buffer_composer *c);

/**
 * ring_buffer_compose() - append a record
 * @rec: its ->ts, ->data, ->len; with ->type_len 0 it keeps its explicit length
 *
 * A record with a time before that of the previous one starts a new sub-buffer.
 *
 * Return: 0, -HIST_ELIMIT: longer than a sub-buffer; the result of the sink
 */
int ring_buffer_compose(struct ring_buffer_composer *c, const struct ring_buffer_record *rec);

/*
 * @n records were lost before time @ts; negative: an unknown number; zero: write a sub-buffer even
 * if no record follows.
 */
int ring_buffer_compose_missed(struct ring_buffer_composer *c, u64 ts, s64 n);

/* Pass on the last sub-buffer. */
int ring_buffer_compose_end(struct ring_buffer_composer *c);

#endif
