/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * From a work directory to a trace.dat.
 */
#ifndef HIST_RECORD_ASSEMBLE_H
#define HIST_RECORD_ASSEMBLE_H

#include "record/workdir.h"
#include "trace_dat/writer.h"

struct assemble_options {
	const char *output;                /* an existing one becomes OUTPUT.old */
	const enum trace_dat_codec *codec; /* NULL: as the manifest says */
	bool tight; /* the disk is full: give back each piece of the data once it is copied */

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
 * Return: 0; 1 if ->step gave up; -HIST_ENOENT if the manifest does not say enough, so
 *         that nothing was recorded; -HIST_EIO (errno), -HIST_ENOMEM
 */
int assemble(const struct workdir *w, const struct assemble_options *options,
	     struct assembled *result, struct diags *diags);

#endif
