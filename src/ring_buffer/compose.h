/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sub-buffers made of records whose times are known: what a file is written of. The writing
 * side of the ring buffer itself, with its clock and contexts, is in buffer.h.
 *
 *	ring_buffer_composer_init(&c, &layout, sink, arg);
 *	for each record: ring_buffer_compose(&c, &record);
 *	ring_buffer_compose_end(&c);
 *	ring_buffer_composer_release(&c);
 */
#ifndef HIST_RING_BUFFER_COMPOSE_H
#define HIST_RING_BUFFER_COMPOSE_H

#include "ring_buffer/ring_buffer.h"

/* Takes a whole sub-buffer; anything but 0 stops and is returned. */
typedef int (*ring_buffer_page_fn)(void *arg, const u8 *page);

struct ring_buffer_composer {
	struct ring_buffer_layout layout;
	ring_buffer_page_fn sink;
	void *arg;
	u8 *page;     /* the one that is being filled */
	u32 used;     /* of its data */
	u64 ts;       /* of its last record; of a loss before which there is none */
	u64 missed;   /* records that were lost before it */
	bool unknown; /* and how many more is not known */
	bool empty;   /* it has no record */
	bool due;     /* and is written all the same */
};

/* Return: 0, -HIST_ENOMEM */
int ring_buffer_composer_init(struct ring_buffer_composer *c,
			      const struct ring_buffer_layout *layout, ring_buffer_page_fn sink,
			      void *arg);
void ring_buffer_composer_release(struct ring_buffer_composer *c);

/**
 * ring_buffer_compose() - append a record
 * @rec: its ->ts, ->data, ->len; with ->type_len 0 it keeps the form with a length of its own
 *
 * A record whose time is before that of the last one begins a sub-buffer.
 *
 * Return: 0, -HIST_ELIMIT: longer than a sub-buffer; what the sink returns
 */
int ring_buffer_compose(struct ring_buffer_composer *c, const struct ring_buffer_record *rec);

/*
 * @n records were lost before time @ts; below zero: some, nobody knows how many; zero: there
 * is to be a sub-buffer even if no record follows.
 */
int ring_buffer_compose_missed(struct ring_buffer_composer *c, u64 ts, s64 n);

/* Hand on what is left. */
int ring_buffer_compose_end(struct ring_buffer_composer *c);

#endif
