/* SPDX-License-Identifier: LGPL-2.1-only */
/* Shared by the writers of the two versions. */
#pragma once
#include "codec/codec.h"
#include "trace_dat/writer.h"

/* --- out.c: buffered output to a file that gets its name only when it is complete --- */

struct trace_dat_out {
	struct new_file file;
	u8 *buf;
	size_t used;
	bool borrowed; /* the caller owns and names the file's descriptor */
	u64 pos;       /* offset of the next byte */
	int error;     /* errno of the first failed write; later writes do nothing */
};

#define TRACE_DAT_OUT_INIT            \
	{                             \
		.file = NEW_FILE_INIT \
	}

/* Open an output file; @dest is copied. 0, -HIST_EIO, -HIST_ENOMEM, with a diagnosis. */
int trace_dat_out_open(struct trace_dat_out *out, const struct out_dest *dest, struct diags *diags);

/* Write to @fd from its start; @fd stays open. @name is used in diagnoses. 0, -HIST_ENOMEM. */
int trace_dat_out_borrow(struct trace_dat_out *out, int fd, const char *name);

void trace_dat_out_write(struct trace_dat_out *out, const void *data, size_t n);

/* Append zeros up to a multiple of @align. */
void trace_dat_out_align(struct trace_dat_out *out, u64 align);

/* Overwrite bytes written at @pos. */
void trace_dat_out_patch(struct trace_dat_out *out, u64 pos, const void *data, size_t n);

/* Append @n bytes from @pos of @from. */
void trace_dat_out_copy(struct trace_dat_out *out, struct trace_dat_out *from, u64 pos, u64 n);

/* Write buffered bytes; 0 or -HIST_EIO (out->error). */
int trace_dat_out_flush(struct trace_dat_out *out);

/* Sync the file and give it its name; always releases @out. */
int trace_dat_out_commit(struct trace_dat_out *out, struct diags *diags);

/* Remove the written file; releases @out. */
void trace_dat_out_abort(struct trace_dat_out *out);

/* --- the writers --- */

struct writer_format {
	const char *system;
	struct span text;
};

struct writer_option {
	u16 id;
	struct span data;
};

struct writer_cpu {
	u32 cpu;
	u64 offset, size; /* v6: in the spool until the end */
	u64 last;         /* time of the last record */
	bool unsorted;    /* a time is before the previous one, or unknown */
};

struct writer_buffer {
	const char *name, *clock;
	u32 subbuf_size;
	u64 section; /* v7: offset of its section header */
	ARRAY(struct writer_cpu) cpus;
};

/* The functions of a version. ->buffer and ->buffer_end may be NULL. */
struct trace_dat_writer_ops {
	int (*begin)(struct trace_dat_writer *w); /* after the metadata */
	int (*buffer)(struct trace_dat_writer *w, struct writer_buffer *b);
	int (*buffer_end)(struct trace_dat_writer *w, struct writer_buffer *b);
	int (*cpu)(struct trace_dat_writer *w, struct writer_cpu *c);
	int (*cpu_end)(struct trace_dat_writer *w, struct writer_cpu *c);
	int (*pages)(struct trace_dat_writer *w, const u8 *pages, size_t n);
	int (*finish)(struct trace_dat_writer *w); /* everything except the commit */
};

extern const struct trace_dat_writer_ops trace_dat_writer_v6, trace_dat_writer_v7;

/* Of a CPU whose times ascend, every NOTED_CHUNKS-th chunk is noted, see pages.c. */
enum { NOTED_CHUNKS = 4 };

struct trace_dat_writer {
	struct arena arena;
	struct trace_dat_machine machine;
	const struct trace_dat_writer_ops *ops;
	struct trace_dat_out out,
		spool;   /* v6: sub-buffers are spooled until the tables before them are written */
	int err;         /* the first error; nothing is written after it */
	const char *why; /* its text, unless @out has it */

	ARRAY(struct writer_format) formats;
	struct span sections[TRACE_DAT_CMDLINES - TRACE_DAT_KALLSYMS + 1];
	ARRAY(struct writer_option) options;
	size_t options_written;
	ARRAY(struct writer_buffer) buffers;
	bool begun, in_cpu;

	/* v7 */
	const struct codec_ops *codec;
	void *encoder;
	u8 *chunk; /* TRACE_DAT_CHUNK_PAGES sub-buffers, of which chunk_pages are filled */
	size_t chunk_pages, chunk_size;
	u8 *packed;
	size_t packed_size;
	u32 chunks;          /* of the current CPU */
	size_t noted_before; /* bytes of ->noted of other CPUs */
	struct strbuf strings, noted;
	u64 meta_offset[TRACE_DAT_CMDLINES - TRACE_DAT_HEADER_INFO + 1]; /* 0: none */
	u64 link; /* offset of DONE, to be patched */
};

/* The current buffer and CPU. */
static inline struct writer_buffer *writer_buffer(struct trace_dat_writer *w)
{
	return w->buffers.n ? &w->buffers.v[w->buffers.n - 1] : NULL;
}

/* Integers in the byte order of the file, appended to it or to @sb. */
void trace_dat_put_u16(struct strbuf *sb, const struct trace_dat_writer *w, u16 v);
void trace_dat_put_u32(struct strbuf *sb, const struct trace_dat_writer *w, u32 v);
void trace_dat_put_u64(struct strbuf *sb, const struct trace_dat_writer *w, u64 v);

/* writer_meta.c: the block @id (HEADER_INFO to CMDLINES), the same in both versions */
void trace_dat_writer_meta(const struct trace_dat_writer *w, unsigned int id, struct strbuf *sb);
/* The start of every file, up to the page size. */
void trace_dat_writer_start(const struct trace_dat_writer *w, struct strbuf *sb);
/* Append an option to the list of options. */
void trace_dat_writer_put_option(const struct trace_dat_writer *w, struct strbuf *sb, u16 id,
				 struct span data);
/* The text of TRACECLOCK with its NUL. */
void trace_dat_writer_clocks(const struct trace_dat_writer *w, struct strbuf *sb);
u32 trace_dat_writer_cpu_count(const struct trace_dat_writer *w);
