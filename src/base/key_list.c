// SPDX-License-Identifier: LGPL-2.1-only
#include "base/key_list.h"

struct span key_list_next(struct span *list)
{
	const char *s = list->s;
	struct span key = *list;
	int depth = 0;

	for (size_t i = 0; i < list->n; i++) {
		depth += (s[i] == '(') - (s[i] == ')');
		if (s[i] != ',' || depth > 0)
			continue;
		key.n = i;
		*list = span_skip(*list, i + 1);
		return span_trim(key);
	}
	*list = (struct span){ NULL, 0 };
	return span_trim(key);
}

bool key_list_has_event(struct span keys)
{
	struct span list = span_sep(&keys, ":");

	while (list.s)
		if (span_eq(key_list_next(&list), "event"))
			return true;
	return false;
}

bool key_list_groups(struct span keys, struct span sums)
{
	const struct span first = span_sep(&sums, ",");
	struct span list = span_sep(&keys, ":");

	while (list.s) {
		struct span key = key_list_next(&list);

		if (span_same(span_sep(&key, "."), first))
			return true;
	}
	return false;
}
