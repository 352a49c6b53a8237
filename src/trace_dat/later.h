/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Recordings that are imported: their sub-buffers are made when it is known which events are
 * needed.
 */
#pragma once
#include "trace_dat/open.h"

/* Records that are needed. */
struct trace_dat_wanted {
	const u8 *ids; /* not zero: those with this id; NULL: all records */
	u32 n;
	bool no_stacks; /* of programs, if they have to be unwound; only with ->ids */
};

/* A CPU with records, and their times; first > last: it only has losses. */
struct trace_dat_later_cpu {
	u32 cpu;
	u64 bytes; /* about */
	u64 first, last;
};

/* What makes sub-buffers. */
struct trace_dat_later {
	const struct trace_dat_later_cpu *cpus; /* ascending */
	size_t n_cpus;
	bool lost; /* some records were lost */
	/*
	 * Make a file with the records, at least one sub-buffer for each CPU.
	 * Return: 0, an error with a diagnosis
	 */
	int (*make)(struct trace_dat_later *later, const struct trace_dat_wanted *wanted,
		    struct trace_dat **made, struct diags *diags);
	/* Where files of programs are, see hist_symbol_files(). Return: 0, -HIST_ENOMEM */
	int (*use_files)(struct trace_dat_later *later, const char *symfs, const char *id_cache,
			 bool debuginfod);
	void (*free)(struct trace_dat_later *later);
};

/*
 * The sub-buffers of the top buffer of @td, which has none, are made by @later, which @td owns.
 * Return: 0, -HIST_ENOMEM; then the caller still owns it
 */
int trace_dat_set_later(struct trace_dat *td, struct trace_dat_later *later);

/**
 * trace_dat_make() - make the sub-buffers with these records, if there is something to make
 *
 * If nothing was made, trace_dat_pages_open() makes all. When more is needed than was made, all is
 * made. Cursors on what was made before stay valid.
 *
 * Return:  0, what ->make returns
 * Context: not thread safe
 */
int trace_dat_make(struct trace_dat *td, const struct trace_dat_wanted *wanted,
		   struct diags *diags);

int trace_dat_make_all(struct trace_dat *td, struct diags *diags);

/* Where to look for files of programs when records are made. Return: 0, -HIST_ENOMEM */
int trace_dat_later_files(struct trace_dat *td, const char *symfs, const char *id_cache,
			  bool debuginfod);

/* Whether records are made later, at all and with losses. */
bool trace_dat_is_later(const struct trace_dat *td);
bool trace_dat_later_lost(const struct trace_dat *td);

/*
 * Sub-buffers have times as options of the file convert them: TSC2NSEC, DATE, OFFSET. _raw_times():
 * let them have those of the file; _time(): convert one; _times_print(): append how, if at all.
 */
void trace_dat_raw_times(struct trace_dat *td);
u64 trace_dat_time(const struct trace_dat *td, u64 ts);
void trace_dat_times_print(const struct trace_dat *td, struct strbuf *out);

/* Whether the sub-buffers have only some of the records. */
bool trace_dat_is_part(const struct trace_dat *td);
