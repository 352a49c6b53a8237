// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Lines as messages of the Model Context Protocol, to a server with a recording. Each answer is one
 * line of JSON, and no longer than what was asked for; a notification has none.
 */
#include "fuzz.h"

#include <string.h>

#include "cmd/mcp_tools.h"
#include "json/json.h"

enum { MAX_ANSWER = 1 << 20 };

static void check(struct span answer)
{
	struct json_in in = json_in_of(answer);
	struct span name;
	bool has_id = false, has_result = false;

	MUST(answer.n < MAX_ANSWER && answer.s[answer.n - 1] == '\n');
	MUST(memchr(answer.s, '\n', answer.n) == answer.s + answer.n - 1);
	MUST(json_in_open(&in, '{'));
	while (json_in_member(&in, &name)) {
		has_id |= span_eq(name, "id");
		has_result |= span_eq(name, "result") || span_eq(name, "error");
		json_in_skip(&in);
	}
	MUST(!in.problem && json_in_at_end(&in) && has_id && has_result);
	json_in_release(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const recordings[] = { "trace.dat-samples/wakeup.dat",
						  "trace.dat-samples/switch.dat" };
	struct mcp_session session = { .recordings = recordings, .n_recordings = 2 };
	const struct mcp mcp = mcp_tools(&session);
	struct span rest = { (const char *)data, size };
	struct strbuf answer = STRBUF_INIT;

	while (rest.n) {
		strbuf_reset(&answer);
		MUST(!mcp_answer(&mcp, span_sep(&rest, "\n"), &answer));
		if (answer.len)
			check(strbuf_span(&answer));
	}
	strbuf_release(&answer);
	return 0;
}
