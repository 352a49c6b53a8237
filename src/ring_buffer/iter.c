// SPDX-License-Identifier: LGPL-2.1-only
/* The records of one CPU: sub-buffer after sub-buffer, with an account of what was lost. */
#include "ring_buffer/ring_buffer.h"

void ring_buffer_iter_init(struct ring_buffer_iter *it, const struct ring_buffer_layout *layout,
			   u32 cpu, ring_buffer_read_page_fn read_page, void *source)
{
	*it = (struct ring_buffer_iter){
		.layout = *layout,
		.read_page = read_page,
		.source = source,
		.cpu = cpu,
	};
}

/* Open the next sub-buffer: 0, 1 after the last, < 0 from the source. */
static int next_page(struct ring_buffer_iter *it)
{
	const u8 *bytes;
	size_t len;
	int err;

	if (it->have_page && it->page.damaged)
		it->damaged_pages++;
	it->have_page = false;
	it->page = (struct ring_buffer_page){ .p = NULL };
	err = it->read_page(it->source, &bytes, &len);
	if (err)
		return err;
	it->pages++;
	it->have_page = true;
	if (ring_buffer_page_open(&it->page, &it->layout, bytes, len))
		it->page.damaged = true;
	if (it->page.missed > 0)
		it->missed += (u64)it->page.missed;
	else if (it->page.missed < 0)
		it->missed_unknown = true;
	return 0;
}

int ring_buffer_iter_fill(struct ring_buffer_iter *it, struct ring_buffer_record *recs, int max)
{
	int n = 0, err = 0;

	while (!err) {
		while (n < max && !ring_buffer_page_next(&it->page, &recs[n]))
			n += ring_buffer_iter_keeps(it, &recs[n]);
		if (n)
			return n;
		err = next_page(it);
	}
	return err < 0 ? err : 0;
}

int ring_buffer_iter_turn(struct ring_buffer_iter *it, struct ring_buffer_record *rec)
{
	int err;

	/* a sub-buffer without a record to keep is no end */
	for (;;) {
		err = next_page(it);
		if (err)
			return err;
		while (!ring_buffer_page_next(&it->page, rec))
			if (ring_buffer_iter_keeps(it, rec))
				return 0;
	}
}
