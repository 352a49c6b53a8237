// SPDX-License-Identifier: LGPL-2.1-only
/* event: arbitrary bytes as BTF, with a call of the function f and an enumerator. */
#include "fuzz.h"

#include "event/event.h"

static const char format[] =
	"name: function\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long args[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"%ps %d\", (void *)REC->ip, ONE\n";

static const char kallsyms[] = "ffffffff81000000 T _stext\nffffffff81000010 T f\n"
			       "ffffffff81001000 T _etext\n";

static int give_btf(void *arg, struct span *bytes)
{
	*bytes = *(const struct span *)arg;
	return 0;
}

static int give_kallsyms(void *arg, struct span *text)
{
	(void)arg;
	*text = span_of(kallsyms);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span btf = { (const char *)data, size };
	const struct event_sources sources = { .arg = &btf,
					       .kallsyms = give_kallsyms,
					       .btf = give_btf };
	const struct event_text event = { "ftrace", span_of("function"), span_of(format), 1 };
	const struct event_machine machine = { .long_size = 8 };
	const struct event_format *parsed;
	struct strbuf out = STRBUF_INIT;
	struct arena arena = ARENA_INIT;
	struct event_print *print;
	struct event_db *db;
	u8 rec[16 + 6 * 8] = { 0 };

	store_u64(rec + 8, 0xffffffff81000014, false);
	if (event_db_new(&db, &event, 1, machine, &sources))
		return 0;
	if (!event_db_find(db, "ftrace", "function", &parsed) &&
	    (print = event_print_parse(db, parsed, &arena)))
		event_print(print, rec, sizeof(rec), &out);
	strbuf_release(&out);
	arena_release(&arena);
	event_db_free(db);
	return 0;
}
