// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary bytes as the blocks of a manifest or journal: blocks are within the text, and are the
 * same after being written and read again.
 */
#include "fuzz.h"

#include <string.h>

#include "record/blocks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct span all = { (const char *)data, size };
	struct span rest = all;
	struct strbuf copy = STRBUF_INIT;
	struct manifest_block block, again;
	char key[256];

	while (block_next(&rest, &block)) {
		struct span back;

		MUST(block.key.s >= all.s && block.data.s + block.data.n <= all.s + all.n);
		if (block.key.n >= sizeof(key) || memchr(block.key.s, 0, block.key.n))
			continue;
		memcpy(key, block.key.s, block.key.n);
		key[block.key.n] = 0;
		MUST(block_find(all, key).s);
		block_number(all, key, 1);
		block_arg(&block, "format");
		strbuf_reset(&copy);
		block_add(&copy, block.data, "%s", key);
		back = (struct span){ copy.s, copy.len };
		MUST(block_next(&back, &again) && again.key.n == block.key.n &&
		     again.data.n == block.data.n && !back.n);
		MUST(!memcmp(again.data.s, block.data.s, block.data.n));
	}
	strbuf_release(&copy);
	return 0;
}
