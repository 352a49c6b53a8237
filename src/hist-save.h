/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: writing recordings that trace-cmd, KernelShark and libhist read.
 *
 * A file is written under a temporary name, or none, and appears under its own name when it is
 * complete; after an error it does not exist, and an existing file is unchanged.
 */
#ifndef HIST_SAVE_H
#define HIST_SAVE_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The commands of a script as lines for a shell; to be freed; NULL if out of memory. */
char *hist_script_text(const struct hist_script *script);

struct hist_slim_options {
	const char *output;
	const char *script_text; /* stored in the file; NULL: the recording's own script */
	const char *compression; /* "none", "zlib", "zstd"; NULL: as the recording */
	int version;             /* 6 or 7; 0: as the recording */
	bool trace;              /* keep events that only trace shows, even if there are many */
	bool keep_going;         /* continue after a rejected line, as a shell would */
	/*
	 * "NAME>=NUMBER", or another comparison: keep all records around the hits of the script for
	 * which the comparison of a value, variable or key is true; NULL: no. @context is "5ms";
	 * NULL: 1 ms before and after
	 */
	const char *around, *context;
};

/**
 * hist_slim() - write a smaller recording for which a script gives the same results
 *
 * It contains the records that can change a result of the script, and the formats, symbols and
 * comms that they and the script need. @h must have one recording; the new one contains the part
 * selected by hist_options. If the script is empty, these are all records of this part, and those
 * before it from which its derived events follow.
 *
 * Return: 0; -HIST_EREJECTED if a line was rejected (with keep_going the file is complete);
 *         another code for trouble
 */
int hist_slim(struct hist *h, const struct hist_script *script,
	      const struct hist_slim_options *options, struct diags *diags);

/* hist_slim() leaves out the journal of tasks, which contains the arguments of programs. */
void hist_slim_drop_tasks(struct hist *h);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
