// SPDX-License-Identifier: LGPL-2.1-only
#include "import/perfetto_keys.h"

static u32 hash_key(u64 sequence, u64 number)
{
	return hash_number(sequence * 1000003 + number);
}

const struct perfetto_key *perfetto_keys_find(const struct perfetto_keys *keys, u64 sequence,
					      u64 number)
{
	return indexed_find(&keys->list, hash_key(sequence, number), e,
			    e->sequence == sequence && e->number == number);
}

int perfetto_keys_add(struct perfetto_keys *keys, const struct perfetto_key *key)
{
	return indexed_add(&keys->list, hash_key(key->sequence, key->number), *key) ? 0
										    : HIST_NOMEM;
}

void perfetto_keys_release(struct perfetto_keys *keys)
{
	indexed_release(&keys->list);
}
