// SPDX-License-Identifier: LGPL-2.1-only
/* event: arbitrary text as a format file. The first byte selects the system and the machine. */
#include "fuzz.h"

#include <stdlib.h>

#include "event/event.h"

static void use(const struct event_format *fmt)
{
	for (size_t i = 0; i < fmt->n_fields; i++)
		if (!event_find_field(fmt, span_of(fmt->fields[i].name), GENERICS_6_3) ||
		    fmt->fields[i].offset > fmt->min_size)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const systems[] = { "sched", "ftrace", "synthetic", "user_events" };
	struct event_machine machine = { .long_size = 8 };
	const struct event_format *fmt;
	struct event_text text;
	struct event_db *db;

	if (!size)
		return 0;
	text = (struct event_text){
		.system = systems[data[0] & 3],
		.name = span_of("event"),
		.text = { (const char *)data + 1, size - 1 },
	};
	machine.big_endian = data[0] & 4;
	machine.long_size = data[0] & 8 ? 4 : 8;
	if (event_db_new(&db, &text, 1, machine, NULL))
		return 0;
	if (!event_db_find(db, text.system, "event", &fmt))
		use(fmt);
	event_db_add(db, text.system, text.text.s, text.text.n);
	event_db_free(db);
	return 0;
}
