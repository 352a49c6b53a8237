// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary bytes as the text of an event and its format: FORMAT, a line with a NUL, TEXT. The
 * parsed record must print as the same text, within the time limit of a line.
 */
#include "fuzz.h"

#include "event/event.h"

static void scan(struct event_db *db, const struct event_format *fmt, struct span text)
{
	struct arena arena = ARENA_INIT;
	struct event_scan *s = event_scan_new(db, fmt, NULL, &arena);
	struct event_print *print = event_print_parse(db, fmt, &arena);
	struct event_scanned_record rec;
	struct strbuf out = STRBUF_INIT;

	if (s && event_scan(s, text, &rec)) {
		MUST(rec.fixed <= rec.len);
		event_print(print, rec.bytes, rec.len, &out);
	}
	strbuf_release(&out);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_machine machine = { .long_size = 8 };
	const uint8_t *end = memchr(data, 0, size);
	size_t n = end ? (size_t)(end - data) : size;
	struct event_text text = { "system", { "fuzz", 4 }, { (const char *)data, n }, 300 };
	const struct event_format *fmt;
	struct event_db *db;

	if (event_db_new(&db, &text, 1, machine, NULL))
		return 0;
	if (end && !event_db_find_id(db, 300, &fmt))
		scan(db, fmt, (struct span){ (const char *)end + 1, size - n - 1 });
	event_db_free(db);
	return 0;
}
