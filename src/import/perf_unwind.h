/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * perf.data of perf record --call-graph dwarf: samples contain registers and a copy of the stack,
 * of which call chains are made, before the records.
 */
#pragma once
#include "import/perf_order.h"

struct objects;
struct perf_copy;
struct perf_process;

struct perf_unwind {
	struct objects *objects; /* NULL: not needed yet */
	bool debuginfod;
	const char *symfs, *id_cache;
	ARRAY(struct perf_copy) copies;
	ARRAY(u64) frames; /* of all */
	INDEXED(struct perf_process) processes;
	u64 n_maps;    /* of all processes, at most */
	u64 narrow;    /* samples of programs of 32 bits */
	bool unknown;  /* the registers of this architecture */
	bool too_many; /* mappings */
	bool told;     /* of these */
};

/* A call chain. */
struct perf_chain {
	const u64 *frames;
	u32 n; /* 0: none */
};

/* Whether samples have copies of stacks. */
bool perf_unwind_is_needed(const struct perf_file *f);
/* Add a sample, whose chain is that of @of. 0, -HIST_ENOMEM */
int perf_unwind_add(struct perf_unwind *u, const struct perf_file *f, const struct perf_event *ev,
		    const struct perf_sample *s, const u8 *of);
/* Unwind those that were added, each with the mappings of its time. 0, -HIST_ENOMEM */
int perf_unwind_run(struct perf_unwind *u, const struct perf_file *f, const struct perf_tasks *t);
/* Warn of what ended chains. */
void perf_unwind_report(struct perf_unwind *u, const char *name, struct diags *diags);
/* Context: any thread */
struct perf_chain perf_unwind_find(const struct perf_unwind *u, const u8 *of);
/* Forget the chains; the files stay. */
void perf_unwind_clear(struct perf_unwind *u);
void perf_unwind_release(struct perf_unwind *u);
