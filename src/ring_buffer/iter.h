/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Iterates over the records of one CPU across sub-buffers, which a callback supplies.
 *
 * Part of ring_buffer.h; do not include it directly.
 */
#pragma once

/* Returns the next sub-buffer of one CPU: 0, 1 after the last, < 0 an error. */
typedef int (*ring_buffer_read_page_fn)(void *source, const u8 **page, size_t *len);

struct ring_buffer_iter {
	struct ring_buffer_page page;
	ring_buffer_read_page_fn read_page;
	void *source;
	const u8 *keep; /* for each id, 0: skipped; 1, or see decode.h: selected; NULL: all are */
	u32 n_keep;
	struct ring_buffer_layout layout;
	u32 cpu;
	bool have_page;
	bool stored;        /* sub-buffers come from a file: zeros are a hole; set by the caller */
	bool skipped;       /* sub-buffers before the next one cannot be read; set by the source */
	u64 missed_unknown; /* number of losses of an unknown number of records */
	u64 missed;         /* number of records known to be lost so far */
	u64 n_gaps;         /* how often records were missing before a sub-buffer, for any reason */
	struct coverage *coverage; /* gets these gaps; set by the caller; NULL: not needed */
	bool late, drops;  /* records are missing before the first sub-buffer, or before each */
	bool losses_known; /* ->coverage has those that sub-buffers say */
	u64 damaged_pages; /* so far, excluding the current one */
	u64 n_pages;       /* that could be read */
	struct ring_buffer_times times; /* so far, excluding the current page; without ->ascend */
};

void ring_buffer_iter_init(struct ring_buffer_iter *it, const struct ring_buffer_layout *layout,
			   u32 cpu, ring_buffer_read_page_fn read_page, void *source);

/*
 * Open the next sub-buffer as it->page, before its first record: 0, 1 after the last one, < 0 is an
 * error of the source.
 */
int ring_buffer_iter_page(struct ring_buffer_iter *it);

/* Return the first record of the next non-empty sub-buffer. */
int ring_buffer_iter_turn(struct ring_buffer_iter *it, struct ring_buffer_record *rec);

static inline bool ring_buffer_iter_keeps(const struct ring_buffer_iter *it,
					  const struct ring_buffer_record *rec)
{
	return !it->keep || ring_buffer_keeps(it->keep, it->n_keep, it->layout.big_endian, rec);
}

/**
 * ring_buffer_iter_next() - return the next record of one CPU that it->keep selects
 * @rec: @rec->data is borrowed until the next call
 *
 * A damaged sub-buffer is counted; its records after the damage are skipped.
 *
 * Return: 0, 1 at the end, < 0: error of the source (the next call reads from the source again)
 */
static inline int ring_buffer_iter_next(struct ring_buffer_iter *it, struct ring_buffer_record *rec)
{
	while (likely(!ring_buffer_page_next(&it->page, rec)))
		if (ring_buffer_iter_keeps(it, rec))
			return 0;
	return ring_buffer_iter_turn(it, rec);
}

/**
 * ring_buffer_iter_fill() - return the next records of one CPU in one call
 * @recs: set to up to @max records of one sub-buffer, borrowed until the next call
 *
 * The same records as from ring_buffer_iter_next(). it->page is after the last of them; see
 * ring_buffer_page_after().
 *
 * Return: their number, 0 at the end, < 0: error of the source (the next call reads from the source
 *         again)
 */
int ring_buffer_iter_fill(struct ring_buffer_iter *it, struct ring_buffer_record *recs, int max);
