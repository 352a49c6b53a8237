// SPDX-License-Identifier: LGPL-2.1-only
/*
 * event: arbitrary text as a format file. The first byte selects the system and the machine. What
 * is accepted must be safe for libtraceevent after event_format_shape(), and have the same fields.
 */
#include "fuzz.h"

#include <stdlib.h>

#include <traceevent/event-parse.h>

#include "event/event.h"

static void compare(const struct event_format *fmt, const struct tep_event *ev)
{
	const struct tep_format_field *tf = ev->format.common_fields;

	MUST((size_t)ev->format.nr_common == fmt->n_common);
	MUST((size_t)(ev->format.nr_common + ev->format.nr_fields) == fmt->n_fields);
	for (size_t i = 0; i < fmt->n_fields; i++, tf = tf->next) {
		const struct event_field *f = &fmt->fields[i];

		tf = i == fmt->n_common ? ev->format.fields : tf;
		MUST(!strcmp(f->name, tf->name));
		MUST(f->offset == (u32)tf->offset && f->size == (u32)tf->size);
		MUST(f->is_signed == !!(tf->flags & TEP_FIELD_IS_SIGNED));
	}
}

static void use_library(const struct event_format *fmt)
{
	struct strbuf text = STRBUF_INIT;
	struct tep_handle *tep = tep_alloc();

	MUST(tep);
	tep_set_loglevel(TEP_LOG_NONE);
	if (!event_format_shape(fmt, &text)) {
		MUST(!tep_parse_event(tep, text.s, text.len, fmt->system));
		compare(fmt, tep_get_first_event(tep));
	}
	tep_free(tep);
	strbuf_release(&text);
}

static void use(const struct event_format *fmt)
{
	for (size_t i = 0; i < fmt->n_fields; i++)
		MUST(event_find_field(fmt, span_of(fmt->fields[i].name), GENERICS_6_3) &&
		     fmt->fields[i].offset <= fmt->min_size);
	use_library(fmt);
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
