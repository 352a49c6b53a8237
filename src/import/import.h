/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * import: converts recordings of other tools to trace.dat.
 *
 * Each importer is one file (perf.c, ...). It reads its format and passes event formats, records of
 * each CPU, task names, symbols and lost counts to a sink (sink.h), which writes an ordinary
 * trace.dat, version 7. Later stages do not know where the events came from. Importers recognise a
 * file by its content, never by its name. All input is hostile.
 */
#pragma once
#include "trace_dat/trace_dat.h"

struct import_options {
	const char *kallsyms; /* a file of symbols; NULL: use only symbols known to match */
	const char *formats;  /* a file or directory of event formats; NULL: use the input's */
	enum codec codec;
	unsigned int threads; /* 0: one */
	size_t range; /* bytes of a perf.data that a thread reads at a time; 0: as is fast */
	bool later;   /* of import_paths_open(): inputs may have no records yet */
};

/* An input, and its name for messages. */
struct import_input {
	const char *path, *name;
};

struct import_output {
	const char *path; /* NULL: the input is @fd */
	int fd;
};

struct import_result {
	bool cut;     /* parts are missing or damaged */
	bool inexact; /* fields were guessed from text */

	const char *what; /* the kind of input, such as "perf.data" */
};

/* Whether a VERSION option of @version (NULL: no such option) marks a file with guessed fields. */
bool import_is_inexact(const char *version);

/* Maximum number of bytes that import_recognises() examines. */
enum { IMPORT_HEAD = 4096 };

/* Whether a file that begins with these bytes can be imported. */
bool import_recognises(struct span head);

/* Whether the file or directory at @path can be imported. False also if it cannot be read. */
bool import_recognises_path(const char *path);

/**
 * import_file() - convert a file or directory to a trace.dat
 * @to: an open, empty file to write to; the caller closes it
 *
 * A note describes the result, warnings list unknown or unreadable parts.
 *
 * Return: 0; -HIST_ENOTTRACE if no importer knows it; -HIST_EFORMAT, -HIST_EUNSUPPORTED,
 *         -HIST_EIO, -HIST_ENOMEM; each with a diagnosis
 */
int import_file(const struct import_input *in, const struct import_options *options,
		const struct import_output *to, struct import_result *result, struct diags *diags);

struct import_combined {
	const struct import_input *inputs;
	size_t n;
};

/**
 * import_files() - combine several inputs of one machine and clock in one trace.dat
 *
 * Inputs may also be trace.dat files.
 *
 * Return: as import_file(); -HIST_EUNSUPPORTED if they are of different machines or clocks
 */
int import_files(const struct import_combined *in, const struct import_options *options,
		 const struct import_output *to, struct import_result *result, struct diags *diags);

/* What an input was before it was imported. */
struct import_origin {
	const char *what; /* NULL: it was not imported */
	u64 bytes;        /* of a directory, those of its files */
};

/* Paths of recordings; those that had to be imported are replaced by unnamed temporary files. */
struct import_paths {
	struct arena arena;
	size_t n;           /* inputs */
	const char **paths; /* one for each of them */
	struct import_origin *origins;
	struct trace_dat_later **later; /* make the records of inputs; NULL: the file has them */
	ARRAY(int) fds;
	struct import_result result; /* totals of all inputs */
};

/**
 * import_paths_open() - replace each path that has to be imported with a temporary trace.dat
 *
 * With options->later, p->later makes the records of inputs that have none yet. The paths may be
 * opened until import_paths_close(), which frees what is left in p->later.
 *
 * Return: 0, or as import_file()
 */
int import_paths_open(struct import_paths *p, const struct import_input *inputs, size_t n,
		      const struct import_options *options, struct diags *diags);
void import_paths_close(struct import_paths *p);
