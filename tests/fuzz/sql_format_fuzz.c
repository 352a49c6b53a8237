// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A statement on events with arbitrary formats: STATEMENT, NUL, FORMAT, NUL, FORMAT... An event has
 * the name that its format gives it. The properties are those of the target sql.
 */
#include "fuzz.h"

#include <string.h>

#include "tracing_dir.h"
#include "sql_events.h"

/* As in a recording, the name is that of a file. */
static bool take_format(struct span text, struct arena *arena, struct sql_event *ev)
{
	static const char *const systems[] = { "sched", "a-b", "9p", "x y" };
	struct span rest = text, name = span_sep(&rest, "\n");

	if (!span_starts(name, "name:"))
		return false;
	name = span_trim(span_skip(name, strlen("name:")));
	*ev = (struct sql_event){ systems[text.n % ARRAY_SIZE(systems)],
				  arena_strndup(arena, name.s, name.n), text };
	return span_is_file_name(name);
}

static void check(const struct sql_result *result)
{
	/* a histogram is a table, and nothing is written for it */
	MUST(result->n <= SQL_MAX_WRITES && !result->n == !result->fields);
	MUST(result->fields || (result->keys && !strchr(result->keys, '\n')));
	MUST(result->path && !strncmp(result->path, "events/", 7));
	for (size_t i = 0; i < result->n; i++) {
		MUST(result->writes[i].path && result->writes[i].text);
		MUST(!strchr(result->writes[i].path, '\n'));
		MUST(!strchr(result->writes[i].text, '\n'));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sql_events events = { .n = 0 };
	struct sql_request request = { .name = "lat",
				       .find = sql_events_find,
				       .find_arg = &events };
	struct span rest = { (const char *)data, size }, part;
	struct arena arena = ARENA_INIT;
	struct diags diags = DIAGS_INIT;
	struct sql_result result;
	int err;

	while (rest.n) {
		const char *end = span_chr(rest, '\0');

		part = (struct span){ arena_strndup(&arena, rest.s, strnlen(rest.s, rest.n)),
				      end ? (size_t)(end - rest.s) : rest.n };
		MUST(part.s);
		rest = end ? span_skip(rest, part.n + 1) : (struct span){ NULL, 0 };
		if (!request.query)
			request.query = part.s;
		else if (events.n < ARRAY_SIZE(events.v) &&
			 take_format(part, &arena, &events.v[events.n]))
			events.n++;
	}
	if (request.query && request.query[0]) {
		err = sql_translate(&request, &arena, &result, &diags);
		MUST(!err == !diags_has_error(&diags, 0));
		if (!err)
			check(&result);
	}
	diags_release(&diags);
	arena_release(&arena);
	return 0;
}
