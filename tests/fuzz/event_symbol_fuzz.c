// SPDX-License-Identifier: LGPL-2.1-only
/* event: arbitrary text as kallsyms, saved comms and printk formats. */
#include "fuzz.h"

#include <stdlib.h>

#include "event/event.h"

static int give(void *arg, struct span *text)
{
	*text = *(const struct span *)arg;
	return 0;
}

static void check_symbol(struct event_db *db, u64 addr)
{
	struct strbuf out = STRBUF_INIT;
	struct event_symbol sym, again;

	if (event_symbol_at(db, addr, &sym)) {
		if (addr < sym.addr || addr - sym.addr >= sym.size)
			abort();
		event_symbol_find(db, sym.name, &again);
	}
	event_print_symbol(db, addr, true, &out);
	event_print_symbol(db, addr, false, &out);
	strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = { (const char *)data, size };
	struct event_sources sources = {
		.arg = &text,
		.kallsyms = give,
		.printk = give,
		.cmdlines = give,
	};
	struct event_machine machine = { .long_size = 8 };
	struct event_db *db;

	if (event_db_new(&db, NULL, 0, machine, &sources))
		return 0;
	/* look up the addresses and names in the text, and adjacent ones */
	for (struct span rest = text; rest.n;) {
		struct span line = span_sep(&rest, "\n");
		char number[24] = "";
		u64 v;

		memcpy(number, line.s, min_t(size_t, line.n, sizeof(number) - 1));
		v = strtoull(number, NULL, 16);

		check_symbol(db, v);
		check_symbol(db, v + 1);
		check_symbol(db, v - 1);
		event_printk(db, v);
		event_saved_comm(db, (s32)v);
	}
	event_db_free(db);
	return 0;
}
