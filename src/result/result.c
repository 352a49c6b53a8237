// SPDX-License-Identifier: LGPL-2.1-only
/* Numbers that are names, not quantities. */
#include "result/result.h"

bool result_is_id(const char *name)
{
	static const char *const ids[] = { "pid", "tgid", "cpu" };
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		size_t n = strlen(ids[i]);

		if (len >= n && !strcmp(name + len - n, ids[i]))
			return true;
	}
	return false;
}
