/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reading a trace.dat file, version 6 or 7, as sections, options and sub-buffers.
 *
 * Opening maps the file and reads its index. Event formats and other metadata are inflated when
 * first needed; sub-buffers are used in place or inflated chunk by chunk into the cursor that reads
 * them, so that memory does not grow with the file. Everything is validated before use; cut or
 * damaged parts are reported, the rest can be read.
 */
#pragma once
#include "base/base.h"
#include "codec/codec.h"
#include "trace_dat/option_id.h"
struct trace_dat;
struct trace_dat_extent;
struct trace_dat_pages;

/* Sub-buffers of a chunk, as trace-cmd and this writer compress them; others may differ. */
enum { TRACE_DAT_CHUNK_PAGES = 10 };
/* An option, borrowed until the file is closed. */
struct trace_dat_option {
	u16 id;
	u32 size;
	const u8 *data;
};

/* The data of one CPU in a buffer. */
struct trace_dat_cpu {
	u32 cpu;     /* the kernel's CPU number */
	u64 offset;  /* offset in the file */
	u64 size;    /* readable bytes: announced and in the file */
	u64 missing; /* bytes announced but missing in the file */
	bool ascend; /* according to the file, each record is at or after the one before */
	const struct trace_dat_extent *extents; /* of a stream: where parts are; NULL: one part */
	size_t n_extents;
};

struct trace_dat_buffer {
	const char *name;  /* "" is the top buffer, otherwise the name of the instance */
	const char *clock; /* most reliable source, such as "local"; never NULL */
	u32 subbuf_size;   /* size of a sub-buffer, including its header */
	bool compressed;
	bool text; /* output of a latency tracer, no sub-buffers */
	size_t n_cpus;
	const struct trace_dat_cpu *cpus; /* ascending CPU numbers, only those with data */
};

struct trace_dat_info {
	const char *path; /* name in messages */
	u64 file_size;
	u64 tail;    /* bytes after the last section; version 7 */
	int version; /* 6 or 7 */
	enum codec codec;
	bool big_endian;
	u32 long_size;            /* size of the kernel's long: 4 or 8, from header_page */
	u32 page_size;            /* from the file header */
	u32 cpu_count;            /* number of CPUs of the recorded machine */
	const char *header_page;  /* text of events/header_page, never NULL */
	const char *clock;        /* the selected clock such as "local", never NULL */
	bool clock_known;         /* false: assumed */
	const char *uname;        /* "Linux HOST RELEASE MACHINE", or NULL */
	const char *version_text; /* version of the recording program, or NULL */
	u64 trace_id;             /* 0 if none */
	bool has_tsc2nsec;
	bool has_time_shift; /* a guest's file: its time stamps need its host's corrections */
	bool has_date;       /* has DATE or OFFSET options: times are of day, not of the clock */
	bool cut;            /* parts announced by the file are missing */
};

/* A format file: text of events/SYSTEM/NAME/format. Borrowed until the file is closed. */
struct trace_dat_format {
	const char *system;
	struct span name;
	struct span text; /* not NUL-terminated */
	u32 id;           /* common_type of its records */
};

/**
 * trace_dat_open() - open a recording and read its index
 *
 * The intact part of a cut file is opened: info->cut is set, a warning lists the missing parts.
 *
 * Owns:   close *@td with trace_dat_close(); NULL after an error
 * Return: 0, -HIST_ENOENT, -HIST_EIO, -HIST_ENOTTRACE, -HIST_EFORMAT (no record is intact),
 *         -HIST_EUNSUPPORTED, -HIST_ENOMEM; each with a diagnosis that names the file, or @name
 */
int trace_dat_open(const char *path, struct trace_dat **td, struct diags *diags);
int trace_dat_open_as(const char *path, const char *name, struct trace_dat **td,
		      struct diags *diags);
void trace_dat_close(struct trace_dat *td);

const struct trace_dat_info *trace_dat_info(const struct trace_dat *td);
/* The top buffer first (even if empty), instances and all options in file order. */
const struct trace_dat_buffer *trace_dat_buffers(const struct trace_dat *td, size_t *n);
const struct trace_dat_option *trace_dat_options(const struct trace_dat *td, size_t *n);
/* The first option @id; NULL if there is none. */
const struct trace_dat_option *trace_dat_option_find(const struct trace_dat *td, u16 id);
/* The last option @id that is a NUL-terminated text; absent if there is none. */
struct span trace_dat_option_text(const struct trace_dat *td, u16 id);

/* Events that a CPU lost according to the kernel's statistics, and not to its sub-buffers. */
struct trace_dat_lost {
	u64 dropped, commit_overrun;
};
struct trace_dat_lost trace_dat_lost_of(const struct trace_dat *td, const char *buffer, u32 cpu);
/**
 * trace_dat_formats() - the formats of all events, including those of the ftrace system
 *
 * Return:  0, -HIST_ENOMEM, -HIST_EFORMAT with the formats before the damage
 * Context: not thread safe on first use; call once before threads start
 */
int trace_dat_formats(struct trace_dat *td, const struct trace_dat_format **formats, size_t *n,
		      struct diags *diags);
/* Report that format @i cannot be parsed, as damage of the file. */
void trace_dat_format_damaged(struct trace_dat *td, size_t i, struct diags *diags);

/**
 * trace_dat_section() - the text of KALLSYMS, PRINTK, CMDLINES, MODULES or BTF
 * @text: borrowed until the file is closed, not NUL-terminated; absent if there is no such section
 *
 * Return: 0, -HIST_EFORMAT, -HIST_ENOMEM
 */
int trace_dat_section(struct trace_dat *td, enum trace_dat_option_id id, struct span *text,
		      struct diags *diags);

/*
 * A cursor on the sub-buffers of CPU @cpu of buffer @buffer, both indices, in order. Any number may
 * be open, each of one thread. Return: 0, -HIST_EINVAL, -HIST_ENOMEM
 */
int trace_dat_pages_open(struct trace_dat *td, size_t buffer, size_t cpu,
			 struct trace_dat_pages **pages, struct diags *diags);
/* Open another cursor on the CPU of @like; it copies the marks that @like has set. */
int trace_dat_pages_open_like(const struct trace_dat_pages *like, struct trace_dat_pages **pages);
void trace_dat_pages_close(struct trace_dat_pages *pages);

/**
 * trace_dat_pages_next() - the next sub-buffer
 * @page: borrowed until the next call on the same cursor; 8-byte aligned
 * @len:  available bytes; less than subbuf_size only for a cut last sub-buffer
 *
 * Return: 0, 1 after the last one, -HIST_EFORMAT if a chunk cannot be inflated (the next call
 *         continues after it; trace_dat_pages_diagnose() reports it), -HIST_ENOMEM
 */
int trace_dat_pages_next(struct trace_dat_pages *pages, const u8 **page, size_t *len);
/*
 * A chunk that a cursor inflates for another one, maybe of another thread. _inflate(): the next, as
 * _next(), but 1 if nothing is compressed. _use(): read on there, if possible; exchanges buffers.
 */
struct trace_dat_chunk {
	u64 pos;   /* offset of its header in the file */
	u64 first; /* its first sub-buffer */
	u64 n;     /* number of sub-buffers */
	u32 csize, usize;
	const u8 *data; /* in ->buf, or kept */
	u8 *buf;
	size_t size; /* allocated */
};
int trace_dat_pages_inflate(struct trace_dat_pages *pages, struct trace_dat_chunk *to);
bool trace_dat_pages_use(struct trace_dat_pages *pages, struct trace_dat_chunk *chunk);
/* Whether sub-buffers stay in memory: until the file is closed, or after the next call. */
bool trace_dat_pages_stay(const struct trace_dat_pages *pages);
bool trace_dat_pages_next_keeps(const struct trace_dat_pages *pages);
/* Map or unmap sub-buffers @first to @end, excluding @end: faster than page faults and exit(). */
void trace_dat_pages_map(const struct trace_dat_pages *pages, u64 first, u64 end, bool map);

/* Number of sub-buffers, including a cut one; reads the header of every chunk once. */
u64 trace_dat_pages_count(struct trace_dat_pages *pages);
/* Where a sub-buffer is, and its time, according to the writer of the file. */
struct trace_dat_note {
	u64 index, ts;
};

/*
 * For a part of a CPU: use what the writer noted of chunks, if anything, so that not all headers
 * are read. _check_notes(): whether that is right for the sub-buffers from @first to @end; if not,
 * it is not used any more. _notes(): those around the first sub-buffer that does not begin before
 * @ts, of which an index may be the number of sub-buffers; false: none.
 */
void trace_dat_pages_use_notes(struct trace_dat_pages *pages);
bool trace_dat_pages_check_notes(struct trace_dat_pages *pages, u64 first, u64 end);
bool trace_dat_pages_notes(const struct trace_dat_pages *pages, u64 ts,
			   struct trace_dat_note around[2]);
/* The next trace_dat_pages_next() returns sub-buffer @index (from 0); 0, 1 if there is none. */
int trace_dat_pages_seek(struct trace_dat_pages *pages, u64 index);
/* Of trace_dat_pages_next(): index of the next sub-buffer, offset of the last one or its chunk. */
u64 trace_dat_pages_index(const struct trace_dat_pages *pages);
u64 trace_dat_pages_offset(const struct trace_dat_pages *pages);
/* Whether any chunk that was needed so far could not be used; whether the file ends before it. */
bool trace_dat_pages_damaged(const struct trace_dat_pages *pages);
bool trace_dat_pages_cut(const struct trace_dat_pages *pages);
/* The number of such chunks; report those of this CPU, if any, once per file. */
u64 trace_dat_pages_unread(const struct trace_dat_pages *pages);
void trace_dat_pages_diagnose(const struct trace_dat_pages *pages, struct diags *diags);
/* So far: whether the mapped file was cut (guard.c), a chunk invalid, or any damage found. */
bool trace_dat_shrank(const struct trace_dat *td);
bool trace_dat_unreadable(const struct trace_dat *td);
bool trace_dat_damaged(const struct trace_dat *td);
