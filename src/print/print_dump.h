/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The ring buffer itself as text or json: sub-buffers, the entries in them, what the audit
 * found, totals. Part of print.h; do not include it alone.
 *
 * Everything is borrowed for the call.
 */
#ifndef HIST_PRINT_PRINT_DUMP_H
#define HIST_PRINT_PRINT_DUMP_H

#include "base/base.h"
#include "ring_buffer/audit.h"
#include "ring_buffer/ring_buffer.h"

struct dump_subbuf {
	u32 cpu;
	u64 index;  /* on that CPU, from 0 */
	u64 offset; /* in the file, of it or of the compressed chunk that holds it */
	bool compressed;
	u32 size, capacity; /* bytes of entries, and of room for them */
	u64 ts;
	s64 missed; /* as in struct ring_buffer_page */
	bool clock_counts;
};

struct dump_entry {
	const struct ring_buffer_record *rec;
	u64 before; /* time of the record before on this CPU */
	bool has_before;
	bool big_endian, clock_counts;
	u32 cpu;
	/* of a data record */
	const char *system; /* NULL: of no known event */
	struct span name;
	s32 pid;
	const char *comm; /* NULL: unknown */
	u8 flags, preempt;
	struct span text; /* absent: not asked for, or not to be had */
};

/* A finding and where it is. */
struct dump_finding {
	const struct ring_buffer_finding *finding;
	u32 cpu;
	bool clock_counts;
};

/* Why the rest of a sub-buffer, or whole ones, are not there. */
struct dump_gap {
	u32 cpu;
	u64 offset; /* in the file */
	const char *why;
};

struct dump_totals {
	u32 cpu;
	u64 subbufs, empty, damaged;
	u64 bytes, capacity; /* of entries and room for them, of all sub-buffers */
	u64 records, extends, stamps, discarded, zero;
	u64 missed;
	bool missed_unknown;         /* and more, nobody knows how many */
	u64 dropped, commit_overrun; /* lost, too, as the kernel's statistics say */
	u64 first, last;             /* the earliest and latest time, if there are records */
	u64 file_missing;            /* bytes that the file announces and does not hold */
	bool clock_counts;
};

/* One way to show all that. */
struct dump_format {
	const char *name;
	void (*file)(struct strbuf *out, const char *path, bool first);
	void (*subbuf)(struct strbuf *out, const struct dump_subbuf *s);
	void (*entry)(struct strbuf *out, const struct dump_entry *e);
	void (*gap)(struct strbuf *out, const struct dump_gap *g);
	void (*finding)(struct strbuf *out, const struct dump_finding *f);
	void (*totals)(struct strbuf *out, const struct dump_totals *t);
	/* the end of an audit: how many findings of each kind */
	void (*verdict)(struct strbuf *out, const u64 counts[RING_BUFFER_FINDINGS]);
};

extern const struct dump_format dump_text, dump_json;

/* "record", "padding", "discarded", "extend", "stamp". */
const char *dump_entry_type(const struct ring_buffer_record *rec);

/* What the kernel calls the latency columns: irqs off, need resched, context, depth. */
enum { DUMP_FLAGS_SIZE = 6 };
void dump_flags(char flags[DUMP_FLAGS_SIZE], const struct dump_entry *e);

#endif
