/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The times in the sub-buffers of one CPU. The kernel writes them in ascending order, but a clock
 * may be set back, and files may be made by any program; so nothing is concluded from a sample.
 */
#pragma once
#include "recording/recording.h"

/* Of some sub-buffers. ->first > ->last: no records */
struct page_block {
	u64 first, last;
};

struct page_times {
	u64 first, last;           /* of all records; ->first > ->last: none */
	u64 n_pages;               /* sub-buffers */
	u64 size;                  /* sub-buffers of a block */
	struct page_block *blocks; /* NULL: the times of the records ascend */
	bool damaged;              /* chunks could not be inflated */
};

/**
 * page_times_find() - find the times of a CPU
 * @pages:   any cursor on the CPU; its position changes
 * @ascend:  whether the program that wrote the file has checked that the times ascend
 * @decoded: bytes of sub-buffers that are always decoded
 *
 * Small data is decoded, and compressed data of which nothing is known. Of other data all headers
 * are read: no record is later than the start of the next sub-buffer, unless that is before the
 * start of its own. Sub-buffers that cannot be read extend from the one before to the one after.
 *
 * Owns:   free @times->blocks
 * Return: 0, -HIST_ENOMEM
 */
int page_times_find(struct trace_dat_pages *pages, const struct ring_buffer_layout *layout,
		    bool ascend, u64 decoded, struct page_times *times);

/*
 * The first record, and the start of the last sub-buffer: only headers are read. A record that is
 * earlier than the start of its sub-buffer is not found.
 */
void page_times_start(struct trace_dat_pages *pages, const struct ring_buffer_layout *layout,
		      struct page_times *times);

/* The sub-buffers that can have records from @from to @to, both inclusive. */
struct page_span page_times_select(const struct page_times *times, struct trace_dat_pages *pages,
				   const struct ring_buffer_layout *layout, u64 from, u64 to);

void recording_times_free(struct recording *rec);
