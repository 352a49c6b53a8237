// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary bytes as a sub-buffer, as each kind of kernel would have written it: the inlined path,
 * the general path and raw entries must be consistent, and stay within the sub-buffer.
 */
#include "fuzz.h"

#include "ring_buffer/ring_buffer.h"

static void check_record(const struct ring_buffer_page *pg, const struct ring_buffer_record *rec)
{
	MUST(rec->data > pg->base && rec->data + rec->len <= pg->end);
	MUST(pg->base + rec->offset < rec->data);
}

static void compare(const struct ring_buffer_layout *layout, const u8 *data, size_t size)
{
	struct ring_buffer_page fast, plain, raw;
	struct ring_buffer_record a, b, c;
	int err = ring_buffer_page_open(&fast, layout, data, size), end;

	MUST(ring_buffer_page_open(&plain, layout, data, size) == err);
	MUST(ring_buffer_page_open(&raw, layout, data, size) == err);
	MUST(fast.end <= data + size);
	do {
		end = ring_buffer_page_next(&fast, &a);
		MUST(ring_buffer_page_next_any(&plain, &b) == end);
		while (!ring_buffer_page_raw(&raw, &c) &&
		       c.type_len > RINGBUF_TYPE_DATA_TYPE_LEN_MAX)
			check_record(&raw, &c);
		if (end)
			break;
		check_record(&fast, &a);
		MUST(a.ts == b.ts && a.data == b.data && a.len == b.len);
		MUST(a.offset == b.offset && a.delta == b.delta && a.type_len == b.type_len);
		MUST(a.ts == c.ts && a.data == c.data && a.len == c.len);
	} while (!end);
	MUST(fast.damaged == plain.damaged && fast.damaged == raw.damaged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const u32 subbufs[] = { 64, 4096, 65536 };

	for (int i = 0; i < 4; i++)
		for (size_t k = 0; k < ARRAY_SIZE(subbufs); k++) {
			struct ring_buffer_layout layout = { i & 1, i & 2 ? 4 : 8, subbufs[k] };

			compare(&layout, data, size < subbufs[k] ? size : subbufs[k]);
		}
	return 0;
}
