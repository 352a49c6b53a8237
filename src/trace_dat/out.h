/* SPDX-License-Identifier: LGPL-2.1-only */
/* Buffered output to a file that appears under its name only when it is complete. */
#ifndef HIST_TRACE_DAT_OUT_H
#define HIST_TRACE_DAT_OUT_H

#include "trace_dat/writer.h"

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

/* Open an output file; @place is copied. 0, -HIST_EIO, -HIST_ENOMEM, with a diagnosis. */
int trace_dat_out_open(struct trace_dat_out *out, const struct out_place *place,
		       struct diags *diags);

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

#endif
