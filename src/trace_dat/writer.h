/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writing a trace.dat, version 6 or 7.
 *
 * Set the machine and the metadata, then each buffer with its CPUs in ascending order and their
 * sub-buffers, then finish. The file is written under a temporary name in the same directory and
 * renamed by trace_dat_writer_finish(); after any error, including a full disk, no file remains.
 */
#pragma once
#include "trace_dat/open.h"

struct trace_dat_writer;

struct trace_dat_machine {
	int version;      /* 6 or 7 */
	enum codec codec; /* v6: none */
	bool big_endian;
	u32 long_size; /* of the kernel */
	u32 page_size; /* sub-buffer size of the top buffer */
	u32 cpu_count;
	struct span header_page,
		header_event; /* contents of metadata files; absent or empty: generated */
	const char *clock;    /* the selected clock, such as "local" */
	struct span clocks;   /* text of trace_clock; absent: "[clock]" alone */
};

/* The machine of a recording, for another one of the same machine. */
struct trace_dat_machine trace_dat_machine_of(const struct trace_dat *td);

/**
 * trace_dat_writer_open() - start a file
 * @path: see out_dest_open(); a device, pipe or directory is refused
 *
 * The first error of any later call is stored; the following calls return it without any effect,
 * and trace_dat_writer_finish() reports it.
 *
 * Return: 0, -HIST_EINVAL, -HIST_EIO, -HIST_ENOMEM, with a diagnosis
 */
int trace_dat_writer_open(const char *path, const struct trace_dat_machine *machine,
			  struct trace_dat_writer **w, struct diags *diags);

/*
 * As trace_dat_writer_open(), to @fd, an empty file of the caller; version 7. @name is for
 * messages.
 */
int trace_dat_writer_open_fd(int fd, const char *name, const struct trace_dat_machine *machine,
			     struct trace_dat_writer **w, struct diags *diags);

/* As trace_dat_writer_open(), in a directory that is already open; @dest is copied. */
int trace_dat_writer_open_at(const struct out_dest *dest, const struct trace_dat_machine *machine,
			     struct trace_dat_writer **w, struct diags *diags);

/* Add format text; @system "ftrace" is for the kernel's internal events. The text is borrowed. */
int trace_dat_writer_format(struct trace_dat_writer *w, const char *system, struct span text);

/* Set KALLSYMS, PRINTK or CMDLINES. The text is borrowed. */
int trace_dat_writer_section(struct trace_dat_writer *w, enum trace_dat_option_id id,
			     struct span text);

/*
 * Add an option; may be called until trace_dat_writer_finish(). The data is copied. Options that
 * the writer generates itself (buffers, clock, CPU count, metadata), or that point to a section,
 * are accepted and ignored, so that all options of another file can be passed.
 */
int trace_dat_writer_option(struct trace_dat_writer *w, u16 id, const void *data, u32 size);

/* The option of a file whose sub-buffers are copied: not of how to convert their times. */
void trace_dat_writer_copy_option(struct trace_dat_writer *w, const struct trace_dat_option *o);

/* The same with a text and its NUL; an empty text is no option. */
int trace_dat_writer_text(struct trace_dat_writer *w, u16 id, const struct strbuf *text);

/*
 * Start a buffer; the top one ("") first, with the machine's page_size. Version 6 has one size for
 * all buffers.
 */
int trace_dat_writer_buffer(struct trace_dat_writer *w, const char *name, const char *clock,
			    u32 subbuf_size);

/* Start the next CPU of the current buffer; CPU numbers ascend, and may have gaps. */
int trace_dat_writer_cpu(struct trace_dat_writer *w, u32 cpu);

/*
 * As trace_dat_writer_cpu(), but the caller writes the CPU's sub-buffers to the descriptor at
 * @offset, far beyond everything that the writer writes. Not for compressed files.
 */
int trace_dat_writer_placed(struct trace_dat_writer *w, u32 cpu, u64 offset, u64 size);

/* Append @n whole sub-buffers to the current CPU; bytes after the records should be zero. */
int trace_dat_writer_pages(struct trace_dat_writer *w, const void *pages, size_t n);

/* Bytes written so far, without tables at the end. */
u64 trace_dat_writer_size(const struct trace_dat_writer *w);

/* Whether there is an error for trace_dat_writer_finish() to report. */
bool trace_dat_writer_failed(const struct trace_dat_writer *w);

/* Complete, sync and rename. After an error no file remains. Always frees @w. */
int trace_dat_writer_finish(struct trace_dat_writer *w, struct diags *diags);

/* Cancel: removes the file and frees @w. */
void trace_dat_writer_abort(struct trace_dat_writer *w);
