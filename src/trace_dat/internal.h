/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the files of trace_dat share: an opened recording and how its index is built. */
#ifndef HIST_TRACE_DAT_INTERNAL_H
#define HIST_TRACE_DAT_INTERNAL_H

#include "trace_dat/codec.h"
#include "trace_dat/guard.h"
#include "trace_dat/trace_dat.h"

/*
 * Limits that no kernel comes near, so that a damaged number is not taken for a size:
 * CONFIG_NR_CPUS ends at 8192, sub-buffers at 128 pages of 64 KiB.
 */
enum {
	MAX_CPUS = 65536,
	MIN_SUBBUF = 64,
	MAX_SUBBUF = 16 << 20,
	MAX_OPTION_SECTIONS = 4096,
	MAX_BUFFERS = 4096,
};

enum { META_FIRST = TRACE_DAT_HEADER_INFO, META_LAST = TRACE_DAT_CMDLINES };

/* A block of metadata; v6 and v7 differ only in how it is found. */
struct trace_dat_meta {
	bool found, compressed;
	u64 pos, size; /* of its bytes in the file */
	u8 *inflated;  /* owned; NULL until asked for */
	size_t len;    /* of inflated */
	bool damaged;  /* which was reported */
};

/* A v7 section header and what follows it. */
struct trace_dat_section_header {
	u16 id;
	bool compressed;
	u64 body; /* offset of what follows */
	u64 size; /* of that, as announced */
	u64 has;  /* of that, as far as the file goes */
};

enum { SECTION_HEADER_SIZE = 16 };

struct trace_dat {
	struct trace_dat_info info;
	const char *path; /* that was opened */
	const u8 *map;
	u64 dev, ino;
	struct arena arena;
	struct trace_dat_meta meta[META_LAST - META_FIRST + 1];
	ARRAY(struct trace_dat_option) options;
	ARRAY(struct trace_dat_buffer) buffers;
	ARRAY(struct trace_dat_format) formats;
	bool have_formats;
	bool unreadable; /* some chunk was; set by any thread */
	bool damaged;    /* something else is, which was reported */
	int formats_err;
	ARRAY(struct trace_dat_section_header)
	records;                /* v7: sections of records found by salvage */
	ARRAY(u64) described;   /* v7: offsets of the sections of records that have an option */
	const char *clock_text; /* "[local]" at the end of v6's CPU table; a second source */
	struct trace_dat_guard *guard;
};

static inline struct trace_dat_meta *trace_dat_meta(struct trace_dat *td, unsigned int id)
{
	return &td->meta[id - META_FIRST];
}

/* A cursor over the file from @offset on; at the end if @offset is beyond it. */
static inline struct bytes trace_dat_at(const struct trace_dat *td, u64 offset)
{
	u64 at = min_t(u64, offset, td->info.file_size);

	return bytes_of(td->map + at, td->info.file_size - at, td->info.big_endian);
}

static inline u64 trace_dat_pos(const struct trace_dat *td, const struct bytes *b)
{
	return (u64)(b->p - td->map);
}

/* Add "PATH: damaged at offset N: ...", remember that, and return -HIST_EFORMAT. */
int trace_dat_corrupt(struct trace_dat *td, struct diags *diags, u64 offset, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* The same for a file that ends before anything that was recorded. */
int trace_dat_too_short(const struct trace_dat *td, struct diags *diags, const char *where);

/* index_v6.c, index_v7.c: from the end of the file header to options, metadata and buffers */
int trace_dat_index_v6(struct trace_dat *td, struct bytes b, struct diags *diags);
int trace_dat_index_v7(struct trace_dat *td, struct bytes b, struct diags *diags);

/*
 * salvage.c: v7 whose chain of options leaves the file. First every section is looked up
 * where it lies, from @first on; when the options found that way have given their buffers,
 * records that no option describes become buffers too.
 */
int trace_dat_salvage_sections(struct trace_dat *td, u64 first, struct diags *diags);
int trace_dat_salvage_buffers(struct trace_dat *td, struct diags *diags);
bool trace_dat_section_plausible(const struct trace_dat *td,
				 const struct trace_dat_section_header *sh);

/* Read the header at @offset; false if it does not fit in the file. */
bool trace_dat_section_header(const struct trace_dat *td, u64 offset,
			      struct trace_dat_section_header *sh);

/* The options in the v7 section @sh; *@next is where the next such section is, 0: none. */
int trace_dat_options_v7(struct trace_dat *td, const struct trace_dat_section_header *sh, u64 *next,
			 struct diags *diags);

/* option.c */
int trace_dat_option_add(struct trace_dat *td, u16 id, struct span data);
void trace_dat_option_clock(struct trace_dat *td);
/* The word in brackets: "global" in "local [global] counter"; absent if there is none. */
struct span trace_dat_selected_clock(struct span clocks);

/* metadata.c */
const char *trace_dat_meta_name(unsigned int id);
int trace_dat_meta_body(struct trace_dat *td, unsigned int id, struct bytes *body,
			struct diags *diags);
/* A compressed block: u32 csize, u32 usize, data. *@out is owned by the caller. */
int trace_dat_inflate_block(const struct trace_dat *td, u64 pos, u64 size, u8 **out, size_t *len);
int trace_dat_header_info(struct trace_dat *td, struct diags *diags);
bool trace_dat_subbuf_sane(u64 size);
u32 trace_dat_header_subbuf(const struct trace_dat *td);

/* buffer_table.c: @buf without its CPUs, which are copied from @cpus; a later "" replaces the first
 */
int trace_dat_buffer_add(struct trace_dat *td, const struct trace_dat_buffer *buf,
			 struct trace_dat_cpu *cpus, size_t n, struct diags *diags);
int trace_dat_buffers_finish(struct trace_dat *td, struct diags *diags);

#endif
