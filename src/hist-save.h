/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: writing recordings that trace-cmd, KernelShark and libhist read.
 *
 * A file is written under a temporary name, or none, and appears under its own when it is
 * complete; after an error it is not there, and what was there before is as it was.
 */
#ifndef HIST_SAVE_H
#define HIST_SAVE_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The commands of a script as lines of a shell; to be freed; NULL without memory. */
char *hist_script_text(const struct hist_script *script);

struct hist_slim_options {
	const char *output;
	const char *script_text; /* stored in the file; NULL: the recording's own script stays */
	const char *compression; /* "none", "zlib", "zstd"; NULL: as the recording */
	int version;             /* 6 or 7; 0: as the recording */
	bool trace;              /* keep what only trace shows, however much that is */
	bool keep_going;         /* go on after a rejected line, as a shell would */
	/*
	 * "NAME>=NUMBER", or another comparison: keep instead all records around the hits of the
	 * script whose value, variable or key NAME is so; NULL: no matter. Around is "5ms", or
	 * NULL: 1 ms before and after
	 */
	const char *around, *context;
};

/**
 * hist_slim() - a smaller recording under which a script has the same results
 *
 * It has the records that can change a result of the script, and the formats, symbols and
 * comms that they and the script need. @h must have one recording; what hist_options
 * chose of it is what the new one holds.
 *
 * Return: 0; -HIST_EREJECTED if a line was rejected (with keep_going the file is complete);
 *         another code for trouble
 */
int hist_slim(struct hist *h, const struct hist_script *script,
	      const struct hist_slim_options *options, struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
