/* SPDX-License-Identifier: LGPL-2.1-only */
/* Private to trace_dat: an open recording, and the construction of its index. */
#pragma once
#include "codec/codec.h"
#include "trace_dat/guard.h"
#include "trace_dat/kept_chunks.h"
#include "trace_dat/later.h"

/*
 * Limits far above those of any kernel, so that a damaged number is not used as a size:
 * CONFIG_NR_CPUS is at most 8192, sub-buffers have at most 128 pages of 64 KiB.
 */
enum {
	MAX_CPUS = 65536,
	MIN_SUBBUF = 64,
	MAX_SUBBUF = 16 << 20,
	MAX_OPTION_SECTIONS = 4096,
	MAX_BUFFERS = 4096,
	MAX_STREAM_PARTS = 1 << 20,
};

/* A part of the data of a CPU; ->first: number of its first sub-buffer. */
struct trace_dat_extent {
	u64 offset, first;
};

enum { META_FIRST = TRACE_DAT_HEADER_INFO, META_LAST = TRACE_DAT_CMDLINES };

/* A block of metadata; v6 and v7 differ only in how it is located. */
struct trace_dat_meta {
	bool found, compressed;
	u64 pos, size; /* of the contents in the file */
	u8 *inflated;  /* owned; NULL until needed */
	size_t len;    /* size of ->inflated */
	bool damaged;  /* damaged, and an error was reported */
};

/* A v7 section header and its contents. */
struct trace_dat_section_header {
	u16 id;
	bool compressed;
	u64 body; /* offset of the contents */
	u64 size; /* size of the contents, as announced */
	u64 has;  /* size of the contents in the file */
};

enum { SECTION_HEADER_SIZE = 16 };

/* How options convert time stamps, see convert_times.c. */
struct trace_dat_times {
	u32 mult, shift; /* 0: not of a TSC */
	u64 offset;
	bool converts;
};

struct trace_dat {
	struct trace_dat_info info;
	struct trace_dat_times times;
	const char *path; /* the open file */
	const u8 *map;
	u64 dev, ino;
	u32 header_subbuf; /* the sub-buffer size in header_page; 0: missing */
	struct arena arena;
	struct trace_dat_meta meta[META_LAST - META_FIRST + 1];
	ARRAY(struct trace_dat_option) options;
	ARRAY(struct trace_dat_buffer) buffers;
	ARRAY(struct trace_dat_format) formats;
	bool have_formats;
	bool stream;     /* of parts: HIST_STREAM */
	bool unreadable; /* some chunk was damaged; set by any thread */
	bool damaged;    /* other damage, which was reported */
	int formats_err;
	ARRAY(struct trace_dat_section_header)
	records;                /* v7: sections of records located by salvage */
	ARRAY(u64) described;   /* v7: offsets of the sections of records with an option */
	ARRAY(u64) diagnosed;   /* offsets of CPUs whose damaged chunks were reported */
	const char *clock_text; /* "[local]" at the end of v6's CPU table; an additional source */
	struct trace_dat_guard *guard;
	struct kept_file *kept;         /* inflated chunks; NULL: none are kept */
	struct trace_dat_later *later;  /* makes the sub-buffers; NULL: they are in the file */
	ARRAY(struct trace_dat *) made; /* files with them; the last one is in use */
	struct trace_dat_wanted made_of;
};

static inline struct trace_dat_meta *trace_dat_meta(struct trace_dat *td, unsigned int id)
{
	return &td->meta[id - META_FIRST];
}

/* A cursor over the file from @offset on; empty if @offset is past the end. */
static inline struct bytes trace_dat_at(const struct trace_dat *td, u64 offset)
{
	u64 at = min_t(u64, offset, td->info.file_size);

	return bytes_of(td->map + at, td->info.file_size - at, td->info.big_endian);
}

static inline u64 trace_dat_pos(const struct trace_dat *td, const struct bytes *b)
{
	return (u64)(b->p - td->map);
}

/* Add "PATH: damaged at offset N: ...", mark the file, and return -HIST_EFORMAT. */
int trace_dat_corrupt(struct trace_dat *td, struct diags *diags, u64 offset, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* As trace_dat_corrupt(), for a file that ends before the first record. */
int trace_dat_too_short(const struct trace_dat *td, struct diags *diags, const char *where);

/* index_v6.c, index_v7.c: parse from the end of the file header to options, metadata and buffers */
int trace_dat_index_v6(struct trace_dat *td, struct bytes b, struct diags *diags);
int trace_dat_index_v7(struct trace_dat *td, struct bytes b, struct diags *diags);

/*
 * salvage.c: v7 files whose chain of options leads past the end of the file. First, every section
 * from @first on is located; then the options found describe buffers; then records without an
 * option become buffers, too.
 */
int trace_dat_salvage_sections(struct trace_dat *td, u64 first, struct diags *diags);
int trace_dat_salvage_buffers(struct trace_dat *td, struct diags *diags);
bool trace_dat_section_plausible(const struct trace_dat *td,
				 const struct trace_dat_section_header *sh);

/* Read the header at @offset; false if it is past the end of the file. */
bool trace_dat_section_header(const struct trace_dat *td, u64 offset,
			      struct trace_dat_section_header *sh);

/*
 * Read the options in the v7 section @sh; *@next is set to the offset of the next such section, 0:
 * none.
 */
int trace_dat_options_v7(struct trace_dat *td, const struct trace_dat_section_header *sh, u64 *next,
			 struct diags *diags);

/* convert_times.c: note TSC2NSEC, DATE or OFFSET; convert the times of a sub-buffer, if any */
void trace_dat_times_option(struct trace_dat *td, u16 id, struct span data);
void trace_dat_times_convert(const struct trace_dat *td, u32 subbuf_size, u8 *bytes, size_t len);

/* later.c */
void trace_dat_later_free(struct trace_dat *td);

/* option.c */
int trace_dat_option_add(struct trace_dat *td, u16 id, struct span data, struct diags *diags);
void trace_dat_option_clock(struct trace_dat *td);

/* metadata.c */
const char *trace_dat_meta_name(unsigned int id);
int trace_dat_meta_body(struct trace_dat *td, unsigned int id, struct bytes *body,
			struct diags *diags);
/* A compressed block: u32 csize, u32 usize, data. The caller owns *@out. */
int trace_dat_inflate_block(const struct trace_dat *td, u64 pos, u64 size, u8 **out, size_t *len);
int trace_dat_header_info(struct trace_dat *td, struct diags *diags);
bool trace_dat_subbuf_sane(u64 size);

/* buffer_table.c: add @buf with CPUs copied from @cpus; a later "" replaces the first */
int trace_dat_buffer_add(struct trace_dat *td, const struct trace_dat_buffer *buf,
			 struct trace_dat_cpu *cpus, size_t n, struct diags *diags);
int trace_dat_buffers_finish(struct trace_dat *td, struct diags *diags);
