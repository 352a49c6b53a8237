/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * import: what people have instead of a trace.dat, made into one.
 *
 * Each importer is one file (perf.c, ...) that reads its format and gives event formats,
 * records of each CPU, task names, symbols and lost counts to a sink (sink.h), which writes
 * an ordinary trace.dat, version 7. Nothing after that knows where events came from. What an
 * importer is for is found by content, never by name. All of it is hostile input.
 */
#ifndef HIST_IMPORT_IMPORT_H
#define HIST_IMPORT_IMPORT_H

#include "trace_dat/trace_dat.h"

struct import_options {
	const char *kallsyms; /* a file of symbols to use; NULL: what can be trusted */
	const char *formats;  /* a file or directory of event formats; NULL: the input's */
	enum trace_dat_codec codec;
};

/* What is read, and what messages call it. */
struct import_input {
	const char *path, *name;
};

struct import_output {
	const char *path; /* NULL: into @fd */
	int fd;
};

struct import_result {
	bool cut;     /* parts are missing or damaged */
	bool inexact; /* fields were guessed from a text */
};

/* Whether a file whose VERSION option is @version (NULL: none) was made of guessed fields. */
bool import_is_inexact(const char *version);

/* How many bytes of a file import_recognises() wants to see at most. */
enum { IMPORT_HEAD = 4096 };

/* Whether a file that begins with these bytes can be imported. */
bool import_recognises(struct span head);

/* Whether the file or directory at @path can be. False also if it cannot be read. */
bool import_recognises_path(const char *path);

/**
 * import_file() - make a trace.dat of a file or directory
 * @to: the file to write, or an empty one that stays the caller's
 *
 * A note describes the result, warnings list unknown or unreadable parts.
 *
 * Return: 0; -HIST_ENOTTRACE if no importer knows it; -HIST_EFORMAT, -HIST_EUNSUPPORTED,
 *         -HIST_EIO, -HIST_ENOMEM; each with a diagnosis
 */
int import_file(const struct import_input *in, const struct import_options *options,
		const struct import_output *to, struct import_result *result, struct diags *diags);

/**
 * import_files() - one trace.dat of several inputs, which are of one machine and clock
 *
 * Inputs may be trace.dats, too. Return: what import_file() does; -HIST_EUNSUPPORTED if they are
 * not
 */
int import_files(const struct import_input *inputs, size_t n, const struct import_options *options,
		 const struct import_output *to, struct import_result *result, struct diags *diags);

/* Paths of which those that can be imported are temporary files without a name. */
struct import_paths {
	struct arena arena;
	const char **paths; /* as many as were given */
	ARRAY(int) fds;
	struct import_result result; /* of all together */
};

/**
 * import_paths_open() - replace what has to be imported by a trace.dat made of it
 *
 * The paths may be opened until import_paths_close(). Return: 0, or what import_file() does
 */
int import_paths_open(struct import_paths *p, const struct import_input *inputs, size_t n,
		      const struct import_options *options, struct diags *diags);
void import_paths_close(struct import_paths *p);

#endif
