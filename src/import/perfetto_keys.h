/* SPDX-License-Identifier: LGPL-2.1-only */
/* What numbers stand for in a sequence of packets: types of events, symbols. */
#pragma once
#include "base/base.h"

struct perfetto_key {
	u64 sequence, number;
	u32 item; /* an index of the caller; or */
	struct span text;
};

struct perfetto_keys {
	INDEXED(struct perfetto_key) list;
};

/* What that number is, until the next one is added; NULL: it is not known. */
const struct perfetto_key *perfetto_keys_find(const struct perfetto_keys *keys, u64 sequence,
					      u64 number);

/* Context: there is none yet. Return: 0, -HIST_ENOMEM */
int perfetto_keys_add(struct perfetto_keys *keys, const struct perfetto_key *key);

void perfetto_keys_release(struct perfetto_keys *keys);
