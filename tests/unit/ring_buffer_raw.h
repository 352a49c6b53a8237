/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reading back what writers of the ring buffer wrote. */
#ifndef TESTS_RING_BUFFER_RAW_H
#define TESTS_RING_BUFFER_RAW_H

#include "unit.h"

#include "ring_buffer/ring_buffer.h"

/* The next record, with times as in the kernel's own check: padding of delta 1 means 0. */
static bool next_record(struct ring_buffer_page *pg, struct ring_buffer_record *rec)
{
	u32 late;

	while (late = pg->late, !ring_buffer_page_raw(pg, rec)) {
		if (rec->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX)
			return true;
		if (rec->type_len == RINGBUF_TYPE_PADDING && rec->delta == 1 && pg->late == late)
			pg->ts--;
	}
	assert_false(pg->damaged);
	return false;
}

#endif
