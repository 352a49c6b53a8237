/* SPDX-License-Identifier: LGPL-2.1-only */
/* Some events that statements of tests can name. */
#ifndef TESTS_SQL_EVENTS_H
#define TESTS_SQL_EVENTS_H

#include "sql/sql.h"

struct sql_events {
	struct sql_event v[4];
	size_t n;
};

/* A sql_find_fn. */
static inline int sql_events_find(void *arg, const char *name, struct sql_event *ev,
				  struct diags *diags)
{
	const struct sql_events *events = arg;
	const char *colon = strchr(name, ':');

	for (size_t i = 0; i < events->n; i++) {
		const struct sql_event *known = &events->v[i];

		if (strcmp(colon ? colon + 1 : name, known->name) != 0 ||
		    (colon && !span_eq(span_between(name, colon), known->system)))
			continue;
		*ev = *known;
		return 0;
	}
	return diags_error(diags, -HIST_ENOENT, "no event %s", name);
}

#endif
