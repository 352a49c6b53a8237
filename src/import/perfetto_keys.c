// SPDX-License-Identifier: LGPL-2.1-only
#include "import/perfetto_keys.h"

static u32 hash_key(u64 sequence, u64 number)
{
	return hash_number(sequence * 1000003 + number);
}

const u32 *perfetto_keys_find(const struct perfetto_keys *keys, u64 sequence, u64 number)
{
	hash_each(i, &keys->by_key, hash_key(sequence, number)) {
		const struct perfetto_key *k = &keys->list.v[i];

		if (k->sequence == sequence && k->number == number)
			return &k->item;
	}
	return NULL;
}

int perfetto_keys_add(struct perfetto_keys *keys, const struct perfetto_key *key)
{
	return array_push(&keys->list, *key)
		       ? HIST_NOMEM
		       : hash_add(&keys->by_key, hash_key(key->sequence, key->number),
				  keys->list.n - 1);
}

void perfetto_keys_release(struct perfetto_keys *keys)
{
	array_release(&keys->list);
	hash_release(&keys->by_key);
}
