// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary bytes as an SQL statement on three events. Its translation names files of the tracing
 * directory and has no line breaks; a rejected statement has a diagnosis. The length selects the
 * action.
 */
#include "fuzz.h"

#include <string.h>

#include "tracing_dir.h"
#include "sql_events.h"

static void check(const struct sql_result *result)
{
	/* a histogram is a table, and nothing is written for it */
	MUST(result->n <= SQL_MAX_WRITES && !result->n == !result->fields);
	MUST(result->fields || result->keys);
	MUST(result->path && !strncmp(result->path, "events/", 7));
	for (size_t i = 0; i < result->n; i++) {
		MUST(result->writes[i].path && result->writes[i].text);
		MUST(!strchr(result->writes[i].path, '\n'));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const actions[] = { NULL, "max:lat", "change:lat" };
	static const char *const what[] = { NULL, "trace", "snapshot", "save:lat+pid" };
	struct sql_events events = { .n = 3,
				     .v = { { "sched", "sched_waking", span_of(format_waking) },
					    { "sched", "sched_switch", span_of(format_switch) },
					    { "test", "all", span_of(format_all) } } };
	struct sql_request request = { .name = "lat",
				       .on = actions[size % ARRAY_SIZE(actions)],
				       .what = what[size / 3 % ARRAY_SIZE(what)],
				       .find = sql_events_find,
				       .find_arg = &events };
	struct arena arena = ARENA_INIT;
	struct diags diags = DIAGS_INIT;
	struct sql_result result;
	int err;

	if (!size || memchr(data, 0, size))
		return 0;
	request.query = arena_strndup(&arena, (const char *)data, size);
	MUST(request.query);
	err = sql_translate(&request, &arena, &result, &diags);
	MUST(!err == !diags_has_error(&diags, 0));
	if (!err)
		check(&result);
	diags_release(&diags);
	arena_release(&arena);
	return 0;
}
