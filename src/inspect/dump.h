/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The ring buffer itself as text, json or rows: sub-buffers, their entries, the findings of the
 * audit, totals.
 *
 * Everything is borrowed during the call.
 */
#pragma once
#include "hist-dump.h"
#include "inspect/audit.h"
#include "print/print.h"
#include "table/table.h"

struct dump_subbuf {
	u32 cpu;
	u64 index;  /* index on its CPU, from 0 */
	u64 offset; /* offset in the file, of it or of the compressed chunk that contains it */
	bool compressed;
	u32 size, capacity; /* bytes of entries, and their maximum */
	u64 ts;
	s64 missed; /* as in struct ring_buffer_page */
	bool clock_counts;
};

struct dump_entry {
	const struct ring_buffer_record *rec;
	u64 before; /* time of the previous record of this CPU */
	bool has_before;
	bool big_endian, clock_counts;
	u32 cpu;
	/* of a data record */
	const char *system; /* NULL: unknown event */
	struct span name;
	s32 pid;
	const char *comm; /* NULL: unknown */
	u8 flags, preempt;
	struct span text; /* absent: not requested, or not available */
};

/* A finding and its place. */
struct dump_finding {
	const struct ring_buffer_finding *finding;
	u32 cpu;
	bool clock_counts;
};

/* Why the rest of a sub-buffer, or whole ones, are missing. */
struct dump_gap {
	u32 cpu;
	u64 offset; /* offset in the file */
	const char *why;
};

struct dump_totals {
	u32 cpu;
	u64 subbufs, empty, damaged;
	u64 bytes, capacity; /* bytes of entries and their maximum, of all sub-buffers */
	u64 records, extends, stamps, discarded, zero;
	u64 missed;
	bool missed_unknown;         /* and more; their number is unknown */
	u64 dropped, commit_overrun; /* also lost, from the kernel's statistics */
	u64 first, last;             /* the earliest and latest time, if there are records */
	u64 file_missing;            /* bytes announced but missing in the file */
	bool clock_counts;
};

enum { DUMP_COLUMNS_MAX = 19 };

/* A dump that is being written. The members up to ->rows are set by the caller. */
struct dump_out {
	const struct dump_format *format;
	struct strbuf *text;
	bool audit, totals;     /* as in struct hist_dump_options: which table rows are of */
	struct row_writer rows; /* of dump_rows */

	const char *const *table; /* names of its columns */
	struct row_column columns[DUMP_COLUMNS_MAX];
	/* the object that is being written */
	struct row_cell cells[DUMP_COLUMNS_MAX];
	size_t next; /* the column after the last cell */
	struct json json;
	char flags[CONTEXT_SIZE];
	struct span path;
	u64 index; /* of the sub-buffer */
};

/* A format of a dump. */
struct dump_format {
	void (*file)(struct dump_out *out, const char *path, bool first);
	void (*subbuf)(struct dump_out *out, const struct dump_subbuf *s);
	void (*entry)(struct dump_out *out, const struct dump_entry *e);
	void (*gap)(struct dump_out *out, const struct dump_gap *g);
	void (*finding)(struct dump_out *out, const struct dump_finding *f);
	void (*totals)(struct dump_out *out, const struct dump_totals *t);
	/* the end of an audit: the number of findings of each kind */
	void (*verdict)(struct dump_out *out, const u64 counts[RING_BUFFER_FINDINGS]);
};

extern const struct dump_format dump_text, dump_json, dump_rows;

/* Begin the table of ->rows. @several: rows name the file of each entry */
void dump_rows_begin(struct dump_out *out, bool several);

/* "record", "padding", "discarded", "extend", "stamp". */
const char *dump_entry_type(const struct ring_buffer_record *rec);
