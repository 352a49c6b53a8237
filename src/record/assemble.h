/* SPDX-License-Identifier: LGPL-2.1-only */
/* Assembling the trace.dat of a work directory. */
#pragma once
#include "record/kept.h"
#include "record/workdir.h"

/* A part of a recording that goes on: some of what is kept. */
struct assemble_cut {
	struct kept *kept;
	struct workdir *log; /* to note it, as the next file follows it; NULL: it does not */
	const struct kept_range *parts; /* of each CPU */
	struct span blocks;             /* metadata that belongs to it, beside the manifest */
};

struct assemble_options {
	const char
		*output; /* in the directory of the work directory; an old one becomes OUTPUT.old */
	const enum codec *codec;        /* NULL: as in the manifest */
	const struct assemble_cut *cut; /* NULL: the files of the work directory */

	/* called regularly with the progress; a result other than 0 cancels; NULL: not called */
	int (*step)(void *arg, u64 done, u64 bytes);
	void *arg;
};

struct assembled {
	u64 bytes;    /* bytes of sub-buffers */
	u64 vanished; /* bytes removed from the files of CPUs since the recording */
	u64 file_size;
	size_t n_cpus;
};

/**
 * assemble() - write the trace.dat of @w; the work directory stays
 *
 * The work directory is not changed. If this returns 0, the file has its final name and is synced,
 * so that the work directory may be removed.
 *
 * Return: 0, with a diagnosis if something has vanished; 1 if ->step cancelled; -HIST_EFORMAT if
 *         the manifest is damaged; -HIST_EIO (errno), -HIST_ENOMEM
 */
int assemble(const struct workdir *w, const struct assemble_options *options,
	     struct assembled *result, struct diags *diags);

/* Rename the complete file in @w to @output; an existing file becomes OUTPUT.old. 0, < 0 */
int assemble_publish(const struct workdir *w, const char *output, struct diags *diags);
