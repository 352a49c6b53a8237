/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * From a work directory to a trace.dat.
 */
#ifndef HIST_RECORD_ASSEMBLE_H
#define HIST_RECORD_ASSEMBLE_H

#include "record/workdir.h"
#include "trace_dat/writer.h"

struct assemble_options {
	const char
		*output; /* in the directory of the work directory; an old one becomes OUTPUT.old */
	const enum trace_dat_codec *codec; /* NULL: as the manifest says */

	/* called now and then with how much is done; other than 0 gives up. NULL: never */
	int (*step)(void *arg, u64 done, u64 bytes);
	void *arg;
};

struct assembled {
	u64 bytes; /* of sub-buffers */
	u64 file_size;
	size_t n_cpus;
};

/**
 * assemble() - write the trace.dat of @w; the work directory stays
 *
 * Nothing is taken from the work directory. If this returns 0, the file has its name and is on
 * the disk, so that the work directory may be removed.
 *
 * Return: 0; 1 if ->step gave up; -HIST_ENOENT if the manifest does not say enough, so
 *         that nothing was recorded; -HIST_EIO (errno), -HIST_ENOMEM
 */
int assemble(const struct workdir *w, const struct assemble_options *options,
	     struct assembled *result, struct diags *diags);

#endif
