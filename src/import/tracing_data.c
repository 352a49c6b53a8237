// SPDX-License-Identifier: LGPL-2.1-only
/*
 * perf's tracing data: the metadata of a trace.dat of version 0.5 or 0.6. Numbers are in the byte
 * order of the machine. Contents: header_page, header_event, formats of the ftrace system, formats
 * of other systems, kallsyms, printk formats, and since 0.6 the saved command lines.
 */
#include "import/perf.h"

/* Read text that is preceded by its size in 8 or 4 bytes. */
static struct span sized(struct bytes *b, bool wide)
{
	u64 n = wide ? bytes_u64(b) : bytes_u32(b);
	const char *s = (const char *)bytes_take(b, n);

	return (struct span){ s, s ? n : 0 };
}

static struct span named(struct bytes *b, const char *name)
{
	const char *s = bytes_str(b);

	if (!s || strcmp(s, name) != 0)
		b->bad = true;
	return b->bad ? (struct span){ NULL, 0 } : sized(b, true);
}

static int formats_of(struct import_sink *s, const char *system, u32 n, struct bytes *b)
{
	int err = 0;

	for (u32 i = 0; i < n && !b->bad && !err; i++) {
		struct span text = sized(b, true);

		if (text.s)
			err = import_sink_format(s, system, text);
	}
	return err;
}

int tracing_data_read(struct import_sink *s, struct span data, struct import_machine *machine)
{
	struct bytes b = bytes_of(data.s, data.n, false);
	const u8 *magic = bytes_take(&b, 10);
	const char *version = bytes_str(&b);
	struct span text;
	u8 long_size;
	u32 n;
	int err;

	if (!magic || memcmp(magic, "\x17\x08\x44tracing", 10) != 0 || !version)
		return -HIST_EFORMAT;
	b.big = machine->big_endian = bytes_u8(&b) == 1;
	long_size = bytes_u8(&b);
	bytes_u32(&b); /* page size */
	if (b.bad || (long_size != 4 && long_size != 8))
		return -HIST_EFORMAT;
	machine->long_size = long_size;
	named(&b, "header_page"); /* describes the ring buffer; perf's samples were never in it */
	machine->header_event = named(&b, "header_event");
	err = formats_of(s, "ftrace", bytes_u32(&b), &b);
	n = bytes_u32(&b);
	for (u32 i = 0; i < n && !b.bad && !err; i++) {
		const char *system = bytes_str(&b);

		err = formats_of(s, system ? system : "", bytes_u32(&b), &b);
	}
	if (err)
		return err;
	text = sized(&b, false);
	if (text.n)
		err = import_sink_text(s, TRACE_DAT_KALLSYMS, text);
	text = sized(&b, false);
	if (text.n && !err)
		err = import_sink_text(s, TRACE_DAT_PRINTK, text);
	if (!b.bad && !err && strcmp(version, "0.6") >= 0) {
		text = sized(&b, true);
		err = import_sink_cmdlines(s, text);
	}
	return err ?: b.bad ? -HIST_EFORMAT : 0;
}
