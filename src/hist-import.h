/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: recordings of other tools, such as perf.data. hist_open() reads them directly; these
 * functions convert them to a trace.dat.
 */
#ifndef HIST_IMPORT_H
#define HIST_IMPORT_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Whether an input that starts with these bytes (4096 are enough) is a recording or can be
 * imported.
 */
bool hist_recognises(const void *head, size_t len);

struct hist_import_options {
	const char *output;      /* the trace.dat to write */
	const char *compression; /* "none", "zlib" or "zstd"; NULL: none */
	const char *kallsyms; /* a file of symbols; NULL: those of the input or of this machine */
	const char *formats;  /* a file or directory of event formats; NULL: the input's */
};

/*
 * Convert a file or directory to a trace.dat. @name is used in messages; NULL: its path.
 * Return: 0; 1 if parts of it were missing or damaged; -HIST_ENOTTRACE and others
 */
int hist_import(const char *path, const char *name, const struct hist_import_options *options,
		struct diags *diags);

/* The same for several inputs of one machine and clock: one recording with all their events. */
int hist_import_files(const char *const *paths, const char *const *names, size_t n,
		      const struct hist_import_options *options, struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
