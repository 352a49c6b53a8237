// SPDX-License-Identifier: LGPL-2.1-only
/* Numbers that are names, not quantities; memory for rows. */
#include <stdlib.h>

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

int row_space_init(struct row_space *space, const struct result *r)
{
	space->cells = calloc(r->n_columns + 1, sizeof(*space->cells));
	space->sketches = calloc(r->n_row_stats + 1, sizeof(*space->sketches));
	return space->cells && space->sketches ? 0 : HIST_NOMEM;
}

void row_space_release(struct row_space *space)
{
	free(space->cells);
	free(space->sketches);
	*space = (struct row_space){ .cells = NULL };
}
