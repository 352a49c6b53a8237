/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A trace.dat of version 7 that is written front to back, and can be read while it is written.
 *
 *	a trace.dat without records, with the option HIST_STREAM; its last section of options is
 *	not the end of the chain, but continues in the first batch
 *	batches: a section of options, and directly after it, if it has an option BUFFER, the
 *	section with the sub-buffers that the option names, of all CPUs, uncompressed
 *	the end: the last section of options, with the whole HIST_LIMITS, and the section CMDLINES
 *
 * The options of a batch, except the end:
 *
 *	BUFFER		as always: the next part of the data of these CPUs
 *	HIST_NAMES	lines of the journal of tasks, which the end has again
 *	HIST_TIME	u64: all records before this time are in this batch and the ones before it
 *
 * A stream without its end is cut: what came is used.
 */
#pragma once
#include "trace_dat/open.h"

/* Records of a CPU in a batch: whole sub-buffers. */
struct trace_dat_part {
	u32 cpu;
	u64 size;
};

/* Where a stream goes to. */
struct trace_dat_stream {
	u64 pos; /* bytes so far */
	bool big_endian;
	u32 subbuf;
	const char *name, *clock; /* of the buffer */
	int (*write)(void *arg, const void *data, size_t n);
	void *arg;
};

/* Append an option to those of a batch. */
void trace_dat_stream_option(const struct trace_dat_stream *s, struct strbuf *options, u16 id,
			     struct span data);

/*
 * Begin with the file @fd, a complete trace.dat of version 7 without records. Return: 0,
 * -HIST_EFORMAT, -HIST_EIO, -HIST_ENOMEM, or an error of ->write
 */
int trace_dat_stream_begin(struct trace_dat_stream *s, int fd);

/*
 * A batch with @options, and then the sub-buffers of those of the @n @parts that have any, which
 * the caller writes in this order directly afterwards; it adds their size to ->pos
 */
int trace_dat_stream_batch(struct trace_dat_stream *s, struct strbuf *options,
			   const struct trace_dat_part *parts, size_t n);

/* The end, with @options. */
int trace_dat_stream_end(struct trace_dat_stream *s, struct strbuf *options, struct span cmdlines);
