/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Composes sub-buffers from records with known times, for writing files. The writing side of the
 * ring buffer itself is in buffer.h.
 *
 *	ring_buffer_composer_init(&c, &layout, sink, arg);
 *	for each record: ring_buffer_compose(&c, &record);
 *	ring_buffer_compose_end(&c);
 *	ring_buffer_composer_release(&c);
 */
#pragma once
#include "ring_buffer/ring_buffer.h"

/* Receives a complete sub-buffer; any result but 0 stops and is returned. */
typedef int (*ring_buffer_page_fn)(void *arg, const u8 *page);

struct ring_buffer_composer {
	struct ring_buffer_layout layout;
	ring_buffer_page_fn sink;
	void *arg;
	u32 header, room; /* sizes of the header and of the space for data */
	u8 *own;          /* memory allocated by the composer, or NULL */
	u8 *page;         /* the current sub-buffer */
	u32 used;         /* bytes of data in it */
	u64 ts;           /* time of the last record in it, or of a loss before its first record */
	u64 missed;       /* number of records lost before this sub-buffer */
	bool unknown;     /* an unknown number of further records was lost */
	bool empty;       /* the sub-buffer has no record */
	bool due;         /* write it even if it has no record */
};

/* Return: 0, -HIST_ENOMEM */
int ring_buffer_composer_init(struct ring_buffer_composer *c,
			      const struct ring_buffer_layout *layout, ring_buffer_page_fn sink,
			      void *arg);

/*
 * Compose into the caller's memory: ->page is set before the first record, and by the sink for the
 * next sub-buffer.
 */
void ring_buffer_composer_init_into(struct ring_buffer_composer *c,
				    const struct ring_buffer_layout *layout,
				    ring_buffer_page_fn sink, void *arg);
void ring_buffer_composer_release(struct ring_buffer_composer *c);

/**
 * ring_buffer_compose() - append a record
 * @rec: only ->ts, ->data, ->len are used; with ->type_len 0 its explicit length is preserved
 *
 * A record with a time before that of the previous one starts a new sub-buffer.
 *
 * Return: 0, -HIST_ELIMIT: longer than a sub-buffer; the result of the sink
 */
int ring_buffer_compose(struct ring_buffer_composer *c, const struct ring_buffer_record *rec);

/*
 * Note that @n records were lost before time @ts; negative: an unknown number; zero: write a
 * sub-buffer even if no record follows.
 */
int ring_buffer_compose_missed(struct ring_buffer_composer *c, u64 ts, s64 n);

/* Pass on the last sub-buffer. */
int ring_buffer_compose_end(struct ring_buffer_composer *c);
